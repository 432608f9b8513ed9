"""What an archive holds is seen from its bytes; no file of it is lost because another has its name."""

import io
import tarfile
import warnings
import zipfile

import pytest

from gateway.core.errors import RemoteRefuses
from harvester.http import archives
from harvester.http.archives import Ambiguous, TarMember, TooMuch, by_name, members, names_in, opened_zip
from harvester.http.local_files import Local
from harvester.http.messages import Request
from tests.rows import each_row

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
    with tarfile.open(fileobj=stream, mode=f"w{mode}") as archive:  # type: ignore[call-overload]
        folder = tarfile.TarInfo("a")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, body in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return stream.getvalue()


@each_row("body", [zipped(), *map(tarred, ("", ":gz", ":bz2", ":xz"))])
def test_the_names_of_all_files_are_reported(body):
    assert names_in(body) == tuple(FILES)


@each_row(
    "body", [b"", b"<xml/>", b"PK\x03\x04 and no more", b"PK\x03\x04" + b"x" * 99, tarred(":gz")[:40], b"\x1f\x8bgzip"]
)
def test_what_is_no_archive_has_none(body):
    assert names_in(body) == ()


def test_of_the_beginning_of_an_archive_the_first_names_are_reported():
    assert names_in(zipped()[:100]) == ("a/1.xml",)
    assert names_in(tarred("")[:1100]) == ("a/1.xml",)


@each_row("replacements", [{6: b"\x08"}, {18: b"\xff\xff\xff\xff"}])
def test_of_a_zip_that_does_not_tell_how_long_its_files_are_the_first_name_is_reported(replacements):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("1.xml", b"<one/>")
        archive.writestr("2.xml", b"<two/>")
    body = bytearray(stream.getvalue()[:90])
    for place, replacement in replacements.items():
        body[place : place + len(replacement)] = replacement
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
        assert [member.name for member in archive] == ["0.txt", "1.txt", "2.txt"]


@each_row("rest", [b"", b"x" * 100, b"x" * tarfile.BLOCKSIZE])
def test_a_tar_that_is_broken_off_does_not_seem_to_end(rest):
    body = _tar_of(3)[: 2 * tarfile.BLOCKSIZE] + rest
    with (
        tarfile.open(fileobj=io.BytesIO(body), tarinfo=TarMember) as archive,
        pytest.raises(tarfile.ReadError, match="truncated after 1024 bytes"),
    ):
        archive.getmembers()


# --- limits -------------------------------------------------------------------------------------------------------


def _zip_of(names, comment=b"") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.comment = comment
        for name in names:
            archive.writestr(name, b"")
    return stream.getvalue()


def _is_refused(read, sentence):
    with pytest.raises(TooMuch, match=sentence):
        read()


@pytest.mark.parametrize("comment", [b"", b"a comment", b"x" * 65_535])
def test_a_zip_with_too_many_entries_is_refused_before_its_directory_is_held(monkeypatch, tmp_path, comment):
    monkeypatch.setattr(archives, "MOST_ENTRIES", 3)
    names = [f"{number}.txt" for number in range(4)]
    assert opened_zip(io.BytesIO(_zip_of([], comment))).namelist() == []
    assert len(opened_zip(io.BytesIO(_zip_of(names[:3], comment))).namelist()) == 3
    file = tmp_path / "many.zip"
    file.write_bytes(_zip_of(names, comment))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    _is_refused(lambda: opened_zip(file), "more than 3 entries. Unpack it by hand and read the folder")
    _is_refused(lambda: opened_zip(io.BytesIO(file.read_bytes())), "more than 3 entries")


def test_a_directory_that_only_the_library_finds_is_counted_too(monkeypatch):
    monkeypatch.setattr(archives, "MOST_ENTRIES", 3)
    monkeypatch.setattr(archives, "_check_directory", lambda _: None)
    _is_refused(lambda: opened_zip(io.BytesIO(_zip_of("abcd"))), "more than 3 entries")


def test_a_zip_in_its_longer_form_is_counted_too(monkeypatch):
    """From 65,536 entries on its end has a longer form (ZIP64); here it is asked for by itself."""
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    body = _zip_of("abcd")
    assert b"PK\x06\x06" in body
    with opened_zip(io.BytesIO(body)) as archive:
        assert archive.namelist() == ["a", "b", "c", "d"]
    monkeypatch.setattr(archives, "MOST_ENTRIES", 3)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    _is_refused(lambda: opened_zip(io.BytesIO(body)), "more than 3 entries")


NO_ZIPS = [b"", b"x", b"PK\x05\x06", _zip_of("a")[:-3], _zip_of("a").replace(b"PK\x01\x02", b"PK\x00\x00")]


@each_row("body", NO_ZIPS)  # a ZIP has the time in it, and a name may not
def test_a_zip_that_is_none_is_refused_by_the_library(body):
    with pytest.raises(zipfile.BadZipFile):
        opened_zip(io.BytesIO(body))


DEEP = "a/" * archives.MOST_DEPTH + "x.txt"


def test_entries_that_lie_too_deep_are_refused():
    _is_refused(lambda: opened_zip(io.BytesIO(_zip_of([DEEP]))), "lies more than 32 folders deep")
    assert opened_zip(io.BytesIO(_zip_of([DEEP[2:]]))).namelist() == [DEEP[2:]]
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(DEEP))
    with tarfile.open(fileobj=io.BytesIO(stream.getvalue())) as archive:
        _is_refused(lambda: list(members(archive)), "lies more than 32 folders deep")


def test_a_tar_with_too_many_entries_is_refused(monkeypatch):
    monkeypatch.setattr(archives, "MOST_ENTRIES", 3)
    with tarfile.open(fileobj=io.BytesIO(_tar_of(3)), tarinfo=TarMember) as archive:
        assert len(list(members(archive))) == 3
    with tarfile.open(fileobj=io.BytesIO(_tar_of(4)), tarinfo=TarMember) as archive:
        _is_refused(lambda: list(members(archive)), "more than 3 entries")


def test_of_an_archive_with_too_many_entries_only_the_first_names_are_reported(monkeypatch):
    monkeypatch.setattr(archives, "MOST_ENTRIES", 3)
    assert names_in(_zip_of("abcd")) == ("a", "b", "c")
    assert names_in(_tar_of(4)) == ("0.txt", "1.txt", "2.txt")


def _header(kind: bytes, body: bytes) -> bytes:
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, len(body)
    return info.tobuf() + body + b"\0" * (-len(body) % tarfile.BLOCKSIZE)


def _global(first: int, count: int) -> bytes:
    return tarfile.TarInfo.create_pax_global_header({f"k{number}": "v" for number in range(first, first + count)})


LONG = b"x" * 1_000_001
TOO_LONG = [
    _header(tarfile.GNUTYPE_LONGNAME, LONG),
    _header(tarfile.GNUTYPE_LONGLINK, LONG),
    _header(tarfile.XHDTYPE, LONG),
    _header(tarfile.XGLTYPE, LONG[:65_537]),
    _global(0, 900) + _global(900, 900) + _global(1800, 1),  # of all members, again and again
]


@each_row("before", TOO_LONG)
def test_what_a_tar_says_of_a_member_may_not_fill_the_memory(before):
    with (
        pytest.raises(tarfile.ReadError, match="the headers of a member are too long"),
        tarfile.open(fileobj=io.BytesIO(before + _tar_of(1)), tarinfo=TarMember) as archive,
    ):
        archive.getnames()


def test_what_a_tar_says_of_all_members_is_not_kept_with_each():
    with tarfile.open(fileobj=io.BytesIO(_global(0, 900) + _tar_of(1)), tarinfo=TarMember) as archive:
        assert [(member.name, member.pax_headers) for member in archive] == [("0.txt", {})]


def test_two_files_of_one_name_are_one_when_they_are_equal_and_refused_when_not(monkeypatch):
    monkeypatch.setattr(archives, "_STEP", 2)
    good = [("a", b"12345"), ("b", b"12"), ("a", b"12345")]
    assert by_name(good, io.BytesIO) == {"a": b"12345", "b": b"12"}
    for other in (b"1234", b"12346", b"123456", b""):
        with pytest.raises(Ambiguous, match="two different files of one name, 'a'"):
            by_name([*good, ("a", other)], io.BytesIO)


def _zip(file, entries):
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")  # the library warns of what is tested here
        for name, content in entries:
            archive.writestr(name, content)
    return file


def test_two_files_of_one_name_are_refused_unless_they_are_equal(tmp_path):
    same = _zip(tmp_path / "same", [("a.xml", b"<a/>"), ("a.xml", b"<a/>")])
    with Local(same.as_uri(), 1000, lambda: 0) as fetch:
        assert fetch(Request(same.as_uri())).body.count(b"a.xml") == 1
        assert fetch(Request(f"{same.as_uri()}#a.xml")).body == b"<a/>"
    two = _zip(tmp_path / "two", [("a.xml", b"<a/>"), ("a.xml", b"<b/>")])
    with (
        Local(two.as_uri(), 1000, lambda: 0) as fetch,
        pytest.raises(RemoteRefuses, match="two different files of one"),
    ):
        fetch(Request(two.as_uri()))
