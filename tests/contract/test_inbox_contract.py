"""What every backend promises of the inbox, through its public methods alone (gateway/store/base.py)."""

from dataclasses import replace

from gateway.core.model import Cursor, RawPage, Run, RunOutcome, Slice, StoredPage, WindowOutcome

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


def test_the_headers_of_a_page_say_all_but_its_bytes(inbox):
    page = replace(PAGE, list_begun=3)
    slices = (*SLICES, Slice("oai:laro:3", "2024-01-03", (), True, 0, 0, waits=True))
    number = inbox.receive(page, slices, None)
    assert inbox.page(number) == StoredPage(number, page, slices)
    assert inbox.headers(number) == StoredPage(number, replace(page, body=b"", repaired=b""), slices)


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


def test_the_cursor_is_kept_with_the_page(inbox):
    cursor = Cursor("laro", "oai_dc", "a", '{"token": "x"}')
    inbox.receive(PAGE, SLICES, cursor)
    assert inbox.cursor("laro", "oai_dc", "a") == cursor
    inbox.receive(PAGE, SLICES, replace(cursor, state="{}"))
    assert inbox.cursor("laro", "oai_dc", "a").state == "{}"
    assert inbox.cursor("laro", "oai_dc", "") == Cursor("laro", "oai_dc")


def test_a_run_is_told_from_beginning_to_end_with_how_far_it_has_come(inbox):
    number = inbox.start_run("laro", 5)
    assert inbox.runs("laro", 1) == (Run(number, "laro", 5),)
    inbox.store_progress(number, {"received": 2})
    assert inbox.runs("laro", 1) == (Run(number, "laro", 5, counts={"received": 2}),)
    inbox.end_run(number, 9, RunOutcome.SUCCEEDED_WITH_ERRORS, False, {"received": 3}, ["One page was lost."])
    ended = Run(number, "laro", 5, 9, RunOutcome.SUCCEEDED_WITH_ERRORS, False, {"received": 3}, ("One page was lost.",))
    assert inbox.runs("laro", 1) == (ended,)


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
