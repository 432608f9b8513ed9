"""A package on a disk becomes the baseline; a bag that is not good is refused, as others refuse it."""

import gzip
import json
import os
import re
import shutil
import tarfile
import time
import zipfile
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from gateway.core.errors import ConfigurationError
from gateway.core.xmltext import utc_datetime
from harvester.cli import main
from harvester.mirror.package import dumped
from tests.mirror.bags import bagged
from tests.mirror.conftest import NO_PAUSES, each_mirror
from tests.mirror.provider import Item

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


@pytest.fixture
def imported(mirror, provider):
    """Return a function that imports a package into the mirror and returns the receipt."""

    def run(source, *arguments, status=0, **settings):
        line = ["mirror", "import", str(mirror.folder), str(source), "--json", *arguments]
        line += ["--provider", provider.base_url]
        done = CliRunner().invoke(main, line, env={**NO_PAUSES, **settings}, catch_exceptions=False)
        mirror.stderr = done.stderr
        assert done.exit_code == status, done.output
        return json.loads(done.stdout) if done.stdout else {}

    return run


def delivered(provider, fill, into):
    """Make a package of everything the provider has: an answer of OAI-PMH and the files, by their addresses."""
    fill(3)
    folder = into / "package"
    folder.mkdir()
    answer = provider.answer({"verb": "ListRecords", "metadataPrefix": "oai_didl"})
    (folder / "records.xml").write_text(answer)
    for name, item in provider.items.items():
        for file, content in item.files.items():
            (folder / name).mkdir(exist_ok=True)
            (folder / name / file).write_bytes(content)
    return folder


@pytest.fixture
def package(provider, fill, tmp_path):
    return delivered(provider, fill, tmp_path)


def alone(provider, into):
    """Make a package of one record without files."""
    into.mkdir()
    record = provider._record("oai:p:0").replace("<record>", '<record xmlns="http://www.openarchives.org/OAI/2.0/">')
    (into / "record.xml").write_text(record)
    return into


def _tar(folder: Path) -> Path:
    file = folder.with_suffix(".tar.gz")
    with tarfile.open(file, "w:gz") as archive:
        archive.add(folder, "delivery")
    return file


def _zip(folder: Path) -> Path:
    return Path(shutil.make_archive(str(folder), "zip", folder))


@each_mirror("pack", [lambda folder: folder, _tar, _zip, lambda folder: _tar(bagged(folder))])
def test_a_package_is_the_baseline_whatever_it_is_packed_in(imported, mirror, provider, fill, tmp_path, pack):
    receipt = imported(pack(delivered(provider, fill, tmp_path)))
    assert (receipt["objects"], receipt["files"]) == ({"created": 3}, {"delivered": 6})
    assert mirror.held() == provider.expected()
    assert provider.asked == []
    assert not (mirror.folder / "aside" / "package").exists()


_ODD = {
    "a folder of the name of a file": ((b"x", b"x/y"), "x/y of the package is left out: x is a file in it too."),
    "a name that is too long": ((b"n" * 300,), "… of the package is left out: no file on this disk can have its name"),
    "line ends and control characters": ((b"a\nb\x1b[2J.xml",), "a_b_[2J.xml holds no records."),
    "bytes that are no UTF-8": ((b"caf\xe9.xml",), r"caf\xe9.xml holds no records."),
}


@each_mirror("odd", _ODD)
def test_an_entry_with_an_odd_name_is_told_and_the_rest_of_a_package_is_taken(
    imported, mirror, provider, fill, tmp_path, odd
):
    names, reason = _ODD[odd]
    package = delivered(provider, fill, tmp_path)
    file = tmp_path / "odd.tar"
    with tarfile.open(file, "w", encoding="utf-8", errors="surrogateescape") as archive:
        for name in names:
            entry = tarfile.TarInfo(os.fsdecode(name))
            entry.size = 1
            archive.addfile(entry, BytesIO(b"1"))
        archive.add(package, ".")
    receipt = imported(file, status=3)
    assert any(reason in doubt for doubt in receipt["doubts"])
    assert "[Errno" not in mirror.stderr
    assert mirror.held() == provider.expected()


def test_the_mirror_goes_on_from_the_date_of_the_bag(imported, mirror, provider, package):
    imported(bagged(package))
    provider.items["oai:p:3"] = Item({"new.txt": b"new"}, datestamp="2024-02-01T00:00:00Z")
    assert mirror.run()["objects"] == {"created": 1}
    assert provider.last_list["from"] == "2024-01-04T00:00:00Z"  # a day of overlap
    assert mirror.held() == provider.expected()


def test_a_package_of_the_future_hides_nothing_that_changes_until_then(imported, mirror, provider, package):
    text = re.sub("<responseDate>[^<]*", "<responseDate>2999-01-02T08:00:00Z", (package / "records.xml").read_text())
    (package / "records.xml").write_text(text)
    imported(package, "--date", "2999-01-03")
    mirror.run()
    assert provider.last_list["from"] <= utc_datetime(int(time.time()))


@each_mirror(
    "name, request_, status",
    [
        ("a.xml", '<request metadataPrefix="oai_dc">', 0),
        ("a.xml", "<request>", 3),  # told, before the right ones come
    ],
)
def test_answers_in_another_format_take_nothing_away(
    imported, mirror, provider, fill, tmp_path, name, request_, status
):
    package = delivered(provider, fill, tmp_path)
    text = (package / "records.xml").read_text()
    other = re.sub("(?s)<metadata>.*?</metadata>", '<metadata><dc xmlns="urn:dc"/></metadata>', text)
    (package / name).write_text(other.replace("<request>", request_))
    imported(package, status=status)
    assert mirror.held() == provider.expected()


def test_a_dump_is_a_baseline_too_of_which_a_full_harvest_fetches_nothing_again(imported, mirror, provider, package):
    """The records of the other format in it are not read."""
    (package / "records.xml").unlink()
    line = ["dump", provider.base_url, str(package / "dump.xml"), "--format", "oai_dc", "--format", "oai_didl"]
    assert CliRunner().invoke(main, line, env=NO_PAUSES).exit_code == 0
    assert imported(package)["objects"] == {"created": 3}
    assert mirror.held() == provider.expected()
    assert mirror.run("--full")["objects"] == {"unchanged": 3}
    assert provider.asked == []


def test_a_dump_with_a_record_without_end_is_given_up():
    with pytest.raises(ConfigurationError, match="has a record of more than 1000 bytes"):
        list(dumped(BytesIO(b"<harvest>" + b" " * 5000), 100, 1000))


def test_what_a_package_lacks_is_told_and_fetched_when_tried_again(imported, mirror, provider, package):
    (package / "oai:p:1" / "a.txt").unlink()
    (package / "oai:p:2" / "a.txt").write_bytes(b"??")
    (package / "letter.xml").write_text("<letter/>")
    (package / "note.xml").write_text("no XML")
    receipt = imported(package, status=3)
    assert sorted(missing["fate"] for missing in receipt["missing"]) == ["corrupt", "not_found"]
    assert receipt["doubts"] == ["letter.xml holds no records.", "note.xml holds no records."]
    kept = json.loads(max((mirror.folder / "receipts").iterdir()).read_bytes())
    assert kept == receipt
    mirror.run("--retry-failed")
    assert mirror.held() == provider.expected()
    assert sorted(provider.asked) == ["oai:p:1/a.txt", "oai:p:2/a.txt"]


def test_an_xml_file_that_a_record_names_needs_no_records(imported, mirror, provider, package):
    provider.items["oai:p:0"].files["tei.xml"] = b"<TEI/>"
    (package / "oai:p:0" / "tei.xml").write_bytes(b"<TEI/>")
    (package / "records.xml").write_text(provider.answer({"verb": "ListRecords"}))
    assert imported(package)["is_whole"]
    assert mirror.held() == provider.expected()


def test_records_may_be_compressed(imported, mirror, provider, package):
    (package / "records.xml.gz").write_bytes(gzip.compress((package / "records.xml").read_bytes()))
    (package / "records.xml").unlink()
    assert imported(package)["is_whole"]
    assert mirror.held() == provider.expected()
    (package / "records.xml.gz").write_bytes(b"no gzip")
    imported(package, status=2)
    assert "records.xml.gz cannot be read" in mirror.stderr


def test_a_bag_that_lies_beside_something_else_is_verified_too(imported, mirror, provider, package, tmp_path):
    delivery = tmp_path / "delivery"
    (delivery / "__MACOSX").mkdir(parents=True)
    shutil.move(bagged(package), delivery / "bag")
    assert imported(_zip(delivery))["is_whole"]
    assert mirror.held() == provider.expected()
    (delivery / "bag" / "data" / "oai:p:0" / "a.txt").write_text("another")
    imported(delivery, status=2)
    assert "is not a valid bag" in mirror.stderr


def test_a_package_never_takes_an_object_back(imported, mirror, provider, package):
    provider.items["oai:p:0"].files["a.txt"] = b"newer"
    provider.items["oai:p:0"].datestamp = "2024-03-01T00:00:00Z"
    mirror.run()
    assert imported(package)["objects"] == {"unchanged": 3}
    assert mirror.held() == provider.expected()


def test_a_package_deletes_no_more_than_its_share_without_a_word(imported, mirror, provider, package, fill):
    fill(20)
    mirror.run()
    for item in provider.items.values():
        item.deleted, item.datestamp = True, "2030-01-01T00:00:00Z"
    (package / "records.xml").write_text(provider.answer({"verb": "ListRecords", "metadataPrefix": "oai_didl"}))
    receipt = imported(package, status=3)
    assert (receipt["objects"]["deleted"], receipt["waiting"], len(mirror.held())) == (5, 15, 15)
    assert f"Deletions that wait: 15; `harvester mirror {provider.base_url} {mirror.folder} --yes`" in mirror.stderr
    assert imported(package, status=3)["waiting"] == 15
    assert imported(package, "--yes")["waiting"] == 0
    assert mirror.held() == {}


def test_a_single_record_with_files_beside_it_is_read(imported, mirror, provider, tmp_path):
    folder = tmp_path / "sip"
    folder.mkdir()
    (folder / "document.pdf").write_bytes(b"%PDF-1.4%%EOF")
    (folder / "mets.xml").write_text(
        "<?xml version='1.0'?>"
        '<record xmlns="http://www.openarchives.org/OAI/2.0/"><header><identifier>x</identifier>'
        '<datestamp>2024-01-01</datestamp></header><metadata><mets xmlns="http://www.loc.gov/METS/"><fileSec><fileGrp>'
        '<file ID="f" MIMETYPE="application/pdf"><FLocat LOCTYPE="URL" xmlns:l="http://www.w3.org/1999/xlink"'
        ' l:href="document.pdf"/></file></fileGrp></fileSec></mets></metadata></record>'
    )
    imported(folder)
    assert mirror.held() == {"x": {"document.pdf": b"%PDF-1.4%%EOF"}}


def test_what_a_link_leads_to_is_not_taken(imported, mirror, package, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    text = (package / "records.xml").read_text()
    (package / "records.xml").write_text(re.sub('ref="[^"]+/a.txt"', 'ref="letter.txt"', text, count=1))
    (package / "letter.txt").symlink_to(tmp_path / "secret.txt")
    receipt = imported(package, status=3)
    assert [missing["fate"] for missing in receipt["missing"]] == ["not_found"]
    imported(bagged(package), status=2)
    assert "which is not in the bag" in mirror.stderr


@each_mirror("pack", [lambda folder: folder, _tar])
def test_records_behind_a_link_are_named_and_harvested_by_the_next_run(
    imported, mirror, provider, fill, tmp_path, pack
):
    package = delivered(provider, fill, tmp_path)
    (tmp_path / "real.xml").write_bytes((package / "records.xml").read_bytes())
    (package / "records.xml").unlink()
    (package / "records.xml").symlink_to(tmp_path / "real.xml")
    receipt = imported(pack(package), status=3)
    assert any("records.xml of the package is " in doubt and "it is a link" in doubt for doubt in receipt["doubts"])
    mirror.run()
    assert "from" not in provider.last_list
    assert mirror.held() == provider.expected()


@each_mirror("make", [os.mkfifo, lambda path: path.symlink_to("nowhere")])
def test_pipes_and_lost_links_that_may_have_records_are_named(imported, provider, fill, tmp_path, make):
    package = delivered(provider, fill, tmp_path)
    make(package / "more.xml.gz")
    assert [doubt.partition(":")[0] for doubt in imported(package, status=3)["doubts"]] == [
        "more.xml.gz of the package is not read"
    ]


def _packed(folder: Path, kind: str) -> Path:
    """Pack a folder with much in it that cannot be compressed, so that there is a middle that can be harmed."""
    (folder / "noise.bin").write_bytes(Random(0).randbytes(200_000))
    file = folder.with_suffix(f".{kind}")
    if kind == "deflated":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(folder / "noise.bin", "noise.bin")
    else:
        with tarfile.open(file, f"w:{kind}") as tar:  # type: ignore[call-overload]
            tar.add(folder, "delivery")
    return file


@each_mirror("kind", ["deflated", "gz", "xz"])
def test_an_archive_that_is_damaged_in_the_middle_is_refused(imported, mirror, tmp_path, kind):
    (tmp_path / "package").mkdir()
    file = _packed(tmp_path / "package", kind)
    content = bytearray(file.read_bytes())
    for place in range(50, 300):
        content[place] ^= 0x5A
    file.write_bytes(content)
    imported(file, status=2)
    assert "cannot be unpacked" in mirror.stderr


def _without_its_end(file: Path) -> None:
    with tarfile.open(file) as tar:
        last = tar.getmembers()[-1].offset
    file.write_bytes(file.read_bytes()[:last])


def test_a_tar_that_ends_before_its_end_is_no_package_that_lacks_something(imported, mirror, package):
    file = package.with_suffix(".tar")
    with tarfile.open(file, "w") as tar:
        tar.add(package, "delivery")
    _without_its_end(file)
    imported(file, status=2)
    assert "it is damaged or truncated" in mirror.stderr
    assert mirror.held() == {}


@each_mirror("location", ["x%00y", "http://[::1/x", "a/../../b"])
def test_a_location_that_no_file_can_have_is_not_in_the_package(provider, imported, tmp_path, location):
    resource = f'<Component><Resource mimeType="a/b" ref="{location}"/></Component>'
    didl = f'<DIDL xmlns="urn:mpeg:mpeg21:2002:02-DIDL-NS"><Item>{resource}</Item></DIDL>'
    provider.items["oai:p:0"] = Item(document=didl.encode())
    receipt = imported(alone(provider, tmp_path / "package"), status=3)
    assert [missing["fate"] for missing in receipt["missing"]] == ["not_found"]
