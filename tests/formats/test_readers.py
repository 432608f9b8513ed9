"""What each format reads, on small documents in the manner of real ones."""

import pytest

from gateway.core import xmlio
from gateway.core.model import Work
from gateway.core.xmltext import DC, DCTERMS, DIDL, DII, OAI_DC, RDF
from gateway.formats import marcxml, mods, qualified_dc, reader_of, stated_namespace
from tests.growth import is_more_than_linear
from tests.rows import each_row

PDF, UNKNOWN = "application/pdf", "application/octet-stream"
MODS = "http://www.loc.gov/mods/v3"
OPEN = f'<didl:DIDL xmlns:didl="{DIDL}" xmlns:dii="{DII}" xmlns:rdf="{RDF}" xmlns:dc="{DC}"><didl:Item>'
CLOSE = "</didl:Item></didl:DIDL>"


def read(text: str) -> Work | None:
    content = text.encode()
    root = xmlio.parse(content)
    return reader_of(xmlio.name_of(root)[0]).read(root, content)


def texts_of(work: Work | None, element: str) -> list[str]:
    assert work is not None
    return [statement.text for statement in work.statements if statement.element == element]


def links(work: Work | None) -> list[tuple[str, str]]:
    assert work is not None
    return [(link.url, link.mime_type) for link in work.files]


# --- DIDL ---------------------------------------------------------------------------------------------------------


def typed(kind: str, resource: str) -> str:
    word = f'<rdf:type rdf:resource="info:eu-repo/semantics/{kind}"/>'
    statement = f'<didl:Statement mimeType="application/xml">{word}</didl:Statement>'
    return (
        f"<didl:Item><didl:Descriptor>{statement}</didl:Descriptor>"
        f"<didl:Component>{resource}</didl:Component></didl:Item>"
    )


def test_the_dutch_profile_puts_everything_in_items_of_their_own() -> None:
    metadata = f'<m:mods xmlns:m="{MODS}"><m:titleInfo><m:title>A report</m:title></m:titleInfo></m:mods>'
    work = read(
        OPEN
        + '<didl:Descriptor><didl:Statement mimeType="text/xml"><dii:Identifier>urn:nbn:nl:ui:39-4</dii:Identifier>'
        + "</didl:Statement></didl:Descriptor>"
        + typed("descriptiveMetadata", f'<didl:Resource mimeType="application/xml">{metadata}</didl:Resource>')
        + typed("descriptiveMetadata", '<didl:Resource mimeType="application/xml" ref="http://x.example.org/m.xml"/>')
        + typed("objectFile", '<didl:Resource mimeType="application/pdf" ref="http://x.example.org/get?id=1"/>')
        + typed("objectFile", '<didl:Resource mimeType="text/html" ref="http://x.example.org/book.html"/>')
        + typed("humanStartPage", '<didl:Resource mimeType="application/pdf" ref="http://x.example.org/160"/>')
        + CLOSE
    )
    assert texts_of(work, "title") == ["A report"]
    assert texts_of(work, "identifier") == ["urn:nbn:nl:ui:39-4"]
    assert links(work) == [("http://x.example.org/get?id=1", PDF), ("http://x.example.org/book.html", UNKNOWN)]
    assert work.landing_page == "http://x.example.org/160"


def test_the_articles_profile_keeps_the_record_in_a_statement() -> None:
    record = f'<o:dc xmlns:o="{OAI_DC}"><dc:title>T</dc:title><dc:identifier>http://x.example.org/b.pdf</dc:identifier></o:dc>'
    work = read(
        f'{OPEN}<didl:Descriptor><didl:Statement mimeType="text/xml">{record}</didl:Statement></didl:Descriptor>'
        '<didl:Component><didl:Resource mimeType="application/pdf" ref="http://x.example.org/a"/></didl:Component>'
        f'<didl:Component><didl:Resource mimeType="text/html" ref="http://x.example.org/"/></didl:Component>{CLOSE}'
    )
    assert texts_of(work, "title") == ["T"]
    assert sorted(links(work)) == [("http://x.example.org/a", PDF), ("http://x.example.org/b.pdf", PDF)]
    assert work.landing_page == "http://x.example.org/"
    assert work.oai_dc == b""


@each_row(
    "resource",
    [
        '<didl:Resource mimeType="application/pdf" ref="urn:x"/>',
        '<didl:Resource mimeType="application/pdf"/>',
        '<didl:Resource mimeType="application/xml" ref="http://x.example.org/m"/>',
        '<didl:Resource mimeType="nonsense" ref="http://x.example.org/m"/>',
        '<didl:Resource mimeType="application/pdf" ref="https://doi.org/10.1234/x"/>',
    ],
)
def test_what_is_not_known_to_be_a_file_is_none(resource: str) -> None:
    assert links(read(f"{OPEN}<didl:Component>{resource}</didl:Component>{CLOSE}")) == []


def test_an_address_that_was_broken_in_two_lines_is_one_again() -> None:
    """Example 4 of the article has it so."""
    broken = '<didl:Resource mimeType="application/pdf" ref=" http://x.example.org/archive/\n     14/01/a b.pdf "/>'
    work = read(f"{OPEN}<didl:Component>{broken}</didl:Component>{CLOSE}")
    assert links(work) == [("http://x.example.org/archive/14/01/a%20b.pdf", PDF)]


# --- METS ---------------------------------------------------------------------------------------------------------

METS = (
    '<mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="' + DC + '">%s</mets>'
)


def dmd(content: str) -> str:
    return f"<dmdSec><mdWrap><xmlData>{content}</xmlData></mdWrap></dmdSec>"


def group(use: str, *files: str) -> str:
    return f'<fileSec><fileGrp USE="{use}">{"".join(files)}</fileGrp></fileSec>'


def file(url: str, mime_type: str = "application/pdf", size: str = "") -> str:
    return f'<file MIMETYPE="{mime_type}" SIZE="{size}"><FLocat xlink:href="{url}"/></file>'


def test_mets_has_its_richest_metadata_and_its_files() -> None:
    rich = f'<m:mods xmlns:m="{MODS}"><m:titleInfo><m:title>Rich</m:title></m:titleInfo><m:location><m:url>http://x.example.org/b.pdf</m:url></m:location></m:mods>'
    work = read(
        METS
        % (
            dmd("<dc:title>Poor</dc:title><dc:date>1</dc:date>")
            + dmd(rich)
            + group("ORIGINAL", file("http://x.example.org/a", size="12"))
        )
    )
    assert texts_of(work, "title") == ["Rich"]
    assert sorted(links(work)) == [("http://x.example.org/a", PDF), ("http://x.example.org/b.pdf", PDF)]
    assert {link.size for link in work.files} == {12, None}


@each_row(
    "section, expected",
    [
        (group("THUMBS", file("http://x.example.org/a.jpg", "image/jpeg")), []),
        (group("", file("file:///a.pdf")), []),
        (group("", file("http://x.example.org/a", "text/html")), []),
        (group("", file("http://x.example.org/a", "")), [("http://x.example.org/a", UNKNOWN)]),
        (group("", file("http://x.example.org/a.pdf", "?")), [("http://x.example.org/a.pdf", PDF)]),
        (group("", "<file/>"), []),
    ],
)
def test_files_of_mets(section: str, expected: list) -> None:
    assert links(read(METS % section)) == expected


# --- MODS ---------------------------------------------------------------------------------------------------------


def test_mods() -> None:
    work = read(
        f"""<modsCollection xmlns="{MODS}"><mods>
        <titleInfo><nonSort>The</nonSort><title>Title</title><subTitle>a tale</subTitle></titleInfo><titleInfo/>
        <name><namePart type="given">A.</namePart><namePart type="family">Writer</namePart></name>
        <name><namePart>Corporation</namePart></name><name><displayForm>Shown</displayForm></name><name/>
        <identifier type="doi">10.1234/x</identifier><identifier type="hdl">1/2</identifier>
        <identifier type="doi">doi:10.1234/x</identifier><identifier type="doi">doi:/odd</identifier>
        <identifier>local</identifier>
        <physicalDescription><internetMediaType>application/pdf</internetMediaType></physicalDescription>
        <location><url access="raw object">http://x.example.org/get</url><url>http://x.example.org/</url>
        <url>no address</url><url>http://x.example.org/2</url></location></mods></modsCollection>"""
    )
    assert texts_of(work, "title") == ["The Title: a tale"]
    assert texts_of(work, "creator") == ["Writer, A.", "Corporation", "Shown"]
    assert texts_of(work, "identifier") == [
        "https://doi.org/10.1234/x", "https://hdl.handle.net/1/2", "doi:/odd", "local", "http://x.example.org/"
    ]  # fmt: skip
    assert work.identifiers == ("https://doi.org/10.1234/x", "https://hdl.handle.net/1/2")
    assert links(work) == [("http://x.example.org/get", PDF)]
    assert work.landing_page == "http://x.example.org/"
    assert mods.read(xmlio.parse(f'<modsCollection xmlns="{MODS}"/>'.encode()), b"") is None


# --- MARCXML ------------------------------------------------------------------------------------------------------

MARC = "http://www.loc.gov/MARC21/slim"


def field(tag: str, ind2: str = " ", **subfields: str) -> str:
    inside = "".join(f'<subfield code="{code}">{text}</subfield>' for code, text in subfields.items())
    return f'<datafield tag="{tag}" ind1=" " ind2="{ind2}">{inside}</datafield>'


def test_marcxml() -> None:
    work = read(
        f'<collection xmlns="{MARC}"><record>'
        + field("245", a="Title /", b="rest", c="by her")
        + field("100", a="Writer, A.,")
        + field("260", b="House,", c="[2001].")
        + field("264", b="House")
        + field("024", a="10.1234/x")
        + field("999", a="local")
        + field("650", a="")
        + field("856", u="http://x.example.org/a.pdf")
        + field("856", u="http://x.example.org/get", q="application/pdf")
        + field("856", u="http://x.example.org/1")
        + field("856", u="http://x.example.org/2")
        + field("856", u="ftp://x.example.org/")
        + field("856", "2", u="http://related.example.org/b.pdf")
        + field("856", u="https://doi.org/10.1234/y", q="application/pdf")
        + field("856", **{"3": "PDF", "u": "http://x.example.org/shown"})
        + field("856", **{"3": "Table of contents", "u": "http://x.example.org/toc"})
        + "</record></collection>"
    )
    assert texts_of(work, "title") == ["Title: rest"]
    assert texts_of(work, "creator") == ["Writer, A."]
    assert (texts_of(work, "date"), texts_of(work, "publisher")) == (["2001"], ["House"])
    assert work.identifiers == ("https://doi.org/10.1234/x",)
    assert links(work) == [
        ("http://x.example.org/a.pdf", PDF),
        ("http://x.example.org/get", PDF),
        ("http://x.example.org/shown", PDF),
    ]
    assert work.landing_page == "http://x.example.org/1"
    assert marcxml.read(xmlio.parse(f'<collection xmlns="{MARC}"/>'.encode()), b"") is None


# --- qualified Dublin Core and what nobody knows ------------------------------------------------------------------


def test_a_refinement_counts_as_what_it_refines() -> None:
    work = read(
        f'<q:qualifieddc xmlns:q="http://dspace.org/qualifieddc/" xmlns:dc="{DC}" xmlns:dcterms="{DCTERMS}">'
        "<dc:title xml:lang='en'>T</dc:title><dcterms:abstract>A</dcterms:abstract><dcterms:issued>2001"
        "</dcterms:issued>"
        "<dcterms:audience>all</dcterms:audience><dc:date> </dc:date></q:qualifieddc>"
    )
    assert [tuple(statement) for statement in work.statements] == [
        ("title", "T", "en"), ("date", "2001", ""), ("description", "A", "")
    ]  # fmt: skip
    assert qualified_dc.read(xmlio.parse(f'<x xmlns="{DCTERMS}"/>'.encode()), b"") is None


def test_a_file_of_another_work_is_not_this_ones() -> None:
    terms = ("references", "isPartOf", "hasVersion", "isReplacedBy")
    others = "".join(f"<t:{term}>http://x.example.org/{term}.pdf</t:{term}>" for term in terms)
    own = "<t:hasFormat>http://x.example.org/own.pdf</t:hasFormat>"
    work = read(
        f'<q:qualifieddc xmlns:q="http://dspace.org/qualifieddc/" xmlns:t="{DCTERMS}">{others}{own}</q:qualifieddc>'
    )
    assert links(work) == [("http://x.example.org/own.pdf", PDF)]
    assert len(texts_of(work, "relation")) == 5


def test_the_fallback_finds_dublin_core_wherever_it_is() -> None:
    work = read(
        f'<x><y xmlns:dc="{DC}"><dc:title>T</dc:title><dc:title>T</dc:title><dc:odd>o</dc:odd><dc:date/></y></x>'
    )
    assert [tuple(statement) for statement in work.statements] == [("title", "T", "")]


def test_the_fallback_goes_by_names_else() -> None:
    nested = "<author><name>B</name><place>no</place></author>"
    work = read(f"<x><Title>T</Title>{nested}<author>A</author><doi>10.1234/x</doi><year/></x>")
    assert [tuple(statement) for statement in work.statements] == [
        ("title", "T", ""),
        ("creator", "B", ""),
        ("creator", "A", ""),
        ("identifier", "10.1234/x", ""),
    ]
    assert work.identifiers == ("https://doi.org/10.1234/x",)


def test_a_record_of_laro_keeps_each_author_and_its_source() -> None:
    """As the repository behind LARO gave it: Autoload, Listing 6."""
    work = read(
        """<record><title>The Occurrence of Non-Pulsating Stars</title>
        <author>Bradley, Paul Andrew (XCP-6: PLASMA THEORY) ; Jackiewicz, Jason (New Mexico State U.) ; et al.</author>
        <source>Astronomical Review ; Vol.9, iss.1, p.41-65, Jan. 2014</source>
        <keywords>variable stars ; Kepler spacecraft</keywords><document_type>Journal Article</document_type>
        <doi>10.1080/21672857.2015.1023120</doi></record>"""
    )
    assert [tuple(statement[:2]) for statement in work.statements] == [
        ("title", "The Occurrence of Non-Pulsating Stars"),
        ("creator", "Bradley, Paul Andrew"),
        ("creator", "Jackiewicz, Jason"),
        ("source", "Astronomical Review ; Vol.9, iss.1, p.41-65, Jan. 2014"),
        ("subject", "variable stars"),
        ("subject", "Kepler spacecraft"),
        ("type", "Journal Article"),
        ("identifier", "10.1080/21672857.2015.1023120"),
    ]


@each_row(
    "profile, namespace",
    [
        (DC, DC),
        ("http://purl.org/dc/terms", DCTERMS),
        (OAI_DC, OAI_DC),
        ("http://www.loc.gov/MARC21/slim#", "http://www.loc.gov/MARC21/slim"),
        ("http://datacite.org/schema/kernel-4.5/metadata.xsd", "http://datacite.org/schema/kernel-4.5"),
        ("http://www.loc.gov/standards/mods/v3/mods-3-7.xsd", MODS),
        ("http://dublincore.org/schemas/xmls/qdc/2008/02/11/dcterms.xsd", DCTERMS),
        ("http://www.loc.gov/standards/", ""),
        ("http://www.openarchives.org/OAI/2.0/", ""),  # of several formats
        ("urn:unknown", ""),
    ],
)
def test_a_profile_means_the_namespace_that_a_format_reads(profile: str, namespace: str) -> None:
    assert stated_namespace([profile]) == namespace


@pytest.mark.slow
@each_row(
    "root, part",
    [
        (
            'mets xmlns="http://www.loc.gov/METS/" xmlns:l="http://www.w3.org/1999/xlink"',
            '<fileSec><fileGrp USE="{0}"><file MIMETYPE="image/png"><FLocat l:href="http://a.b/{0}"/></file></fileGrp></fileSec>',
        ),
        ('entry xmlns="http://www.w3.org/2005/Atom"', "<title>{0}</title><rights>{0}</rights>"),
        ('entry xmlns="http://www.w3.org/2005/Atom"', "<title>{0}</title><publisher>{0}</publisher>"),
        (f'dc xmlns="{DC}"', "<title>{0}</title><type>{0}</type>"),
        (
            'record xmlns="http://www.loc.gov/MARC21/slim"',
            '<f tag="245"><g code="c">{0:060}</g></f><f tag="700"><g code="a">x{0},J</g></f>'.replace("f", "datafield"),
        ),
    ],
)
def test_many_parts_take_time_that_grows_with_their_number(root: str, part: str) -> None:
    end = f"</{root.partition(' ')[0]}>"
    quarter, whole = (f"<{root}>{''.join(map(part.format, range(number)))}{end}" for number in (6_000, 24_000))
    assert not is_more_than_linear(read, quarter, whole)
