"""Lists that seem to end, and proofs that prove nothing: none of them is called whole while a record is missing."""

import re
from collections.abc import Callable
from itertools import product
from typing import Any

from gateway.core.model import Cursor
from gateway.core.xmltext import utc_datetime
from harvester.sources import Step
from harvester.sources.oai_pmh import SOURCE
from tests.rows import each_row
from tests.sources.oai_pmh.repository import (
    NOW,
    Answer,
    Arguments,
    Fault,
    Repository,
    bad,
    envelope,
    good,
    notes,
    options,
    refused,
    walked,
)


def _nine(*faults: Fault, has_size: bool = True) -> Repository:
    """Return a repository of three pages."""
    return Repository(faults=list(faults), size=lambda count: count if has_size else None).fill(9)


def _is_whole(steps: list[Step], repository: Repository) -> bool:
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
    assert _is_whole(walked(repository), repository)


EMPTY_LISTS = (refused("noRecordsMatch"), envelope("<ListRecords></ListRecords>"))


# --- nothing, where there is something ----------------------------------------------------------------------------

WINDOW = ("2024-01-01", "2024-01-31")


@each_row("answer, values", product(EMPTY_LISTS, ({}, {"window": WINDOW}, {"from_": "2024-01-01"})))
def test_a_list_that_is_empty_is_not_believed_where_names_say_otherwise(answer: Answer, values: dict[str, Any]):
    """dpla/ingestion3#777: Primo's empty pages, here the first one. What fits on one page is fetched one by one."""
    repository = Repository(faults=[_answering("ListRecords", answer)]).fill(3)
    steps = walked(repository, **values)
    assert _is_whole(steps, repository)
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
