-- Which items refer to one file: a list of files names it once.
create index content_url on content (url, item);
