"""What the fallback steps of a failing list may cost, and what of a source's failures is remembered."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from gateway.core.errors import AnswerTooSlow, ConnectionFailed, GatewayError, NoContent
from gateway.core.model import Cursor
from harvester.http.messages import Fetched, Request
from harvester.sources import ListEnd, Options, Step
from harvester.sources.budget import Budget, Spender
from harvester.sources.oai_pmh import SOURCE
from harvester.sources.oai_pmh.list_state import ListState, state_of, text_of
from tests.rows import each_row
from tests.sources.oai_pmh.repository import NOW, Arguments, Repository, good, notes, options, refused, walked

_WEEK = 7 * 86_400
_SLOW = AnswerTooSlow("It takes longer than a minute.")


class _Clock:
    """A clock that each request moves on by a minute."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def before(self, *_: object) -> None:
        """Let a minute pass, and answer nothing."""
        self.now += 60


def _lists_fail(repository: Repository, arguments: Arguments) -> GatewayError | None:
    return _SLOW if arguments["verb"].startswith("List") else None


def _list_records_fails(repository: Repository, arguments: Arguments) -> GatewayError | None:
    return ConnectionFailed("It broke.") if arguments["verb"] == "ListRecords" else None


def _until_it_ends(repository: Repository, budget: Budget, state: str = "", **more: object) -> tuple[list[Step], str]:
    """Walk a list until it ends or fails; return its steps and the error."""
    steps: list[Step] = []
    try:
        steps.extend(SOURCE.changes(options(budget=budget, **more), Cursor("x", "oai_dc", "", state), repository))
    except GatewayError as error:
        return steps, str(error)
    return steps, ""


def test_source_that_is_slow_for_ever_ends_a_run_within_its_time():
    clock = _Clock()
    repository = Repository(faults=[clock.before, _lists_fail]).fill(9)
    _, error = _until_it_ends(repository, Budget(clock=clock))
    assert error.startswith("It takes longer than a minute. 10 requests in 600 seconds brought no new record")
    assert "fallback_most_requests and fallback_most_seconds" in error
    assert len(repository.asked) <= 11


def test_next_run_goes_on_where_the_budget_was_spent():
    repository = Repository(faults=[_lists_fail]).fill(9)
    first, error = _until_it_ends(repository, Budget(most_requests=12))
    assert "12 requests" in error
    windows = [arguments for arguments in repository.listed() if arguments]
    _until_it_ends(repository, Budget(most_requests=12), first[-1].cursor.state, arrived=lambda *_: iter(()))
    later = [arguments for arguments in repository.listed()[len(windows) + 1 :] if arguments]
    assert later
    assert not [arguments for arguments in later if arguments in windows[:-1]]


def test_new_records_renew_the_budget_so_a_source_comes_whole_record_by_record():
    repository = Repository(faults=[_list_records_fails]).fill(110)
    steps, error = _until_it_ends(repository, Budget(most_requests=80))
    assert error == ""
    assert len(set(good(steps))) == 110
    assert steps[-1].end is ListEnd.PROPER


def _tokens_fail(repository: Repository, arguments: Arguments) -> tuple[int, str] | None:
    return (204, "") if "resumptionToken" in arguments else None


def _every_page_has_a_token(repository: Repository, arguments: Arguments) -> tuple[int, str] | None:
    if arguments["verb"] == "ListIdentifiers":
        return 200, refused("noRecordsMatch")
    if "resumptionToken" in arguments:
        return 204, ""
    answer = repository.answer(arguments)
    return 200, answer.replace("></resumptionToken>", ">there/is/1</resumptionToken>")


@each_row("most_requests", [20, 100])
def test_records_that_come_again_and_again_in_smaller_windows_spend_the_budget(most_requests: int):
    repository = Repository(faults=[_every_page_has_a_token], page_size=100, is_ordered=False).fill(60)
    repository.records = dict(reversed(repository.records.items()))
    steps, error = _until_it_ends(repository, Budget(most_requests=most_requests))
    assert len(set(good(steps))) == 60
    assert "brought no new record" in error
    assert (
        len(repository.asked) - len(repository.listed("ListIdentifiers")) <= most_requests * 4 / 3 + 8
    )  # empty windows are not counted


def test_list_that_comes_newest_first_and_breaks_off_comes_whole_in_smaller_windows():
    repository = Repository(faults=[_tokens_fail], page_size=10, is_ordered=False).fill(120)
    repository.records = dict(reversed(repository.records.items()))
    steps, error = _until_it_ends(repository, Budget(most_requests=40))
    assert (error, len(set(good(steps)))) == ("", 120)


def test_records_that_all_fail_end_a_run_with_what_is_wrong_and_are_not_asked_for_again():
    def fails(repository: Repository, arguments: Arguments) -> GatewayError | None:
        return ConnectionFailed("It broke.") if arguments["verb"] == "GetRecord" else None

    def nothing(repository: Repository, arguments: Arguments) -> tuple[int, str] | None:
        return (204, "") if arguments["verb"] == "ListRecords" else None

    repository = Repository(faults=[nothing, fails], page_size=90).fill(90)
    first, error = _until_it_ends(repository, Budget(most_requests=20))
    assert error.startswith("It broke. ")
    assert len(repository.asked) <= 24
    before = [arguments["identifier"] for arguments in repository.listed("GetRecord")]

    def arrived(_cursor: Cursor, _since: int) -> Iterator[str]:
        return (slice_.identifier for step in first for slice_ in step.slices)

    _until_it_ends(repository, Budget(most_requests=20), first[-1].cursor.state, arrived=arrived)
    later = [arguments["identifier"] for arguments in repository.listed("GetRecord")][len(before) :]
    assert later
    assert not set(before) & set(later)


def test_list_that_works_is_harvested_although_another_has_spent_the_budget():
    budget = Budget(most_requests=12)
    failing, working = Repository(faults=[_lists_fail]).fill(9), Repository().fill(9)
    _until_it_ends(failing, budget)
    steps, error = _until_it_ends(working, budget)
    assert (error, len(good(steps))) == ("", 9)
    budget.spend(12, 0.0)
    again = Repository(faults=[_lists_fail]).fill(9)
    _, error = _until_it_ends(again, budget)
    assert "brought no new record" in error
    assert len(again.asked) <= 3


@each_row("status", [204, 205, 304])
def test_status_without_a_body_is_asked_for_once_and_the_records_one_by_one(status: int):
    repository = Repository(faults=[lambda _, asked: (status, "") if asked["verb"] == "ListRecords" else None]).fill(6)
    steps = walked(repository)
    assert len(good(steps)) == 6
    assert steps[-1].end is ListEnd.PROPER
    assert len(repository.asked) == 1 + 1 + 2 + 6
    assert f"HTTP status {status}" in notes(steps)
    assert state_of(steps[-1].cursor.state)[0].position.complete == NOW  # so the next list is of what has changed


@each_row("answer", [(204, ""), (200, ""), (200, " \n")])
def test_source_without_content_for_any_list_fails_after_few_requests(answer: tuple[int, str]):
    repository = Repository(faults=[lambda _, asked: answer if "List" in asked["verb"] else None]).fill(6)
    with pytest.raises(NoContent):
        walked(repository)
    assert len(repository.asked) <= 8


# --- what fails beside Identify -----------------------------------------------------------------------------------


def _beside_fails(repository: Repository, arguments: Arguments) -> tuple[int, str] | None:
    return (500, "<html/>") if arguments["verb"] in ("ListSets", "ListMetadataFormats") else None


def _described(
    repository: Repository, source_options: Options, seconds: int = 0
) -> tuple[str, tuple[str, ...], list[str]]:
    """Return what is known after it described itself, its notes, and which verbs it was asked."""
    before = len(repository.asked)

    def fetch(request: Request) -> Fetched:
        return replace(repository(request), received_at=NOW + seconds)

    description = SOURCE.describe(source_options, fetch).with_sets(SOURCE, source_options, fetch)
    return description.known, description.notes, [arguments["verb"] for arguments in repository.asked[before:]]


def test_sets_and_formats_that_failed_are_not_asked_for_again_for_a_week():
    repository = Repository(faults=[_beside_fails]).fill(3)
    known, messages, asked = _described(repository, options())
    assert asked == ["Identify", "ListMetadataFormats", "ListSets"]
    assert [note.partition(":")[0] for note in messages] == ["ListMetadataFormats", "ListSets"]
    later, messages, asked = _described(repository, options(known=known), _WEEK - 1)
    assert (later, asked) == (known, ["Identify"])
    assert messages[1] == "ListSets failed on 2024-06-01. It is asked again from 2024-06-08 on, or by `--full`."
    repository.faults.clear()
    for more in ({"seconds": _WEEK}, {}):
        anew = options(known=known, asks_anew=not more)
        mended, messages, asked = _described(repository, anew, **more)
        assert (mended, messages) == (text_of(ListState()), ())
        assert asked == ["Identify", "ListMetadataFormats", "ListSets"]


# --- what is seen of encodings ------------------------------------------------------------------------------------


def test_source_whose_compressed_answers_are_damaged_is_asked_for_none_from_the_third_on():
    repository, encodings = Repository().fill(9), []

    def fetch(request: Request) -> Fetched:
        encodings.append(dict(request.headers).get("Accept-Encoding", ""))
        return replace(repository(request), was_damaged=not encodings[-1])

    steps = list(SOURCE.changes(options(), Cursor("x", "oai_dc", "", ""), fetch))
    assert encodings[:3] == ["", "", "identity"]
    assert set(encodings[3:]) <= {"identity"}
    assert "compressed answers are damaged" in notes(steps)
    assert state_of(steps[-1].cursor.state)[0].profile.is_damaged
    assert SOURCE.profile({}, [steps[-1].cursor])["compression"] == "refused"
    encodings.clear()
    list(SOURCE.changes(options(known=SOURCE.learned([steps[-1].cursor])), Cursor("x", "oai_dc", "b", ""), fetch))
    assert set(encodings) == {"identity"}


def test_every_single_request_is_counted_and_what_forbids_one_is_asked():
    budget, forbidden = Budget(most_requests=3), []

    def fetch(request: Request) -> Fetched:
        request.permits("http://x.org/a")
        request.permits("http://x.org/b")
        return Fetched(request.url, 200, (), b"", 0)

    spender = Spender(fetch, budget)
    spender(Request("http://x.org/a", permits=forbidden.append))
    assert not spender.is_spent
    spender(Request("http://x.org/a", permits=forbidden.append))
    assert spender.is_spent
    assert forbidden == ["http://x.org/a", "http://x.org/b"] * 2
