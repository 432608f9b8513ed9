"""What mending an answer has cost is told with it, and an answer that lost something decides nothing."""

from tests.sources.oai_pmh.repository import Answer, Arguments, Fault, Repository, walked

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


def test_headers_of_which_mending_has_lost_something_decide_nothing():
    repository = Repository(size=lambda count: count + 2, faults=[_damaged("ListIdentifiers")]).fill(4)
    steps = walked(repository)
    assert not steps[-1].is_complete
    assert "ListIdentifiers: The answer is not well-formed" in " ".join(steps[-1].doubts)
