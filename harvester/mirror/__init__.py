"""The archive's side of complex objects: harvest documents that name files, fetch the files, verify, stay in step."""
