# ruff: noqa: E501 - samples and tables have long lines
"""Every parser of foreign bytes, with samples to begin from; a test checks that no module of `harvester/wire` is missing.

A target takes bytes. It may raise errors of ours, and what its own docstring promises besides.
"""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gateway import related, xmlio
from gateway.addresses import address, any_uri, is_address, uri_of
from gateway.errors import UnusableRecord
from gateway.formats import reader_of
from gateway.mapping import Given, SourceFacts, Task, prepare
from gateway.model import Statement, Work
from gateway.oaipmh.arguments import parse as parse_arguments
from gateway.provenance import datestamp_of
from gateway.provenance import read as read_provenance
from gateway.request_line import escaped
from harvester.mirror import holding, inventory
from harvester.mirror.components import Component, components, files
from harvester.mirror.doubting import Look, doubt
from harvester.mirror.package import dumped
from harvester.mirror.verifying import Bytes, verdict
from harvester.verification.bytes import mime_type
from harvester.verification.similarity import compared, words
from harvester.web.encodings import decoded
from harvester.web.retrying import retry_after
from harvester.wire import (
    archives,
    crossref,
    crossref_works,
    datacite,
    dates,
    decoding,
    entries,
    fixity,
    friends,
    identifiers,
    landing_page,
    leads,
    licenses,
    links,
    list_state,
    losses,
    namespaces,
    oai_pmh,
    open_policy_finder,
    openalex,
    outline,
    package,
    patches,
    recovery,
    repair,
    resourcesync,
    robots,
    romeo,
    semantic_scholar,
    signposting,
    solr,
    solr_query,
    static_repository,
    unpaywall,
    urls,
    websub,
)
from harvester.wire import files as wire_files
from harvester.wire.http import Fetched, settled_date

# Modules of harvester/wire that parse nothing themselves, or only as a part of a target.
PARTS = frozenset(
    [
        "copies",
        "document",
        "first_generation",
        "json_answers",
        "landing_rules",
        "markup",
        "page_limits",
        "sections",
        "parsing",
        "policies",
        "seen",
        "slices",
        "streaming",
        "windows",
    ]
)
_OAI = "http://www.openarchives.org/OAI/2.0/"
_BASE = "http://x.org/1"


@dataclass(frozen=True)
class Target:
    """One parser: its name (its module's first), itself, its samples, and what it may raise besides errors of ours."""

    name: str
    read: Callable[[bytes], object]
    samples: tuple[bytes, ...]
    raises: tuple[type[Exception], ...] = ()


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda body: read(body.decode("utf-8", "replace"))


def _answer(read: Callable[[Fetched], object]) -> Callable[[bytes], object]:
    return lambda body: read(Fetched(_BASE, 200, (), body, 0))


def _header(name: str, read: Callable[[Fetched], object]) -> Callable[[bytes], object]:
    return lambda body: read(Fetched(_BASE, 200, ((name, body.decode("latin-1")),), b"", 0))


# --- samples ------------------------------------------------------------------------------------------------------

_DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>A title &amp; more</dc:title><dc:identifier>https://doi.org/10.1234/abc.5</dc:identifier>"
    '<dc:rights xml:lang="en">CC BY 4.0</dc:rights><dc:relation>http://x.org/bitstream/1/2/a.pdf</dc:relation>'
    "<dc:date>2020-01-02</dc:date></oai_dc:dc>"
)
_DIDL = (
    '<didl:DIDL xmlns:didl="urn:mpeg:mpeg21:2002:02-DIDL-NS" xmlns:dii="urn:mpeg:mpeg21:2002:01-DII-NS">'
    '<didl:Item><didl:Descriptor><didl:Statement mimeType="application/xml"><dii:Identifier>urn:x:1</dii:Identifier>'
    f'</didl:Statement></didl:Descriptor><didl:Item><didl:Descriptor><didl:Statement mimeType="application/xml">{_DC}'
    '</didl:Statement></didl:Descriptor><didl:Component><didl:Resource mimeType="application/pdf" '
    'ref="http://x.org/1.pdf"/><didl:Resource mimeType="text/plain" encoding="base64">dGV4dA==</didl:Resource>'
    "</didl:Component></didl:Item></didl:Item></didl:DIDL>"
)
_METS = (
    '<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"><mets:dmdSec ID="d">'
    f'<mets:mdWrap MDTYPE="DC"><mets:xmlData>{_DC}</mets:xmlData></mets:mdWrap></mets:dmdSec><mets:fileSec><mets:fileGrp '
    'USE="ORIGINAL"><mets:file MIMETYPE="application/pdf" SIZE="12" CHECKSUM="d41d8cd98f00b204e9800998ecf8427e" '
    'CHECKSUMTYPE="MD5"><mets:FLocat xlink:href="http://x.org/1.pdf"/></mets:file></mets:fileGrp></mets:fileSec>'
    "</mets:mets>"
)
_MODS = (
    '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>A title</title></titleInfo><name><namePart>N</namePart>'
    '</name><identifier type="doi">10.1234/a</identifier><location><url>http://x.org/1.pdf</url></location></mods>'
)
_MARC = (
    '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>     nam a22</leader><controlfield tag="001">1</controlfield>'
    '<datafield tag="245" ind1=" " ind2=" "><subfield code="a">A title</subfield></datafield>'
    '<datafield tag="856" ind1="4" ind2="0"><subfield code="u">http://x.org/1.pdf</subfield></datafield></record>'
)
_DATACITE = (
    '<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.1234/a</identifier>'
    "<titles><title>A</title></titles><sizes><size>12 bytes</size></sizes><rightsList><rights rightsURI="
    '"https://creativecommons.org/licenses/by/4.0/">CC BY</rights></rightsList></resource>'
)
_PAYLOADS = tuple(each.encode() for each in (_DC, _DIDL, _METS, _MODS, _MARC, _DATACITE))
_PROVENANCE = (
    f'<provenance xmlns="{_OAI}provenance"><originDescription harvestDate="2020-01-01T00:00:00Z" altered="true"><baseURL>'
    "http://x.org/oai</baseURL><identifier>oai:x:1</identifier><datestamp>2020-01-01</datestamp><metadataNamespace>urn:x"
    "</metadataNamespace></originDescription></provenance>"
)


def _record(number: int, payload: str, about: str = "") -> str:
    return (
        f"<record><header><identifier>oai:x:{number}</identifier><datestamp>2020-01-0{number}</datestamp><setSpec>a:b"
        f"</setSpec></header><metadata>{payload}</metadata>{about}</record>"
    )


def _envelope(verb: str, inside: str) -> bytes:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="{_OAI}"><responseDate>2020-01-01T00:00:00Z</responseDate>'
    return f'{head}<request verb="{verb}">http://x.org/oai</request><{verb}>{inside}</{verb}></OAI-PMH>'.encode()


_LIST = _envelope(
    "ListRecords",
    _record(1, _DC, f"<about>{_PROVENANCE}</about>")
    + _record(2, "<a xmlns='urn:a'><![CDATA[<metadata>]]><!-- c --></a>")
    + '<record><header status="deleted"><identifier>oai:x:3</identifier><datestamp>2020-01-03</datestamp></header></record>'
    + '<resumptionToken cursor="0" completeListSize="9" expirationDate="2030-01-01T00:00:00Z">next</resumptionToken>',
)
_IDENTIFY = _envelope(
    "Identify",
    "<repositoryName>R</repositoryName><baseURL>http://x.org/oai</baseURL><protocolVersion>2.0</protocolVersion>"
    "<adminEmail>a@x.org</adminEmail><earliestDatestamp>2000-01-01</earliestDatestamp><deletedRecord>no</deletedRecord>"
    "<granularity>YYYY-MM-DD</granularity><description><a xmlns='urn:a'/></description>",
)
_FORMATS = _envelope(
    "ListMetadataFormats",
    "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>s</schema><metadataNamespace>n</metadataNamespace>"
    "</metadataFormat>",
)
_SETS = _envelope(
    "ListSets", "<set><setSpec>a:b</setSpec><setName>A</setName></set><resumptionToken>x</resumptionToken>"
)
_FIRST = (
    b'<ListRecords xmlns="http://www.openarchives.org/OAI/1.1/OAI_ListRecords"><responseDate>2001-01-01T00:00:00+01:00'
    b"</responseDate><requestURL>http://x.org/</requestURL>" + _record(1, _DC).encode() + b"</ListRecords>"
)
_STATIC = (
    '<Repository xmlns="http://www.openarchives.org/OAI/2.0/static-repository" xmlns:oai="http://www.openarchives.org/OAI/2.0/">'
    "<Identify><oai:repositoryName>R</oai:repositoryName><oai:baseURL>http://g.org/x.org/1</oai:baseURL>"
    "<oai:protocolVersion>2.0</oai:protocolVersion><oai:adminEmail>a@x.org</oai:adminEmail><oai:earliestDatestamp>2000-01-01"
    "</oai:earliestDatestamp><oai:deletedRecord>no</oai:deletedRecord><oai:granularity>YYYY-MM-DD</oai:granularity></Identify>"
    "<ListMetadataFormats><oai:metadataFormat><oai:metadataPrefix>oai_dc</oai:metadataPrefix><oai:schema>s</oai:schema>"
    "<oai:metadataNamespace>n</oai:metadataNamespace></oai:metadataFormat></ListMetadataFormats>"
    '<ListRecords metadataPrefix="oai_dc"><oai:record><oai:header><oai:identifier>oai:x:1</oai:identifier><oai:datestamp>'
    f"2020-01-01</oai:datestamp></oai:header><oai:metadata>{_DC}</oai:metadata></oai:record></ListRecords></Repository>"
).encode()
_LISTED = (
    '<url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"><loc>'
    'http://x.org/1.pdf</loc><lastmod>2020-01-01T00:00:00Z</lastmod><rs:md change="created" length="12" type="application/pdf"'
    ' hash="md5:d41d8cd98f00b204e9800998ecf8427e sha-256:ab"/><rs:ln rel="describedby" href="http://x.org/1.xml" pri="1"/>'
    '<rs:ln rel="via" href="http://y.org/oai?verb=GetRecord&amp;identifier=a"/></url>'
)
_LISTS = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">'
    f'<rs:md capability="resourcelist" at="2020-01-01T00:00:00Z"/><rs:ln rel="up" href="c.xml"/>{_LISTED * 2}</urlset>'
).encode()
_SOLR = (
    b'<response><lst name="responseHeader"><int name="status">0</int></lst><result name="response" numFound="2" start="0">'
    b'<doc><str name="id">1</str><arr name="title"><str>A</str></arr><date name="t">2020-01-01T00:00:00Z</date></doc>'
    b'<doc><str name="id">2</str></doc></result><str name="nextCursorMark">AoE</str></response>'
)
_SOLR_JSON = json.dumps(
    {
        "responseHeader": {"status": 0},
        "response": {"numFound": 1, "docs": [{"id": "1", "t": ["a", 1, 2.5, True, None]}]},
    }
).encode()
_PAGE = (
    b'<!DOCTYPE html><html><head><title>A</title><meta name="citation_pdf_url" content="http://x.org/1.pdf"><meta name='
    b'"DC.rights" content="CC BY 4.0"><meta http-equiv="refresh" content="5; url=/2"><link rel="item" href="/1.pdf" '
    b'type="application/pdf"><link rel="resourcesync" href="/.well-known/resourcesync"></head><body><div class="x">'
    b'<a href="/download/1.pdf">Download PDF</a><a href="/2">Full text</a><script>{"pdfUrl": "http:\\/\\/x.org\\/1.pdf"}'
    b'</script><iframe src="/viewer.html?file=%2F1.pdf"></iframe></div></body></html>'
)
_LINK = b'<http://x.org/1.pdf>; rel="item"; type="application/pdf", </>; rel=describedby; profile="a\\"b"; anchor="/x"'
_ROBOTS = b"User-agent: *\nDisallow: /a*b$\nAllow: /\nCrawl-delay: 2.5\nSitemap: http://x.org/sitemap.xml\n"
_CITATION = "Smith, J. (2020). doi:10.1234/abc.5; arXiv:2001.01234v2, PMC1234567, ISSN 2041-1723, CC BY-NC 4.0. http://x.org/a.pdf"
_WORK_JSON = json.dumps(
    {
        "DOI": "10.1/a",
        "doi": "10.1/a",
        "title": ["A"],
        "URL": "http://x.org",
        "is_oa": True,
        "year": 2020,
        "message": {
            "title": ["A"],
            "items": [{"DOI": "10.1/a", "issued": {"date-parts": [[2020, 1, 1]]}}],
            "total-results": 1,
        },
        "data": {"attributes": {"titles": [{"title": "A"}], "publicationYear": 2020, "url": "http://x.org"}},
        "oa_locations": [{"url_for_pdf": "http://x.org/1.pdf", "license": "cc-by", "version": "publishedVersion"}],
        "locations": [{"pdf_url": "http://x.org/1.pdf", "license": "cc-by", "is_oa": True}],
        "openAccessPdf": {"url": "http://x.org/1.pdf", "license": "CCBY"},
        "items": [
            {
                "title": [{"title": "J"}],
                "publisher_policy": [{"permitted_oa": [{"embargo": {"amount": 6, "units": "months"}}]}],
            }
        ],
        "linkset": [{"anchor": "/", "item": [{"href": "/1.pdf", "type": "application/pdf"}]}],
    }
).encode()
_ROMEO = (
    b'<?xml version="1.0"?><!DOCTYPE romeoapi SYSTEM "x"><romeoapi><header><outcome>singleJournal</outcome></header><journals>'
    b"<journal><jtitle>J</jtitle><issn>2041-1723</issn></journal></journals><publishers><publisher><name>P</name><preprints>"
    b"<prearchiving>can</prearchiving></preprints><postprints><postarchiving>restricted</postarchiving><postrestrictions>"
    b'<postrestriction>&lt;num&gt;12&lt;/num&gt; &lt;period units="month"&gt;</postrestriction></postrestrictions></postprints>'
    b"<romeocolour>green</romeocolour></publisher></publishers></romeoapi>"
)
_PATCH = b"--- a\n+++ b\n@@ -1,2 +1,2 @@\n line\n-old\n+new\n"
_DUMP = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<harvest baseURL="http://x.org/oai">\n<list metadataPrefix="oai_dc">\n'
    b'<record xmlns="http://www.openarchives.org/OAI/2.0/"><header><identifier>1</identifier><datestamp>2020-01-01</datestamp>'
    b"</header><metadata><a/></metadata></record>\n</list>\n</harvest>\n"
)
_LINES = b'{"identifier": "1", "datestamp": "2020-01-01", "metadata": "<a/>", "setSpec": ["a"]}\n{"identifier": "2"}\n'
_FRIENDS = b'<BaseURLs><baseURL id="a">http://x.org/oai</baseURL><baseURL>http://y.org/oai</baseURL></BaseURLs>'
_FRIENDS_2 = f'<friends xmlns="{_OAI}friends/"><baseURL>http://x.org/oai</baseURL></friends>'.encode()


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.xml", _LISTS)
        archive.writestr("a/1.pdf", b"%PDF-1.4 text")
    return out.getvalue()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo("a/1.xml")
        entry.size = len(_FRIENDS)
        archive.addfile(entry, io.BytesIO(_FRIENDS))
    return out.getvalue()


def _gzip(body: bytes) -> bytes:
    engine = zlib.compressobj(wbits=31)
    return engine.compress(body) + engine.flush()


# --- what is done with them ---------------------------------------------------------------------------------------


def _mapped(body: bytes) -> object:
    given = Given("x", "x", body, (), "2020-01-01", (), False, (_LISTED.encode(), _PROVENANCE.encode()), 0, False)
    made = prepare(Task(SourceFacts("laro", "http://x.org/oai", "gateway.example.org"), "oai:x:1", (given,)))
    for _, reason in made.problems:
        raise UnusableRecord(reason)
    return made


def _beside(body: bytes) -> object:
    return related.completed(Work(), [body]), related.republished([body], "urn:x"), related.profiles([body])


def _work(body: bytes) -> object:
    root = xmlio.parse(body)
    return reader_of(xmlio.name_of(root)[0]).read(root, body)


def _statements(body: bytes) -> object:
    text = body.decode("utf-8", "replace")
    statements = tuple(Statement(name, text, "") for name in ("identifier", "rights", "relation", "source"))
    return identifiers.identifiers_of(Work(statements=statements, upstream=text))


def _addresses(text: str) -> object:
    cached = (each.__wrapped__(text) for each in (address, any_uri, is_address))
    return *cached, uri_of(text), urls.split(text), urls.host_of(text)


def _static(body: bytes) -> object:
    if not static_repository.looks_like_one(body):
        return None
    repository = static_repository.read(body)
    return [static_repository.cut(repository, each, 0, len(each.places)) for each in repository.lists]


def _entries(body: bytes) -> object:
    document = resourcesync.read(body, _BASE)
    found = [(entries.entry_of(entries.entry_text(each)), entries.entry_xml(each)) for each in document]
    return found, document.head, document.notes, document.is_of_lists


def _packed(body: bytes) -> object:
    found = package.Package(io.BytesIO(body), 1_000_000)
    return [found.read(entry.path) for entry in found.manifest() if entry.path]


def _robots(body: bytes) -> object:
    return robots.rules_of("http://x.org/robots.txt", 200, body).delay("http://x.org/a/b?c#d")


def _judged(body: bytes) -> object:
    first = body[:1100]
    component = Component(mime_type="application/pdf", size=3)
    judged = verdict(component, Bytes(len(body), {}, first, body[-1024:], "text/html"))
    return judged, mime_type(body), [doubt(Look(body, each, url="http://x.org/a")) for each in _STATED]


_STATED = ("", "text/plain", "text/html", "application/xml", "application/json", "image/png")


def _expat(body: bytes) -> object:
    try:
        return outline.outline(body, 5), namespaces.mended(body)
    except outline.Broken as error:
        return error


def _compared(text: str) -> object:
    return (
        compared([text[:1000], "A title of a work"], words(text)),
        licenses.license_of(text),
        licenses.license_uri(text),
    )


def _dates(text: str) -> object:
    moment = dates.moment_of(text)
    return moment, dates.instant_of(text), dates.http_date(text), datestamp_of(text, 0)


def _identifiers(text: str) -> object:
    return (
        identifiers.dois_in(text),
        identifiers.arxiv_in(text),
        identifiers.pmcids_in(text),
        identifiers.issns_in(text),
        fixity.digests_of(text),
        repair.legal_references(text),
    )


_TEXTS = (_CITATION.encode(), b"https://doi.org/10.1002/(SICI)1097-4571(199806)49:8%3C693::AID-ASI4%3E3.0.CO;2-O")
_DATES = (b"2020-01-02T03:04:05.678+01:00", b"2020-01-02", b"Mon, 06 Jul 2020 00:00:00 GMT", b"2020-1-2 3:04")
_ARGUMENTS = b"verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01&until=2021-01-01&set=a:b&x=%C3%A9"
_OAI_SAMPLES = (
    _LIST,
    _IDENTIFY,
    _FORMATS,
    _SETS,
    _FIRST,
    _LIST.decode().encode("utf-16"),
    _LIST.replace(b"&amp;", b"&"),
)

TARGETS = (
    Target("oai_pmh.parse_list", oai_pmh.parse_list, _OAI_SAMPLES),
    Target("oai_pmh.parse_identify", oai_pmh.parse_identify, _OAI_SAMPLES),
    Target("oai_pmh.parse_formats", oai_pmh.parse_formats, _OAI_SAMPLES),
    Target("oai_pmh.parse_sets", oai_pmh.parse_sets, _OAI_SAMPLES),
    Target("recovery", _text(lambda text: recovery.recovered(text, "")), (_LIST,)),
    Target("repair", _text(repair.cleaned), (_LIST, _PAGE)),
    Target("decoding", decoding.decode, _OAI_SAMPLES),
    Target("losses", _text(lambda text: losses.missing(text, text[: len(text) // 2])), (_LIST, _PAGE)),
    Target("outline, namespaces", _expat, (_LIST, _STATIC)),
    Target("solr", solr.parse, (_SOLR, _SOLR_JSON)),
    Target("solr_query", _text(solr_query.select_url), (b"http://x.org/solr/core/select?q=*:*&wt=json",), (ValueError,)),
    Target("resourcesync, entries", _entries, (_LISTS, _gzip(_LISTS), _LISTS.replace(b"urlset", b"sitemapindex"))),
    Target("static_repository", _static, (_STATIC,)),
    Target("files.cut_document", lambda body: wire_files.cut_document(body, "1", 0), (*_OAI_SAMPLES, *_PAYLOADS)),
    Target("files.records_in", wire_files.records_in, (*_OAI_SAMPLES, *_PAYLOADS)),
    Target("files.cut_dump", lambda body: wire_files.cut_dump(body, "x", is_last=True), (_DUMP,)),
    Target("files.cut_lines", lambda body: wire_files.cut_lines(body, is_last=True), (_LINES,)),
    Target("landing_page", lambda body: landing_page.read.__wrapped__(body, _BASE, "text/html"), (_PAGE,)),
    Target("leads.page", lambda body: leads.leads_of_page(body, _BASE), (_PAGE,)),
    Target("leads.robots", lambda body: leads.leads_of_robots(body, _BASE), (_ROBOTS,)),
    Target("leads.headers", lambda body: leads.leads_of_headers((("Link", body.decode("latin-1")),), _BASE), (_LINK,)),
    Target("links.header", _header("Link", signposting.of_answer), (_LINK,)),
    Target("links.text", _text(lambda text: links.from_text(text, _BASE)), (_LINK,)),
    Target("links.json", lambda body: links.from_json(body, _BASE), (_WORK_JSON,)),
    Target("signposting", _answer(lambda fetched: signposting.of_linkset(fetched, _BASE)), (_WORK_JSON, _LINK)),
    Target("robots", _robots, (_ROBOTS,)),
    Target("crossref", _answer(crossref.read), (_WORK_JSON,)),
    Target("crossref.list", _answer(crossref.read_list), (_WORK_JSON,)),
    Target("crossref_works", _answer(crossref_works.read_works), (_WORK_JSON,)),
    Target("crossref_works.journal", _answer(crossref_works.read_journal), (_WORK_JSON,)),
    Target("crossref_works.member", _answer(crossref_works.read_member), (_WORK_JSON,)),
    Target("crossref_works.agency", _answer(crossref_works.read_agency), (b'[{"DOI": "10.1/a", "RA": "Crossref"}]',)),
    Target("datacite", _answer(datacite.read), (_WORK_JSON,)),
    Target("datacite.list", _answer(datacite.read_list), (_WORK_JSON,)),
    Target("openalex", _answer(openalex.read), (_WORK_JSON,)),
    Target("semantic_scholar", _answer(semantic_scholar.read), (_WORK_JSON,)),
    Target("semantic_scholar.list", _answer(semantic_scholar.read_list), (_WORK_JSON,)),
    Target("unpaywall", _answer(unpaywall.read), (_WORK_JSON,)),
    Target("unpaywall.lines", unpaywall.read_lines, (_WORK_JSON,)),
    Target("open_policy_finder", _answer(open_policy_finder.read), (_WORK_JSON,)),
    Target("romeo", _answer(romeo.read), (_ROMEO,)),
    Target("friends", friends.parse, (_FRIENDS, _FRIENDS_2, _IDENTIFY)),
    Target("identifiers, fixity", _text(_identifiers), _TEXTS),
    Target("identifiers of a work", _statements, _TEXTS),
    Target("licenses, similarity", _text(_compared), (*_TEXTS, _PAGE)),
    Target("dates", _text(_dates), _DATES),
    Target("urls", _text(_addresses), (b"http://user@x.org:80/a%2Fb?c=d&e#f", b"https://[::1]:8080/", "http://é.org/é".encode())),
    Target("urls.base_url", _text(urls.base_url), (b"http://x.org/oai?verb=Identify&x=1",), (ValueError,)),
    Target("patches", lambda body: patches.unified(b"line\nold\n", body), (_PATCH,)),
    Target("archives", archives.names_in, (_zip(), _tar())),
    Target("archives.beginning", lambda body: archives.unpacked_beginning(body, 1000), (_gzip(_LISTS), _zip(), _tar())),
    Target("package", _packed, (_zip(), _tar())),
    Target("websub", _header("Link", websub.told_by), (b'<http://h.org>; rel="hub", <http://x.org>; rel="self"',)),
    Target("websub.words", _answer(websub.words_of), (b"no such topic",)),
    Target("list_state", _text(list_state.state_of), (b'{"token": "a", "from_": "2020-01-01", "received": 3}',)),
    Target("http.settled_date", _header("Last-Modified", settled_date), _DATES),
    Target("http.retry_after", _header("Retry-After", lambda fetched: retry_after(fetched, 0.0)), (*_DATES, b"120", b"1e3")),
    Target("gzip", lambda body: decoded(body, "gzip", "text/xml", 10_000_000), (_gzip(_LIST), _gzip(_gzip(_LIST)))),
    Target("deflate", lambda body: decoded(body, "deflate", "text/xml", 10_000_000), (zlib.compress(_LIST), _gzip(_LIST))),
    Target("mapping", _mapped, _PAYLOADS),
    Target("formats", _work, _PAYLOADS),
    Target("related", _beside, (_LISTED.encode(),)),
    Target("provenance", lambda body: read_provenance([body]), (_PROVENANCE.encode(), *_PAYLOADS)),
    Target("arguments", parse_arguments, (_ARGUMENTS,)),
    Target("request line", escaped, (b"GET /oai?" + _ARGUMENTS + b" HTTP/1.1\r\n", "GET /oai?x=é HTTP/1.1\r\n".encode())),
    Target("mirror.components", lambda body: files(components(body)), (_DIDL.encode(), _METS.encode())),
    Target("mirror.package", lambda body: list(dumped(io.BytesIO(body))), (_DUMP,)),
    Target("mirror.verifying", _judged, (_PAGE, b"%PDF-1.4", _zip(), b"<!-- a --><html>")),
    Target("mirror.inventory", inventory.read, (b'{"id": "a", "type": "https://ocfl.io/1.1/spec/#inventory", "head": "v1"}',)),
    Target("mirror.holding", holding.read, (b'{"identifier": "a", "files": []}',)),
)  # fmt: skip


def real_samples(folder: Path, most: int = 40, most_bytes: int = 100_000) -> Iterator[bytes]:
    """Return real answers of the reference data, where it lies beside the project."""
    found = sorted(each for each in folder.rglob("*.xml") if each.is_file() and each.stat().st_size <= most_bytes)
    for place in found[:: max(1, len(found) // most)]:
        yield place.read_bytes()
