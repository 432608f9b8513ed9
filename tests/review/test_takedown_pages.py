"""Managers and administrators take items and files down in the browser; nobody else sees anything of it."""

from threading import enumerate as enumerate_threads
from typing import Any

import pytest

from gateway.core.errors import StoreUnwritable
from gateway.core.model import Role
from gateway.core.settings import load, place_of_copy
from gateway.core.takedown_file import TakedownFile
from gateway.ops.upkeep import complete_takedowns
from gateway.takedowns import interactive
from gateway.takedowns.withdrawing import carry_out
from tests.page_house import FOUND, House, parsed, seen
from tests.review_house import Browser, Files, signed_in
from tests.rows import each_row

ITEM = "oai:gateway.example.org:laro/"
NEW, LIST = "/review/takedowns/new", "/review/takedowns"
TITLE = "A title of an unusual kind"
COPY = FOUND._replace(copy_url=f"https://gateway.example.org/files/{FOUND.sha256}")


@pytest.fixture
def settings() -> dict[str, Any]:
    return {"files_serve": True}


@pytest.fixture
def filled(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Return a house in which two items have the same file, of which we have a copy."""
    monkeypatch.setenv("GATEWAY_CLOCK_MAX_JUMP_SECONDS", "0")  # the clock of the house stands elsewhere
    for name in ("1", "2"):
        house.add(name, title=TITLE)
        house.file(name, COPY)
    place = place_of_copy(house.harness.folder, FOUND.sha256)
    place.parent.mkdir(parents=True)
    place.write_bytes(b"%PDF-1.7")
    return house


@pytest.fixture
def administrator(filled: House) -> Browser:
    return signed_in(filled.app, filled.harness.folder, "R. Vos", Role.ADMINISTRATOR)


@pytest.fixture
def manager(filled: House) -> Browser:
    return signed_in(filled.app, filled.harness.folder, "Ada", Role.MANAGER, "laro")


def _form(page: str) -> dict[str, str]:
    """Return the fields of the form of a preview."""
    (form,) = (form for form in parsed(page).forms if form.action == LIST)
    return {name: value for name, value in form.fields.items() if value is not None}


def _agree(page: Browser, query: str, reason: str = "court", comment: str = "Case 1/26", **more: str) -> Any:
    """Agree to the preview of an address, as the form of its page does; return the answer."""
    shown = page.get(f"{NEW}?{query}")
    assert shown.status_code == 200
    fields = _form(shown.text)
    del fields["csrf_token"]
    return page.post(LIST, **(fields | {"reason": reason, "comment": comment} | more))


def test_an_item_is_seen_before_and_is_a_tombstone_after(filled, manager):
    preview = seen(manager.get(f"{NEW}?item={ITEM}1").text)
    assert f"1 item becomes a tombstone. {TITLE} {ITEM}1" in preview
    assert filled.get("/items/oai:gateway.example.org:laro/1").status_code == 200, "nothing happens before"
    answer = _agree(manager, f"item={ITEM}1")
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{LIST}?done=done")
    page = seen(manager.get(answer.headers["Location"]).text)
    assert page.index("It was taken down.") < page.index("1 takedown in force")
    assert f"Item {ITEM}1" in page
    assert "Ada Order of a court or an authority: Case 1/26 1" in page
    assert "Withdrawn" in page
    assert filled.get("/items/oai:gateway.example.org:laro/1").status_code == 451
    record = filled.get(f"/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier={ITEM}1").text
    assert 'status="deleted"' in record
    assert "court" not in record
    assert filled.get("/items/oai:gateway.example.org:laro/2").status_code == 200


def test_a_file_that_was_found_for_an_item_alone_goes_with_it(filled, manager):
    file = Files(filled).find("1", TITLE)
    preview = seen(manager.get(f"{NEW}?item={ITEM}1").text)
    assert "1 file is withdrawn, and our copy of it is deleted:" in preview
    assert file.sha256 in preview
    assert _agree(manager, f"item={ITEM}1").status_code == 303
    assert not place_of_copy(filled.harness.folder, file.sha256).exists()
    (entry,) = TakedownFile(filled.harness.folder).read().entries
    assert entry.files == (file.sha256,)


def test_a_file_leaves_every_record_and_our_copy_is_deleted(filled, manager):
    query = f"file={FOUND.sha256}"
    preview = seen(manager.get(f"{NEW}?{query}").text)
    assert "2 items have this file." in preview
    assert f"{ITEM}1" in preview
    assert _agree(manager, query).headers["Location"] == f"{LIST}?done=done"
    assert not place_of_copy(filled.harness.folder, FOUND.sha256).exists()
    assert filled.get(f"/files/{FOUND.sha256}").status_code == 451
    for name in ("1", "2"):
        didl = filled.get(f"/oai?verb=GetRecord&metadataPrefix=oai_didl&identifier={ITEM}{name}").text
        assert "found.pdf" not in didl
        assert FOUND.sha256 not in didl


def test_a_reviewer_sees_no_takedown_and_makes_none(filled, administrator):
    reviewer = signed_in(filled.app, filled.harness.folder, "B. Ito")
    assert LIST not in reviewer.get("/review").text
    for path in (LIST, f"{NEW}?item={ITEM}1", f"{NEW}?file={FOUND.sha256}", f"{NEW}?item=nothing"):
        answer = reviewer.get(path)
        assert (answer.status_code, TITLE in answer.text) == (403, False), path
    reviewer.get("/review")
    assert reviewer.post(LIST, item=f"{ITEM}1", reason="court", comment="x", seen="").status_code == 403
    assert TakedownFile(filled.harness.folder).read().is_empty
    assert LIST in administrator.get("/review").text


def test_a_manager_takes_down_what_is_in_the_own_sources_alone(filled):
    other = signed_in(filled.app, filled.harness.folder, "Eve", Role.MANAGER, "another")
    for query in (f"item={ITEM}1", f"file={FOUND.sha256}", f"file={'cd' * 32}"):
        answer = other.get(f"{NEW}?{query}")
        assert (answer.status_code, TITLE in answer.text) == (403, False), query
        other.get("/review")
        kind, value = query.split("=")
        assert other.post(LIST, **{kind: value}, reason="court", comment="x", seen="").status_code == 403
    assert TakedownFile(filled.harness.folder).read().is_empty


@each_row("query",
    ["", "item=", "file=", "item=x", "file=x", "file=" + "AB" * 32, f"item={ITEM}1&file={'ab' * 32}",
     "item=" + "x" * 5000, "item=%00", "item=%E2%80%AE", "item=%ff", f"item={ITEM}1%0a", f"item={ITEM}999",
     f"item={ITEM}1%00", f"item={ITEM}1%00x", f"item=%00{ITEM}1"],
)  # fmt: skip
def test_what_is_not_there_is_refused_in_a_sentence(administrator, query):
    answer = administrator.get(f"{NEW}?{query}")
    assert answer.status_code == 404
    assert "There is no such item or file" in seen(answer.text)


@each_row(
    "reason, comment, sentence",
    [
        ("", "x", "Choose a reason."),
        ("none of the list", "x", "Choose a reason."),
        ("__class__", "x", "Choose a reason."),
        ("other", " \t ", "needs a text of yours"),
        ("court", "x" * 2_001, "The text is too long."),
    ],
)
def test_without_a_proper_reason_nothing_is_taken_down(filled, administrator, reason, comment, sentence):
    answer = _agree(administrator, f"item={ITEM}1", reason, comment)
    assert answer.status_code == 400
    assert sentence in seen(answer.text)
    assert TakedownFile(filled.harness.folder).read().is_empty


def test_what_has_changed_since_it_was_seen_is_shown_again(filled, administrator):
    administrator.get(f"{NEW}?file={FOUND.sha256}")
    shown = administrator.get(f"{NEW}?file={FOUND.sha256}").text
    seal = _form(shown)["seen"]
    filled.add("3", title=TITLE)
    filled.file("3", COPY)
    fields = {"file": FOUND.sha256, "reason": "court", "comment": "Case 1/26"}
    answer = administrator.post(LIST, **fields, seen=seal)
    assert answer.status_code == 400
    text = seen(answer.text)
    assert "Something has changed since you looked." in text
    assert "3 items have this file." in text
    form = _form(answer.text)
    assert (form["reason"], form["comment"]) == ("court", "Case 1/26")
    assert TakedownFile(filled.harness.folder).read().is_empty
    assert administrator.post(LIST, **fields, seen=form["seen"]).status_code == 303


def test_hostile_reasons_run_nothing_and_turn_no_line(administrator):
    _agree(administrator, f"item={ITEM}1", comment="<script>alert(1)</script>\u202e\"'><img src=x onerror=alert(1)>")
    page = administrator.get(LIST).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "U+202E" in page
    assert "\u202e" not in page


def test_a_form_that_is_sent_twice_takes_down_once(filled, manager):
    for query in (f"item={ITEM}1", f"file={FOUND.sha256}"):
        fields = _form(manager.get(f"{NEW}?{query}").text) | {"reason": "court", "comment": "Case 1/26"}
        del fields["csrf_token"]
        for _ in range(2):
            answer = manager.post(LIST, **fields)
            assert (answer.status_code, answer.headers.get("Location")) == (303, f"{LIST}?done=done"), query
    assert len(TakedownFile(filled.harness.folder).read().entries) == 2


def test_a_file_that_waits_for_another_item_stays_with_that_one(filled, manager):
    """Its manager may not withdraw what others decide on."""
    files = Files(filled)
    file = files.find("1", TITLE, body=b"%PDF-1.7 the same", verdict="accept")
    files.add("9", "Another title", source="another", body=b"%PDF-1.7 the same")
    assert file.sha256 not in manager.get(f"{NEW}?item={ITEM}1").text
    _agree(manager, f"item={ITEM}1")
    assert not TakedownFile(filled.harness.folder).read().names_digest(file.sha256)
    assert place_of_copy(filled.harness.folder, file.sha256).exists()
    reviewer = signed_in(filled.app, filled.harness.folder, "B. Ito")
    assert "Another title" in reviewer.get("/review").text
    assert TITLE not in reviewer.get("/review").text


def test_the_tombstone_does_not_wait_until_all_records_are_read(filled, administrator, monkeypatch):
    """In a large repository, that takes minutes."""

    def fail(*_: object) -> None:
        raise StoreUnwritable("The process was killed.")

    monkeypatch.setattr("gateway.takedowns.apply.scanned", fail)
    assert _agree(administrator, f"item={ITEM}1").headers["Location"] == f"{LIST}?done=waits"
    assert filled.get("/items/oai:gateway.example.org:laro/1").status_code == 451
    assert _agree(administrator, f"file={FOUND.sha256}").headers["Location"] == f"{LIST}?done=waits"
    didl = filled.get(f"/oai?verb=GetRecord&metadataPrefix=oai_didl&identifier={ITEM}2").text
    assert "found.pdf" not in didl
    monkeypatch.undo()
    monkeypatch.setenv("GATEWAY_CLOCK_MAX_JUMP_SECONDS", "0")
    harness = filled.harness
    carry_out(harness.store, harness.inbox, None, load(harness.folder))
    assert FOUND.sha256 in TakedownFile(harness.folder).read().digests
    assert "Under way" not in seen(administrator.get(LIST).text)


@pytest.mark.parametrize("way", ["the server is started", "a worker of the server is started"])
def test_what_a_killed_server_has_not_done_it_does_when_it_starts_again(filled, administrator, monkeypatch, way):
    """All of it: also the files that were found for the item, and our copies of them."""
    file = Files(filled).find("1", TITLE)
    with monkeypatch.context() as patch:
        patch.setattr(interactive.InteractiveTakedowns, "_carry_out", lambda _self: None)
        _agree(administrator, f"item={ITEM}1")
    if way == "the server is started":
        assert complete_takedowns(filled.harness.folder) == ""
    else:
        filled.app.extensions["withdrawals"].resume()
        for thread in enumerate_threads():
            if thread.name == "takedowns":
                thread.join()
    assert "Withdrawn" in seen(administrator.get(LIST).text)
    assert filled.get("/items/oai:gateway.example.org:laro/1").status_code == 451
    assert TakedownFile(filled.harness.folder).read().names_digest(file.sha256)
    assert not place_of_copy(filled.harness.folder, file.sha256).exists()
    filled.app.extensions["withdrawals"].resume()
    assert "takedowns" not in {thread.name for thread in enumerate_threads()}, "nothing is left"
