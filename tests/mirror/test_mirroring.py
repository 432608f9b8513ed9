"""A mirror holds what the provider has, fetches only what changed, and tells what is missing."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.mirror.provider import Item, tag_of

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


LATER = "2030-01-01T00:00:00Z"


def test_a_mirror_has_every_object_with_its_document_and_files(mirror, provider, fill):
    fill(3)
    receipt = mirror.run()
    assert mirror.held() == provider.expected()
    assert (receipt["objects"], receipt["files"]) == ({"created": 3}, {"fetched": 6})
    assert receipt["verified"] == {"digest": 6}
    assert receipt["is_whole"]
    assert (
        "Objects: 3 created. Files: 6 fetched (verified: 6 digest), 12 bytes fetched. Nothing is missing."
        in mirror.said
    )
    (kept,) = (mirror.folder / "receipts").iterdir()
    assert json.loads(kept.read_bytes()) == receipt


def test_a_second_run_asks_for_nothing_twice(mirror, provider, fill):
    fill(3)
    mirror.run()
    provider.asked.clear()
    receipt = mirror.run()
    assert receipt["objects"] == {}  # they are older than the overlap
    receipt = mirror.run("--full")
    assert receipt["objects"] == {"unchanged": 3}
    assert provider.asked == []
    assert [mirror.version(name) for name in provider.items] == [1, 1, 1]


@pytest.mark.parametrize("says", [("digest",), ("size",), ("modified",), ()])
def test_only_what_changed_is_fetched_again(mirror, provider, fill, says):
    fill(2, says=says)
    mirror.run()
    provider.asked.clear()
    item = provider.items["oai:p:1"]
    item.files["b.txt"] = b"another, longer"
    item.datestamp, item.modified = LATER, LATER
    receipt = mirror.run()
    assert mirror.held() == provider.expected()
    assert receipt["objects"] == {"updated": 1}
    assert receipt["files"] == {"fetched": 1, "kept": 1}
    assert sorted(provider.asked) == (
        ["oai:p:1/b.txt"] if says in {("digest",), ("size",)} else ["oai:p:1/a.txt", "oai:p:1/b.txt"]
    )


def test_a_file_that_went_away_is_in_the_earlier_version_only(mirror, provider, fill):
    fill(1)
    mirror.run()
    del provider.items["oai:p:0"].files["b.txt"]
    provider.items["oai:p:0"].datestamp = LATER
    mirror.run()
    assert mirror.held() == {"oai:p:0": {"a.txt": b"a0"}}
    assert mirror.version("oai:p:0") == 2


def test_a_deleted_record_is_a_deleted_object_that_keeps_what_it_had(mirror, provider, fill):
    fill(1)
    mirror.run()
    item = provider.items["oai:p:0"]
    item.deleted, item.datestamp = True, LATER
    assert mirror.run()["objects"] == {"deleted": 1}
    assert mirror.holding("oai:p:0").is_deleted
    assert mirror.held() == {}
    assert [each.name for each in (mirror.folder / "ocfl").rglob("a.txt")] == ["a.txt"]
    assert mirror.run()["objects"] == {"unchanged": 1}


def test_what_returns_is_held_again_without_being_fetched(mirror, provider, fill):
    fill(1)
    mirror.run()
    provider.items["oai:p:0"].deleted, provider.items["oai:p:0"].datestamp = True, LATER
    mirror.run()
    provider.items["oai:p:0"] = replace(provider.items["oai:p:0"], deleted=False, datestamp="2031-01-01T00:00:00Z")
    provider.asked.clear()
    mirror.run()
    assert mirror.held() == provider.expected()
    assert provider.asked == []


def test_what_was_deleted_before_it_was_held_is_not_held(mirror, provider):
    provider.items["oai:p:0"] = Item(deleted=True)
    assert mirror.run()["objects"] == {"never_held": 1}
    assert mirror.held() == {}


def test_a_missing_file_is_told_and_can_be_tried_again(mirror, provider, fill):
    fill(2)
    provider.faults["oai:p:1/b.txt"] = lambda handler: handler.send(404, b"", {}) or True
    receipt = mirror.run(status=3)
    url = provider.file_url("oai:p:1/b.txt").replace("%3A", ":")
    assert [(each["identifier"], each["fate"]) for each in receipt["missing"]] == [("oai:p:1", "not_found")]
    assert "Missing: 1." in mirror.said
    assert mirror.held()["oai:p:1"] == {"a.txt": b"a1"}
    assert mirror.run("--retry-failed", status=3)["objects"] == {"unchanged": 1}
    assert mirror.version("oai:p:1") == 1, url
    provider.faults.clear()
    provider.asked.clear()
    assert mirror.run("--retry-failed")["objects"] == {"updated": 1}
    assert provider.asked == ["oai:p:1/b.txt"]
    assert mirror.held() == provider.expected()
    assert mirror.run("--retry-failed")["objects"] == {}


def test_a_changed_file_that_cannot_be_had_is_kept_as_it_was_and_told(mirror, provider, fill):
    fill(1)
    mirror.run()
    provider.items["oai:p:0"].files["b.txt"] = b"new"
    provider.items["oai:p:0"].datestamp = LATER
    provider.faults["oai:p:0/b.txt"] = lambda handler: handler.send(403, b"", {}) or True
    receipt = mirror.run(status=3)
    assert receipt["missing"][0]["kept"] == "an earlier state"
    assert mirror.held()["oai:p:0"]["b.txt"] == b"b0"
    provider.faults.clear()
    mirror.run("--retry-failed")
    assert mirror.held() == provider.expected()


def _page(handler):
    return handler.send(200, b"<!DOCTYPE html><html>Please log in</html>", {"Content-Type": "text/html"}) or True


def _other(handler):
    return handler.send(200, b"another document", {}) or True


def _garbled(handler):
    return handler.send(200, b"%PDF-1.4 and something else", {}) or True


def _short(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b"a")
    handler.close_connection = True
    return True


def _endless(handler):
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    while True:
        try:
            handler.wfile.write(b"x" * 65536)
        except OSError:
            return True


def _ring(handler):
    return handler.send(302, b"", {"Location": handler.path}) or True


def _inside(handler):
    return handler.send(302, b"", {"Location": "http://10.0.0.1/secret"}) or True


@pytest.mark.parametrize(
    ("fault", "says", "fate"),
    [
        (_page, ("digest",), "web_page"),
        (_page, (), "web_page"),
        (_other, ("digest",), "wrong_type"),
        (_garbled, ("digest",), "corrupt"),
        (_other, ("size",), "wrong_type"),
        (_garbled, ("size",), "wrong_size"),
        (_other, (), "wrong_type"),
        (_short, (), "unreachable"),
        (_endless, (), "too_large"),
        (_ring, (), "refused"),
        (_inside, (), "refused"),
    ],
)
def test_what_is_not_the_file_is_never_held(mirror, provider, fault, says, fate):
    provider.items["oai:p:0"] = Item({"a.pdf": b"%PDF-1.4"}, says=says, mime_type="application/pdf")
    provider.faults["oai:p:0/a.pdf"] = fault
    receipt = mirror.run(status=3, fetch_file_max_bytes=1_000_000)
    assert [each["fate"] for each in receipt["missing"]] == [fate]
    assert mirror.held() == {"oai:p:0": {}}


def test_a_name_cannot_lead_out_of_the_object(mirror, provider):
    provider.items["oai:p:0"] = Item({"..": b"1", "%2e%2e%2fx": b"2", ".hidden": b"3", "a b?": b"4", "a_b": b"5"})
    assert mirror.run(status=3)["files"] == {"fetched": 4, "not_found": 1}  # no client asks for `..`
    assert {each.path for each in mirror.holding("oai:p:0").files if each.path} == {
        "files/2e_2e_2fx.txt", "files/hidden.txt", "files/a_b.txt", "files/a_b-2.txt",
    }  # fmt: skip


def test_the_folder_of_another_mirror_is_not_touched(mirror, provider, fill, tmp_path):
    fill(1)
    mirror.run()
    mirror.run("--format", "mets", status=2)
    assert "is the mirror of oai_didl" in mirror.said
    other = tmp_path / "letters"
    other.mkdir()
    (other / "letter.txt").touch()
    mirror.folder = other
    mirror.run(status=2)
    assert "is not empty and no mirror" in mirror.said


def test_a_document_that_names_no_files_is_kept_and_told(mirror, provider):
    provider.items["oai:p:0"] = Item(document=b"<x/>")
    receipt = mirror.run(status=3)
    assert receipt["missing"][0]["fate"] == "unreadable"
    assert mirror.holding("oai:p:0").problem.startswith("It is no complex object")


def test_a_stream_by_value_is_taken_out_and_kept(mirror, provider):
    document = (
        b'<d:DIDL xmlns:d="urn:mpeg:mpeg21:2002:02-DIDL-NS"><d:Item><d:Component><d:Resource mimeType="text/plain" '
        b'encoding="base64">aGVsbG8=</d:Resource></d:Component><d:Component><d:Resource ref="local.pdf"/></d:Component>'
        b"</d:Item></d:DIDL>"
    )
    provider.items["oai:p:0"] = Item(document=document)
    receipt = mirror.run(status=3)
    assert receipt["files"] == {"by_value": 1, "no_address": 1}
    held = mirror.holding("oai:p:0").files[0]
    assert (held.path, held.size) == ("files/file.txt", 5)
    assert mirror.run("--full", status=3)["objects"] == {"unchanged": 1}


def test_the_rest_of_a_broken_file_is_asked_for(mirror, provider):
    content = bytes(range(256)) * 4000
    provider.items["oai:p:0"] = Item({"a.txt": content})
    ranges = []

    def once(handler):
        ranges.append(handler.headers.get("Range"))
        if len(ranges) > 1:
            return False
        handler.send_response(200)
        handler.send_header("ETag", tag_of(content))
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[:600_000])
        handler.close_connection = True
        return True

    provider.faults["oai:p:0/a.txt"] = once
    mirror.run()
    assert mirror.held() == provider.expected()
    assert ranges[0] is None
    assert ranges[1].startswith("bytes=")
