"""What came and may not be the file: kept aside, told, tried again, replaced, proven, accepted."""

import json
from hashlib import sha256

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror.doubtful_files import count
from harvester.mirror.open_folder import opened
from tests.mirror.conftest import each_mirror
from tests.mirror.provider import Item

BAD = b"The bitstream could not be found."
GOOD = b"What a person wrote.\n"
LATER = "2031-01-01T00:00:00Z"


def sending(body, **headers):
    """Return a fault: this body, whatever is asked for."""
    named = {name.replace("_", "-"): value for name, value in {"Content_Type": "text/plain", **headers}.items()}

    def send(handler):
        if "ETag" in named and handler.headers.get("If-None-Match") == named["ETag"]:
            return handler.send(304, b"", named) or True
        return handler.send(200, body, named) or True

    return send


@pytest.fixture
def accepted(mirror):
    def accept(url, status=0):
        done = CliRunner().invoke(main, ["mirror", "accept", str(mirror.folder), url, "--json"], catch_exceptions=False)
        assert done.exit_code == status, done.output
        mirror.stderr = done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return accept


@pytest.fixture
def one(provider):
    """Give the provider an object with one file of which it states nothing."""
    provider.items["oai:p:0"] = Item({"a.txt": GOOD}, says=())
    return provider.items["oai:p:0"]


def test_an_error_message_is_no_file_and_is_kept_aside(mirror, provider, one):
    provider.faults["oai:p:0/a.txt"] = sending(BAD)
    receipt = mirror.run(status=3)
    assert [(missing["fate"], missing["rule"]) for missing in receipt["missing"]] == [("doubtful", "error_message")]
    assert receipt["files"] == {"doubtful": 1}
    assert mirror.held() == {"oai:p:0": {}}
    (doubt,) = opened(mirror.folder).doubtful.all()
    assert opened(mirror.folder).doubtful.bytes_of(doubt).read_bytes() == BAD
    assert doubt.file.sha256 == sha256(BAD).hexdigest()
    assert count(mirror.folder) == 1
    assert "1 doubtful" in mirror.stderr


def test_a_doubtful_file_is_asked_for_with_a_condition_and_growing_pauses(mirror, provider, one):
    asked = []

    def fault(handler):
        asked.append(handler.headers.get("If-None-Match"))
        return sending(BAD, ETag='"bad"')(handler)

    provider.faults["oai:p:0/a.txt"] = fault
    mirror.run(status=3)
    assert mirror.run(status=3)["missing"][0]["fate"] == "doubtful"
    assert asked == [None, '"bad"']
    mirror.run(status=3)  # not before a day has passed
    assert asked == [None, '"bad"']
    mirror.run("--retry-failed", status=3)  # a person asks
    assert asked == [None, '"bad"', '"bad"']
    (doubt,) = opened(mirror.folder).doubtful.all()
    assert doubt.tries == 3
    assert mirror.version("oai:p:0") == 1


def test_an_earlier_good_file_stays_held_when_a_bad_answer_comes(mirror, provider, one):
    mirror.run()
    one.datestamp = LATER
    one.title = "Another"
    provider.faults["oai:p:0/a.txt"] = sending(BAD)
    receipt = mirror.run(status=3)
    assert receipt["missing"][0]["kept"] == "an earlier state"
    assert mirror.held() == {"oai:p:0": {"a.txt": GOOD}}
    provider.faults.clear()
    assert mirror.run()["is_whole"]
    assert count(mirror.folder) == 0


def test_a_server_that_does_not_answer_leaves_a_file_doubtful(mirror, provider, one):
    provider.faults["oai:p:0/a.txt"] = sending(BAD)
    mirror.run(status=3)
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(503, b"", {}) or True
    assert mirror.run(status=3)["missing"][0]["fate"] == "doubtful"
    assert count(mirror.folder) == 1
    provider.faults["oai:p:0/a.txt"] = lambda handler: handler.send(404, b"", {}) or True
    assert mirror.run("--retry-failed", status=3)["missing"][0]["fate"] == "not_found"
    assert count(mirror.folder) == 0


def test_a_person_accepts_what_is_doubtful(mirror, provider, one, accepted):
    provider.faults["oai:p:0/a.txt"] = sending(BAD)
    mirror.run(status=3)
    provider.asked.clear()
    (row,) = accepted(provider.file_url("oai:p:0/a.txt"))
    assert (row["identifier"], row["rule"], row["is_held"]) == ("oai:p:0", "error_message", True)
    assert provider.asked == []
    assert mirror.held() == {"oai:p:0": {"a.txt": BAD}}
    assert mirror.holding("oai:p:0").files[0].accepted_at
    assert count(mirror.folder) == 0
    one.datestamp = LATER
    assert mirror.run()["is_whole"]  # the same bytes come again
    assert accepted("http://e.org/never", status=2) == []


def kept_bytes(mirror):
    """Return the files with the doubtful bytes of a mirror."""
    doubtful = opened(mirror.folder).doubtful
    return [doubtful.bytes_of(doubt) for doubt in doubtful.all()]


def flipped(file):
    """Change one bit, and keep the size."""
    content = file.read_bytes()
    file.write_bytes(bytes([content[0] ^ 1]) + content[1:])


def removed(file):
    file.unlink()


def snapshot(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "lock"}


@each_mirror("change", [flipped, removed])
def test_altered_doubtful_bytes_are_refused_by_name_and_nothing_is_written(mirror, provider, accepted, change):
    provider.items["oai:p:0"] = Item({"a.txt": GOOD}, says=())
    provider.faults["oai:p:0/a.txt"] = sending(BAD, ETag='"bad"')
    mirror.run(status=3)
    (file,) = kept_bytes(mirror)
    change(file)
    before = snapshot(mirror.folder)
    assert accepted(provider.file_url("oai:p:0/a.txt"), status=1) == []
    assert str(file) in mirror.stderr
    assert provider.file_url("oai:p:0/a.txt") in mirror.stderr
    assert "--retry-failed" in mirror.stderr
    assert snapshot(mirror.folder) == before
    assert (mirror.held(), mirror.version("oai:p:0")) == ({"oai:p:0": {}}, 1)
    mirror.run("--retry-failed", status=3)  # it is requested without a condition
    assert file.read_bytes() == BAD
    assert accepted(provider.file_url("oai:p:0/a.txt"))[0]["is_held"]
    assert mirror.held() == {"oai:p:0": {"a.txt": BAD}}


def test_altered_doubtful_bytes_are_not_held_when_their_digest_is_stated_later(mirror, provider, one):
    """The document now states the digest of what somebody put there."""
    provider.faults["oai:p:0/a.txt"] = sending(BAD)
    mirror.run(status=3)
    (file,) = kept_bytes(mirror)
    file.write_bytes(b"TAMPERED")
    one.files["a.txt"], one.says, one.datestamp = b"TAMPERED", ("digest",), LATER
    provider.faults.clear()
    provider.asked.clear()
    assert mirror.run()["is_whole"]
    assert provider.asked == ["oai:p:0/a.txt"]
    assert CliRunner().invoke(main, ["mirror", "audit", str(mirror.folder), "--offline"]).exit_code == 0


def test_what_is_accepted_and_was_not_kept_comes_with_the_next_run(mirror, provider, one, accepted):
    provider.faults["oai:p:0/a.txt"] = sending(BAD)
    mirror.run(status=3, mirror_doubtful_max_bytes=3)
    mirror.run("--retry-failed", status=3, mirror_doubtful_max_bytes=3)
    assert accepted("oai:p:0")[0]["is_held"] is False
    assert "the next run fetches them" in mirror.stderr
    assert mirror.run()["is_whole"]
    assert mirror.held() == {"oai:p:0": {"a.txt": BAD}}


def test_a_stated_digest_settles_everything_and_a_size_what_a_file_says(mirror, provider):
    """A message of another program has another size; a disk that was not written has the same."""
    for name, content in (("words", BAD), ("zeros", bytes(90))):
        provider.items[f"digest of {name}"] = Item({"a.txt": content}, says=("digest",))
        provider.items[f"size of {name}"] = Item({"a.txt": content}, says=("size",))
    assert [missing["identifier"] for missing in mirror.run(status=3)["missing"]] == ["size of zeros"]


# --- one answer at many addresses ---------------------------------------------------------------------------------


def _same(provider, count, content=b"Hello"):
    for number in range(count):
        provider.items[f"oai:p:{number}"] = Item({f"{number}.txt": content}, says=())


def test_the_first_two_copies_are_found_although_they_came_in_an_earlier_run(mirror, provider):
    _same(provider, 2)
    mirror.run()
    provider.items["oai:p:2"] = Item({"2.txt": b"Hello"}, says=(), datestamp=LATER)
    receipt = mirror.run(status=3)
    assert {missing["identifier"] for missing in receipt["missing"]} == {"oai:p:0", "oai:p:1", "oai:p:2"}
    assert len(provider.asked) == 3
    assert mirror.version("oai:p:0") == 2


def test_what_was_held_before_a_message_came_is_held_again(mirror, provider, one):
    mirror.run()
    one.files["a.txt"], one.datestamp = b"Hello", LATER
    mirror.run()
    assert mirror.held()["oai:p:0"] == {"a.txt": b"Hello"}
    for number in (1, 2):
        provider.items[f"oai:p:{number}"] = Item({f"{number}.txt": b"Hello"}, says=(), datestamp="2032-01-01T00:00:00Z")
    provider.now = "2032-01-01T00:00:00Z"
    mirror.run(status=3)
    assert mirror.held()["oai:p:0"] == {"a.txt": GOOD}
    assert mirror.holding("oai:p:0").files[0].is_stale


def test_one_answer_at_many_addresses_is_accepted_at_once(mirror, provider, accepted):
    _same(provider, 3)
    mirror.run(status=3)
    assert len(accepted(provider.file_url("oai:p:1/1.txt"))) == 3
    assert mirror.held() == provider.expected()
    provider.items["oai:p:3"] = Item({"3.txt": b"Hello"}, says=(), datestamp=LATER)
    assert mirror.run()["is_whole"]


def test_a_file_whose_end_nobody_tells_is_held_when_it_comes_twice_the_same(mirror, provider, one):
    bodies = [GOOD, GOOD]

    def fault(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(bodies.pop(0))
        handler.close_connection = True
        return True

    provider.faults["oai:p:0/a.txt"] = fault
    assert mirror.run()["is_whole"]
    one.datestamp = LATER
    bodies += [GOOD, GOOD[:9]]
    assert mirror.run(status=3)["missing"][0]["rule"] == "unmeasured"
    assert mirror.held() == provider.expected()


def test_an_old_copy_of_a_cache_does_not_replace_a_newer_file(mirror, provider, one):
    dates = {"Last_Modified": "Tue, 02 Jan 2024 00:00:00 GMT"}
    provider.faults["oai:p:0/a.txt"] = sending(GOOD, **dates)
    mirror.run()
    one.datestamp = LATER
    provider.faults["oai:p:0/a.txt"] = sending(b"An older one", Last_Modified="Mon, 01 Jan 2024 00:00:00 GMT")
    assert mirror.run(status=3)["missing"][0]["rule"] == "older"
    assert mirror.held() == {"oai:p:0": {"a.txt": GOOD}}
