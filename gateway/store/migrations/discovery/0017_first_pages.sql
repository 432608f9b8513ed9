-- The beginning of the text of each file that was read, compressed, by the SHA-256 of the file. It is shown to the people
-- who decide on the file, so that no web server ever opens a PDF.
create table first_page (sha256 text primary key, content blob not null) without rowid;

-- Which items have a file with these bytes.
create index copy_digest on copy (sha256, identifier) where sha256 <> '';
