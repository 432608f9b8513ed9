"""Packages for deposit by hand: whole or not there, always the same, and as DSpace reads them."""

import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from gateway.core.model import Decision, FileLink, ItemState, Statement, Work
from gateway.formats._statements import ELEMENTS
from harvester.offer.files import OfferedFile
from harvester.offer.packages import package_of, write_package
from tests.http.server import ok
from tests.offer.conftest import PREFIX, Place, pdf, upstream
from tests.rows import each_row

A = "LR-15-00007"
slow = pytest.mark.slow  # an instance for each test


def offered(upstream_identifier: str = "oai:laro.example.org:1", **facts: Any) -> OfferedFile:
    link = FileLink("https://a.example.org/1.pdf", "application/pdf", size=3, sha256="ab" * 32)._replace(**facts)
    state = ItemState(1, upstream_identifier, f"oai:g.example.org:laro/{upstream_identifier}", False, (), (), (link,))
    return OfferedFile(
        "laro", state, link, Decision(state.identifier, link.url, link.sha256, "accept", "Yes.", "rule", 1)
    )


def content_of(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def fields(package: bytes) -> set[tuple[str, str, str]]:
    root = etree.fromstring(package)
    assert (root.tag, root.get("schema")) == ("dublin_core", "dc")
    return {(value.get("element"), value.get("qualifier"), value.text) for value in root}


def test_a_package_has_the_file_the_record_and_its_provenance(place: Place, tmp_path: Path) -> None:
    digest = place.accept(A)
    folder = tmp_path / "deposit"
    assert place.offer("--folder", str(folder)) == [(A, "packaged")]
    (package,) = folder.iterdir()
    files = content_of(package)
    assert set(files) == {
        "contents",
        "dublin_core.xml",
        "oai_dc.xml",
        "provenance.json",
        "oai-laro.example.org-LR-15-00007.pdf",
    }
    assert files["contents"].decode().splitlines() == [
        "oai-laro.example.org-LR-15-00007.pdf\tbundle:ORIGINAL\tprimary:true\tdescription:accepted version",
        "oai_dc.xml\tbundle:METADATA",
        "provenance.json\tbundle:METADATA",
    ]
    assert files["oai-laro.example.org-LR-15-00007.pdf"] == pdf(A)
    known = fields(files["dublin_core.xml"])
    assert ("identifier", "uri", "https://doi.org/10.5555/laro.2015.0007") in known
    assert ("identifier", "other", upstream(A)) in known
    assert ("rights", "uri", "https://creativecommons.org/licenses/by/4.0/") in known
    assert {qualifier for element, qualifier, _ in known if element == "contributor"} >= {"author"}
    assert etree.fromstring(files["oai_dc.xml"]).tag == "{http://www.openarchives.org/OAI/2.0/oai_dc/}dc"
    facts = json.loads(files["provenance.json"])
    assert (facts["sha256"], facts["identifier"], facts["accepted_by"]) == (digest, PREFIX + upstream(A), "a person")
    assert place.notifications == []


@slow
def test_each_file_is_packed_once_and_again_on_demand(place: Place, tmp_path: Path) -> None:
    place.accept(A)
    first, second = tmp_path / "first", tmp_path / "second"
    place.offer("--folder", str(first))
    assert place.offer("--folder", str(second)) == []
    assert place.offer("--folder", str(second), "--again") == [(A, "packaged")]
    assert content_of(first) == content_of(second), "the same file makes the same package"
    assert place.offer() == [(A, "created")], "the other way is another offer"
    assert [(offer["way"], offer["outcome"]) for offer in place.explained(A)] == [
        ("folder", "packaged"),
        ("inbox", "created"),
    ]


@slow
def test_bytes_that_we_do_not_hold_are_fetched_and_compared(place: Place, tmp_path: Path) -> None:
    body = pdf(A)
    url = place.server.say("/1.pdf", ok(b"%PDF other bytes"), ok(body))
    place.server.say("/robots.txt", ok(b"", 404))
    with (place.folder / "config.toml").open("a") as config:
        config.write(f'discover_instead = "https://a.example.org/={place.server.url("/")}"\n')
    place.accept(A, has_copy=False, url="https://a.example.org/1.pdf")
    folder = tmp_path / "deposit"
    assert url
    assert place.offer("--folder", str(folder), status=5) == [(A, "retrying")]
    assert "other bytes" in place.explained(A)[0]["problem"]
    assert not folder.exists()
    place.later()
    assert place.offer("--folder", str(folder)) == [(A, "packaged")]
    assert pdf(A) in content_of(folder).values()


@slow
def test_files_whose_hosts_are_away_do_not_stop_the_others(place: Place, tmp_path: Path) -> None:
    with (place.folder / "config.toml").open("a") as config:
        config.write('discover_instead = "https://a.example.org/=http://127.0.0.1:9/"\n')
    missing = ["LR-15-00071", "LR-16-00003", "LR-16-00012", "LR-16-00018"]
    for item in missing:
        place.accept(item, has_copy=False)
    place.accept("LR-18-00002")
    outcomes = place.offer("--folder", str(tmp_path / "d"), status=5)
    assert outcomes == [*((item, "retrying") for item in missing), ("LR-18-00002", "packaged")]


@each_row(
    "identifier", ["../../etc/passwd", "..", "", "a/b\\c:d*?\n", "é" * 300, "CON", "-rf", ".hidden", "\x00\ud800"]
)
def test_names_are_safe_whatever_the_identifier_is(tmp_path: Path, identifier: str) -> None:
    package = package_of(offered(identifier), Work(upstream=identifier), b"<a/>")
    write_package(tmp_path / "out", package, b"%PDF")
    place = tmp_path / "out" / package.name
    assert [folder.name for folder in (tmp_path / "out").iterdir()] == [package.name]
    for name in (place.name, *content_of(place)):
        assert name.isascii()
        assert name.replace("-", "").replace(".", "").replace("_", "").isalnum()
        assert name[0].isalnum()
        assert len(name) < 120


def test_a_package_is_there_when_it_is_complete(tmp_path: Path) -> None:
    package = package_of(offered(), Work(), b"<a/>")
    left = tmp_path / f".{package.name}.new"
    left.mkdir()
    (left / "half").write_bytes(b"of a killed process")
    assert write_package(tmp_path, package, b"%PDF") == ()
    assert [folder.name for folder in tmp_path.iterdir()] == [package.name]
    assert "half" not in content_of(tmp_path / package.name)


def test_a_damaged_package_is_written_anew_and_keeps_what_a_person_added(tmp_path: Path) -> None:
    package = package_of(offered(), Work(), b"<a/>")
    write_package(tmp_path, package, b"%PDF")
    place = tmp_path / package.name
    whole = content_of(place)
    (place / package.file_name).write_bytes(b"%P")
    (place / "contents").unlink()
    (place / "oai_dc.xml").unlink()
    (place / "oai_dc.xml").symlink_to("/etc/hostname")
    (place / "collections").write_text("123456789/2")
    (place / "more").mkdir()
    (place / "more" / "license.txt").write_text("Yes.")
    left = tmp_path / f".{package.name}.old"
    left.mkdir()
    assert set(write_package(tmp_path, package, b"%PDF")) == {package.file_name, "contents", "oai_dc.xml"}
    assert content_of(place) == {**whole, "collections": b"123456789/2", "more/license.txt": b"Yes."}
    assert [folder.name for folder in tmp_path.iterdir()] == [package.name]


def test_the_fields_of_dspace_are_used_and_nothing_breaks_the_xml() -> None:
    work = Work(
        (
            Statement("creator", "Rossi, A. & <B>"),
            Statement("title", "A \x01title", "en"),
            Statement("identifier", "doi:10.1234/x"),
            Statement("identifier", "LA-UR-1"),
            Statement("date", "2015"),
            Statement("language", "eng"),
        ),
        upstream="1",
    )
    written = package_of(offered(license="cc-by", retracted="Retracted."), work, b"<a/>").beside["dublin_core.xml"]
    known = fields(written)
    assert known >= {
        ("contributor", "author", "Rossi, A. & <B>"),
        ("identifier", "uri", "https://doi.org/10.1234/x"),
        ("identifier", "other", "LA-UR-1"),
        ("date", "issued", "2015"),
        ("language", "iso", "eng"),
        ("rights", "none", "cc-by"),
        ("description", "none", "Retracted."),
    }
    assert b'language="en"' in written


# Of DSpace's dublin-core-types.xml, those that have a use here; `none`: without a qualifier.
REGISTRY = {
    *((element, "none") for element in ("contributor", "creator", "date", "description", "format", "identifier")),
    *((element, "none") for element in ("language", "publisher", "relation", "rights", "source", "subject", "title")),
    ("type", "none"),
    ("contributor", "author"),
    ("coverage", "spatial"),
    ("date", "issued"),
    ("description", "abstract"),
    ("description", "provenance"),
    ("identifier", "other"),
    ("identifier", "uri"),
    ("language", "iso"),
    ("rights", "uri"),
}


@each_row("license_", ["", "cc-by", "https://creativecommons.org/licenses/by/4.0/"])
def test_every_field_is_one_that_dspace_knows(license_: str) -> None:
    """DSpace's import ends at a field that its registry lacks, such as `coverage` or `description.version`."""
    statements = (*(Statement(element, "x") for element in ELEMENTS), Statement("identifier", "doi:10.1234/x"))
    file = offered(license=license_, version="accepted", retracted="Retracted.", found_in="unpaywall")
    known = fields(package_of(file, Work(statements=statements), b"<dc/>").beside["dublin_core.xml"])
    assert {(element, qualifier) for element, qualifier, _ in known} <= REGISTRY
    assert ("coverage", "spatial", "x") in known
    assert ("description", "none", "Version: accepted") in known
