"""One repository in one file of XML."""
