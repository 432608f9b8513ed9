-- The number of searched items of each source is shown on pages: an item that nobody searched for is not one without a file.
create index search_searched on search (source) where searched_at > 0;
