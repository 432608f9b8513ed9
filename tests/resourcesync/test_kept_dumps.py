"""Kept packages of the Resource Dump, archived Resource Lists, and what a takedown leaves of all that is kept."""

import gzip
import zipfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gateway.core.model import FileLink, FileOrigin
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown, joined
from gateway.core.xmltext import utc_datetime
from gateway.publish.publish_files import file_all
from gateway.resourcesync.kept import KeptFiles
from gateway.takedowns import apply as applying
from tests.publish.harness import Sent, dc, pdf
from tests.resourcesync.conftest import DAY, URL
from tests.resourcesync.test_packages import read

FOLDER = "/resourcesync/oai_dc/source"
NAME = f"{URL}/metadata/oai_dc/oai:gateway.example.org:laro/"
SECRET = "Nobody may read this"
FOUND = FileLink("https://a.example.org/1.pdf", "application/pdf", FileOrigin.DISCOVERED, "x", 12, "ab" * 32)


def get(source, loc):
    return source.get(urlsplit(loc).path)


def stated(source):
    """Return the lengths that the Resource Dump states; None: of a package that is not kept."""
    return [entry.length for entry in source.document("resourcedump")]


@pytest.fixture
def dumped(source):
    source.publish(*map(str, range(8)))
    source.harness.now += 5
    assert source.tend()["resources"] == 3
    return source


# --- the Resource Dump --------------------------------------------------------------------------------------------


def test_a_kept_package_has_length_and_hash(dumped):
    for entry in dumped.document("resourcedump"):
        body = get(dumped, entry.loc).data
        assert (entry.length, entry.digests) == (len(body), (("sha-256", sha256(body).hexdigest()),))
        (contents,) = entry.related("contents")
        with zipfile.ZipFile(BytesIO(body)) as archive:
            assert get(dumped, contents.href).data == archive.read("manifest.xml")


def test_only_the_packages_that_changed_are_made_again_and_once_a_day(dumped):
    dumped.publish("4", title="Another")
    dumped.harness.now += 5
    before = [length is not None for length in stated(dumped)]
    assert before == [True, False, True]
    assert not dumped.tend()
    assert len(list(dumped.kept().folder.glob("resources-*"))) == 2
    dumped.harness.now += DAY
    assert dumped.tend()["resources"] == 1
    assert all(stated(dumped))
    contents = {}
    for entry in dumped.document("resourcedump"):
        contents |= read(get(dumped, entry.loc).data)[1]
    assert contents == {f"{NAME}{number}": dumped.house_get(f"{NAME}{number}").data for number in range(8)}


def test_the_disk_is_bounded(source):
    source.publish(*map(str, range(8)))
    source.harness.now += 5
    length = int(source.get(f"{FOLDER}/resourcedump-1.zip").headers["Content-Length"])
    assert source.tend(dump_bytes=2 * length + 10)["resources"] == 2
    assert [size is not None for size in stated(source)] == [True, True, False]
    source.tend(dump_bytes=0)
    assert stated(source) == [None] * 3
    assert not list(source.kept().folder.glob("resources-*"))


# --- archived Resource Lists ----------------------------------------------------------------------------------------


def test_resource_lists_are_archived_at_an_interval(source):
    source.publish("1", "2")
    source.harness.now += 5
    keep = {"snapshot_days": 30, "snapshots": 2}
    assert source.tend(**keep)["lists"] == 1
    at = source.document("resourcelist").head.at
    before = [entry.digests for entry in source.resources()]
    source.publish(*map(str, range(8)), title="Another")
    source.harness.now += DAY
    assert source.tend(**keep)["lists"] == 0
    kinds = {entry.capability: entry.loc for entry in source.document("capabilitylist")}
    (old,) = source.read(kinds["resourcelist-archive"])
    assert (old.at, source.read(old.loc).head.at) == (at, at)
    assert [entry.digests for entry in source.read(old.loc)] == before
    assert [link.href for link in source.document("resourcelist").head.links if link.rel == "archives"] == [
        kinds["resourcelist-archive"]
    ]
    for _ in range(2):
        source.publish("9", title=utc_datetime(int(source.harness.now)))
        source.harness.now += 31 * DAY
        assert source.tend(**keep)["lists"] == 1
    lists = list(source.read(kinds["resourcelist-archive"]))
    assert len(lists) == 2
    index = source.read(lists[-1].loc)
    assert index.head.is_index
    parts = [source.read(part.loc) for part in index]
    assert [entry.loc for part in parts for entry in part] == [entry.loc for entry in source.resources()]
    assert {link.href for part in parts for link in part.head.links if link.rel == "index"} == {lists[-1].loc}
    assert source.tend(snapshot_days=0) == {}
    assert source.get(f"{FOLDER}/resourcelist-archive.xml").status_code == 404


# --- takedowns ------------------------------------------------------------------------------------------------------


@pytest.fixture
def secretive(source):
    """Return the source with a record in packages of changes and of resources, and in an archived list."""
    source.publish("1", "2", title=SECRET)
    source.publish("3")
    source.harness.now += DAY
    source.publish("4")
    source.harness.now += 5
    source.tend(snapshot_days=1)
    assert leaks(source)
    return source


def leaks(source) -> list[str]:
    """Return the addresses of the source from which a byte, or the hash, of the records 1 and 2 can be got."""
    source.digests = getattr(source, "digests", set()) | {
        digest for entry in source.resources() for _, digest in entry.digests if entry.loc in (f"{NAME}1", f"{NAME}2")
    }
    return showing(source, SECRET, *source.digests)


def showing(source, *texts: str) -> list[str]:
    """Return the addresses of the source whose answers, or the files in them, have one of these texts."""
    seen, matches = set(), []
    waiting = [f"{URL}/.well-known/resourcesync"]
    while waiting:
        loc = waiting.pop()
        if loc in seen or not loc.startswith(URL) or "/metadata/" in loc:
            continue
        seen.add(loc)
        for headers in ({}, {"Range": "bytes=0-"}):
            answer = source.get(urlsplit(loc).path, headers=headers)
            body = unpacked(answer.data) if loc.endswith(".zip") else answer.data
            if any(text.encode() in body for text in texts):
                matches.append(loc)
        if answer.status_code in (200, 206) and loc.endswith((".xml", "resourcesync")):
            document = source.read(loc)
            waiting += [link.href for link in document.head.links if link.rel in ("up", "archives", "index")]
            for entry in document:
                waiting += [entry.loc, *(link.href for link in entry.related("contents"))]
    assert len(seen) > 5
    return matches


def unpacked(body: bytes) -> bytes:
    with zipfile.ZipFile(BytesIO(body)) as archive:
        assert archive.testzip() is None
        return b"".join(map(archive.read, archive.namelist()))


def content_of(file: Path) -> bytes:
    content = file.read_bytes()
    return {".zip": unpacked, ".gz": gzip.decompress}.get(file.suffix, bytes)(content)


def on_disk(source) -> bool:
    """Return whether a kept file has a byte of the records."""
    contents = [content_of(file) for file in source.kept().folder.iterdir()]
    return any(text.encode() in content for text in (SECRET, *source.digests) for content in contents)


TAKEDOWNS = (Takedown(Kind.UPSTREAM, "1", "laro"), Takedown(Kind.UPSTREAM, "2", "laro"))


def test_a_takedown_empties_everything_that_is_kept_at_once_and_then_the_files(secretive, house):
    source = secretive
    names = source.locations("changedump")
    house.take_down(*TAKEDOWNS)
    source.harness.now += 5
    assert leaks(source) == []
    (package, *_) = names
    at_request = get(source, package)
    assert at_request.status_code == 200
    assert all(entry.length is None for entry in source.document("changedump") if entry.loc == package)
    assert on_disk(source)
    assert source.tend(snapshot_days=1)["rewritten"] >= 1
    assert not on_disk(source)
    assert leaks(source) == []
    assert source.locations("changedump") == names
    assert get(source, package).data == at_request.data
    for entry in source.document("changedump"):
        assert entry.length == len(get(source, entry.loc).data)
    assert source.tend(snapshot_days=1) == {}


@pytest.mark.parametrize("is_named", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_address_of_a_file_that_is_taken_down_is_nowhere(source, house, is_named):
    """In the DIDL, in links of lists, and in the record if that names it."""
    address = "http://laro.example.org/1.pdf" if is_named else FOUND.url
    source.harness.send(Sent("1", dc("A title", *([pdf()] if is_named else []))), Sent("2", dc()))
    source.harness.publish()
    source.harness.now += 1
    if not is_named:  # with another one, so that the record in oai_dc does not change
        files = (FOUND, FOUND._replace(url="https://b.example.org/2.pdf", sha256="cd" * 32))
        file_all(source.harness.store, source.harness.inbox, "laro", ("1",), lambda _state: files)
    source.harness.now += DAY
    source.publish("3")
    source.harness.now += 5
    source.tend_all("oai_dc oai_didl", snapshot_days=1)
    assert len(showing(source, address)) > 2
    house.take_down(Takedown(Kind.URL, address.partition("://")[2]))
    source.harness.now += 5
    assert showing(source, address) == []
    source.tend_all("oai_dc oai_didl", snapshot_days=1)
    assert showing(source, address) == []
    for file in (*source.kept().folder.iterdir(), *source.kept("oai_didl").folder.iterdir()):
        assert address.encode() not in content_of(file)


def test_a_download_that_began_before_a_takedown_is_not_continued(secretive, house):
    path = f"{FOLDER}/changedump-2023-11-14.zip"
    tag = secretive.get(path).headers["ETag"]
    house.take_down(*TAKEDOWNS)
    secretive.harness.now += 5
    for _ in range(2):
        rest = secretive.get(path, headers={"Range": "bytes=1-", "If-Range": tag})
        assert (rest.status_code, rest.headers["ETag"] != tag) == (200, True)
        assert secretive.get(path, headers={"If-None-Match": tag}).status_code == 200
        secretive.tend()


@pytest.mark.parametrize(
    "step", ["_publish", *(pytest.param(name, marks=pytest.mark.slow) for name in ("_note", "_restore_tombstones"))]
)
def test_a_kill_during_a_takedown_shows_nothing_that_the_store_hides(secretive, house, monkeypatch, step):
    """What the store has published as deleted can be got nowhere, and the rest of the takedown is done later."""

    class Killed(BaseException):
        pass

    def die(*_args):
        raise Killed

    def after(*args):
        done(*args)
        raise Killed

    done = getattr(applying, step)
    monkeypatch.setattr(applying, step, after if step == "_publish" else die)
    file = TakedownFile(secretive.harness.folder)
    file.change(lambda takedowns: joined(takedowns, TAKEDOWNS))
    with pytest.raises(Killed):
        applying.apply_takedowns(secretive.harness.store, secretive.harness.inbox, file)
    secretive.harness.now += 5
    is_hidden = secretive.harness.record("1").is_deleted
    assert is_hidden == (step != "_note")
    if is_hidden:
        assert leaks(secretive) == []
    monkeypatch.undo()
    applying.apply_takedowns(secretive.harness.store, secretive.harness.inbox, file)
    secretive.harness.now += 5
    assert leaks(secretive) == []
    secretive.tend(snapshot_days=1)
    assert leaks(secretive) == []
    assert not on_disk(secretive)


def test_a_package_that_is_made_while_a_takedown_is_carried_out_shows_nothing(source, house, monkeypatch):
    """It is written after the takedown, from a snapshot of before."""
    source.publish("1", "2", title=SECRET)
    source.harness.now += DAY
    source.publish("3")
    source.harness.now += 5
    real = KeptFiles.add
    source.digests = set()

    def slow(self, stem, stream, ending):
        if stem.startswith("changes"):
            house.take_down(*TAKEDOWNS)
        return real(self, stem, stream, ending)

    leaks(source)
    monkeypatch.setattr(KeptFiles, "add", slow)
    source.tend()
    monkeypatch.undo()
    source.harness.now += 5
    assert leaks(source) == []
    source.tend()
    assert not on_disk(source)


ADDRESS = "http://laro.example.org/1.pdf"
FILE = Takedown(Kind.URL, "laro.example.org/1.pdf")


def published(source, title: str, *files: str) -> None:
    """Publish a version of the record, and go to the next day."""
    source.harness.send(Sent("1", dc(title, *files)))
    source.harness.publish()
    source.harness.now += DAY


def closed(source) -> list[bool]:
    """Return whether the closed Change Lists have a hash of the record, in the order of time."""
    lists = [source.read(entry.loc) for entry in source.document("changelist") if entry.until]
    return [bool(entry.digests) for entries in lists for entry in entries if entry.loc == f"{NAME}1"]


@pytest.fixture
def partial(source, house):
    """Return the source with a version from before the takedown of its file, and a later one, in closed lists."""
    published(source, "First", pdf())
    source.publish("2")
    source.harness.now += 5
    source.tend()
    assert closed(source) == [True]
    house.take_down(FILE)
    source.harness.now += DAY
    published(source, "Second", pdf())
    source.publish("3")
    source.harness.now += 5
    source.tend()
    assert showing(source, ADDRESS) == []
    return source


def test_of_an_item_that_is_taken_down_in_part_only_the_served_version_has_a_hash(partial):
    assert closed(partial) == [False, False, True]
    published(partial, "Third", pdf())
    assert closed(partial) == [False, False, False]
    partial.tend()
    assert showing(partial, ADDRESS) == []


@pytest.mark.parametrize("is_tended", [False, True])
def test_a_takedown_of_a_file_that_only_an_earlier_version_names_empties_its_package(source, house, is_tended):
    published(source, "First", pdf())
    source.publish("2")
    source.harness.now += 5
    source.tend()
    published(source, "Second")
    assert showing(source, ADDRESS)
    house.take_down(FILE)
    source.harness.now += 5
    if is_tended:
        source.tend()
    assert showing(source, ADDRESS) == []
