-- Which copies of ours are served: those that a DIDL names.
create index file_copy on file (sha256) where copy_url <> '';
