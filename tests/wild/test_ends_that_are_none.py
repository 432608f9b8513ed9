"""Lists that seem to end, and proofs that prove nothing: none of them is called whole while a record is missing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gateway.model import Cursor
from gateway.xmltext import utc_datetime
from harvester.sources import Step
from harvester.sources.oai_pmh import SOURCE
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


def _without_the_fifth(repository: Repository, arguments: Arguments) -> Answer | None:
    """Leave a record out of the pages."""
    if arguments["verb"] != "ListRecords":
        return None
    return re.sub("<record><header><identifier>oai:x:004<.*?</record>", "", repository.answer(arguments))


def _single(answer: Answer) -> Fault:
    return lambda _, arguments: answer if arguments["verb"] == "GetRecord" else None


# --- what is asked for one by one ---------------------------------------------------------------------------------

ANOTHER = envelope(f"<GetRecord>{Repository().fill(9).entry('GetRecord', 'oai:x:001')}</GetRecord>")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (ANOTHER, "GetRecord brings oai:x:001 instead."),
        (refused("idDoesNotExist"), "idDoesNotExist: no"),
        (envelope("<GetRecord></GetRecord>"), "GetRecord brings nothing."),
    ],
)
def test_a_record_that_is_named_and_not_given_is_quarantined(answer: Answer, why: str):
    """ufal/clarin-dspace#977: GetRecord mangles identifiers; to another one it gives another record, or none."""
    steps = walked(_nine(_without_the_fifth, _single(answer)))
    assert bad(steps) == {"oai:x:004": f"It could not be fetched: {why}"}
    assert len(good(steps)) == 8


def _tombstone_named(repository: Repository, arguments: Arguments) -> Answer | None:
    """Name the fifth record as deleted, and know it in no other way."""
    if arguments["verb"] != "ListIdentifiers":
        return None
    named = "<header><identifier>oai:x:004<"
    return repository.answer(arguments).replace(named, named.replace("<header>", '<header status="deleted">'))


@pytest.mark.parametrize("code", ["idDoesNotExist", "cannotDisseminateFormat"])
def test_what_is_named_as_deleted_and_known_in_no_other_way_is_deleted(code: str):
    """Deletions that are kept in ListIdentifiers only, though OAI-PMH 2.0 §2.5.1 wants them in every answer."""
    steps = walked(_nine(_without_the_fifth, _tombstone_named, _single(refused(code))))
    assert ([slice_.identifier for step in steps for slice_ in step.slices if slice_.is_deleted], bad(steps)) == (
        ["oai:x:004"],
        {},
    )
    assert steps[-1].is_complete


def test_what_is_named_as_deleted_and_could_not_be_asked_for_is_missing():
    steps = walked(_nine(_without_the_fifth, _tombstone_named, _single(refused("badArgument"))))
    assert list(bad(steps)) == ["oai:x:004"]


def test_names_that_are_fewer_than_the_records_that_came_prove_nothing():
    """The first page of ListIdentifiers has no token (OJS 3.3.0, pkp-lib#7214)."""

    def capped(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListIdentifiers":
            return None
        return re.sub("<resumptionToken.*</resumptionToken>", "", repository.answer(arguments))

    steps = walked(_nine(_without_the_fifth, capped))
    assert not steps[-1].is_complete
    assert "ListIdentifiers names 3 records, where there are 9." in " ".join(steps[-1].doubts)


# --- numbers that say nothing -------------------------------------------------------------------------------------


def _of_a_page(repository: Repository, arguments: Arguments) -> Answer:
    return re.sub('completeListSize="9"', 'completeListSize="3"', repository.answer(arguments))


def test_the_size_of_a_page_is_not_taken_for_that_of_the_list_when_its_token_is_refused_once():
    """OpenSKOS#8 and sickle#19 together: too few are announced, and a token is not taken at first."""
    seen: set[str] = set()

    def refusing(_: Repository, arguments: Arguments) -> Answer | None:
        token = arguments.get("resumptionToken", "")
        is_new = bool(token) and token not in seen
        seen.add(token)
        return refused("badResumptionToken") if is_new else None

    repository = _nine(refusing, _of_a_page)
    assert _is_whole(walked(repository), repository)


def test_the_size_of_a_page_is_not_taken_for_that_of_the_list_when_its_token_is_never_taken():
    """OpenSKOS#8 and arxiv-public-datasets#26 together."""

    def refusing(_: Repository, arguments: Arguments) -> Answer | None:
        is_continued = arguments["verb"] == "ListRecords" and "resumptionToken" in arguments
        return refused("badResumptionToken") if is_continued else None

    repository = _nine(refusing, _of_a_page)
    assert _is_whole(walked(repository), repository)


def test_a_size_that_grows_with_every_page_says_nothing_when_the_token_repeats():
    """OpenSKOS#8 and gssrjournal (metha bae13194) together: as many are announced as have come, and it goes round."""

    def growing(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListRecords":
            return None
        text = repository.answer(arguments)
        so_far = 3 + int(re.search(r'cursor="(\d+)"', text)[1])
        return re.sub('Size="9"(.*?)>.*?<', rf'Size="{so_far}"\1>//3<', text)

    repository = _nine(growing)
    assert _is_whole(walked(repository), repository)


# --- answers without records --------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [refused("noRecordsMatch"), envelope("<ListRecords></ListRecords>")])
def test_a_token_that_brings_nothing_is_checked_where_no_size_is_stated(answer: Answer):
    """dpla/ingestion3#777: Primo ends lists early, with an empty page."""

    def empty(_: Repository, arguments: Arguments) -> Answer | None:
        return answer if arguments["verb"] == "ListRecords" and "resumptionToken" in arguments else None

    repository = _nine(empty, has_size=False)
    steps = walked(repository)
    assert _is_whole(steps, repository)
    assert "ListIdentifiers names oai:x:003, which has not come" in notes(steps)
    assert "ListIdentifiers names 9 records" in notes(steps)


def test_a_date_that_has_a_record_and_brings_none_is_checked():
    """LearningRegistry#53 and zvdd.org together: tokens are refused, and nothing comes with dates."""

    def dateless(_: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] == "ListRecords" and "resumptionToken" in arguments:
            return refused("badResumptionToken")
        return refused("noRecordsMatch") if arguments["verb"] == "ListRecords" and "from" in arguments else None

    repository = _nine(dateless, has_size=False)
    assert _is_whole(walked(repository), repository)


@pytest.mark.parametrize("end", ["</ListRecords>{}", "{}</ListRecords>"])
def test_a_page_that_ends_with_an_error_is_not_taken_for_the_last(end: str):
    """dataverse#8306: an exception in the middle of a page; here it is told, behind what was sent."""

    def broken(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListRecords":
            return None
        ending = end.format('<error code="x">y</error>')
        return re.sub("<resumptionToken.*</ListRecords>", ending, repository.answer(arguments))

    repository = _nine(broken, has_size=False)
    assert _is_whole(walked(repository), repository)


# --- nothing, where there is something ----------------------------------------------------------------------------


def _nothing_between(*times: int) -> Fault:
    """Answer noRecordsMatch to the requests of these numbers, among those between dates that have records."""
    asked = []

    def empty(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListRecords" or "until" not in arguments or not repository.selected(arguments):
            return None
        asked.append(arguments)
        return refused("noRecordsMatch") if len(asked) in times else None

    return empty


WINDOW = ("2024-01-01", "2024-01-31")


@pytest.mark.parametrize("answer", [refused("noRecordsMatch"), envelope("<ListRecords></ListRecords>")])
@pytest.mark.parametrize("values", [{}, {"window": WINDOW}, {"from_": "2024-01-01"}])
def test_a_list_that_is_empty_is_not_believed_where_names_say_otherwise(answer: Answer, values: dict[str, Any]):
    """dpla/ingestion3#777: Primo's empty pages, here the first one. What fits on one page is fetched one by one."""
    repository = Repository(faults=[lambda _, asked: answer if asked["verb"] == "ListRecords" else None]).fill(3)
    steps = walked(repository, **values)
    assert _is_whole(steps, repository)
    assert "record by record" in notes(steps)


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
    steps = walked(repository)
    assert _is_whole(steps, repository)


def test_what_is_empty_costs_one_request_more():
    repository = Repository()
    steps = walked(repository, window=WINDOW)
    assert steps[-1].is_complete
    assert [request["verb"] for request in repository.asked] == ["ListRecords", "ListIdentifiers"]


def _names(answer: Answer) -> Fault:
    return lambda _, arguments: answer if arguments["verb"] == "ListIdentifiers" else None


@pytest.mark.parametrize("answer", [refused("badVerb"), (404, "Not found"), (403, "Forbidden")])
def test_what_is_empty_is_believed_where_there_are_no_names(answer: Answer):
    assert walked(Repository(faults=[_names(answer)]), window=WINDOW)[-1].is_complete


@pytest.mark.parametrize("answer", [(413, "too large"), (500, "ill"), "<html>Please wait</html>"])
def test_what_is_empty_is_doubted_where_the_names_are_ill(answer: Answer):
    """metha#6 (DNB): too much to be named at once is not nothing."""
    *_, last = walked(Repository(faults=[_names(answer)]), window=WINDOW)
    assert last.doubts


def test_what_is_named_beside_the_dates_says_nothing_of_them():
    """zvdd.org (metha -no-intervals), for ListIdentifiers alone: it names everything, whatever the dates."""

    def dateless(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] != "ListIdentifiers":
            return None
        return repository.answer({name: value for name, value in arguments.items() if name not in ("from", "until")})

    repository = _nine(dateless)
    steps = walked(repository, window=("2023-01-01", "2023-01-31"))
    assert steps[-1].is_complete
    assert not repository.listed("GetRecord")


def test_what_is_named_in_every_format_says_nothing_of_a_rare_one():
    """OAI-PMH 1.1 §4.4: ListIdentifiers takes no metadataPrefix."""
    empty = '<ListRecords xmlns="http://www.openarchives.org/OAI/1.1/OAI_ListRecords"/>'
    repository = _nine(lambda _, asked: empty if asked["verb"] == "ListRecords" else None)
    rare = Cursor("x", "oai_etdms", "", "")
    *_, last = SOURCE.changes(options(window=WINDOW), rare, repository)
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


@pytest.mark.parametrize(("page", "end"), [(1, BLANK), (1, EMPTY), (2, BLANK), (2, EMPTY), (2, NONE)])
def test_a_list_that_ends_too_early_goes_on_where_no_size_is_stated(page: int, end: str):
    """OJS 3.3.0 (pkp-lib#7214): the token is empty though there is more; here no completeListSize tells that."""
    repository = _nine(_ended_after(page, end), has_size=False)
    steps = walked(repository)
    assert _is_whole(steps, repository)
    assert not repository.listed("GetRecord")
    assert "which has not come" in notes(steps)


def test_what_has_come_may_be_named_first_on_pages_of_one_record():
    """CLARIN#4: no page is as long as the others, and some have one record."""
    repository = _nine(_ended_after(2, BLANK), has_size=False)
    repository.page_size = 1
    assert _is_whole(walked(repository), repository)


def test_names_are_asked_for_in_the_granularity_that_is_taken():
    """dataverse#11020: nakala announces seconds and refuses them."""

    def refusing(_: Repository, arguments: Arguments) -> Answer | None:
        return refused("badArgument") if "T" in arguments.get("from", "") else None

    repository = _nine(_ended_after(2, EMPTY), refusing, has_size=False)
    assert _is_whole(walked(repository), repository)


def test_white_space_for_a_token_is_doubted_where_nobody_knows_what_came_before():
    state = '{"version": 2, "began": 1, "first": 1717200000, "token": "//3"}'
    repository = _nine(_ended_after(2, BLANK), has_size=False)
    assert not walked(repository, state)[-1].is_complete


def test_a_list_in_no_order_that_ends_with_white_space_is_checked_as_a_whole():
    """sickle#25: ssoar ends its lists so. Where nothing else tells that this is the end, the names do."""
    repository = _nine(_ended_after(2, BLANK), has_size=False)
    repository.is_ordered = False
    repository.records = dict(reversed(repository.records.items()))
    assert _is_whole(walked(repository), repository)


def test_what_was_added_while_a_list_was_walked_is_left_to_the_next():
    """The names behind the last page are those of today, the list is that of its first answer."""
    repository = _nine(has_size=False)

    def growing(repository: Repository, arguments: Arguments) -> Answer | None:
        if arguments["verb"] == "ListIdentifiers":
            repository.records["oai:x:new"] = utc_datetime(NOW + 60)
        return None

    repository.faults.append(growing)
    steps = walked(repository)
    assert len(good(steps)) == 9
    assert steps[-1].is_complete


def test_white_space_for_a_token_is_doubted_where_the_names_are_ill():
    repository = _nine(_ended_after(2, BLANK), _names((500, "ill")), has_size=False)
    assert not walked(repository)[-1].is_complete


def test_an_empty_token_is_believed_where_the_names_are_ill():
    """OAI-PMH 2.0 §3.5 calls it the end."""
    assert walked(_nine(_names((500, "ill")), has_size=False))[-1].is_complete


# --- pages that shift ---------------------------------------------------------------------------------------------


def test_a_record_that_slips_between_two_pages_is_found_when_another_goes_and_a_third_comes():
    """Pages counted by offset (most repositories): one record less and one more leave all numbers as they are."""
    repository = _nine()

    def shifting(repository: Repository, arguments: Arguments) -> Answer | None:
        if (arguments["verb"], arguments.get("resumptionToken")) == ("ListRecords", "//3"):
            del repository.records["oai:x:001"]
            repository.records["oai:x:new"] = utc_datetime(NOW + 60)
        later = NOW + 120 * ("resumptionToken" in arguments)
        return repository.answer(arguments).replace(utc_datetime(NOW), utc_datetime(later), 1)

    repository.faults.append(shifting)
    steps = walked(repository)
    assert steps[-1].is_complete
    assert set(good(steps)) == {*repository.records, "oai:x:001"}
    assert "Records were added or changed while the list was walked: 1" in notes(steps)
