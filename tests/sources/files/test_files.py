"""Files on this machine as a source of their own, and as the first harvest of another."""

import gzip
import io
import json
import os
import shutil
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from gateway.core.errors import AddressRefused, AnswerTooLarge, RemoteRefuses
from gateway.core.model import Cursor, Selection
from harvester.harvest.instance import opened
from harvester.http import archives
from harvester.http.local_files import Local
from harvester.http.messages import Request
from harvester.sources import Options
from harvester.sources.files import SOURCE
from tests.rows import each_row

OAI = "http://www.openarchives.org/OAI/2.0/"
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>{}</dc:title></oai_dc:dc>"
)


def _record(number, title="A title", datestamp="2020-01-01", status=""):
    metadata = "" if status else f"<metadata>{DC.format(title)}</metadata>"
    header = f"<identifier>oai:x:{number}</identifier><datestamp>{datestamp}</datestamp><setSpec>a:b</setSpec>"
    return f'<record xmlns="{OAI}"><header{status}>{header}</header>{metadata}</record>\n'


def _answer(*records, prefix="oai_dc", date="2021-01-01T00:00:00Z"):
    return (
        f'<?xml version="1.0"?><OAI-PMH xmlns="{OAI}"><responseDate>{date}</responseDate>'
        f'<request verb="ListRecords" metadataPrefix="{prefix}">http://x/</request>'
        f"<ListRecords>{''.join(records)}</ListRecords></OAI-PMH>"
    )


def _dump(*lists):
    parts = (f'<list metadataPrefix="{prefix}">\n{"".join(records)}</list>\n' for prefix, records in lists)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<harvest baseURL="http://x/">\n{"".join(parts)}</harvest>\n'


def _line(number, **more):
    return json.dumps({"identifier": f"oai:x:{number}", "datestamp": "2020-01-01", "metadata": DC.format("T"), **more})


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a folder or one file; it returns the steps, or what is left of them."""

    def read(path=tmp_path / "files", cursor=None, prefix="oai_dc", **options):
        url = path.as_uri()
        with Local(url, 10_000_000, lambda: 1_700_000_000) as fetch:
            steps = SOURCE.changes(Options("x", url, **options), cursor or Cursor("x", prefix), fetch)
            return list(steps)

    return read


def _listed(folder):
    """Return the pages of the identifiers that a folder still has."""
    with Local(folder.as_uri(), 10_000_000) as fetch:
        return list(SOURCE.listed(Options("x", folder.as_uri()), Cursor("x", "oai_dc"), fetch))


def _tar(path, *members, mode="w"):
    """Write an archive of members: (name, content), or (name, type of a link or pipe, its target)."""
    with tarfile.open(path, mode, encoding="utf-8", errors="surrogateescape") as archive:
        for name, content, *target in members:
            info = tarfile.TarInfo(name)
            if target:
                info.type, info.linkname = content, target[0]
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return path


def _names(steps):
    return [slice_.identifier.rpartition(":")[2] for step in steps for slice_ in step.slices]


def _payloads(steps):
    return [
        (step.page.repaired or step.page.body)[slice_.start : slice_.stop].strip().decode()
        for step in steps
        for slice_ in step.slices
        if not slice_.is_deleted and not slice_.problem
    ]


def _are_whole(payloads):
    return all(payload.startswith("<oai_dc:dc") and payload.endswith("</oai_dc:dc>") for payload in payloads)


def _published(instance):
    with opened(str(instance)) as house, house.store.view() as view:
        return [record.decode() for record in view.page(Selection("oai_dc"), None, 1000).records]


# --- what is read -------------------------------------------------------------------------------------------------


@each_row(
    "name, text, names",
    [
        ("answer.xml", _answer(_record(1), _record(2)), ["1", "2"]),
        ("dump.xml", _dump(("oai_dc", [_record(1), _record(2)])), ["1", "2"]),
        ("records.xml", f"<repository>{_record(1)}{_record(2)}</repository>", ["1", "2"]),
        ("list.xml", f'<a xmlns:o="{OAI}"><b>{_record(1)}</b></a>', ["1"]),
        ("one.xml", _record(1), ["1"]),
        ("lines.jsonl", f"{_line(1)}\n\n{_line(2)}", ["1", "2"]),
        ("bare.xml", DC.format("A title"), ["bare.xml"]),
    ],
)
def test_every_form_of_records_is_read(tmp_path, read, name, text, names):
    (tmp_path / name).write_text(text)
    steps = read(tmp_path)
    assert _names(steps) == names
    assert _are_whole(_payloads(steps))
    assert (steps[-1].is_complete, steps[-1].received) == (True, len(names))


@each_row(
    "opening", ["<all>", '<all xmlns:dc="http://purl.org/dc/elements/1.1/">', "<all:all>", '<x><all xmlns:y="urn:y/">']
)
def test_a_prefix_that_one_record_does_not_declare_is_mended_and_the_others_are_as_they_were(tmp_path, read, opening):
    closing = "".join(f"</{tag.split()[0]}>" for tag in reversed(opening.rstrip(">").strip("<").split("><")))
    bad = _record(2).replace("<dc:title>", "<dcterms:title/><dc:title>")
    (tmp_path / "all.xml").write_text(f"{opening}{_record(1)}{bad}{_record(3)}{closing}")
    steps = read(tmp_path)
    assert (_names(steps), "dcterms" in " ".join(steps[0].page.repairs)) == (["1", "2", "3"], True)
    assert (len(_payloads(steps)), _are_whole(_payloads(steps))) == (3, True)


@each_row("kind", ["zip", "tar", "tar.gz", "gz"])
def test_archives_and_compressed_files_are_read(tmp_path, read, kind):
    path = tmp_path / f"files.xml.{kind}"
    content = _answer(_record(1)).encode()
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("../a.xml", content)
            archive.writestr("b/", b"")
    elif kind == "gz":
        path.write_bytes(gzip.compress(content))
    else:
        members = ("a.xml", content), ("b.xml", tarfile.SYMTYPE, "/etc/passwd")
        _tar(path, *members, mode="w:gz" if kind == "tar.gz" else "w")
    assert _names(read(path)) == ["1"]


def _link_out(folder):
    outside = folder.with_name("outside.xml")
    outside.write_text(_record(2))
    (folder / "b.xml").symlink_to(outside)


_UNREAD = {
    "a hidden file": (lambda folder: (folder / ".b.xml").write_text("x"), ".b.xml (it is hidden)"),
    "a link out of the folder": (_link_out, "b.xml (it is a link out of the folder)"),
    "a link to the folder itself": (lambda folder: (folder / "loop").symlink_to("."), "loop/ (it is a link)"),
    "a link to nothing": (lambda folder: (folder / "b.xml").symlink_to("c"), "b.xml (it is a link that leads nowhere)"),
    "a pipe": (lambda folder: os.mkfifo(folder / "b.xml"), "b.xml (it is a pipe, a socket or a device)"),
    "a name that is not UTF-8": (
        lambda folder: (folder / os.fsdecode(b"\xff\xfe.xml")).write_text(_record(2)),
        r"\xff\xfe.xml (its name is not UTF-8)",
    ),
}


@each_row("case", _UNREAD)
def test_what_may_have_records_and_is_not_read_is_named(tmp_path, read, case):
    make, name = _UNREAD[case]
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.xml").write_text(_record(1))
    make(folder)
    steps = read(folder)
    assert _names(steps) == ["1"]
    assert steps[-1].doubts == (f"Files that may contain records are not read: {name}.",)
    assert _listed(folder)[-1].doubts == steps[-1].doubts
    assert read(folder, cursor=steps[-1].cursor)[-1].doubts == steps[-1].doubts


def test_links_in_a_tar_are_named_unless_the_file_is_read(tmp_path, read):
    content = _record(1).encode()
    kinds = ((tarfile.SYMTYPE, "a.xml"), (tarfile.LNKTYPE, "d/a.xml"), (tarfile.SYMTYPE, "../../x.xml"))
    others = ((f"d/{number}.xml", *kind) for number, kind in enumerate((*kinds, (tarfile.FIFOTYPE, ""))))
    file = _tar(tmp_path / "delivery.tar", ("d/a.xml", content), (os.fsdecode(b"d/\xff.xml"), content), *others)
    steps = read(file)
    assert _names(steps) == ["1"]
    (doubt,) = steps[-1].doubts
    assert "not read: d/2.xml (it is a link out of the archive), d/3.xml (it is a pipe or a device), d/" in doubt
    assert doubt.endswith(r", d/\xff.xml (its name is not UTF-8).")


def test_a_sweep_deletes_nothing_when_a_file_became_a_link(command, folder, tmp_path, instance):
    (folder / "a.xml").write_text(_answer(_record(1)))
    (folder / "b.xml").write_text(_answer(_record(2)))
    assert command("source", "add", "x", str(folder), "--kind", "files")[0] == 0
    assert command("run", "x")[0] == 0
    (folder / "b.xml").rename(tmp_path / "moved.xml")
    (folder / "b.xml").symlink_to(tmp_path / "moved.xml")
    for asked in (("run", "x"), ("source", "sweep", "x")):
        status, _, words = command(*asked)
        assert (status, "b.xml (it is a link out of the folder)" in words) == (3, True)
    assert ['status="deleted"' in record for record in _published(instance)] == [False, False]


@pytest.mark.slow
def test_long_files_are_read_part_by_part_and_every_byte_is_kept(folder, read):
    long = "x" * 3000
    records = [_record(number, long) for number in range(3000)]
    dump = _dump(("oai_dc", records), ("mods", [_record("m")]))
    (folder / "dump.xml").write_text(dump)
    steps = read()
    assert _names(steps) == [str(number) for number in range(3000)]
    assert len(steps) > 3
    assert "".join(step.page.body.decode() for step in steps[:-1]) == dump
    (folder / "dump.xml").unlink()
    (folder / "lines.jsonl").write_text("\n".join(_line(number, note=long) for number in range(3000)))
    assert len(_names(read())) == 3000


def test_only_what_is_asked_for_is_taken(folder, read):
    (folder / "a.xml").write_text(_answer(_record(1), prefix="mods"))
    (folder / "b.xml").write_text(_dump(("mods", [_record(2)]), ("oai_dc", [_record(3, status=' status="deleted"')])))
    (folder / "c.jsonl").write_text(f"{_line(4, metadataPrefix='mods')}\n{_line(5, deleted=True)}\n")
    steps = read()
    assert _names(steps) == ["3", "5"]
    assert all(slice_.is_deleted for step in steps for slice_ in step.slices)
    assert steps[0].notes == ("1 records in mods are not read.",)
    assert _names(read(cursor=Cursor("x", "mods", "a"))) == ["1", "2"]
    assert _names(read(cursor=Cursor("x", "mods", "b"))) == []
    with Local(folder.as_uri(), 10_000_000) as fetch:
        (note,) = SOURCE.describe(Options("x", folder.as_uri()), fetch).notes
    assert note == "Some files state a metadataPrefix, and are read only if `formats` names it: mods."


def test_what_cannot_be_used_says_why_and_the_rest_is_read(folder, read):
    (folder / "a.xml").write_text("<broken")
    (folder / "b.jsonl").write_text("[]\n{\n" + json.dumps({"identifier": "x:1"}))
    (folder / "c.xml").write_bytes("<r><a>é & b</a></r>".encode("latin-1"))
    (folder / "d.xml").write_text("<x:alone/>")
    problems = [slice_.problem for step in read() for slice_ in step.slices]
    assert ("not XML" in problems[0], "not XML" in problems[-1]) == (True, True)
    assert problems[1:-1] == ["The line is not a JSON object."] * 2 + ["The line has no metadata.", ""]


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_read(folder, read):
    for number, name in enumerate(("a.xml", "b.xml.gz", "c.jsonl.gz", "d.xml"), 1):
        text = _line(number) if "jsonl" in name else _answer(_record(number))
        (folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    for name in ("b.xml.gz", "c.jsonl.gz"):
        (folder / name).write_bytes((folder / name).read_bytes()[:-20])
    steps = read()
    assert _names(steps) == ["1", "4"]
    assert [doubt.partition(" ")[0] for doubt in steps[-1].doubts] == ["b.xml.gz", "c.jsonl.gz"]
    (folder / "b.xml.gz").write_bytes(gzip.compress(_answer(_record(2)).encode()))
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(_line(3).encode()))
    assert _names(read(cursor=steps[-1].cursor)) == ["1", "2", "3", "4"]


def test_what_was_interrupted_goes_on_and_what_was_read_is_not_read_again(folder, read):
    for number in range(3):
        (folder / f"{number}.xml").write_text(_record(number))
    steps = read()
    assert _names(read(cursor=steps[0].cursor)) == ["1", "2"]
    (only,) = read(cursor=steps[-1].cursor)
    assert (only.is_complete, only.notes) == (True, ("Nothing has changed.",))
    (folder / "3.xml").write_text(_record(3))
    assert _names(read(cursor=steps[-1].cursor)) == ["0", "1", "2", "3"]
    window = read(cursor=steps[-1].cursor, window=("2020-01-01", ""))
    assert (len(_names(window)), window[-1].cursor) == (4, steps[-1].cursor)


@each_row("state", ["{", "[]", '{"version": 2}', '{"place": "x"}'])
def test_a_state_that_cannot_be_read_means_from_the_start(tmp_path, read, state):
    (tmp_path / "a.xml").write_text(_record(1))
    assert _names(read(tmp_path, Cursor("x", "oai_dc", "", state))) == ["1"]


def test_a_dump_that_breaks_off_is_not_shown_to_be_whole(folder, read):
    (folder / "dump.xml").write_text(_dump(("oai_dc", [_record(1), _record(2)]))[:-70])
    steps = read()
    assert (_names(steps), steps[-1].doubts) == (["1"], ("dump.xml is truncated: the dump is not complete.",))
    again = read(cursor=steps[-1].cursor)
    assert (_names(again), again[-1].is_complete) == (["1"], False)
    (folder / "dump.xml").write_text(_dump(("oai_dc", []), ("mods", [])))
    assert (_names(read()), read()[-1].is_complete) == ([], True)


def _page(numbers, token="", asked="", attributes=""):
    """Return one answer of a list in several parts."""
    element = f"<resumptionToken{attributes}>{token}</resumptionToken>" if token or asked or attributes else ""
    answer = _answer(*map(_record, numbers), element)
    return answer.replace('metadataPrefix="oai_dc"', f'resumptionToken="{asked}"') if asked else answer


FIRST = ' completeListSize="25" cursor="0"'
SECOND = ' completeListSize="25" cursor="10"'
THIRD = ' completeListSize="25" cursor="20"'
PAGES = {
    "1.xml": _page(range(10), "t&amp;1", "", FIRST),
    "2.xml": _page(range(10, 20), "t2", "t&amp;1", SECOND),
    "3.xml": _page(range(20, 25), "", "t2", THIRD),
}


@each_row(
    "pages, missing",
    [
        ({"1.xml": PAGES["1.xml"]}, "15 of 25 records are missing: 1.xml ends with a resumptionToken"),
        ({"1.xml": PAGES["1.xml"], "2.xml": PAGES["2.xml"]}, "5 of 25 records are missing: 2.xml ends with"),
        (
            {"1.xml": PAGES["1.xml"], "3.xml": PAGES["3.xml"]},
            "10 of 25 records are missing: A resumptionToken continues",
        ),
        ({"3.xml": PAGES["3.xml"]}, "Records are missing: A resumptionToken continues the list"),
        ({"1.xml": _page(range(10), "t1")}, "Records are missing: 1.xml ends with a resumptionToken"),
        ({"1.xml": _page(range(10), "t1", "", FIRST), "3.xml": _page([20], "", "", THIRD)}, "14 of 25 records are"),
    ],
)
def test_a_page_whose_token_no_file_answers_tells_what_is_missing(tmp_path, read, pages, missing):
    """10 of 25 records were said to be everything."""
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    steps = read(tmp_path)
    assert (steps[-1].doubts[0][: len(missing)], steps[-1].is_complete) == (missing, False)


@each_row(
    "pages",
    [
        PAGES,
        {"b.xml": PAGES["1.xml"], "a.xml": PAGES["2.xml"], "c.xml": PAGES["3.xml"]},
        {"1.xml": _page(range(10), "t1", "", FIRST), "2.xml": _page(range(10, 12), "", "", SECOND)},
        {"1.xml": _page(range(10), "t1"), "2.xml": _page(range(10, 12))},
        {"1.xml": _page(range(10), "same", "", FIRST), "2.xml": _page([10], "", "else", SECOND)},  # the places fit
        {"1.xml": PAGES["1.xml"], "2.xml": PAGES["2.xml"], "3.xml": PAGES["3.xml"], "4.xml": _page([30])},
    ],
)
def test_pages_that_follow_each_other_are_a_whole_list_in_any_order(tmp_path, read, pages):
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    steps = read(tmp_path)
    assert steps[-1].is_complete
    assert read(tmp_path, steps[0].cursor)[-1].is_complete  # what was interrupted knows which tokens were answered


def test_an_answer_that_is_an_error_is_reported(folder, read):
    text = _answer().replace("<ListRecords></ListRecords>", '<error code="{}">No.</error>')
    (folder / "1.xml").write_text(text.format("badArgument"))
    assert read()[-1].doubts == ("1.xml has no records but an error: badArgument: No.",)
    (folder / "1.xml").write_text(text.format("noRecordsMatch"))
    assert read()[-1].is_complete


@each_row(
    "name, text",
    [
        ("d.xml", _dump(("oai_dc", [_record(1)]))[:-20]),
        ("a.xml", _answer(_record(1), _record(2))[:-300]),
        ("r.xml", f"<records>{_record(1)}"),
        ("l.jsonl", f"{_line(1)}\n{{broken"),
    ],
)
def test_what_cannot_be_read_does_not_let_a_sweep_delete(tmp_path, name, text):
    """A dump that broke off was swept like a whole one: what it did not hold any more was deleted."""
    (tmp_path / name).write_text(text)
    pages = _listed(tmp_path)
    assert pages[-1].is_last
    assert [doubt for page in pages for doubt in page.doubts]


def test_what_is_not_read_is_told_and_archives_may_hold_records(folder, read, command):
    (folder / "B.XML").write_text(_answer(_record(1)))
    (folder / "c.JSONL.GZ").write_bytes(gzip.compress(_line(2).encode()))
    (folder / "about.txt").write_text("words")
    steps = read()
    assert (_names(steps), steps[-1].is_complete) == (["1", "2"], True)
    for name in ("c.zip", "d.tar.gz"):
        (folder / name).write_bytes(b"PK")
    steps = read()
    assert (_names(steps), steps[-1].is_complete) == (["1", "2"], False)
    assert steps[-1].doubts == (
        "Archives among the files are not opened, and may contain records: 2, such as c.zip. Unpack them.",
    )
    assert read(cursor=steps[-1].cursor)[-1].doubts == steps[-1].doubts
    assert "are not read: 1, such as about.txt." in command("source", "add", "x", str(folder), "--kind", "files")[1]


def test_a_document_type_declaration_is_refused(folder, read):
    (folder / "a.xml").write_text(f"<!DOCTYPE a [<!ENTITY b 'c'>]><a>{_record(1)}</a>")
    assert "document type declaration" in read()[0].slices[0].problem


# --- what may be opened -------------------------------------------------------------------------------------------


def test_nothing_else_is_opened(folder):
    (folder / "a.xml").write_text("<a/>")
    (folder.parent / "secret.xml").write_text("<b/>")
    url = folder.as_uri()
    with Local(url, 3) as fetch:
        with pytest.raises(AddressRefused):
            fetch(Request((folder.parent / "secret.xml").as_uri()))
        with pytest.raises(RemoteRefuses, match="does not exist"):
            fetch(Request(f"{url}#../secret.xml"))
        with pytest.raises(AnswerTooLarge):
            fetch(Request(f"{url}#a.xml"))
        assert fetch(Request(f"{url}#a.xml", headers=(("Range", "bytes=1-2"),))).body == b"a/"


def test_a_compressed_tar_may_not_grow_without_end(tmp_path):
    file = _tar(tmp_path / "a.tar", ("a.xml", b"a.xml"), mode="w:gz")
    with (
        Local(file.as_uri(), 9999, most_bytes=99) as fetch,
        pytest.raises(AnswerTooLarge, match=r"99 bytes of .*unpacked"),
    ):
        fetch(Request(file.as_uri()))


@each_row("mode", ["zip", "tar"])
def test_an_archive_with_too_many_entries_is_not_read(tmp_path, monkeypatch, mode):
    monkeypatch.setattr(archives, "MOST_ENTRIES", 2)
    (tmp_path / "folder").mkdir()
    for name in "abc":
        (tmp_path / "folder" / f"{name}.xml").write_text("<a/>")
    file = Path(shutil.make_archive(str(tmp_path / "many"), mode, tmp_path / "folder"))
    with Local(file.as_uri(), 9999) as fetch, pytest.raises(AnswerTooLarge, match="is not read: it has more than 2"):
        fetch(Request(file.as_uri()))
    with Local((tmp_path / "folder").as_uri(), 9999) as fetch:
        assert len(json.loads(fetch(Request((tmp_path / "folder").as_uri())).body)) == 3


# --- as an administrator does it ----------------------------------------------------------------------------------


def test_a_folder_is_recognised_added_and_harvested(command, folder, instance):
    (folder / "a.xml").write_text(_answer(_record(1)))
    status, _, err = command("source", "check", str(folder), "--add", "disk")
    assert (status, "1 files, from a.xml to a.xml" in err, "Whether" in err) == (0, True, False)
    assert tomllib.loads((instance / "sources.toml").read_text())["disk"]["url"] == folder.as_uri()
    assert command("run", "disk")[0] == 0
    (text,) = _published(instance)
    assert "<baseURL>file:/files</baseURL>" in text
    assert str(folder) not in text


def test_a_folder_with_nothing_to_read_is_refused(command, folder):
    assert command("source", "check", str(folder))[0] == 1
    status, _, err = command("source", "add", "disk", str(folder), "--kind", "files")
    assert (status, "has no file to read" in err) == (4, True)
    status, _, err = command("source", "add", "disk", str(folder / "none"), "--kind", "files")
    assert (status, "there is no" in err) == (2, True)


def test_a_dump_is_the_first_harvest_and_oai_pmh_brings_the_rest(command, repository, folder, instance):
    repository.fill(5, datestamp="2024-03-01T00:00:00Z")
    assert command("dump", repository.url, str(folder / "dump.xml"))[0] == 0
    command("source", "add", "fake", repository.url, "--overlap", "0")
    status, _, err = command("source", "load", "fake", str(folder / "dump.xml"))
    assert (status, "since 2024-03-01T00:00:00Z" in err) == (0, True)
    assert [f"<baseURL>{repository.url}</baseURL>" in record for record in _published(instance)] == [True] * 5

    repository.fill(1, start=5, datestamp="2024-04-01T00:00:00Z")
    repository.asked.clear()
    assert command("run", "fake")[0] == 0
    assert repository.lists()[0]["from"] == "2024-03-01T00:00:00Z"
    assert len(_published(instance)) == 6
    status, _, err = command("source", "load", "fake", str(folder))
    assert (status, "harvested already" in err) == (2, True)
