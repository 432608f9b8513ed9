"""What every backend promises of the inbox, through the protocol alone (gateway/store/base.py)."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from gateway.errors import StoreDamaged, StoreMissing
from gateway.model import (
    Cursor,
    Event,
    RawPage,
    Removal,
    Restoration,
    Run,
    RunOutcome,
    SetDescription,
    Slice,
    StoredPage,
    WindowOutcome,
)
from gateway.store.base import Inbox
from tests.contract.conftest import inboxes

PAGE = RawPage(
    source="laro",
    verb="ListRecords",
    url="https://laro.example.org/oai?verb=ListRecords&metadataPrefix=oai_dc",
    received_at=1_700_000_000,
    status=200,
    headers=(("Content-Type", "text/xml; charset=UTF-8"), ("Date", "today")),
    body=b"<OAI-PMH>\xff\x00 not even XML</OAI-PMH>" * 100,
    metadata_prefix="oai_dc",
    set_spec="a:b",
    repaired="<OAI-PMH>é</OAI-PMH>".encode(),
    repairs=("Two bytes were no UTF-8.",),
)
SLICES = (
    Slice("oai:laro:1", "2024-01-01", ("a", "a:é"), False, 10, 20, ((21, 30), (31, 40)), (("dc", "urn:dc"), ("", "u"))),
    Slice("oai:laro:2", "2024-01-02", (), True, 0, 0),
    Slice("", "", (), False, 0, 0, problem="The record has no identifier."),
)


def test_a_page_comes_back_as_it_arrived(inbox):
    empty = RawPage("laro", "Identify", "https://laro.example.org/oai", 0, 404, (), b"")
    for page, slices in ((PAGE, SLICES), (empty, ())):
        number = inbox.receive(page, slices, None)
        assert inbox.page(number) == StoredPage(number, page, slices)


def test_a_page_that_is_not_there_is_damage(inbox):
    with pytest.raises(StoreDamaged, match="7"):
        inbox.page(7)
    with pytest.raises(StoreDamaged, match="7"):
        inbox.headers(7)


def test_the_headers_of_a_page_say_all_but_its_bytes(inbox):
    page = replace(PAGE, list_begun=3)
    slices = (*SLICES, Slice("oai:laro:3", "2024-01-03", (), True, 0, 0, waits=True))
    number = inbox.receive(page, slices, None)
    assert inbox.page(number) == StoredPage(number, page, slices)
    assert inbox.headers(number) == StoredPage(number, replace(page, body=b"", repaired=b""), slices)


def test_what_is_to_be_remembered_of_a_harvest_is_kept_with_a_page_or_alone(inbox):
    assert inbox.harvest("laro") == ""
    inbox.receive(PAGE, SLICES, None, "first")
    inbox.receive(PAGE, SLICES, None)
    assert inbox.harvest("laro") == "first"
    inbox.keep_harvest("laro", "second")
    assert (inbox.harvest("laro"), inbox.harvest("abc")) == ("second", "")


def test_numbers_go_on_behind_one_that_was_given_before(inbox):
    first = inbox.receive(PAGE, SLICES, None)
    inbox.number_behind(first)
    assert inbox.last_number() == first
    inbox.number_behind(first + 10)
    last = inbox.receive(PAGE, SLICES, None)
    assert (inbox.last_number(), last) == (last, first + 11)
    assert [page.number for page in inbox.pages("laro", 0)] == [first, last]


def test_pages_of_a_source_that_hold_records_come_in_order(inbox):
    first = inbox.receive(PAGE, SLICES, None)
    inbox.receive(replace(PAGE, verb="Identify"), (), None)
    inbox.receive(replace(PAGE, source="other"), SLICES, None)
    last = inbox.receive(PAGE, SLICES[:1], None)
    assert [page.number for page in inbox.pages("laro", 0)] == [first, last]
    assert [page.number for page in inbox.pages("laro", first)] == [last]
    assert list(inbox.pages("nobody", 0)) == []


def test_identifiers_of_a_format_come_in_order_behind_a_page(inbox):
    inbox.receive(PAGE, SLICES, None)
    inbox.receive(replace(PAGE, metadata_prefix="mods"), SLICES, None)
    inbox.receive(replace(PAGE, source="other"), SLICES, None)
    inbox.receive(PAGE, (), None)
    for number in range(50):
        inbox.receive(PAGE, (Slice(f"oai:laro:{number}\u00e9", "", (), False, 0, 0),), None)
    numbered = [f"oai:laro:{number}\u00e9" for number in range(50)]
    assert list(inbox.identifiers("laro", "oai_dc", 0)) == ["oai:laro:1", "oai:laro:2", "", *numbered]
    assert list(inbox.identifiers("laro", "oai_dc", 1)) == numbered
    assert list(inbox.identifiers("laro", "oai_dc", 54)) == []


def test_pages_can_be_received_while_others_are_read(inbox):
    inbox.receive(PAGE, SLICES, None)
    numbers = []
    for page in inbox.pages("laro", 0):
        numbers.append(page.number)
        if len(numbers) < 4:
            inbox.receive(PAGE, SLICES, None)
    assert numbers == [1, 2, 3, 4]


def test_the_last_answer_to_a_verb_is_found(inbox):
    assert inbox.last_answer("laro", "Identify") is None
    inbox.receive(replace(PAGE, verb="Identify", body=b"old"), (), None)
    inbox.receive(replace(PAGE, verb="Identify", body=b"new"), (), None)
    inbox.receive(replace(PAGE, verb="ListSets"), (), None)
    inbox.receive(replace(PAGE, verb="Identify", source="other"), (), None)
    assert inbox.last_answer("laro", "Identify").body == b"new"


def test_the_cursor_is_kept_with_the_page(inbox):
    cursor = Cursor("laro", "oai_dc", "a", '{"token": "x"}')
    inbox.receive(PAGE, SLICES, cursor)
    assert inbox.cursor("laro", "oai_dc", "a") == cursor
    inbox.receive(PAGE, SLICES, replace(cursor, state="{}"))
    assert inbox.cursor("laro", "oai_dc", "a").state == "{}"
    assert inbox.cursor("laro", "oai_dc", "") == Cursor("laro", "oai_dc")


def test_cursors_can_be_kept_without_a_page(inbox):
    cursors = (Cursor("laro", "mods", "", "1"), Cursor("laro", "oai_dc", "", "2"), Cursor("laro", "oai_dc", "a", "3"))
    for cursor in (*reversed(cursors), Cursor("other", "oai_dc", "", "4")):
        inbox.put_cursor(cursor)
    assert inbox.cursors("laro") == cursors


def test_a_run_is_told_from_beginning_to_end_with_how_far_it_has_come(inbox):
    number = inbox.start_run("laro", 5)
    assert inbox.runs("laro", 1) == (Run(number, "laro", 5),)
    inbox.store_progress(number, {"received": 2})
    assert inbox.runs("laro", 1) == (Run(number, "laro", 5, counts={"received": 2}),)
    inbox.end_run(number, 9, RunOutcome.SUCCEEDED_WITH_ERRORS, False, {"received": 3}, ["One page was lost."])
    ended = Run(number, "laro", 5, 9, RunOutcome.SUCCEEDED_WITH_ERRORS, False, {"received": 3}, ("One page was lost.",))
    assert inbox.runs("laro", 1) == (ended,)


def test_the_newest_run_comes_first(inbox):
    numbers = [inbox.start_run(source, at) for at, source in enumerate(("laro", "other", "laro"))]
    assert [run.number for run in inbox.runs(None, 9)] == numbers[::-1]
    assert [run.number for run in inbox.runs("laro", 1)] == numbers[2:]


def test_windows_are_kept_beside_the_cursor_of_their_list(inbox):
    first = Cursor("laro", "oai_dc", "", "", "2024-01-01/2024-01-31")
    second = replace(first, window="2024-02-01/2024-02-29", outcome=WindowOutcome.SPLIT)
    other = replace(first, set_spec="a")
    inbox.put_windows([second, first, other])
    inbox.put_cursor(Cursor("laro", "oai_dc", "", "the list"))
    assert inbox.windows("laro") == (first, second, other)
    assert inbox.windows("other") == ()
    assert inbox.cursor("laro", "oai_dc", "").state == "the list"
    assert len(inbox.cursors("laro")) == 1
    inbox.receive(PAGE, SLICES, replace(first, state="half"))
    assert inbox.windows("laro")[0].state == "half"
    inbox.forget_windows(first)
    assert inbox.windows("laro") == (other,)
    assert inbox.cursor("laro", "oai_dc", "").state == "the list"


def test_runs_are_told_by_their_stage(inbox):
    swept, harvested = inbox.start_run("laro", 5, "sweep"), inbox.start_run("laro", 6)
    assert [(run.number, run.stage) for run in inbox.runs("laro", 9)] == [(harvested, "harvest"), (swept, "sweep")]
    assert [run.number for run in inbox.runs("laro", 9, "sweep")] == [swept]


def test_the_story_of_a_run_is_told_in_order(inbox):
    run, other = inbox.start_run("laro", 5), inbox.start_run("laro", 6)
    events = [Event(run, at, "info", f"Page {at}.") for at in range(510)]
    for event in events:
        inbox.add_event(event)
    inbox.add_event(Event(other, 7, "error", "Nothing came."))
    assert list(inbox.events(run)) == events


@pytest.mark.parametrize("opened", inboxes)
def test_everything_is_there_after_opening_again_and_an_inbox_is_made_only_when_asked(opened, tmp_path):
    with pytest.raises(StoreMissing):
        opened(tmp_path)
    with closing(opened(tmp_path, create=True)) as inbox:
        number = inbox.receive(PAGE, SLICES, None)
    with closing(opened(tmp_path)) as inbox:
        assert inbox.page(number).page == PAGE


# --- what the store is made of again ------------------------------------------------------------------------------


def _arrive(inbox: Inbox, source: str, records: int = 1) -> int:
    cuts = tuple(Slice(str(number), "2020-01-01", (), True, 0, 0) for number in range(records))
    return inbox.receive(RawPage(source, "ListRecords", "", 1, 200, (), b"x", "oai_dc"), cuts, None)


def test_sources_of_which_records_came_are_named(inbox):
    assert inbox.sources() == ()
    for source in ("laro", "abc", "laro"):
        _arrive(inbox, source)
    _arrive(inbox, "silent", records=0)
    assert inbox.sources() == ("abc", "laro")


def test_pages_behind_another_are_counted(inbox):
    first = _arrive(inbox, "laro")
    _arrive(inbox, "laro", records=0)
    _arrive(inbox, "laro")
    assert [inbox.pages_behind("laro", after) for after in (0, first, 99)] == [2, 1, 0]


def test_the_removal_of_a_source_stands_where_it_was_written(inbox):
    first = _arrive(inbox, "laro")
    number = inbox.remove_source("laro", first, 7)
    last = _arrive(inbox, "laro")
    assert inbox.removal("laro", 0) == inbox.removal("laro", first) == Removal(number, first)
    assert inbox.removal("laro", number) is None
    assert inbox.removal("abc", 0) is None
    assert [page.number for page in inbox.pages("laro", 0)] == [first, last]


def test_notes_and_sets_are_kept_and_replaced(inbox):
    assert (inbox.note("laro"), inbox.notes(), inbox.kept_sets("laro")) == ("", (), ())
    for source, note in (("laro", "one"), ("abc", "two"), ("laro", "three")):
        inbox.keep_note(source, note)
    assert inbox.note("laro") == "three"
    assert inbox.notes() == (("laro", "three"), ("abc", "two"))
    inbox.keep_sets("laro", [SetDescription("b", "B"), SetDescription("a", "A", b"<x/>")])
    inbox.keep_sets("laro", [SetDescription("b", "Better")])
    assert inbox.kept_sets("laro") == (SetDescription("a", "A", b"<x/>"), SetDescription("b", "Better"))


def test_that_it_was_restored_and_what_was_lost_before_is_remembered(inbox):
    assert (inbox.restored(), inbox.lost_until()) == ((), 0)
    inbox.mark_restored(5, 9)
    inbox.number_behind(40)
    inbox.mark_restored(6, 10)
    assert inbox.restored() == (Restoration(1, 5), Restoration(41, 6))
    assert inbox.lost_until() == 40
