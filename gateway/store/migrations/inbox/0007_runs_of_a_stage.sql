-- The last runs of a stage of a source are read from one index.
create index run_stage on run (source, stage, id);
