"""Packages: what their manifest names is read, and nothing that a package does harms."""

import stat
import struct
import zipfile
from io import BytesIO

import pytest

from gateway.core.errors import AnswerTooLarge, NotResourceSync, RemoteRefuses, StoreUnwritable, UnusableRecord
from harvester.http import archives
from harvester.http.messages import Fetched
from harvester.sources.resourcesync.dumps import Parcel
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.package import Package
from tests.rows import each_row


def opened(body, **limits):
    return Package(BytesIO(body), **limits)


MANIFEST = (
    b'<urlset><md capability="resourcedump-manifest"/><url><loc>http://e.org/1</loc><md path="/r/1"/></url></urlset>'
)


def packed(*files: tuple[str | zipfile.ZipInfo, bytes], manifest: bytes | None = MANIFEST, method: int = 8) -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", method) as package:
        for name, body in (*files, *((("manifest.xml", manifest),) if manifest is not None else ())):
            package.writestr(name, body)
    return stream.getvalue()


def test_a_package_has_a_manifest_and_the_files_that_it_names():
    package = opened(packed(("r/1", b"one")))
    manifest = package.manifest("http://e.org/dump.zip")
    assert manifest.head.capability == "resourcedump-manifest"
    assert [entry.path for entry in manifest] == ["/r/1"]
    assert package.read("/r/1") == package.read("r/1") == b"one"


def test_a_package_with_too_many_entries_is_no_package(monkeypatch):
    monkeypatch.setattr(archives, "MOST_ENTRIES", 2)
    opened(packed(("r/1", b"one")))
    with pytest.raises(NotResourceSync, match="it has more than 2 entries"):
        opened(packed(("r/1", b"one"), ("r/2", b"two")))


@each_row("path", ["/../1", "/r/../../1", "//etc/passwd", "/r/./1", "\\r\\1", "/r//1", "C:/1", "/", ""])
def test_no_path_leaves_the_package(path):
    names = {path.removeprefix("/"), "etc/passwd", "1"} - {""}
    package = opened(packed(*((name, b"bad") for name in names)))
    with pytest.raises(UnusableRecord, match="leads out of the package"):
        package.read(path)


def test_what_is_not_there_or_there_twice_or_a_link_is_refused():
    link = zipfile.ZipInfo("r/1")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(UnusableRecord, match="is a link"):
        opened(packed((link, b"/etc/passwd"))).read("/r/1")
    with pytest.raises(UnusableRecord, match=r"There is no file 'r/2' in the package\."):
        opened(packed()).read("/r/2")
    with pytest.warns(UserWarning, match="Duplicate name"):
        package = opened(packed(("r/1", b"one"), ("r/1", b"two"), ("r/2", b"good")))
    with pytest.raises(UnusableRecord, match="several files 'r/1'"):
        package.read("/r/1")
    assert package.read("/r/2") == b"good"


def test_a_file_that_is_larger_than_it_says_is_damaged():
    size = struct.pack("<L", 20_000_000)
    body = packed(("r/1", b"\0" * 20_000_000))
    assert body.count(size) == 2
    with pytest.raises(UnusableRecord, match="is damaged in the package"):
        opened(body.replace(size, struct.pack("<L", 1000))).read("/r/1")


def test_a_file_that_grows_without_end_is_refused():
    bomb = packed(("r/1", b"\0" * 20_000_000), ("r/2", b"good"))
    with pytest.raises(UnusableRecord, match="has too many bytes when it is decompressed"):
        opened(bomb, most_file_bytes=1_000_000).read("/r/1")
    package = opened(bomb)
    with pytest.raises(UnusableRecord, match="has too many bytes when it is decompressed"):
        package.read("/r/1")
    assert package.read("/r/2") == b"good"  # what is refused takes no room


def test_what_is_locked_or_packed_otherwise_is_refused():
    locked = bytearray(packed(("r/1", b"one"), method=0))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(signature) + place] |= 1
    for body in (bytes(locked), packed(("r/1", b"one"), method=zipfile.ZIP_BZIP2)):
        with pytest.raises(UnusableRecord, match="compressed by an unsupported method"):
            opened(body).read("/r/1")


def test_a_damaged_file_is_reported():
    body = packed(("r/1", b"one two three"), method=0).replace(b"one two", b"one too")
    with pytest.raises(UnusableRecord, match="'r/1' is damaged in the package: Bad CRC-32"):
        opened(body).read("/r/1")


@each_row("body", [b"", b"PK", b"<urlset/>", packed()[:-30], packed()[30:]])
def test_what_is_no_package_is_refused(body):
    with pytest.raises(NotResourceSync, match=r"not a readable ZIP file|no readable manifest"):
        opened(body).manifest()


URL = "http://example.com/part.zip"


def pouring(*parts, status=200, tries=1):
    """Return a fetch that pours the parts into the sink, breaking off all but the last try."""

    def fetch(request):
        head = Fetched(request.url, status, (), b"", 7)
        assert request.sink.headers() == ()
        for number in range(tries):
            if request.sink.begin(head):
                for part in parts[: None if number == tries - 1 else 1]:
                    request.sink.write(part)
        return head

    return fetch


def test_a_package_that_comes_in_parts_is_read():
    body = packed(("r/1", b"one"))
    with Parcel(Entry(URL, length=len(body)), "fake") as parcel:
        assert parcel.fetched(pouring(body[:20], body[20:], tries=2)).read("r/1") == b"one"
        assert parcel.received_at == 7


def test_what_is_not_the_package_is_refused():
    with Parcel(Entry(URL, length=3), "fake") as parcel, pytest.raises(NotResourceSync, match="It has 2 bytes, not 3"):
        parcel.fetched(pouring(b"PK"))
    with Parcel(Entry(URL), "fake") as parcel, pytest.raises(RemoteRefuses, match="404"):
        parcel.fetched(pouring(b"PK", status=404))
    with Parcel(Entry(URL), "fake", most_bytes=3) as parcel, pytest.raises(AnswerTooLarge, match="more than 3 bytes"):
        parcel.fetched(pouring(b"PK", b"PK"))


def test_a_disk_that_is_full_is_reported():
    with Parcel(Entry(URL), "fake") as parcel:
        parcel._file.close()
        parcel._file.file = open("/dev/full", "r+b", buffering=0)  # noqa: PTH123, SIM115 - a file that is always full
        parcel._begin_anew = lambda: None  # type: ignore[method-assign]
        with pytest.raises(StoreUnwritable, match=r"There is no room for http://example\.com/part\.zip: No space left"):
            parcel.fetched(pouring(b"PK"))
