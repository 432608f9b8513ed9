-- What a run did: `harvest`, or another stage that a source goes through.
alter table run add column stage text not null default 'harvest';
