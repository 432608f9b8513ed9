"""A published record is read for pages: what harvesters get, and nothing else; and which elements nobody reads."""

from functools import cache

import pytest

from gateway.core import xmlio
from gateway.core.errors import NotXml
from gateway.core.model import FileLink, FileOrigin, Hop, Statement, Unused, UnusedElement, Work
from gateway.core.xmltext import DC, OAI_DC
from gateway.formats import oai_didl
from gateway.publish.descriptions import describe, metadata_of
from gateway.publish.rebuild import bury_all
from gateway.publish.unused import keep_unused, unused_elements
from tests.publish.harness import Harness, Sent, dc, mods
from tests.rows import each_row

HEADER = (
    "<header><identifier>oai:gateway.example.org:laro/1</identifier><datestamp>2026-01-02T03:04:05Z</datestamp>"
    "<setSpec>source</setSpec><setSpec>source:laro</setSpec></header>"
)
DUBLIN_CORE = (
    f'<oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}"><dc:title>Coral &amp; reef</dc:title>'
    "<dc:identifier>doi:10.5555/1</dc:identifier></oai_dc:dc>"
)
INNER = (
    '<originDescription harvestDate="2020-01-01T00:00:00Z" altered="true"><baseURL>http://a.example.org/oai</baseURL>'
    "<identifier>oai:a:1</identifier><datestamp>2019-01-01</datestamp><metadataNamespace>urn:a</metadataNamespace>"
    "</originDescription>"
)
PROVENANCE = (
    '<about><provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance">'
    '<originDescription harvestDate="2026-01-01T00:00:00Z" altered="false"><baseURL>http://b.example.org/oai</baseURL>'
    "<identifier>oai:b:1</identifier><datestamp>2025-01-01</datestamp><metadataNamespace>urn:b</metadataNamespace>"
    f"{INNER}</originDescription></provenance></about>"
)
RIGHTS = (
    '<about><rights xmlns="http://www.openarchives.org/OAI/2.0/rights/">'
    '<rightsReference ref="https://creativecommons.org/licenses/by/4.0/"/></rights></about>'
)


def record(metadata: str = DUBLIN_CORE, abouts: str = PROVENANCE + RIGHTS) -> bytes:
    return f"<record>{HEADER}<metadata>{metadata}</metadata>{abouts}</record>".encode()


def test_header_work_provenance_and_rights_are_read():
    described = describe(record())
    assert described.identifier == "oai:gateway.example.org:laro/1"
    assert described.datestamp == "2026-01-02T03:04:05Z"
    assert described.sets == ("source", "source:laro")
    assert not described.is_deleted
    assert described.work.texts("title") == ("Coral & reef",)
    assert described.work.identifiers == ("https://doi.org/10.5555/1",)
    assert described.hops == (
        Hop("http://b.example.org/oai", "oai:b:1", "2025-01-01", "urn:b", "2026-01-01T00:00:00Z", False),
        Hop("http://a.example.org/oai", "oai:a:1", "2019-01-01", "urn:a", "2020-01-01T00:00:00Z", True),
    )
    assert described.rights == ("https://creativecommons.org/licenses/by/4.0/",)
    assert described.metadata == DUBLIN_CORE.encode()


def test_a_deleted_record_has_no_work():
    gone = f'<record>{HEADER.replace("<header>", """<header status="deleted">""")}</record>'.encode()
    described = describe(gone)
    assert described.is_deleted
    assert (described.work, described.metadata, described.hops) == (Work(), b"", ())


@each_row(
    "metadata",
    [
        "<m xmlns='urn:m'><metadata>inside</metadata><about/></m>",
        "<m xmlns='urn:m'><![CDATA[</metadata>]]></m>",
        "<m xmlns='urn:m'><!-- </metadata><about> --></m>",
    ],
)
def test_exactly_the_bytes_of_the_metadata_are_found(metadata):
    inside = "<about><x xmlns='urn:x'><metadata>m</metadata></x></about>"
    for abouts in ("", PROVENANCE, inside, inside + inside):
        assert metadata_of(record(metadata, abouts)) == metadata.encode()


@each_row("content", [b"<record><metadata/></record>", b"plain text"])
def test_what_is_no_record_is_refused(content):
    with pytest.raises(NotXml):
        describe(content)


def test_a_chain_of_provenance_that_never_ends_is_cut():
    chain = "<originDescription xmlns='http://www.openarchives.org/OAI/2.0/provenance'>" * 30
    chain += "</originDescription>" * 30
    about = f'<about><provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance">{chain}</provenance></about>'
    assert len(describe(record(abouts=about)).hops) == 20


def test_of_a_record_that_is_too_large_for_a_tree_all_but_the_work_is_read():
    large = "<m:many xmlns:m='urn:m'>" + "<a b=''/>" * 400_000 + "</m:many>"
    description = describe(record(large))
    assert description.is_too_large
    assert description.work == Work()
    assert (description.identifier, description.sets) == ("oai:gateway.example.org:laro/1", ("source", "source:laro"))
    assert [hop.base_url for hop in description.hops] == ["http://b.example.org/oai", "http://a.example.org/oai"]
    assert description.rights == ("https://creativecommons.org/licenses/by/4.0/",)
    assert description.metadata == large.encode()
    assert not describe(record()).is_too_large


@pytest.fixture
def low(monkeypatch):
    """Lower the limit of memory, so that fewer files are enough."""
    monkeypatch.setattr("gateway.core.xmlio.MAX_MEMORY", 10_000_000)


def test_all_files_of_a_didl_that_is_too_large_for_a_tree_are_read(low):
    first = FileLink(
        "https://example.net/0.pdf", "application/pdf", FileOrigin.DISCOVERED, "unpaywall", found_at="2026"
    )
    files = tuple(first._replace(url=f"https://example.net/{n}.pdf") for n in range(2_500))
    work = Work((Statement("title", "A title"),), ("https://doi.org/10.5555/1",), "https://example.net/1", files)
    content = record(oai_didl.write(work).decode())
    assert xmlio.memory_of(content) > xmlio.MAX_MEMORY
    described = describe(content)
    assert not described.is_too_large
    assert described.work.files == files
    few = describe(record(oai_didl.write(work._replace(files=files[:1])).decode()))
    assert described.work._replace(files=()) == few.work._replace(files=())


@cache
def many_files() -> str:
    files = tuple(FileLink(f"https://example.net/{n}.pdf", found_in="dc:identifier") for n in range(4_000))
    return oai_didl.write(Work(files=files)).decode()


@each_row(
    "change",
    [
        ("<didl:Item>", "<didl:Item>" + "<a b=''/>" * 400_000),
        ("<didl:DIDL ", "<didl:DIDL\n"),
        ("<didl:Item>", "<didl:Item><!--<didl:Component>-->"),
    ],
)
def test_a_large_didl_that_we_did_not_write_so_is_not_read(low, change):
    old, new = change
    described = describe(record(many_files().replace(old, new, 1)))
    assert described.is_too_large
    assert described.work == Work()


def test_a_large_didl_that_is_not_well_formed_is_none(low):
    with pytest.raises(NotXml):
        describe(record(many_files().replace("</didl:Component>", "", 1)))


MORE = b"<originInfo><dateIssued>2001</dateIssued><place>P</place></originInfo>", b"<x:y xmlns:x='urn:x'>1</x:y>"


def test_elements_that_no_reader_uses_are_named_by_format_with_an_example(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those inside an unused one, or about the record, are not named; a valid oai_dc is published as it came."""
    noted = b"<recordInfo><recordContentSource>X</recordContentSource></recordInfo>"
    payloads = [mods().replace(b"</mods>", noted + more + b"</mods>") for more in (*MORE, b"")]
    harness.send(*map(Sent, "abe", payloads), Sent("c", b"<broken"), prefix="mods")
    announced = {"mods": ("http://www.loc.gov/standards/mods/", "http://www.loc.gov/mods/v3")}
    harness.sent(Sent("d", dc()), facts=harness.facts(formats=announced))
    monkeypatch.delattr(type(harness.store), "add_format")
    example = "oai:gateway.example.org:laro/"
    elements = UnusedElement("originInfo/place", 1, f"{example}a"), UnusedElement("x:y", 1, f"{example}b")
    assert list(unused_elements(harness.store, harness.inbox, "laro")) == [Unused("mods", 2, 3, elements)]


def test_what_no_reader_uses_is_kept_until_a_tenth_of_the_pages_is_new(harness: Harness) -> None:
    """What is kept was seen in records that are spread over all pages; without the source it is gone."""

    def kept(first: int, last: int, *more: bytes) -> tuple[Unused, ...]:
        for number in range(first, last):
            payload = mods().replace(b"</mods>", b"".join(more) + b"</mods>")
            harness.sent(Sent(f"{number}", payload), Sent(f"{number}b", payload), prefix="mods")
        keep_unused(harness.store, harness.inbox, "laro")
        return harness.store.unused(["laro", "other"]).get("laro", ())

    assert kept(0, 20) == (Unused("mods", 0, 16),)
    assert kept(20, 22, MORE[1]) == (Unused("mods", 0, 16),)
    assert kept(22, 24, MORE[1])[0][:3] == ("mods", 2, 16)
    bury_all(harness.store, "laro")
    assert harness.store.unused(["laro"]) == {}
