"""Lists that cannot be walked in one piece: by fallback steps, with nothing lost. Named by symptom.

Endpoint and date stand where the symptom was seen. Most are walked twice: in one go, and killed after every answer.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import AnswerTooSlow, ConnectionFailed, GatewayError, NotOaiPmh, RemoteError
from gateway.model import Cursor
from harvester.sources import Step
from harvester.sources.oai_pmh import SOURCE
from tests.rows import each_row
from tests.sources.oai_pmh.repository import (
    Answer,
    Arguments,
    Fault,
    Repository,
    bad,
    envelope,
    good,
    killed,
    notes,
    options,
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


def _ignoring(fault: Fault | None = None) -> Fault:
    """Answer as if no dates were given."""

    def answer(repository: Repository, arguments: Arguments) -> Answer | None:
        bare = {name: value for name, value in arguments.items() if name not in ("from", "until")}
        response = fault(repository, bare) if fault else None
        return repository.answer(bare) if response is None else response

    return answer


# --- lists of which nothing is lost ------------------------------------------------------------------------------


def _larger_than(most: int, answer: Answer, verbs: str = "List") -> Fault:
    """Answer so when more is asked for at once."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        is_list = arguments["verb"].startswith(verbs) and "resumptionToken" not in arguments
        return answer if is_list and len(repository.selected(arguments)) > most else None

    return fault


def _prefix_wanted(_: Repository, arguments: Arguments) -> Answer | None:
    is_alone = "resumptionToken" in arguments and "metadataPrefix" not in arguments
    return refused("badArgument") if is_alone else None


def _repeating(repository: Repository, arguments: Arguments) -> Answer | None:
    """Give a later page the token that led to it."""
    if "resumptionToken" not in arguments or arguments["verb"] != "ListRecords":
        return None
    text = repository.answer(arguments)
    return text.replace(text.partition(">//")[2].partition("<")[0], "6") if ">//9<" in text else None


def _past_the_end(repository: Repository, arguments: Arguments) -> Answer | None:
    """Go on for ever with the last page and new tokens."""
    at = int(arguments.get("resumptionToken", "//0").rpartition("/")[2])
    if at < 9:
        return None
    text = repository.answer({**arguments, "resumptionToken": "//6"})
    return text.replace("></resumptionToken>", f">//{at + 3}</resumptionToken>").replace('cursor="6"', "")


def _endless(repository: Repository, arguments: Arguments) -> Answer | None:
    """Give the last page a token, too."""
    if not arguments.get("resumptionToken", "").endswith("/6"):
        return None
    return repository.answer(arguments).replace("></resumptionToken>", ">//9</resumptionToken>")


def _cut_after_the_first_page(repository: Repository, arguments: Arguments) -> Answer | None:
    if not arguments["verb"].startswith("List"):
        return None
    text = repository.answer(arguments)
    head, _, tail = text.partition('cursor="0">')
    return f'{head}cursor="0"></resumptionToken></{arguments["verb"]}></OAI-PMH>' if tail else None


def _dated_outside(repository: Repository) -> Repository:
    repository.records |= {"oai:x:old": "1990-05-05T00:00:00Z", "oai:x:new": "2030-01-01T00:00:00Z"}
    return repository


TOO_LARGE: dict[str, Answer] = {
    "413": (413, "<html>Request Entity Too Large</html>"),
    "html": "<html><body>matches to many records (&gt;100000)</body></html>",
    "slow": AnswerTooSlow("http://x.org/oai took longer than 900 seconds."),
    "broken": ConnectionFailed("http://x.org/oai: the connection broke before the answer was whole."),
    "504": (504, "<html>Gateway Time-out</html>"),
    "truncated": '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRec',
}
TRUNCATED = poison("oai:x:004", answer="<OAI-PMH xmlns=", verbs=("ListRecords",))
# By symptom: a repository. All its records come, each once, and the list is shown to be whole.
WHOLE: dict[str, Callable[[], Repository]] = {
    # dataverse#8306: a record cut in the middle of a page.
    "a record breaks only lists": lambda: Repository(faults=[TRUNCATED]).fill(12),
    # OSTI, as the clients of oadoi and OpenAlex know it (2026).
    "metadataPrefix is wanted beside a token": lambda: Repository(faults=[_prefix_wanted]).fill(9),
    # A whole repository restamped at once, as arXiv does it now and then (info.arxiv.org/help/oa).
    "records of one second and a broken token": lambda: Repository(faults=[_records_only(_expiring(3))]).fill(
        20, step=0
    ),
    # DOAJ#786, eprints3.4#526: the earliestDatestamp is too late.
    "older than the earliest, and in the future": lambda: _dated_outside(
        Repository(faults=[_larger_than(3, ILL, "ListRecords")], earliest="2024-01-01T05:00:00Z").fill(10)
    ),
    # gssrjournal.com "would spill the disk" (metha bae13194); coneda/kor#55; DOAJ#1396.
    "a token never changes": lambda: Repository(faults=[_repeating]).fill(20),
    # OpenSKOS#8: 172,515 announced, 274,000 read; Esri/geoportal-server-harvester#79.
    "new tokens for ever past the end": lambda: Repository(faults=[_endless, _past_the_end]).fill(9),
    # pkp-lib#7214, where ListIdentifiers is cut as well.
    "both lists are cut after the first page": lambda: Repository(faults=[_cut_after_the_first_page]).fill(20),
    # sickle#19, arxiv-public-datasets#26, scihist_digicoll#572.
    **{
        f"tokens expire after {after}, in order: {is_ordered}": lambda after=after, is_ordered=is_ordered: Repository(  # type: ignore[misc]
            faults=[_expiring(after)], is_ordered=is_ordered
        ).fill(30)
        for after, is_ordered in product((0, 3, 9), (True, False))
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


# --- one record that the server cannot give ---------------------------------------------------------------------


@each_row("walk", WALKS)
@each_row("is_ordered", (True, False))
def test_one_record_that_answers_500_is_quarantined_and_all_others_arrive(walk: Walk, *, is_ordered: bool) -> None:
    """datacite#941; DSpace#10721 (U+FFFE in one title), 2025."""
    repository = Repository(faults=[poison("oai:x:011")], is_ordered=is_ordered).fill(20)
    steps = walk(repository)
    assert whole(steps, repository, "oai:x:011")
    assert bad(steps) == {
        "oai:x:011": "It could not be fetched: http://x.org/oai?verb=GetRecord&identifier=oai%3Ax%3A011&"
        "metadataPrefix=oai_dc answers with HTTP status 500 (Internal Server Error); the server is failing."
    }


def test_what_is_certain_is_not_fetched_again():
    repository = Repository(faults=[poison("oai:x:011")]).fill(20)
    steps = walked(repository)
    assert sum(len(step.slices) for step in steps) == 20
    below = repository.listed()[4 + 4 - 1 :]
    assert all(
        arguments.get("from", "9") >= repository.records["oai:x:008"] for arguments in below if "from" in arguments
    )


@each_row("walk", WALKS)
def test_several_bad_records_far_apart_are_found_each(walk: Walk) -> None:
    repository = Repository(faults=[poison("oai:x:002", "oai:x:003", "oai:x:030")]).fill(40)
    steps = walk(repository)
    assert whole(steps, repository, "oai:x:002", "oai:x:003", "oai:x:030")


# --- tokens, and lists that would never end ---------------------------------------------------------------------


def test_token_that_is_refused_once_is_sent_again():
    refusals = iter([refused("badResumptionToken")])
    repository = Repository(faults=[lambda _, asked: next(refusals, None) if "resumptionToken" in asked else None])
    steps = walked(repository.fill(9))
    assert whole(steps, repository)
    assert repository.listed()[1] == repository.listed()[2]
    assert "The token was refused; it was sent again." in notes(steps)


def test_strange_errors_are_asked_for_again():
    """darwin.naturalsciences.be: "too many scroll contexts" as unknownError (metha extra/errors)."""
    answers = iter([refused("unknownError"), refused("InternalException")])
    repository = Repository(faults=[lambda _, asked: next(answers, None) if "resumptionToken" in asked else None])
    assert whole(walked(repository.fill(9)), repository)
    assert not any("from" in request for request in repository.asked)


def test_pages_with_nothing_new_for_ever_are_left():
    """A list that goes round in the same records, in another order each time, with no number announced."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        at = int(arguments.get("resumptionToken", "//0").rpartition("/")[2])
        if arguments["verb"] != "ListRecords" or "from" in arguments or "until" in arguments or at < 6:
            return None
        shown = [f"oai:x:{(at + number * number) % 6:03}" for number in range(3)]
        entries = "".join(repository.entry("ListRecords", identifier) for identifier in shown)
        return envelope(
            f"<ListRecords>{entries}<resumptionToken>//{at + 1}</resumptionToken></ListRecords>",
        )

    repository = Repository(faults=[fault], size=lambda _: None).fill(9)
    steps = walked(repository)
    assert set(good(steps)) == set(repository.records)
    assert steps[-1].is_complete


# --- when nothing helps -----------------------------------------------------------------------------------------


@each_row("answer", [ILL, "<html>Maintenance</html>", ConnectionFailed("x.org: refused.")])
def test_source_that_is_down_as_a_whole_ends_the_run_and_keeps_its_place(answer):
    repository = Repository().fill(9)
    walking = SOURCE.changes(options(), Cursor("x", "oai_dc"), repository)
    steps = [next(walking), next(walking)]
    repository.faults = [lambda *_: answer]
    with pytest.raises((ConnectionFailed, NotOaiPmh)):
        next(walking)
    repository.faults = []
    rest = walked(repository, steps[-1].cursor.state)
    assert good(steps) + good(rest) == list(repository.records)
    assert rest[-1].is_complete


def test_source_that_refuses_every_window_ends_after_a_bounded_number_of_requests():
    def fault(_: Repository, arguments: Arguments) -> Answer | None:
        return None if arguments["verb"] == "Identify" or len(repository.asked) < 2 else ILL

    repository = Repository(faults=[fault]).fill(90)
    with pytest.raises((RemoteError, ConnectionFailed)):
        walked(repository)
    assert len(repository.asked) < 200


def test_source_whose_get_record_does_not_work_is_not_asked_for_each_of_thousands():
    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] == "GetRecord":
            return ILL
        return _records_only(_expiring(3))(repository, arguments)

    repository = Repository(faults=[fault]).fill(500, step=0)
    steps = walked(repository)
    assert len(good(steps)) == 6
    assert len(bad(steps)) == 40
    assert steps[-1].doubts[-1].startswith("The records dated from 2024-01-01T00:00:00Z until 2024-01-01T00:00:00Z")
    assert "GetRecord failed for 40 records in a row, the last of them oai:x:045." in notes(steps)


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
def test_empty_token_after_the_first_page_is_noticed_and_the_rest_fetched(walk: Walk) -> None:
    """pkp-lib#7214: OJS 3.3.0 cut lists silently after page one; ListIdentifiers went on."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListRecords":
            return None
        head, _, tail = repository.answer(arguments).partition(">//3<")
        return f"{head}><{tail}" if tail else None

    repository = Repository(faults=[fault]).fill(10)
    steps = walk(repository)
    assert whole(steps, repository)
    assert "The source announced 10 records and sent 3. ListIdentifiers is to decide." in notes(steps)
    assert len(repository.listed("GetRecord")) == 7


@each_row("walk", WALKS)
def test_number_that_is_far_too_high_everywhere_leaves_a_doubt(walk: Walk) -> None:
    """europeana/combine#240: a set of seven records reports a total of 225,176; a list that is cut does it, too."""
    repository = Repository(size=lambda _: 225_176).fill(7)
    steps = walk(repository)
    assert sorted(good(steps)) == sorted(repository.records)
    assert steps[-1].doubts[0] == "The source announced 225176 records and sent 7."
    assert len(repository.asked) < 150


def test_number_that_shrinks_to_what_came_is_checked_and_the_lost_record_found():
    """A record deleted between two pages lets those behind it move up, and one of them falls between the pages."""
    repository = Repository().fill(12)

    def fault(held: Repository, arguments: Arguments) -> Answer | None:
        if len(held.listed()) == 2:
            held.records.pop("oai:x:001", None)
        return None

    repository.faults = [fault]
    steps = walked(repository)
    assert steps[-1].announced == (12, 11)
    assert set(good(steps)) == {"oai:x:001", *repository.records}
    assert steps[-1].is_complete


def test_record_that_moves_to_the_end_of_the_list_while_it_is_harvested_takes_none_with_it():
    """DOAJ#712: the same record on two pages, because the pages shift."""
    repository = Repository(size=lambda _: None).fill(12)

    def fault(held: Repository, arguments: Arguments) -> Answer | None:
        if len(held.listed()) == 2:
            held.records["oai:x:001"] = "2024-05-31T00:00:00Z"
        return None

    repository.faults = [fault]
    steps = walked(repository)
    assert set(good(steps)) == set(repository.records)
    assert steps[-1].is_complete
    assert "Records came again in one list: 1; its pages may have shifted." in notes(steps)


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


def test_long_list_without_numbers_is_compared_with_the_first_names_and_with_those_from_its_last_date_on():
    repository = Repository(size=lambda _: None).fill(30)
    assert whole(walked(repository), repository)
    first, last, *others = repository.listed("ListIdentifiers")
    assert (first, last) == ({}, {"from": repository.records["oai:x:029"]})
    assert others == [{"resumptionToken": "//3"}, {"resumptionToken": "//6"}]


def test_page_lost_on_a_source_without_list_identifiers_is_a_doubt():
    def fault(_: Repository, arguments: Arguments) -> Answer | None:
        return refused("badVerb") if arguments["verb"] == "ListIdentifiers" else None

    repository = Repository(faults=[fault], size=lambda count: count + 1).fill(12)
    steps = walked(repository)
    assert set(good(steps)) == set(repository.records)
    assert not steps[-1].is_complete
    assert steps[-1].doubts == ("The source announced 13 records and sent 12.", "ListIdentifiers: badVerb: no")


# --- sources that do not look at dates --------------------------------------------------------------------------


@each_row("walk", WALKS)
@each_row("is_ordered", (True, False))
def test_source_that_ignores_dates_is_harvested_for_all_that(walk: Walk, *, is_ordered: bool) -> None:
    """zvdd.org (metha -no-intervals); DOAJ (fatcat); delving/culture-hub#643."""
    fault = _ignoring(poison("oai:x:011"))
    repository = Repository(faults=[fault], is_ordered=is_ordered).fill(20)
    for number, identifier in enumerate(repository.records):
        repository.records[identifier] = f"20{(number * 7) % 20:02}-01-01T00:00:00Z"
    steps = walk(repository)
    assert sorted(set(good(steps))) == sorted(set(repository.records) - {"oai:x:011"})
    assert steps[-1].is_complete
    assert len(repository.asked) < 400


@each_row("walk", WALKS)
def test_token_that_always_expires_on_a_source_that_ignores_dates(walk: Walk) -> None:
    repository = Repository(faults=[_ignoring(_records_only(_expiring(6)))], is_ordered=False).fill(20)
    for number, identifier in enumerate(repository.records):
        repository.records[identifier] = f"20{(number * 7) % 20:02}-01-01T00:00:00Z"
    steps = walk(repository)
    assert set(good(steps)) == set(repository.records)
    assert steps[-1].is_complete


# --- any of it together -----------------------------------------------------------------------------------------


def _first_of(faults: tuple[Fault, ...]) -> Fault:
    return lambda held, asked: next((answer for fault in faults if (answer := fault(held, asked)) is not None), None)


@st.composite
def _faulty(draw: st.DrawFn) -> Repository:
    count = draw(st.integers(1, 25))
    repository = Repository(is_ordered=draw(st.booleans()), page_size=draw(st.integers(1, 6)))
    repository.fill(count, step=draw(st.sampled_from([0, 1, 3600, 86_400 * 40])))
    repository.size = draw(
        st.sampled_from([lambda size: size, lambda _: None, lambda size: size + 2, lambda size: size * 9])
    )
    poisoned = draw(st.sets(st.sampled_from(list(repository.records)), max_size=3))
    lists = draw(st.sampled_from([("ListRecords",), ("ListRecords", "GetRecord"), ("ListRecords", "ListIdentifiers")]))
    broken = draw(st.sampled_from([ILL, "<html/>", "<OAI-PMH", "", AnswerTooSlow("slow")]))
    faults: list[Fault] = [poison(*poisoned, answer=broken or "\n", verbs=lists)] if poisoned else []  # type: ignore[arg-type]
    if draw(st.booleans()):
        faults.append(_expiring(draw(st.integers(0, 20))))
    if draw(st.booleans()):
        faults.append(lambda _, asked: refused("badVerb") if asked["verb"] == "ListIdentifiers" else None)
    if draw(st.booleans()):
        most = draw(st.integers(1, 10))
        faults.append(
            lambda held, asked: (413, "") if "from" not in asked and len(_records(held, asked)) > most else None
        )
    if draw(st.booleans()):
        faults = [_ignoring(_first_of(tuple(faults)))]
    repository.faults = faults
    return repository


@settings(max_examples=60, deadline=None)
@given(_faulty())
def test_whatever_is_wrong_nothing_is_lost_without_a_word(repository: Repository):
    try:
        steps = walked(repository)
    except GatewayError:
        return  # the run fails, aloud
    lost = set(repository.records) - set(good(steps)) - set(bad(steps))
    assert not (lost and steps[-1].is_complete)
    assert steps[-1].received == sum(len(step.slices) for step in steps)
