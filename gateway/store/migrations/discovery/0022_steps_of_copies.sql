-- The steps that found the files of the review, for its filter.
create index copy_step on copy (step) where verdict <> '';
