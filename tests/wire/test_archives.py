"""What an archive holds is seen from its bytes."""

from __future__ import annotations

import io
import tarfile
import zipfile

import pytest

from harvester.wire import archives
from harvester.wire.archives import TarMember, names_in

FILES = {"a/1.xml": b"<one/>", "2.jsonl": b"{}"}


def zipped():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.mkdir("a")
        for name, body in FILES.items():
            archive.writestr(name, body)
    return stream.getvalue()


def tarred(mode):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=f"w{mode}") as archive:
        folder = tarfile.TarInfo("a")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, body in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return stream.getvalue()


@pytest.mark.parametrize("body", [zipped(), *map(tarred, ("", ":gz", ":bz2", ":xz"))])
def test_the_names_of_all_files_are_told(body):
    assert names_in(body) == tuple(FILES)


@pytest.mark.parametrize(
    "body",
    [b"", b"<xml/>", b"PK\x03\x04 and no more", b"PK\x03\x04" + b"x" * 99, tarred(":gz")[:40], b"\x1f\x8bgzip"],
    ids=["nothing", "XML", "half a zip", "a long name", "half a tar", "no gzip"],
)
def test_what_is_no_archive_has_none(body):
    assert names_in(body) == ()


def test_of_the_beginning_of_an_archive_the_first_names_are_told():
    assert names_in(zipped()[:100]) == ("a/1.xml",)
    assert names_in(tarred("")[:1100]) == ("a/1.xml",)


@pytest.mark.parametrize("told", [{6: b"\x08"}, {18: b"\xff\xff\xff\xff"}])
def test_of_a_zip_that_does_not_tell_how_long_its_files_are_the_first_name_is_told(told):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("1.xml", b"<one/>")
        archive.writestr("2.xml", b"<two/>")
    body = bytearray(stream.getvalue()[:90])
    for place, said in told.items():
        body[place : place + len(said)] = said
    assert names_in(bytes(body)) == ("1.xml",)


def test_what_would_have_to_be_unpacked_for_long_is_left(monkeypatch):
    monkeypatch.setattr(archives, "_MOST_PASSED", 3)
    assert names_in(tarred(":gz")) == ("a/1.xml",)


def _tar_of(count: int) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for number in range(count):
            archive.addfile(tarfile.TarInfo(f"{number}.txt"))
    return stream.getvalue()


def test_a_tar_is_read_to_its_end():
    with tarfile.open(fileobj=io.BytesIO(_tar_of(3)), tarinfo=TarMember) as archive:
        assert [each.name for each in archive] == ["0.txt", "1.txt", "2.txt"]


@pytest.mark.parametrize("rest", [b"", b"x" * 100, b"x" * tarfile.BLOCKSIZE])
def test_a_tar_that_is_broken_off_does_not_seem_to_end(rest):
    body = _tar_of(3)[: 2 * tarfile.BLOCKSIZE] + rest
    with (
        tarfile.open(fileobj=io.BytesIO(body), tarinfo=TarMember) as archive,
        pytest.raises(tarfile.ReadError, match="broken off behind 1024 bytes"),
    ):
        archive.getmembers()
