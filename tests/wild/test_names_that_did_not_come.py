"""What ListIdentifiers names and ListRecords does not bring: it is fetched, or the list is not called whole.

At most four answers of ListIdentifiers are read of a list that nothing speaks against.
"""

import re
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from gateway.core.errors import TryLater
from gateway.core.model import Cursor
from gateway.core.xmltext import utc_datetime
from harvester.dump.dump import Dump, File, Order
from harvester.http.dates import DAY
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.sources import Compared, NothingHeld, Step
from harvester.sources.oai_pmh import SOURCE
from tests.rows import each_row
from tests.sources.oai_pmh.repository import (
    NOW,
    URL,
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

NO_SIZES = "none"
FITTING = "that of what is sent"
SIZES = [NO_SIZES, FITTING]


def _leaving_out(*hidden: str) -> Fault:
    """Leave these out of ListRecords, as if they were not there: pages and sizes are those of the others."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListRecords":
            return None
        seen = {name: stamp for name, stamp in repository.records.items() if name not in hidden}
        others = Repository(seen, page_size=repository.page_size, size=repository.size)
        others.is_ordered = repository.is_ordered
        return others.answer(arguments)

    return fault


def _sixty_five(size: str, *hidden: int) -> Repository:
    """Return a repository of 65 records, ten a page, that leaves some of them out of ListRecords."""
    names = [f"oai:x:{number:03}" for number in hidden]
    repository = Repository(faults=[_leaving_out(*names)], page_size=10).fill(65)
    repository.size = (lambda _: None) if size == NO_SIZES else (lambda count: count)
    return repository


def _is_whole(steps: list[Step], repository: Repository) -> bool:
    return steps[-1].is_complete and sorted(set(good(steps))) == sorted(repository.records)


# --- records that are left out ------------------------------------------------------------------------------------


@each_row("walk", [walked, killed])
@each_row("size", SIZES)
@each_row("hidden", [(3, 17, 29, 44, 61), (60, 61, 62, 63, 64), (0, 1, 2, 3, 4)])
def test_records_that_are_named_and_left_out_of_the_list_are_fetched(walk, size: str, hidden: tuple[int, ...]):
    """Five of 65, with no size told or with one that fits what was sent."""
    repository = _sixty_five(size, *hidden)
    steps = walk(repository)
    assert _is_whole(steps, repository)
    assert sorted(arguments["identifier"] for arguments in repository.listed("GetRecord")) == [
        f"oai:x:{n:03}" for n in hidden
    ]
    assert steps[-1].compared is Compared.WHOLE


def test_where_four_answers_name_none_of_them_the_comparison_is_said_to_be_a_partial_one():
    """The whole comparison is that of a sweep."""
    steps = walked(_sixty_five(NO_SIZES, 33, 34, 35))
    assert (steps[-1].is_complete, steps[-1].compared) == (True, Compared.PART)


@each_row("size", SIZES)
def test_a_list_that_is_whole_does_not_wait_for_a_busy_list_identifiers(size: str):
    """It always answers 503: the list ends without it, and no request for it waits for long."""
    repository = _sixty_five(size)
    waits: list[float | None] = []

    def fetch(request):
        if "verb=ListIdentifiers" in request.url:
            waits.append(request.waits_seconds)
            raise TryLater("The server answers 503.")
        return repository(request)

    steps = list(SOURCE.changes(options(), Cursor("x", "oai_dc"), fetch))
    assert _is_whole(steps, repository)
    assert steps[-1].compared is Compared.NOTHING
    assert waits == [60.0]


class _Mirror(NothingHeld):
    """Holds some records, and remembers nothing else."""

    def __init__(self, *held: str) -> None:
        self.held = held

    def names(self, identifiers: Sequence[str], _metadata_prefix: str) -> frozenset[str]:
        return frozenset(identifiers) & frozenset(self.held)


@each_row("lacking, is_complete", [((), True), (("oai:x:003",), False)])
def test_a_mirror_that_goes_on_compares_the_names_with_what_it_holds(lacking: tuple[str, ...], *, is_complete: bool):
    repository = _sixty_five(FITTING, *(int(identifier[-3:]) for identifier in lacking))
    state = '{"version": 2, "began": 1, "first": 1717200000, "received": 50, "part": 50, "token": "//50"}'
    steps = walked(repository, state, holdings=_Mirror(*sorted(repository.records.keys() - set(lacking))))
    assert steps[-1].is_complete is is_complete
    assert is_complete or "What came before is not known here." in steps[-1].doubts[0]


# --- what it costs ------------------------------------------------------------------------------------------------


@each_row("size", SIZES)
@each_row("is_ordered", [True, False])
def test_a_clean_list_of_a_hundred_pages_costs_at_most_four_requests_more(size: str, is_ordered: bool):
    repository = Repository(page_size=3, is_ordered=is_ordered).fill(300)
    repository.size = (lambda _: None) if size == NO_SIZES else (lambda count: count)
    steps = walked(repository)
    assert _is_whole(steps, repository)
    assert steps[-1].compared is Compared.PART
    assert len(repository.listed()) == 100
    assert len(repository.asked) <= 104


def _of_today() -> Repository:
    """Return a hundred pages in no order and without a size, of which two records are dated today, in days."""
    repository = Repository(page_size=3, is_ordered=False).fill(300)
    repository.size = lambda _: None
    days = {name: stamp[:10] for name, stamp in repository.records.items()}
    repository.records = days | dict.fromkeys([*days][::150], utc_datetime(NOW)[:10])
    return repository


def test_a_record_that_is_of_today_since_the_list_began_lets_all_names_be_compared():
    """Where pages are counted, a record that comes or goes lets another one slip away, and days hide that."""
    repository = _of_today()

    def changing(repository: Repository, _: Arguments) -> Answer | None:
        if len(repository.listed()) == 20:
            repository.records["oai:x:200"] = utc_datetime(NOW)[:10]
        return None

    repository.faults = [changing]
    steps = walked(repository, granularity=DAY)
    assert _is_whole(steps, repository)
    assert steps[-1].compared is Compared.WHOLE


# --- sizes that were announced ------------------------------------------------------------------------------------


def _capped(most: int, *, names_have_size: bool = False, windows_have_size: bool = False) -> Fault:
    """Announce all records and stop at some; ListIdentifiers names the same ones."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        verb = arguments["verb"]
        if not verb.startswith("List"):
            return None
        identifiers = repository.selected(arguments)
        shown = Repository({record: repository.records[record] for record in list(repository.records)[:most]})
        entries = [shown.entry(verb, identifier) for identifier in identifiers if identifier in shown.records]
        is_window = "from" in arguments or "until" in arguments
        if verb == "ListIdentifiers":
            size = len(entries) if names_have_size else None
        else:
            size = len(entries) if is_window and windows_have_size else len(repository.records)
        if not entries:
            return refused("noRecordsMatch")
        token = "" if size is None else f'<resumptionToken completeListSize="{size}" cursor="0"/>'
        return envelope(f"<{verb}>{''.join(entries)}{token}</{verb}>")

    return fault


@each_row("counts", [{"names_have_size": True}, {"windows_have_size": True}])
def test_a_size_is_overruled_by_another_count_that_is_complete_in_itself(counts: dict[str, bool]):
    """A number that ListIdentifiers announces and keeps, or that of windows which all bring what they announce."""
    repository = Repository(faults=[_capped(10, **counts)]).fill(60)
    steps = walked(repository)
    assert steps[-1].is_complete
    assert steps[-1].announced == (60, 60)


@each_row("tolerance, is_complete", [(0.0, False), (0.04, False), (0.1, True), (1.0, True)])
def test_a_share_of_the_announced_records_may_be_tolerated(tolerance: float, is_complete: bool):
    repository = Repository(size=lambda count: count + 1, page_size=5).fill(19)
    assert walked(repository, announced_tolerance=tolerance)[-1].is_complete is is_complete


# --- lists without order, of which both verbs hide the same records --------------------------------------------------


def _shuffled(fault: Fault) -> Repository:
    """Return 60 records in no order of their dates, without a number; of each list, `fault` hides some."""
    repository = Repository(faults=[fault], page_size=10, size=lambda _: None, is_ordered=False).fill(60)
    stamps = list(repository.records.values())
    repository.records = {name: stamps[7 * at % 60] for at, name in enumerate(repository.records)}
    return repository


def _hiding(hides: Callable[[list[str]], list[str]], *, ignores_dates: bool = False) -> Fault:
    """Leave these out of every list, whatever its dates."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        if not arguments["verb"].startswith("List"):
            return None
        from_, until, _ = arguments.get("resumptionToken", "//").split("/")
        dates = {"from": arguments.get("from", from_), "until": arguments.get("until", until)}
        hidden = hides(repository.selected({} if ignores_dates else dates))
        others = {name: stamp for name, stamp in repository.records.items() if name not in hidden}
        shown = Repository(others, page_size=10, size=lambda _: None, is_ordered=False)
        given = {name: text for name, text in arguments.items() if name not in ("from", "until")}
        return shown.answer(given if ignores_dates else arguments)

    return fault


def _cut(names: list[str]) -> list[str]:
    return names[30:]


def _ends(names: list[str]) -> list[str]:
    """Leave out the oldest and the newest record of more than one page."""
    return sorted(names, key=lambda name: 7 * int(name[-3:]) % 60)[:: len(names) - 1] if len(names) > 10 else []


@each_row("hides", [_cut, _ends])
def test_a_record_that_both_lists_hide_is_found_by_the_greatest_dates(hides):
    repository = _shuffled(_hiding(hides))
    steps = walked(repository)
    assert steps[-1].compared is not Compared.NAMES
    assert _is_whole(steps, repository)


def test_where_no_date_can_be_asked_for_all_names_do_not_show_that_nothing_is_missing():
    steps = walked(_shuffled(_hiding(_cut, ignores_dates=True)))
    assert (steps[-1].is_complete, steps[-1].compared) == (True, Compared.NAMES)


# --- a dump -------------------------------------------------------------------------------------------------------


class _Recorder(Progress):
    def __init__(self) -> None:
        self.messages: list[str] = []

    def say(self, text: str) -> None:
        self.messages.append(text)


def _dumped(repository: Repository, file: Path, stop: Stop) -> tuple[bool, list[str]]:
    recorder = _Recorder()
    dump = Dump(Order(URL, ("oai_dc",), ("",)), SOURCE, repository, File(file), recorder, stop)
    return dump.whole(), recorder.messages


def test_a_dump_has_what_its_list_leaves_out(tmp_path: Path):
    repository = _sixty_five(FITTING, 3, 17)
    assert _dumped(repository, tmp_path / "dump.xml", Stop()) == (True, [])
    held = set(re.findall(r"<identifier>([^<]*)", (tmp_path / "dump.xml").read_text()))
    assert held == set(repository.records)


def _nine(*faults: Fault, has_size: bool = True) -> Repository:
    """Return a repository of three pages."""
    return Repository(faults=list(faults), size=lambda count: count if has_size else None).fill(9)


def _came_whole(steps: list[Step], repository: Repository) -> bool:
    return steps[-1].is_complete and set(good(steps)) == set(repository.records)


def _answering(verb: str, answer: Answer) -> Fault:
    return lambda _, arguments: answer if arguments["verb"] == verb else None


def _edited(verb: str, pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> Fault:
    """Change the answers of a verb."""

    def fault(repository: Repository, arguments: Arguments) -> Answer | None:
        return re.sub(pattern, replacement, repository.answer(arguments)) if arguments["verb"] == verb else None

    return fault


_without_the_fifth = _edited("ListRecords", "<record><header><identifier>oai:x:004<.*?</record>", "")


def _names(answer: Answer) -> Fault:
    return _answering("ListIdentifiers", answer)


# --- what is asked for one by one ---------------------------------------------------------------------------------

ANOTHER = envelope(f"<GetRecord>{Repository().fill(9).entry('GetRecord', 'oai:x:001')}</GetRecord>")


@each_row(
    "answer, why",
    [
        (ANOTHER, "GetRecord brings oai:x:001 instead."),
        (refused("idDoesNotExist"), "idDoesNotExist: no"),
        (envelope("<GetRecord></GetRecord>"), "GetRecord brings nothing."),
    ],
)
def test_a_record_that_is_named_and_not_given_is_quarantined(answer: Answer, why: str):
    """ufal/clarin-dspace#977: GetRecord mangles identifiers; to another one it gives another record, or none."""
    steps = walked(_nine(_without_the_fifth, _answering("GetRecord", answer)))
    assert bad(steps) == {"oai:x:004": f"It could not be fetched: {why}"}
    assert len(good(steps)) == 8


# The fifth record is named as deleted, and known in no other way.
_tombstone_named = _edited(
    "ListIdentifiers", "<header>(<identifier>oai:x:004<)", lambda match: f'<header status="deleted">{match[1]}'
)


@each_row("code", ["idDoesNotExist", "cannotDisseminateFormat"])
def test_what_is_named_as_deleted_and_known_in_no_other_way_is_deleted(code: str):
    """Deletions that are kept in ListIdentifiers only, though OAI-PMH 2.0 §2.5.1 wants them in every answer."""
    steps = walked(_nine(_without_the_fifth, _tombstone_named, _answering("GetRecord", refused(code))))
    deleted = [slice_.identifier for step in steps for slice_ in step.slices if slice_.is_deleted]
    assert (deleted, bad(steps), steps[-1].is_complete) == (["oai:x:004"], {}, True)


def test_names_that_end_without_a_number_are_asked_for_from_their_last_date_on():
    """The first page of ListIdentifiers has no token (OJS 3.3.0, pkp-lib#7214)."""
    capped = _edited("ListIdentifiers", "<resumptionToken.*</resumptionToken>", "")
    steps = walked(_nine(_without_the_fifth, capped))
    assert (len(good(steps)), steps[-1].is_complete) == (9, True)


# --- lists that come whole ----------------------------------------------------------------------------------------


def _broken(end: str) -> Fault:
    return _edited("ListRecords", "<resumptionToken.*</ListRecords>", end.format('<error code="x">y</error>'))


WHOLE: dict[str, Callable[[], Repository]] = {
    # dataverse#8306: an exception in the middle of a page; here it is told, behind what was sent.
    "a page that ends with an error": lambda: _nine(_broken("</ListRecords>{}"), has_size=False),
    "an error before the end of the list": lambda: _nine(_broken("{}</ListRecords>"), has_size=False),
}


@each_row("symptom", WHOLE)
def test_list_that_seems_to_end_comes_whole(symptom: str):
    repository = WHOLE[symptom]()
    assert _came_whole(walked(repository), repository)


EMPTY_LISTS = (refused("noRecordsMatch"), envelope("<ListRecords></ListRecords>"))


# --- nothing, where there is something ----------------------------------------------------------------------------

WINDOW = ("2024-01-01", "2024-01-31")


@each_row("answer, values", product(EMPTY_LISTS, ({}, {"window": WINDOW}, {"from_": "2024-01-01"})))
def test_a_list_that_is_empty_is_not_believed_where_names_say_otherwise(answer: Answer, values: dict[str, Any]):
    """dpla/ingestion3#777: Primo's empty pages, here the first one. What fits on one page is fetched one by one."""
    repository = Repository(faults=[_answering("ListRecords", answer)]).fill(3)
    steps = walked(repository, **values)
    assert _came_whole(steps, repository)
    assert "record by record" in notes(steps)


@each_row(
    "answer, is_believed",
    [
        *((answer, True) for answer in (refused("badVerb"), (404, "Not found"), (403, "Forbidden"))),
        # metha#6 (DNB): too much to be named at once is not nothing.
        *((answer, False) for answer in ((413, "too large"), (500, "ill"), "<html>Please wait</html>")),
    ],
)
def test_what_is_empty_is_believed_where_there_are_no_names_and_doubted_where_these_are_ill(
    answer: Answer, *, is_believed: bool
):
    *_, last = walked(Repository(faults=[_names(answer)]), window=WINDOW)
    assert (last.is_complete, bool(last.doubts)) == (is_believed, not is_believed)


def test_what_is_named_in_every_format_says_nothing_of_a_rare_one():
    """OAI-PMH 1.1 §4.4: ListIdentifiers takes no metadataPrefix."""
    empty = '<ListRecords xmlns="http://www.openarchives.org/OAI/1.1/OAI_ListRecords"/>'
    repository = _nine(_answering("ListRecords", empty))
    *_, last = SOURCE.changes(options(window=WINDOW), Cursor("x", "oai_etdms", "", ""), repository)
    assert last.is_complete
    assert not repository.listed("ListIdentifiers")


# --- pages that shift ---------------------------------------------------------------------------------------------


def test_a_record_that_slips_between_two_pages_is_found_when_another_goes_and_a_third_comes():
    """Pages counted by offset (most repositories): one record less and one more leave all numbers as they are."""

    def shifting(repository: Repository, arguments: Arguments) -> Answer | None:
        if (arguments["verb"], arguments.get("resumptionToken")) == ("ListRecords", "//3"):
            del repository.records["oai:x:001"]
            repository.records["oai:x:new"] = utc_datetime(NOW + 60)
        later = NOW + 120 * ("resumptionToken" in arguments)
        return repository.answer(arguments).replace(utc_datetime(NOW), utc_datetime(later), 1)

    repository = _nine(shifting)
    steps = walked(repository)
    assert steps[-1].is_complete
    assert set(good(steps)) == {*repository.records, "oai:x:001"}
    assert "Records were added or changed while the list was walked: 1" in notes(steps)
