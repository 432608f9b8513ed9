-- The source of each decision, for the list of decisions on the files of one source.
alter table decision add column source text not null default '';

update decision set source = coalesce(
  (select source from copy where copy.identifier = decision.identifier and copy.url = decision.url), '');

create index decision_source on decision (source, at, number);

create trigger decision_sourced after insert on decision begin
  update decision set source = coalesce(
    (select source from search where identifier = new.identifier),
    (select source from copy where identifier = new.identifier and url = new.url),
    '')
  where number = new.number;
end;
