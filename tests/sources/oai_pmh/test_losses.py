"""What mending an answer has cost is told with it, and an answer that lost something decides nothing."""

from __future__ import annotations

from tests.sources.oai_pmh.repository import Answer, Arguments, Fault, Repository, good, walked

# An attribute without quotes costs libxml2 more than the attribute.
DAMAGED = {"ListIdentifiers": "<datestamp>", "ListRecords": "<dc:title>", "GetRecord": "<dc:title>"}


def _damaged(verb: str) -> Fault:
    """Damage the last record of every answer."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != verb:
            return None
        before, tag, after = repository.answer(arguments).rpartition(DAMAGED[verb])
        return f"{before}{tag[:-1]} a=1>{after}"

    return fault


def test_what_mending_a_page_costs_goes_with_its_step():
    repository = Repository(faults=[_damaged("ListRecords")]).fill(4)
    steps = walked(repository)
    assert [len(step.losses) for step in steps] == [1, 1]
    assert steps[-1].is_complete


def test_what_mending_a_single_record_costs_goes_with_its_step():
    def ill(repository: Repository, arguments: Arguments) -> Answer | None:
        is_there = arguments["verb"] == "ListRecords" and "oai:x:004" in repository.answer(arguments)
        return (500, "<html/>") if is_there else None

    repository = Repository(faults=[ill, _damaged("GetRecord")]).fill(12)
    steps = walked(repository)
    assert sorted(good(steps)) == sorted(repository.records)
    assert [[slice_.identifier for slice_ in step.slices] for step in steps if step.losses] == [["oai:x:004"]]


def test_headers_of_which_mending_has_lost_something_decide_nothing():
    repository = Repository(size=lambda count: count + 2, faults=[_damaged("ListIdentifiers")]).fill(4)
    steps = walked(repository)
    assert not steps[-1].is_complete
    assert "ListIdentifiers: The answer is not well-formed" in " ".join(steps[-1].doubts)
