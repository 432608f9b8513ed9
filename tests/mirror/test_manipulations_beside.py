"""Whatever is done to `failed`, `doubtful` and `waiting` behind its back, an audit finds it without a request."""

import json
import os
import shutil
from hashlib import sha256, sha512
from pathlib import Path

import pytest
from click.testing import CliRunner

from gateway.core.errors import StoreUnwritable
from harvester.cli import main
from harvester.mirror import catalogue
from harvester.mirror.open_folder import opened
from tests.mirror.conftest import NO_PAUSES, Mirror
from tests.mirror.provider import Item, serving
from tests.mirror.test_doubtful import BAD, sending
from tests.mirror.test_manipulations import audited, kill_points, killed
from tests.rows import each_row

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # each audits a mirror

DOUBTED, MISSING, UNREAD, ACCEPTED = "oai:p:0", "oai:p:1", "oai:p:2", "oai:p:3"
GONE = [f"oai:p:{number}" for number in range(10, 20)]
INCOMPLETE = {("incomplete", DOUBTED), ("incomplete", MISSING), ("incomplete", UNREAD)}


def fill_with_failures(provider):
    """Give the provider a doubtful file, a missing file, a record that cannot be read, and a file to be accepted."""
    for number, name in enumerate((DOUBTED, MISSING, UNREAD, ACCEPTED), 1):
        files = {"a.txt": b"a of " + name.encode(), "b.txt": b"b of " + name.encode()}
        provider.items[name] = Item(files, says=(), datestamp=f"2024-01-0{number}T00:00:00Z")
    provider.faults[f"{DOUBTED}/a.txt"] = sending(BAD)
    provider.faults[f"{ACCEPTED}/a.txt"] = sending(b"Error 404: no such file.")
    provider.faults[f"{MISSING}/a.txt"] = lambda handler: handler.send(404, b"", {}) or True
    whole = provider._record
    provider._record = lambda name: f"<record>{provider._header(name)}</record>" if name == UNREAD else whole(name)


def accept(folder, identifier):
    done = CliRunner().invoke(main, ["mirror", "accept", str(folder), identifier], env=NO_PAUSES)
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("original") / "mirror"
    with serving() as provider:
        fill_with_failures(provider)
        Mirror(folder, provider).run(status=3)
        with_waiting_deletions(provider, Mirror(folder, provider))
    assert accept(folder, ACCEPTED)[0] == 0
    return folder


def with_waiting_deletions(provider, mirror):
    """Let two deletions wait in a mirror: the source deletes seven of its objects at once, and five pass."""
    for name in GONE:
        provider.items[name] = Item({"a.txt": name.encode()}, datestamp="2030-02-01T00:00:00Z")
    mirror.run(status=3 if provider.faults else 0)
    for name in GONE[:7]:
        provider.items[name].deleted, provider.items[name].datestamp = True, "2030-03-01T00:00:00Z"
    assert mirror.run(status=3)["waiting"] == 2


@pytest.fixture
def folder(original, tmp_path):
    shutil.copytree(original, tmp_path / "mirror")
    return tmp_path / "mirror"


def doubtful(folder):
    """Return the file with the doubtful bytes."""
    (doubt,) = opened(folder).doubtful.all()
    return opened(folder).doubtful.bytes_of(doubt)


def state(folder):
    return doubtful(folder).with_suffix(".json")


def mark(folder, identifier=MISSING):
    return folder / "failed" / sha256(identifier.encode()).hexdigest()


def note(folder):
    return mark(folder, UNREAD).with_suffix(".json")


def waiting(folder):
    """Return the files of the deletions that wait."""
    return sorted((folder / "waiting").iterdir())


def acceptances(folder):
    return folder / "doubtful/accepted.json"


def forged(folder):
    """Replace doubtful bytes, and their digests in the state."""
    file, document = state(folder), json.loads(state(folder).read_bytes())
    doubtful(folder).write_bytes(b"TAMPERED")
    digests = {"sha512": sha512(b"TAMPERED").hexdigest(), "sha256": sha256(b"TAMPERED").hexdigest()}
    file.write_text(json.dumps({**document, "file": {**document["file"], **digests, "size": 8}}))


def pipe(file):
    file.unlink()
    os.mkfifo(file)


def link(file, folder):
    aside = file.rename(folder.parent / "moved")
    file.symlink_to(aside)


def answers_link(folder):
    (folder / "doubtful/answers.sqlite").unlink(missing_ok=True)
    (folder.parent / "target").write_bytes(b"")
    (folder / "doubtful/answers.sqlite").symlink_to(folder.parent / "target")


# name: what is done, the finding, and a part of the name that is reported
MANIPULATIONS = {
    "all doubtful files are removed": (lambda f: shutil.rmtree(f / "doubtful"), "altered", "doubtful/accepted.json"),
    "doubtful bytes are altered": (lambda f: doubtful(f).write_bytes(b"?" * len(BAD)), "altered", "doubtful/"),
    "a state is a link": (lambda f: link(state(f), f), "altered", ".json"),
    "a state and its bytes are altered alike": (forged, "altered", ".json"),
    "the folder of doubtful files is a link": (lambda f: link(f / "doubtful", f), "strange", "doubtful"),
    "the acceptances are removed": (lambda f: acceptances(f).unlink(), "altered", "accepted.json"),
    "a note of a missing file is removed": (lambda f: mark(f).unlink(), "altered", "failed/"),
    "a note of an object that was never stored": (
        lambda f: mark(f, "oai:ghost").write_text("oai:ghost"),
        "strange",
        "",
    ),
    "a huge note": (lambda f: os.truncate(mark(f), 4 << 40), "altered", "failed/"),
    "names that are no text": (
        lambda f: [
            Path(os.fsdecode(os.fsencode(f / name) + b"/\xff.json")).write_bytes(b"{}")
            for name in ("failed", "doubtful", "waiting")
        ],
        "strange",
        "\\xff.json",
    ),
    "unfinished files of no run": (lambda f: doubtful(f).with_name("evil.new").touch(), "strange", "evil.new"),
    "the cache of answers is a link": (answers_link, "strange", "answers.sqlite"),
}


def test_only_what_is_missing_is_found_when_nobody_touched_anything(folder):
    status, findings, _ = audited(folder)
    assert (status, set(findings)) == (3, INCOMPLETE)


@each_row("name", MANIPULATIONS)
def test_every_manipulation_is_found_until_a_person_accepts_it(original, tmp_path, name):
    manipulate, finding, what = MANIPULATIONS[name]
    folder = Path(shutil.copytree(original, tmp_path / "mirror"))
    manipulate(folder)
    status, findings, words = audited(folder)
    assert status == 3, words
    assert any(kind == finding and what in identifier for kind, identifier in findings), findings
    assert audited(folder, "--accept")[0] == 3
    assert "altered" not in {finding for finding, _ in audited(folder)[1]} or "bytes" in name


def test_a_run_says_that_notes_are_gone_until_an_audit_has_made_them_again(mirror, provider):
    fill_with_failures(provider)
    mirror.run(status=3)
    shutil.rmtree(mirror.folder / "failed")
    receipt = mirror.run("--retry-failed", status=3)
    assert receipt["doubts"][0].startswith("4 files in failed, doubtful or waiting are not what the last run wrote")
    audited(mirror.folder)
    provider.faults.clear()
    del provider._record
    mirror.run("--full", status=3)  # it still says that they were gone
    assert mirror.run("--full")["is_whole"]
    assert audited(mirror.folder)[:2] == (0, [])


def test_a_state_that_was_altered_with_its_bytes_is_refused_by_name(folder):
    forged(folder)
    status, words = accept(folder, DOUBTED)
    assert status == 1
    assert f"{state(folder)}, the doubtful file from" in words
    assert "is not what a run wrote. Nothing was accepted." in words


def test_waiting_deletions_that_are_gone_are_reported_until_they_are_back(mirror, provider):
    with_waiting_deletions(provider, mirror)
    shutil.rmtree(mirror.folder / "waiting")
    assert {finding for finding, _ in audited(mirror.folder)[1]} == {"altered"}
    receipt = mirror.run("--retry-failed", status=3)
    assert "2 files in failed, doubtful or waiting" in receipt["doubts"][0]
    receipt = mirror.run(status=3)  # which lists the deletions again
    assert ("2 files in failed" in receipt["doubts"][0], receipt["waiting"]) == (True, 2)
    assert audited(mirror.folder)[:2] == (0, [])
    assert mirror.run("--yes")["objects"]["deleted"] == 2
    assert audited(mirror.folder)[:2] == (0, [])


def test_a_half_written_line_of_a_full_disk_is_removed_at_once(mirror, provider, fill, monkeypatch):
    fill(1)
    mirror.run()
    place = opened(mirror.folder)
    before = place.catalogue.file.read_bytes()
    opening = Path.open

    def full(self, mode="r", *rest, **named):
        stream = opening(self, mode, *rest, **named)
        if self == place.catalogue.file and mode == "ab":
            stream.write(b'{"half')
            stream.close()
            raise OSError(28, "No space left on device")
        return stream

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(StoreUnwritable):
            place.catalogue.append({"run": "x", "at": "y"})
    assert place.catalogue.file.read_bytes() == before
    place.catalogue.append({"run": "mirror", "at": "2030-01-01T00:00:00Z"})
    assert audited(mirror.folder)[1] == [("unconfirmed", catalogue.NAME)]


def test_accepted_bytes_stay_until_their_version_is_written(mirror, provider, monkeypatch):
    provider.items[DOUBTED] = Item({"a.txt": b"a"}, says=())
    provider.faults[f"{DOUBTED}/a.txt"] = sending(BAD)
    mirror.run(status=3)

    def full(*_):
        raise StoreUnwritable("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr("harvester.mirror.ocfl.StorageRoot.commit", full)
        status, words = accept(mirror.folder, DOUBTED)
    assert (status, "1 of them are not stored: The disk is full." in words) == (1, True)
    assert doubtful(mirror.folder).read_bytes() == BAD
    assert accept(mirror.folder, DOUBTED)[0] == 0
    assert mirror.held() == {DOUBTED: {"a.txt": BAD}}
    assert audited(mirror.folder)[:2] == (0, [])


@pytest.mark.unmeasured
def test_killed_anywhere_nothing_else_is_found(tmp_path, provider):
    """Two runs are killed, with files that are new, doubtful, missing, and good again; a third one ends.

    A run that was broken off is named until another one has confirmed what it wrote.
    """
    fill_with_failures(provider)
    original = tmp_path / "original"
    Mirror(original, provider).run(status=3)
    provider.faults[f"{DOUBTED}/a.txt"] = sending(b"Error: not found.")
    del provider.faults[f"{MISSING}/a.txt"], provider._record
    for name in (DOUBTED, MISSING, UNREAD):
        provider.items[name].datestamp = "2030-01-01T00:00:00Z"
    provider.items["oai:p:9"] = Item({"c.txt": b"c"}, datestamp="2030-01-01T00:00:00Z")
    unconfirmed = ("unconfirmed", catalogue.NAME)
    for count in kill_points(150):  # it makes 170 changes
        folder = tmp_path / str(count)
        shutil.copytree(original, folder)
        for changes in (count, count // 2):
            ended = killed(folder, provider, changes)
            findings = set(audited(folder)[1])
            assert findings <= {unconfirmed, *INCOMPLETE, ("incomplete", ACCEPTED)}, count
            assert not (ended and unconfirmed in findings), count
        Mirror(folder, provider).run(status=3)
        assert set(audited(folder)[1]) == {("incomplete", DOUBTED), ("incomplete", ACCEPTED)}, count
