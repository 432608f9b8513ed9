"""Lists that cannot be walked in one piece: by fallback steps, with nothing lost. Named by symptom.

Endpoint and date stand where the symptom was seen. Most are walked twice: in one go, and killed after every answer.
"""

from collections.abc import Callable
from itertools import product
from urllib.parse import unquote

import pytest

from harvester.sources import Step
from tests.rows import each_row
from tests.sources.oai_pmh.repository import (
    Answer,
    Arguments,
    Fault,
    Repository,
    bad,
    good,
    killed,
    notes,
    refused,
    walked,
)

pytestmark = pytest.mark.slow  # it walks hundreds of lists

Walk = Callable[[Repository], list[Step]]
WALKS: tuple[Walk, ...] = (walked, killed)  # in one go, and in a new process for every answer
ILL = (500, "<html><h1>Internal Server Error</h1></html>")


def _records(repository: Repository, arguments: Arguments) -> list[str]:
    """Return what the page that is asked for holds."""
    text = repository.answer(arguments)
    return [part.partition("<")[0] for part in text.split("<identifier>")[1:]]


def poison(*identifiers: str, answer: Answer = ILL, verbs: tuple[str, ...] = ("ListRecords", "GetRecord")) -> Fault:
    """Answer so whenever one of these records would be in the answer."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        is_asked = arguments["verb"] in verbs and set(identifiers) & set(_records(repository, arguments))
        return answer if is_asked else None

    return fault


def whole(steps: list[Step], repository: Repository, *without: str) -> bool:
    """Tell whether all but these came, each once, and the list is shown to be whole."""
    wanted = sorted(set(repository.records) - set(without))
    return sorted(good(steps)) == wanted and steps[-1].is_complete and steps[-1].received == len(repository.records)


def _expiring(after: int) -> Fault:
    """Refuse every token that leads further than this."""

    def fault(_: Repository, arguments: Arguments) -> Answer | None:
        at = unquote(arguments.get("resumptionToken", "//0")).rpartition("/")[2]
        return refused("badResumptionToken") if int(at) > after else None

    return fault


def _records_only(fault: Fault) -> Fault:
    return lambda repository, asked: fault(repository, asked) if asked["verb"] == "ListRecords" else None


# --- lists of which nothing is lost ------------------------------------------------------------------------------


def _larger_than(most: int, answer: Answer, verbs: str = "List") -> Fault:
    """Answer so when more is asked for at once."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        is_list = arguments["verb"].startswith(verbs) and "resumptionToken" not in arguments
        return answer if is_list and len(repository.selected(arguments)) > most else None

    return fault


def _dated_outside(repository: Repository) -> Repository:
    repository.records |= {"oai:x:old": "1990-05-05T00:00:00Z", "oai:x:new": "2030-01-01T00:00:00Z"}
    return repository


TOO_LARGE: dict[str, Answer] = {
    "413": (413, "<html>Request Entity Too Large</html>"),
    "html": "<html><body>matches to many records (&gt;100000)</body></html>",
    "truncated": '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRec',
}
TRUNCATED = poison("oai:x:004", answer="<OAI-PMH xmlns=", verbs=("ListRecords",))
# By symptom: a repository. All its records come, each once, and the list is shown to be whole.
WHOLE: dict[str, Callable[[], Repository]] = {
    # dataverse#8306: a record cut in the middle of a page.
    "a record breaks only lists": lambda: Repository(faults=[TRUNCATED]).fill(12),
    # A whole repository restamped at once, as arXiv does it now and then (info.arxiv.org/help/oa).
    "records of one second and a broken token": lambda: Repository(faults=[_records_only(_expiring(3))]).fill(
        20, step=0
    ),
    # DOAJ#786, eprints3.4#526: the earliestDatestamp is too late.
    "older than the earliest, and in the future": lambda: _dated_outside(
        Repository(faults=[_larger_than(3, ILL, "ListRecords")], earliest="2024-01-01T05:00:00Z").fill(10)
    ),
    # sickle#19, arxiv-public-datasets#26, scihist_digicoll#572.
    **{
        f"tokens expire after {after}, in order: {is_ordered}": lambda after=after, is_ordered=is_ordered: Repository(  # type: ignore[misc]
            faults=[_expiring(after)], is_ordered=is_ordered
        ).fill(30)
        for after, is_ordered in product((0, 9), (True, False))
    },
    # services.dnb.de: "matches to many records", even for one day (metha#6, 2016); DSpace#12980: 504 on deep pages.
    **{
        f"a window is too large: {name}": lambda answer=answer: Repository(faults=[_larger_than(5, answer)]).fill(30)  # type: ignore[misc]
        for name, answer in TOO_LARGE.items()
    },
}


@each_row("symptom, walk", product(WHOLE, WALKS))
def test_list_comes_whole_by_fallback_steps(symptom: str, walk: Walk) -> None:
    repository = WHOLE[symptom]()
    steps = walk(repository)
    assert whole(steps, repository)
    assert not bad(steps)


# --- when nothing helps -----------------------------------------------------------------------------------------


@each_row("walk", WALKS)
def test_window_that_cannot_be_had_in_any_way_is_left_and_the_rest_arrives(walk: Walk) -> None:
    fault = poison("oai:x:005", verbs=("ListRecords", "ListIdentifiers", "GetRecord"))
    repository = Repository(faults=[fault], size=lambda _: None).fill(12)
    steps = walk(repository)
    assert set(good(steps)) == set(repository.records) - {"oai:x:005"}
    doubt = "The records dated from 2024-01-01T05:00:00Z until 2024-01-01T05:00:00Z could not be harvested."
    assert doubt in steps[-1].doubts
    assert not steps[-1].is_complete
    # The next list goes on behind, and does not forget.
    after = walked(repository, steps[-1].cursor.state)
    assert repository.listed()[-1]["from"] == "2024-06-01T00:00:00Z"
    assert steps[-1].doubts[-1] in after[-1].doubts
    # Once it has come, by itself or with everything, nobody speaks of it any more.
    repository.faults = []
    second = ("2024-01-01T05:00:00Z", "2024-01-01T05:00:00Z")
    assert good(mended := walked(repository, after[-1].cursor.state, window=second)) == ["oai:x:005"]
    assert mended[-1].is_complete
    assert walked(repository, mended[-1].cursor.state)[-1].is_complete


# --- complete or not --------------------------------------------------------------------------------------------


@each_row("walk", WALKS)
def test_cursor_that_jumps_is_a_page_that_was_lost(walk: Walk) -> None:
    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        is_third = arguments["verb"] == "ListRecords" and arguments.get("resumptionToken") == "//3"
        return repository.answer({**arguments, "resumptionToken": "//6"}) if is_third else None

    repository = Repository(faults=[fault]).fill(12)
    repository.size = lambda count: count if repository.asked[-1]["verb"] == "ListIdentifiers" else count - 3
    steps = walk(repository)
    assert set(good(steps)) == set(repository.records)
    assert steps[-1].is_complete
    assert "The cursor says 6 where 3 records had come." in notes(steps)
