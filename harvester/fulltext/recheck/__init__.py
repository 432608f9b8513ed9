"""The recheck of published files: each is looked at again, in its own time. See README.md of `fulltext`."""
