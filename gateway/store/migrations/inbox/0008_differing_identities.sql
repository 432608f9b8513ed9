-- The identities that may wait for a person are few among many, and are read from an index.
create index identity_differing on identity (source) where accepted <> said or strange <> '';
