"""What becomes known of files is published at once, carried on by every harvest and rebuild, and withdrawn again."""

from lxml import etree

from gateway.core.model import FileLink, FileOrigin, Work
from gateway.core.xmltext import DC, DCTERMS, DIDL, DII, PREMIS
from gateway.publish import resourcesync_abouts
from gateway.publish.payloads import with_known_files
from gateway.publish.publish import begin, publish_in_turn
from gateway.publish.publish_files import file_all
from gateway.publish.rebuild import rebuild
from tests.conftest import ROOT
from tests.publish.harness import Harness, Sent, dc, pdf
from tests.rows import each_row

URL = "https://repository.example.org/1.pdf"
FOUND = FileLink(
    URL,
    "application/pdf",
    FileOrigin.DISCOVERED,
    "unpaywall (oa_locations)",
    1234,
    "ab" * 32,
    license="https://creativecommons.org/licenses/by/4.0/",
    version="accepted",
    found_at="2026-11-21T10:00:00Z",
)
NAMED = "http://laro.example.org/1.pdf"
LEARNED = FileLink(NAMED, "application/pdf", size=99, sha256="cd" * 32, found_at="2026-11-21T10:00:00Z")


def filed(harness: Harness, *files: FileLink, upstream: str = "1") -> int:
    harness.now += 1
    return file_all(harness.store, harness.inbox, "laro", (upstream,), lambda _state: files).total()


def didl(harness: Harness, upstream: str = "1") -> etree._Element:
    """Return the DIDL of an item, compared with our schema and the types of what is in it."""
    tree = next(harness.tree(upstream, "oai_didl").iter(f"{{{DIDL}}}DIDL"))
    etree.XMLSchema(file=str(ROOT / "schemas" / "didl.xsd")).assertValid(tree)
    return tree


def component(harness: Harness, url: str = URL) -> etree._Element | None:
    components = didl(harness).iter(f"{{{DIDL}}}Component")
    return next(
        (
            candidate
            for candidate in components
            if url in [identifier.text for identifier in candidate.iter(f"{{{DII}}}Identifier")]
        ),
        None,
    )


def stamps(harness: Harness) -> tuple[int, int]:
    return harness.record().datestamp, harness.record(prefix="oai_didl").datestamp


# --- published, carried on, withdrawn -----------------------------------------------------------------------------


def test_an_accepted_file_is_a_component_with_all_that_is_known_of_it(harness: Harness) -> None:
    harness.sent(Sent("1"))
    assert filed(harness, FOUND) == 2
    element = component(harness)
    texts = {element.tag.rpartition("}")[2]: element.text for element in element.iter() if element.text}
    assert texts == {
        "Identifier": URL,
        "extent": "1234 bytes",
        "license": "https://creativecommons.org/licenses/by/4.0/",
        "provenance": "discovered: found by unpaywall (oa_locations) at 2026-11-21T10:00:00Z; version: accepted",
        "messageDigestAlgorithm": "SHA-256",
        "messageDigest": "ab" * 32,
        "messageDigestOriginator": "gateway",
    }
    assert element.find(f".//{{{PREMIS}}}fixity") is not None
    (resource,) = element.iter(f"{{{DIDL}}}Resource")
    assert dict(resource.attrib) == {"mimeType": "application/pdf", "ref": URL}  # type: ignore[misc]
    assert harness.sets() == ["fulltext", "source:laro"]
    assert harness.listed("fulltext", "oai_didl") == harness.store.counts("laro")["fulltext"] == 1


def test_what_is_known_already_is_not_written_again(harness: Harness) -> None:
    harness.sent(Sent("1"))
    filed(harness, FOUND)
    before = stamps(harness), harness.store.edition("laro")
    assert filed(harness, FOUND) == 0
    assert (stamps(harness), harness.store.edition("laro")) == before


def test_a_harvest_and_a_rebuild_carry_it_on(harness: Harness) -> None:
    harness.sent(Sent("1"))
    filed(harness, FOUND)
    harness.sent(Sent("1", dc("Another title")))
    assert component(harness) is not None
    assert b"Another title" in harness.record().content
    before = stamps(harness)
    assert rebuild(harness.store, harness.inbox) == 0
    assert stamps(harness) == before


def test_what_is_withdrawn_leaves_document_and_set_with_a_new_datestamp(harness: Harness) -> None:
    harness.sent(Sent("1"))
    was = harness.record(prefix="oai_didl")
    filed(harness, FOUND)
    between = stamps(harness)
    assert filed(harness) == 2
    assert stamps(harness) > between
    assert component(harness) is None
    assert (harness.sets(), harness.listed("fulltext")) == (["source:laro"], 0)
    assert harness.record(prefix="oai_didl").digest == was.digest


def test_what_is_deleted_stays_so_and_has_its_file_again_when_it_returns(harness: Harness) -> None:
    harness.sent(Sent("1"))
    harness.sent(Sent("1", None))
    assert filed(harness, FOUND) == 0
    assert harness.record().is_deleted
    harness.sent(Sent("1", dc("Back")))
    assert component(harness) is not None


# --- beside other publications ------------------------------------------------------------------------------------


def test_a_harvest_that_looked_before_the_decision_looks_again(harness: Harness) -> None:
    """Its pages were made ready without the file; when its turn comes the file is there, and stays."""
    harness.sent(Sent("1"))
    page = harness.send(Sent("1", dc("Another title")))
    begin(harness.store, harness.inbox, harness.facts())
    position = harness.store.position("laro")

    def turn() -> None:
        filed(harness, FOUND)

    publish_in_turn(harness.store, harness.inbox, harness.facts(), position, [page], turn)
    assert component(harness) is not None
    assert b"Another title" in harness.record().content


# --- what is known of a file --------------------------------------------------------------------------------------


def test_what_was_learned_of_a_file_that_the_upstream_names_completes_it(harness: Harness) -> None:
    harness.sent(Sent("1", dc("T", pdf())))
    assert filed(harness, LEARNED) == 1  # it is in the set already: the oai_dc says nothing new
    element = component(harness, NAMED)
    assert element.findtext(f".//{{{DCTERMS}}}extent") == "99 bytes"
    assert element.findtext(f".//{{{PREMIS}}}messageDigest") == "cd" * 32
    provenance = element.findtext(f".//{{{DCTERMS}}}provenance")
    assert provenance == "upstream: named in dc:identifier of the record of 2020-01-01; fetched at 2026-11-21T10:00:00Z"


def test_the_address_stands_in_oai_dc_when_that_is_wished(harness: Harness) -> None:
    harness.sent(Sent("1"), Sent("2", b'<o:dc xmlns:o="http://www.openarchives.org/OAI/2.0/oai_dc/"/>'))
    named = FOUND._replace(is_named=True)
    filed(harness, named)
    filed(harness, named, upstream="2")
    schema = etree.XMLSchema(file=str(ROOT / "schemas" / "oai_dc.xsd"))
    for upstream in "12":
        metadata = harness.tree(upstream).find("{*}metadata")[0]
        schema.assertValid(metadata)
        assert [element.text for element in metadata.iter(f"{{{DC}}}identifier")] == [URL]
    assert b"A title" in harness.record().content
    assert harness.altered("oai_dc") == "true"
    inner = next(didl(harness).iter(f"{{{DC}}}identifier"))
    assert inner.text == URL


def test_a_file_may_be_carried_itself_or_lie_in_several_places(harness: Harness) -> None:
    harness.sent(Sent("1"))
    filed(harness, FOUND._replace(content=b"%PDF-1.4 small"))
    original, resource = component(harness).iter(f"{{{DIDL}}}Resource")
    assert (original.get("ref"), resource.get("encoding"), resource.text) == (URL, "base64", "JVBERi0xLjQgc21hbGw=")
    filed(harness, FOUND._replace(copy_url="https://gateway.example.org/files/ab"))
    references = [element.get("ref") for element in component(harness).iter(f"{{{DIDL}}}Resource")]
    assert references == [URL, "https://gateway.example.org/files/ab"]


ENTRY = (
    '<url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">'
    '<loc>http://x.org/1.pdf</loc><rs:ln rel="describes" href="http://x.org/2.pdf" length="{length}" />'
    '<rs:ln rel="via" href="{via}"/></url>'
)


@each_row("length", ["²", "9" * 5000, "٣", "-1", "1e3", ""])
def test_length_that_is_no_number_is_not_known(length: str):
    """`isdigit` is true of a superscript two, and `int` of it raises ValueError."""
    (file,) = resourcesync_abouts.read([ENTRY.format(length=length, via="").encode()]).files
    assert file.size is None


def test_length_that_is_a_number_is_known():
    (file,) = resourcesync_abouts.read([ENTRY.format(length="4711", via="").encode()]).files
    assert file.size == 4711


def test_origin_at_an_address_that_has_no_host_is_none():
    assert resourcesync_abouts.republished([ENTRY.format(length="", via="http://a\u2100b/x").encode()], "urn:x") is None


def test_other_abouts_are_those_that_are_no_entries_of_lists() -> None:
    entry = ENTRY.format(length="", via="http://example.org/a").encode()
    others = [b"<rights/>", b"<broken xmlns:rs='http://www.openarchives.org/rs/terms/'"]
    assert resourcesync_abouts.others([others[0], entry, others[1]]) == others


PLACE = "https://x.example.org/1"
OURS = FileLink(PLACE, "application/pdf", size=9, sha256="aa", modified="2026", found_at="now")


@each_row(
    "file_link, is_completed",
    [
        (FileLink(PLACE), True),
        (FileLink(PLACE, "text/plain", modified="2020", sha256="AA"), True),
        (FileLink(PLACE, size=9, modified="2025"), True),
        (FileLink(PLACE, size=8), False),
        (FileLink(PLACE, modified="since"), False),
        (FileLink(PLACE, sha256="bb", size=8), False),
    ],
)
def test_the_upstream_s_own_word_comes_first(file_link: FileLink, is_completed: bool) -> None:
    (file,) = with_known_files(Work(files=(file_link,)), (OURS,)).files
    if not is_completed:
        assert file == file_link
        return
    assert (file.size, file.sha256.lower(), file.found_at) == (9, "aa", "now")
    assert file.mime_type == ("text/plain" if file_link.mime_type == "text/plain" else "application/pdf")
    assert file.modified == (file_link.modified or "2026")


def test_what_the_upstream_names_by_now_is_the_upstream_s() -> None:
    discovered = OURS._replace(origin=FileOrigin.DISCOVERED)
    (link,) = with_known_files(Work(files=(FileLink(PLACE),)), (discovered,)).files
    assert (link.origin, link.sha256) == (FileOrigin.UPSTREAM, "aa")
