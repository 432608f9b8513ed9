"""Lists that seem to end, and proofs that prove nothing: none of them is called whole while a record is missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any

from gateway.model import Cursor
from gateway.xmltext import utc_datetime
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


def test_what_is_named_as_deleted_and_could_not_be_asked_for_is_missing():
    steps = walked(_nine(_without_the_fifth, _tombstone_named, _answering("GetRecord", refused("badArgument"))))
    assert list(bad(steps)) == ["oai:x:004"]


def test_names_that_are_fewer_than_the_records_that_came_prove_nothing():
    """The first page of ListIdentifiers has no token (OJS 3.3.0, pkp-lib#7214)."""
    capped = _edited("ListIdentifiers", "<resumptionToken.*</resumptionToken>", "")
    steps = walked(_nine(_without_the_fifth, capped))
    assert not steps[-1].is_complete
    assert "ListIdentifiers names 3 records, where there are 9." in " ".join(steps[-1].doubts)


# --- lists that come whole ----------------------------------------------------------------------------------------


def _of_a_page(repository: Repository, arguments: Arguments) -> Answer:
    return re.sub('completeListSize="9"', 'completeListSize="3"', repository.answer(arguments))


def _never_continued(_: Repository, arguments: Arguments) -> Answer | None:
    is_continued = arguments["verb"] == "ListRecords" and "resumptionToken" in arguments
    return refused("badResumptionToken") if is_continued else None


def _growing(repository: Repository, arguments: Arguments) -> Answer | None:
    """Announce as many as have come, and give the same token again and again."""
    if arguments["verb"] != "ListRecords":
        return None
    text = repository.answer(arguments)
    so_far = 3 + int(re.search(r'cursor="(\d+)"', text)[1])
    return re.sub('Size="9"(.*?)>.*?<', rf'Size="{so_far}"\1>//3<', text)


def _dateless(_: Repository, arguments: Arguments) -> Answer | None:
    return refused("noRecordsMatch") if arguments["verb"] == "ListRecords" and "from" in arguments else None


def _broken(end: str) -> Fault:
    return _edited("ListRecords", "<resumptionToken.*</ListRecords>", end.format('<error code="x">y</error>'))


WHOLE: dict[str, Callable[[], Repository]] = {
    # OpenSKOS#8 and arxiv-public-datasets#26 together.
    "the size of a page, and a token that is never taken": lambda: _nine(_never_continued, _of_a_page),
    # OpenSKOS#8 and gssrjournal (metha bae13194) together.
    "a size that grows with every page, and a token that repeats": lambda: _nine(_growing),
    # LearningRegistry#53 and zvdd.org together: tokens are refused, and nothing comes with dates.
    "a date that has a record and brings none": lambda: _nine(_never_continued, _dateless, has_size=False),
    # dataverse#8306: an exception in the middle of a page; here it is told, behind what was sent.
    "a page that ends with an error": lambda: _nine(_broken("</ListRecords>{}"), has_size=False),
    "an error before the end of the list": lambda: _nine(_broken("{}</ListRecords>"), has_size=False),
}


@each_row("symptom", WHOLE)
def test_list_that_seems_to_end_comes_whole(symptom: str):
    repository = WHOLE[symptom]()
    assert _is_whole(walked(repository), repository)


EMPTY_LISTS = (refused("noRecordsMatch"), envelope("<ListRecords></ListRecords>"))


@each_row("answer", EMPTY_LISTS)
def test_a_token_that_brings_nothing_is_checked_where_no_size_is_stated(answer: Answer):
    """dpla/ingestion3#777: Primo ends lists early, with an empty page."""

    def empty(_: Repository, arguments: Arguments) -> Answer | None:
        return answer if arguments["verb"] == "ListRecords" and "resumptionToken" in arguments else None

    repository = _nine(empty, has_size=False)
    steps = walked(repository)
    assert _is_whole(steps, repository)
    assert "ListIdentifiers names oai:x:003, which has not come" in notes(steps)
    assert "ListIdentifiers names 9 records" in notes(steps)


# --- nothing, where there is something ----------------------------------------------------------------------------

WINDOW = ("2024-01-01", "2024-01-31")


@each_row("answer, values", product(EMPTY_LISTS, ({}, {"window": WINDOW}, {"from_": "2024-01-01"})))
def test_a_list_that_is_empty_is_not_believed_where_names_say_otherwise(answer: Answer, values: dict[str, Any]):
    """dpla/ingestion3#777: Primo's empty pages, here the first one. What fits on one page is fetched one by one."""
    repository = Repository(faults=[_answering("ListRecords", answer)]).fill(3)
    steps = walked(repository, **values)
    assert _is_whole(steps, repository)
    assert "record by record" in notes(steps)


def _nothing_between(*times: int) -> Fault:
    """Answer noRecordsMatch to the requests of these numbers, among those between dates that have records."""
    asked = []

    def empty(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListRecords" or "until" not in arguments or not repository.selected(arguments):
            return None
        asked.append(arguments)
        return refused("noRecordsMatch") if len(asked) in times else None

    return empty


def test_a_window_that_is_empty_in_passing_is_walked_down_where_more_is_named_than_one_page_has():
    """dpla/ingestion3#777: nothing is sent of a window, once."""
    repository = _nine(_nothing_between(1))
    steps = walked(repository, window=WINDOW)
    assert _is_whole(steps, repository)
    assert not repository.listed("GetRecord")
    assert "ListRecords returns no record from 2024-01-01T00:00:00Z" in notes(steps)


def test_a_window_of_a_fallback_that_is_falsely_empty_is_not_believed():
    """metha#6 (DNB) and dpla/ingestion3#777 together: too much for one answer, and then a half without records."""

    def too_large(repository: Repository, arguments: Arguments) -> Answer | None:
        is_list = arguments["verb"] == "ListRecords" and "resumptionToken" not in arguments
        return (413, "too large") if is_list and len(repository.selected(arguments)) > 6 else None

    repository = Repository(faults=[_nothing_between(2), too_large], size=lambda _: None).fill(30)
    assert _is_whole(walked(repository), repository)


def test_what_is_empty_costs_one_request_more():
    repository = Repository()
    assert walked(repository, window=WINDOW)[-1].is_complete
    assert [request["verb"] for request in repository.asked] == ["ListRecords", "ListIdentifiers"]


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


def test_what_is_named_beside_the_dates_says_nothing_of_them():
    """zvdd.org (metha -no-intervals), for ListIdentifiers alone: it names everything, whatever the dates."""

    def dateless(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListIdentifiers":
            return None
        return repository.answer({name: value for name, value in arguments.items() if name not in ("from", "until")})

    repository = _nine(dateless)
    assert walked(repository, window=("2023-01-01", "2023-01-31"))[-1].is_complete
    assert not repository.listed("GetRecord")


def test_what_is_named_in_every_format_says_nothing_of_a_rare_one():
    """OAI-PMH 1.1 §4.4: ListIdentifiers takes no metadataPrefix."""
    empty = '<ListRecords xmlns="http://www.openarchives.org/OAI/1.1/OAI_ListRecords"/>'
    repository = _nine(_answering("ListRecords", empty))
    *_, last = SOURCE.changes(options(window=WINDOW), Cursor("x", "oai_etdms", "", ""), repository)
    assert last.is_complete
    assert not repository.listed("ListIdentifiers")


# --- ends of which no number tells --------------------------------------------------------------------------------


def _ended_after(page: int, end: str) -> Fault:
    """End a list behind its first pages."""

    def cut(repository: Repository, arguments: Arguments) -> Answer | None:
        at = int(arguments.get("resumptionToken", "//0").rpartition("/")[2])
        if arguments["verb"] != "ListRecords" or at < (page - 1) * 3 or "from" in arguments:
            return None
        return re.sub("<resumptionToken.*</resumptionToken>", end, repository.answer(arguments))

    return cut


BLANK, EMPTY, NONE = "<resumptionToken> \n </resumptionToken>", "<resumptionToken/>", ""


@each_row("page, end", [(1, BLANK), (1, EMPTY), (2, BLANK), (2, EMPTY), (2, NONE)])
def test_a_list_that_ends_too_early_goes_on_where_no_size_is_stated(page: int, end: str):
    """OJS 3.3.0 (pkp-lib#7214): the token is empty though there is more; here no completeListSize tells that."""
    repository = _nine(_ended_after(page, end), has_size=False)
    steps = walked(repository)
    assert _is_whole(steps, repository)
    assert not repository.listed("GetRecord")
    assert "which has not come" in notes(steps)


def test_white_space_for_a_token_is_doubted_where_names_or_what_came_before_are_not_known():
    state = '{"version": 2, "began": 1, "first": 1717200000, "token": "//3"}'
    assert not walked(_nine(_ended_after(2, BLANK), has_size=False), state)[-1].is_complete
    assert not walked(_nine(_ended_after(2, BLANK), _names((500, "ill")), has_size=False))[-1].is_complete


def test_an_empty_token_is_believed_where_the_names_are_ill():
    """OAI-PMH 2.0 §3.5 calls it the end."""
    assert walked(_nine(_names((500, "ill")), has_size=False))[-1].is_complete


def test_a_list_in_no_order_that_ends_with_white_space_is_checked_as_a_whole():
    """sickle#25: ssoar ends its lists so. Where nothing else tells that this is the end, the names do."""
    repository = _nine(_ended_after(2, BLANK), has_size=False)
    repository.is_ordered = False
    repository.records = dict(reversed(repository.records.items()))
    assert _is_whole(walked(repository), repository)


# --- pages that shift ---------------------------------------------------------------------------------------------


def test_what_was_added_while_a_list_was_walked_is_left_to_the_next():
    """The names behind the last page are those of today, the list is that of its first answer."""

    def growing(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] == "ListIdentifiers":
            repository.records["oai:x:new"] = utc_datetime(NOW + 60)
        return None

    steps = walked(_nine(growing, has_size=False))
    assert (len(good(steps)), steps[-1].is_complete) == (9, True)


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
