"""The repository as a ResourceSync source (ANSI/NISO Z39.99, ResourceSync 1.1): its documents, and their addresses."""
