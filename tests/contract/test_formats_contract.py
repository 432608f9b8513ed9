"""What every format promises, found by itself: a new file in `formats/` is tested here without an edit."""

from functools import cache

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gateway.core import xmlio
from gateway.core.model import FileLink, FileOrigin, Statement, Work
from gateway.core.xmltext import DC, OAI_DC, OAI_PMH, XSI
from gateway.formats import MetadataFormat, load, oai_dc, reader_of, written
from gateway.formats._statements import ELEMENTS, work_of
from tests.conftest import ROOT
from tests.rows import each_row

GOLDEN = ROOT / "tests" / "golden"
WORK = Work(
    statements=(
        Statement("title", "Hydration & <bonding>", "en"),
        Statement("creator", "Bruyère, É."),
        Statement("identifier", "doi:10.1234/laro.1"),
        Statement("language", "nl", "not a language tag!"),
    ),
    identifiers=("https://doi.org/10.1234/laro.1", "https://hdl.handle.net/1234/1"),
    landing_page="http://laro.example.org/1",
    files=(
        FileLink(
            "http://laro.example.org/1.pdf?a=1&b=2",
            "application/pdf",
            found_in="dc:identifier",
            digests=(("md5", "0" * 32),),
        ),
        FileLink(
            "http://laro.example.org/1.zip",
            "application/zip",
            FileOrigin.DISCOVERED,
            "landing page",
            size=1024,
            sha256="0" * 64,
            modified="2020-02-02",
            license="https://creativecommons.org/licenses/by/4.0/",
            version="published",
            found_at="2020-02-03T00:00:00Z",
        ),
    ),
    license="https://creativecommons.org/licenses/by/4.0/",
    modified="2020-01-01T00:00:00Z",
    upstream="oai:laro:1",
)
OURS = list(written().values())


@cache
def schema(prefix: str) -> etree.XMLSchema:
    """Return our schema of a format, with the schemas of what may stand inside a DIDL."""
    names = {"oai_didl": "didl", "oai_datacite": "datacite", "marcxml": "marc"}
    main = etree.parse(ROOT / "schemas" / f"{names.get(prefix, prefix)}.xsd").getroot().get("targetNamespace")
    files = {main: f"{names.get(prefix, prefix)}.xsd"}
    for name in ("oai_dc", "dii", "dcterms", "rdf", "premis") if prefix == "oai_didl" else ():
        namespace = etree.parse(ROOT / "schemas" / f"{name}.xsd").getroot().get("targetNamespace")
        files.setdefault(namespace, f"{name}.xsd")
    imports = "".join(
        f'<xs:import namespace="{name}" schemaLocation="{(ROOT / "schemas" / file).as_uri()}"/>'
        for name, file in files.items()
    )
    driver = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:all">{imports}</xs:schema>'
    return etree.XMLSchema(etree.fromstring(driver))


def faults(prefix: str, fragment: bytes) -> list[str]:
    judge = schema(prefix)
    return [] if judge.validate(etree.fromstring(fragment)) else [error.message for error in judge.error_log]  # type: ignore[attr-defined]


@each_row("known", load())
def test_a_format_is_whole_and_its_reader_survives_what_its_namespace_does_not_promise(known: MetadataFormat) -> None:
    assert bool(known.metadata_prefix) == bool(known.write) == bool(known.schema)
    assert known.version >= 1
    for namespace in known.namespaces:
        assert reader_of(namespace) is known
    content = f'<odd xmlns="{known.namespace}"/>'.encode()
    work = known.read(xmlio.parse(content), content)
    assert work is None or work.statements == ()


@each_row("known", OURS)
@each_row("work", [WORK, Work(upstream="oai:laro:2")])
def test_a_fragment_stands_alone_and_is_valid(known: MetadataFormat, work: Work) -> None:
    fragment = known.write(work)
    root = xmlio.parse(fragment)
    assert xmlio.name_of(root)[0] == known.namespace
    assert faults(known.metadata_prefix, fragment) == []
    inside = xmlio.parse(b'<x xmlns="%b">%b</x>' % (OAI_PMH.encode(), fragment))
    assert [element.tag for element in inside[0].iter()] == [element.tag for element in root.iter()]


@each_row("known", OURS)
def test_a_fragment_equals_its_golden_file(known: MetadataFormat) -> None:
    """A difference is a new `version` of the mapping, and a new golden file."""
    golden = GOLDEN / f"{known.metadata_prefix}.{known.version}.xml"
    assert golden.read_bytes().rstrip(b"\n") == known.write(WORK)


# --- what is valid oai_dc -----------------------------------------------------------------------------------------

BARE = f'<o:dc xmlns:o="{OAI_DC}" xmlns:dc="{DC}" xmlns:xsi="{XSI}"'
LOCATION = f"xsi:schemaLocation='{OAI_DC} {oai_dc.SCHEMA}'"
OPEN = f"{BARE} {LOCATION}"
INSIDE = [
    ("", True),
    ("<dc:title>T</dc:title>", True),
    ("\n <dc:title xml:lang='en-GB'>T</dc:title>\n", True),
    ("<!-- a comment --><?and a-pi?><dc:title>T<!-- c --></dc:title>", True),
    ("<dc:title><![CDATA[<T>]]></dc:title>", True),
    ("text<dc:title>T</dc:title>", False),
    ("<dc:author>T</dc:author>", False),
    ("<title>T</title>", False),
    ("<dc:title id='1'>T</dc:title>", False),
    ("<dc:title xml:lang='en_GB'>T</dc:title>", False),
    ("<dc:title xsi:type='dc:x'>T</dc:title>", False),
    ("<dc:title xml:space='preserve'>T</dc:title>", False),
    ("<dc:title>T<b>bold</b></dc:title>", False),
]
FRAMES = [
    (f"{BARE} xsi:schemaLocation='a b\n{OAI_DC}  {oai_dc.SCHEMA} '></o:dc>", True),
    (f"{OPEN} id='1'></o:dc>", False),
    (f"{OPEN} xml:lang='en'></o:dc>", False),
    (f'<dc xmlns="{OAI_DC}" xmlns:xsi="{XSI}" {LOCATION}/>', True),
    (f'<o:record xmlns:o="{OAI_DC}"/>', False),
    ('<dc xmlns="http://purl.org/dc/elements/1.1/"/>', False),
]
TABLE = [(f"{OPEN}>{inside}</o:dc>", is_valid) for inside, is_valid in INSIDE] + FRAMES


def carried(content: bytes) -> bool:
    work = oai_dc.read(xmlio.parse(content), content)
    return work is not None and work.oai_dc == content


@each_row("text, is_valid", TABLE)
def test_what_is_carried_is_what_the_schema_allows(text: str, is_valid: bool) -> None:
    content = text.encode()
    assert (faults("oai_dc", content) == []) == is_valid
    assert carried(content) == is_valid


PIECES = st.sampled_from(
    ["text", " ", "<dc:title>T</dc:title>", "<dc:title",
     "</dc:title>", "<dc:date/>", "<!--c-->", "<?p i?>", "<x/>", ">",
     " xml:lang='en'", " xml:lang=''", " a='1'", " xsi:nil='true'", "&amp;", "<![CDATA[x]]>", "<o:dc/>"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=6).map("".join))
def test_no_invalid_dublin_core_is_ever_carried(inside: str) -> None:
    content = f"{OPEN}>{inside}</o:dc>".encode()
    try:
        root = etree.fromstring(content)
    except etree.XMLSyntaxError:
        return
    work = oai_dc.read(root, content)
    if work is not None and work.oai_dc:
        assert faults("oai_dc", content) == []
    if work is not None:
        assert faults("oai_dc", oai_dc.write(work)) == []


# --- whatever a record says ---------------------------------------------------------------------------------------


def link_of(url: str, mime_type: str, found_in: str) -> FileLink:
    """Return a link as a source may name it; its size, hash and dates are of our own making."""
    return FileLink(url, mime_type, found_in=found_in)


URLS = st.one_of(st.text(), st.text().map("http://".__add__), st.text().map("https://h.example.org/".__add__))
TEXTS = st.one_of(st.text(), URLS, st.text().map("doi:10.1234/".__add__), st.text().map("pdf http://h/".__add__))
STATEMENTS = st.lists(st.builds(Statement, st.sampled_from(ELEMENTS), TEXTS, st.text(max_size=8)), max_size=5)
LINKS = st.lists(st.builds(link_of, URLS, st.text(max_size=20), st.text(max_size=5)), max_size=3)


@given(STATEMENTS.map(tuple), LINKS.map(tuple), URLS, st.text())
def test_whatever_a_work_says_its_fragments_are_valid(statements, links, page, upstream) -> None:
    read = work_of(statements, links, page)
    raw = Work(statements, (page,), page, links, page, upstream=upstream)
    for work in (read, raw):
        for known in OURS:
            assert faults(known.metadata_prefix, known.write(work)) == []
