"""A package on its way costs no memory, and what truncated or does not fit is told."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from gateway.errors import AnswerTooLarge, NotResourceSync, RemoteRefuses, StoreUnwritable
from harvester.http.messages import Fetched
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.package_file import Parcel

URL = "http://example.com/part.zip"


def packed():
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as package:
        package.writestr("r/1", b"one")
    return stream.getvalue()


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
    body = packed()
    with Parcel(Entry(URL, length=len(body)), "fake") as parcel:
        assert parcel.fetched(pouring(body[:20], body[20:], tries=2)).read("r/1") == b"one"
        assert parcel.received_at == 7


def test_a_package_that_comes_at_once_is_read():
    with Parcel(Entry(URL), "fake") as parcel:
        assert parcel.fetched(lambda request: Fetched(request.url, 200, (), packed(), 7)).read("r/1") == b"one"


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


def test_temporary_files_lie_in_the_folder_that_the_environment_names(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Parcel(Entry(URL), "fake"):
        assert list(tmp_path.iterdir()) == []  # the file has no name
