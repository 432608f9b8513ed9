"""A mirror holds what the provider has, fetches only what changed, and tells what is missing."""

import json
import shutil
from dataclasses import replace
from hashlib import md5

from gateway.core.xmltext import DIDL, PREMIS
from harvester.mirror.open_folder import opened
from tests.mirror.conftest import each_mirror
from tests.mirror.provider import Item, breaking_off

LATER = "2030-01-01T00:00:00Z"


def test_a_mirror_has_every_object_with_its_document_and_files(mirror, provider, fill):
    fill(3)
    receipt = mirror.run()
    assert mirror.held() == provider.expected()
    assert (receipt["objects"], receipt["files"]) == ({"created": 3}, {"fetched": 6})
    assert receipt["verified"] == {"digest": 6}
    assert receipt["is_whole"]
    assert receipt["asked"] == [f"{provider.base_url}?verb=ListRecords&metadataPrefix=oai_didl"]
    assert (
        "Objects: 3 created. Files: 6 fetched (verified: 6 digest), 12 bytes fetched. Nothing is missing."
        in mirror.stderr
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


@each_mirror("says", [("digest",), ("size",), ("modified",), ()])
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
    assert sorted(provider.asked) == (["oai:p:1/b.txt"] if says == ("digest",) else ["oai:p:1/a.txt", "oai:p:1/b.txt"])


def test_a_deleted_record_is_a_deleted_object_that_keeps_what_it_had(mirror, provider, fill):
    fill(1)
    mirror.run()
    item = provider.items["oai:p:0"]
    item.deleted, item.datestamp = True, LATER
    assert mirror.run()["objects"] == {"deleted": 1}
    assert mirror.holding("oai:p:0").is_deleted
    assert mirror.held() == {}
    assert [path.name for path in (mirror.folder / "ocfl").rglob("a.txt")] == ["a.txt"]
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
    file = mirror.holding("oai:p:0").files[0]
    assert (file.size, file.verified, bool(file.sha512)) == (2, ("sha256", "size"), True)


def test_a_missing_file_is_told_and_can_be_tried_again(mirror, provider, fill):
    fill(2)
    provider.faults["oai:p:1/b.txt"] = lambda handler: handler.send(404, b"", {}) or True
    receipt = mirror.run(status=3)
    url = provider.file_url("oai:p:1/b.txt").replace("%3A", ":")
    assert [(missing["identifier"], missing["fate"]) for missing in receipt["missing"]] == [("oai:p:1", "not_found")]
    assert "Missing: 1." in mirror.stderr
    assert mirror.held()["oai:p:1"] == {"a.txt": b"a1"}
    assert mirror.run("--retry-failed", status=3)["objects"] == {"unchanged": 1}
    assert mirror.version("oai:p:1") == 1, url
    provider.faults.clear()
    provider.asked.clear()
    assert mirror.run("--retry-failed")["objects"] == {"updated": 1}
    assert provider.asked == ["oai:p:1/b.txt"]
    assert mirror.held() == provider.expected()
    assert mirror.run("--retry-failed")["objects"] == {}


def test_what_is_missing_is_told_by_every_run_until_it_is_had(mirror, provider, fill):
    fill(2)
    provider.items["oai:p:2"] = Item(document=b"<x/>")
    provider.faults["oai:p:1/b.txt"] = lambda handler: handler.send(404, b"", {}) or True
    first = mirror.run(status=3)
    again = mirror.run(status=3)
    assert again["objects"] == {}  # nothing has changed, and nothing was tried
    by_identifier = {missing["identifier"]: missing for missing in again["missing"]}
    assert by_identifier == {
        missing["identifier"]: {**missing, "tried": "in an earlier run"} for missing in first["missing"]
    }
    assert len(by_identifier) == 2
    (opened(mirror.folder).root.place("oai:p:1") / "inventory.json").write_bytes(b"x")
    assert ["An inventory" in missing["reason"] for missing in mirror.run(status=3)["missing"]].count(True) == 1


def test_a_location_that_is_no_address_is_told_and_keeps_no_other_from_being_mirrored(mirror, provider, fill):
    fill(1)
    resource = '<Component><Resource mimeType="a/b" ref="http://[::1/x.pdf"/></Component>'
    didl = f'<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item>{resource}</Item></DIDL>'
    provider.items["oai:p:1"] = Item(document=didl.encode())
    receipt = mirror.run(status=3)
    assert [missing["fate"] for missing in receipt["missing"]] == ["no_address"]
    assert mirror.held()["oai:p:0"] == provider.items["oai:p:0"].files


def test_a_changed_file_that_cannot_be_had_is_kept_as_it_was_and_reported(mirror, provider, fill):
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
    return breaking_off(handler, b"a", 100)


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


@each_mirror(
    "fault, says, fate",
    [
        (_page, ("digest",), "web_page"),
        (_other, ("digest",), "wrong_type"),
        (_garbled, ("digest",), "corrupt"),
        (_garbled, ("size",), "wrong_size"),
        (_other, (), "doubtful"),
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
    assert [missing["fate"] for missing in receipt["missing"]] == [fate]
    assert mirror.held() == {"oai:p:0": {}}


def test_a_name_cannot_lead_out_of_the_object(mirror, provider):
    provider.items["oai:p:0"] = Item({"..": b"1", "%2e%2e%2fx": b"2", ".hidden": b"3", "a b?": b"4", "a_b": b"5"})
    assert mirror.run(status=3)["files"] == {"fetched": 4, "not_found": 1}  # no client asks for `..`
    assert {file.path for file in mirror.holding("oai:p:0").files if file.path} == {
        "files/2e_2e_2fx.txt", "files/hidden.txt", "files/a_b.txt", "files/a_b-2.txt",
    }  # fmt: skip


def test_the_folder_of_another_mirror_is_not_touched(mirror, provider, fill, tmp_path):
    fill(1)
    mirror.run()
    mirror.run("--format", "mets", status=2)
    assert "is the mirror of oai_didl" in mirror.stderr
    other = tmp_path / "letters"
    other.mkdir()
    (other / "letter.txt").touch()
    mirror.folder = other
    mirror.run(status=2)
    assert "is not empty and no mirror" in mirror.stderr


def _by_value(content: str, digest: str, mime_type: str = "text/plain") -> bytes:
    fixity = f"<messageDigestAlgorithm>MD5</messageDigestAlgorithm><messageDigest>{digest}</messageDigest>"
    stated = f'<Descriptor><Statement><fixity xmlns="{PREMIS}">{fixity}</fixity></Statement></Descriptor>'
    component = f'<Component>{stated}<Resource mimeType="{mime_type}" {content}</Resource></Component>'
    return f'<DIDL xmlns="{DIDL}"><Item>{component}</Item></DIDL>'.encode()


@each_mirror(
    "document, files",
    [
        (_by_value('encoding="base64">aGVsbG8=', md5(b"hello").hexdigest()), {"by_value": 1}),
        (_by_value('encoding="base64">aGVsbG8=', "0" * 32), {"corrupt": 1}),
        (_by_value('encoding="base64">aGVsbG8=', "", "application/pdf"), {"doubtful": 1}),
        (_by_value("><a/>", "0" * 32), {"by_value": 1}),  # nobody knows how it had been written
    ],
)
def test_a_stream_by_value_is_verified_like_any_other_file(mirror, provider, document, files):
    provider.items["oai:p:0"] = Item(document=document)
    assert mirror.run(status=0 if "by_value" in files else 3)["files"] == files
    assert bool(mirror.holding("oai:p:0").files[0].path) == ("by_value" in files)


def test_an_object_that_is_damaged_is_told_and_keeps_no_other_from_being_mirrored(mirror, provider, fill):
    fill(3)
    provider.faults["oai:p:1/a.txt"] = lambda handler: handler.send(404, b"", {}) or True
    mirror.run(status=3)
    provider.faults.clear()
    inventory = opened(mirror.folder).root.place("oai:p:1") / "inventory.json"
    kept = inventory.read_bytes()
    inventory.write_bytes(b"?")
    for item in provider.items.values():
        item.datestamp, item.files["a.txt"] = LATER, b"new"
    receipt = mirror.run(status=3)
    assert receipt["objects"] == {"updated": 2, "unusable": 1}
    assert [(missing["identifier"], missing["fate"]) for missing in receipt["missing"]] == [("oai:p:1", "unreadable")]
    assert mirror.run("--retry-failed", status=3)["objects"] == {"unusable": 1}
    inventory.write_bytes(kept)
    provider.now = "2031-01-01T00:00:00Z"
    assert mirror.run()["objects"] == {"unchanged": 2, "updated": 1}
    assert mirror.held() == provider.expected()


def test_an_object_whose_folder_is_gone_is_told_where_something_was_missing_of_it(mirror, provider, fill):
    fill(2)
    provider.faults["oai:p:0/a.txt"] = lambda handler: (handler.send(404, b"", {}), True)[1]
    mirror.run(status=3)
    provider.faults.clear()
    shutil.rmtree(opened(mirror.folder).root.place("oai:p:0"))
    for arguments in ((), ("--retry-failed",)):
        (missing,) = mirror.run(*arguments, status=3)["missing"]
        assert missing["reason"] == "oai:p:0 is not there any more; `harvester mirror --full` brings it."
    assert mirror.run("--full")["is_whole"]
    assert mirror.held() == provider.expected()


def _without_identifier(provider, name):
    """Let the record of an object come without its identifier."""
    whole = provider._record
    provider._record = lambda identifier: whole(identifier).replace(f"<identifier>{name}</identifier>", "")


def _without_metadata(provider, name):
    whole = provider._record
    provider._record = lambda identifier: (
        f"<record>{provider._header(identifier)}</record>" if identifier == name else whole(identifier)
    )


@each_mirror("harm, names", [(_without_identifier, ["", "oai:p:1"]), (_without_metadata, ["oai:p:1"])])
def test_a_record_that_cannot_be_read_is_told_by_every_run_until_it_can_be(mirror, provider, fill, harm, names):
    """What ListIdentifiers names and ListRecords has without its identifier is told by its name too."""
    fill(3)
    for number, item in enumerate(provider.items.values(), 1):  # where all have one date, the list is asked for again
        item.datestamp = f"2024-01-0{number}T00:00:00Z"
    harm(provider, "oai:p:1")
    unreadable = mirror.run(status=3)["missing"]
    assert sorted((entry["identifier"], entry["fate"]) for entry in unreadable) == [
        (name, "unreadable") for name in names
    ]
    for arguments in ((), ("--retry-failed",)):
        again = {missing["identifier"]: missing for missing in mirror.run(*arguments, status=3)["missing"]}
        assert again == {entry["identifier"]: {**entry, "tried": "in an earlier run"} for entry in unreadable}
    del provider._record
    assert mirror.run("--full")["is_whole"]
    assert mirror.held() == provider.expected()
    assert mirror.run()["is_whole"]


def test_a_mirror_that_has_lost_all_its_objects_is_not_taken_for_one_in_step(mirror, provider, fill):
    fill(2)
    mirror.run()
    shutil.rmtree(mirror.folder / "ocfl")
    mirror.run(status=1)
    assert "ocfl is not there" in mirror.stderr
    assert not (mirror.folder / "ocfl").exists()


def test_what_a_record_says_about_itself_is_kept_too(mirror, provider, fill):
    fill(1, abouts=('<r xmlns="urn:rights">free</r>', '<p xmlns="urn:provenance"/>'))
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(404, b"", {}) or True
    mirror.run(status=3)
    provider.faults.clear()
    mirror.run("--retry-failed")
    root = opened(mirror.folder).root
    inventory = root.inventory("oai:p:0")
    kept = [(root.place("oai:p:0") / inventory.place(f"about-{number}.xml")).read_text() for number in (1, 2)]
    assert kept == ['<r xmlns="urn:rights">free</r>', '<p xmlns="urn:provenance"/>']
    assert inventory.head == 2
