-- Of ten thousand sources, each list is read in its order, and no further than it is shown: the friends that Identify
-- names, the biggest sources, those that were removed; the source of an identifier, whose stem ends at the first slash;
-- and what is in quarantine of one source.
create index source_friend on source (name) where kind = 'oai_pmh' and is_friend = 1 and is_removed = 0;
create index source_biggest on source ((deleted - items), name) where is_removed = 0;
create index source_removed on source (name) where is_removed = 1;
create index source_stem on source (stem);
create index quarantine_of on quarantine (source) where released_at is null;
