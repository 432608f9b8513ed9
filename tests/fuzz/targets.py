# ruff: noqa: E501 - tables have long lines
"""Every parser of foreign bytes, with samples to begin from; a test checks that none of `FOREIGN` is missing.

A target takes bytes. It may raise errors of ours, and what its own docstring promises besides.
"""

import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gateway.core import bibliography, typed_links, xmlio
from gateway.core.address_rules import Allowed
from gateway.core.addresses import address, any_uri, is_address, uri_of
from gateway.core.bibliography import identifiers as spellings
from gateway.core.errors import UnusableRecord
from gateway.core.model import Outcome, Statement, Work
from gateway.core.typed_links import spdx_uri
from gateway.core.xmltext import is_legal
from gateway.formats import reader_of
from gateway.fulltext import licenses
from gateway.hub import routes as hub_forms
from gateway.hub import topics
from gateway.hub.topics import Topics
from gateway.oaipmh.arguments import parse as parse_arguments
from gateway.publish import resourcesync_abouts
from gateway.publish.mapping import SourceFacts, Task, prepare
from gateway.publish.payloads import Given
from gateway.publish.provenance import datestamp_of
from gateway.publish.provenance import read as read_provenance
from gateway.resourcesync.addresses import ResourceSet
from gateway.server.request import escaped
from harvester.audit import crossref as crossref_works
from harvester.commands.common_words import spelled
from harvester.fulltext import access_rights as access
from harvester.fulltext import identifiers, page_ranges, retractions, rights_words
from harvester.fulltext.check_copy import first_page_of
from harvester.fulltext.known_copies import Description
from harvester.fulltext.match_work import match_work, sought
from harvester.fulltext.pages import article_xml, landing_page
from harvester.fulltext.pdf.evidence import signs
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.file_claims import claims_of
from harvester.fulltext.pdf.file_type import mime_type
from harvester.fulltext.pdf.judge import expected, judge
from harvester.fulltext.pdf.work_names import Named
from harvester.fulltext.steps import (
    arxiv,
    base_search,
    core,
    crossref,
    datacite,
    doaj,
    dspace,
    europe_pmc,
    fatcat,
    hal,
    inveniordm,
    openalex,
    openrxiv,
    osf,
    publisher_policy,
    semantic_scholar,
    signposting,
    unpaywall,
)
from harvester.http import archives, dates, json_answers, urls
from harvester.http import robots_txt as robots
from harvester.http.content_encoding import decoded
from harvester.http.messages import Fetched, Request, settled_date
from harvester.http.retrying import retry_after
from harvester.mirror import inventory
from harvester.mirror import object_state as holding
from harvester.mirror.component import Component
from harvester.mirror.doubt_rules import doubt
from harvester.mirror.file_facts import FileFacts
from harvester.mirror.package import dumped
from harvester.mirror.read_components import components, files
from harvester.mirror.verify import Bytes, verdict
from harvester.runtime.durable_files import AnonymousFile
from harvester.schedule.subscriptions import words_of
from harvester.sources import topic_and_hub
from harvester.sources.files import records as wire_files
from harvester.sources.oai_pmh import answers as oai_pmh
from harvester.sources.oai_pmh import description as friends
from harvester.sources.oai_pmh import description as identity
from harvester.sources.oai_pmh import list_state
from harvester.sources.resourcesync import documents as resourcesync
from harvester.sources.resourcesync import entries, fixity, leads, package
from harvester.sources.solr import select as solr
from harvester.sources.static_repository import document as static_repository
from harvester.validate.check import Evidence
from harvester.validate.resourcesync import documents as strict
from harvester.validate.resourcesync.downloads import Download, Downloads, Limits
from harvester.validate.resourcesync.memory import Memory, read_inventory
from harvester.validate.resourcesync.model import Document as StrictDocument
from harvester.validate.resourcesync.model import Judged, Listed
from harvester.validate.resourcesync.observed import Observed
from harvester.validate.resourcesync.packages import PackageRules
from harvester.validate.signposting import declared
from harvester.validate.signposting.visits import Visit
from harvester.xml import decoding, namespaces, parsing, recovery, repair
from harvester.xml import recovery as losses
from tests.fuzz import samples
from tests.fuzz.answers import PAGES, SERVICES

# Where foreign bytes are read: each module there is in the name of a target, or in PARTS.
FOREIGN = """
gateway/fulltext/licenses gateway/fulltext/policies harvester/fulltext/steps/* harvester/xml/*
harvester/fulltext/pages/* harvester/audit/crossref harvester/fulltext/access_rights harvester/fulltext/identifiers
harvester/fulltext/known_copies harvester/fulltext/page_ranges harvester/fulltext/pdf/file_claims
harvester/fulltext/retractions harvester/fulltext/rights_words harvester/http/archives harvester/http/dates
harvester/http/json_answers harvester/http/messages harvester/http/robots_txt harvester/http/urls
harvester/sources/files/records harvester/sources/oai_pmh/answers harvester/sources/oai_pmh/date_ranges
harvester/sources/oai_pmh/description harvester/sources/oai_pmh/list_state
harvester/sources/resourcesync/bounded_parser harvester/sources/resourcesync/documents
harvester/sources/resourcesync/entries harvester/sources/resourcesync/fixity harvester/sources/resourcesync/leads
harvester/sources/resourcesync/package harvester/sources/seen harvester/sources/solr/select
harvester/sources/static_repository/document harvester/validate/resourcesync/documents
harvester/validate/resourcesync/entries harvester/validate/resourcesync/memory
harvester/validate/resourcesync/packages harvester/validate/resourcesync/reading
harvester/validate/resourcesync/values harvester/validate/signposting/declared
"""
# Modules that parse nothing themselves, or only as a part of a target.
PARTS = frozenset((
    "_ask_service", "_fetch_once", "_match_work", "_pages", "_visit", "crossref_match", "document", "further_pages",
    "json_answers", "known_copies", "landing_links", "landing_rules", "landing_work", "oai_pmh.date_ranges",
    "open_pages", "openalex_match", "own_links", "page_claims", "page_descriptions", "page_files", "page_license",
    "page_tree", "policies", "recipes", "seen", "slices", "supplement_links",
))  # fmt: skip
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


def _declared(body: bytes) -> object:
    visit = Visit(Request(_BASE), Fetched(_BASE, 200, (("Link", body.decode("latin-1")),), body, 0))
    readers = (declared.of_header, declared.of_page, declared.of_text, declared.of_json)
    return [list(reader(visit)) for reader in readers], declared.charset_in(visit)


class _Shown:
    def evidence(self, finding: str = "") -> Evidence:
        return Evidence("", "", finding)


def _linted_package(body: bytes) -> object:
    judged, request = Judged(), Request(_BASE)
    file = AnonymousFile("a package", len(body))
    file.put(body)
    download = Download(request, Fetched(_BASE, 200, (), b"", 0), None, file)
    downloads = Downloads(lambda _: Fetched(_BASE, 404, (), b"", 0), Limits())
    rules = PackageRules(downloads, judged, Memory(None), 2e9)
    rules.manifest(download)
    rules.judge(download, Listed(_BASE, {}), None)
    download.close()
    return list(judged.results())


def _inventory(body: bytes) -> object:
    with TemporaryDirectory() as folder:
        file = Path(folder, "x")
        file.write_bytes(body)
        inventory = read_inventory(file)
        return inventory and [inventory.value(key) for key in (0, *inventory.keys())]


def _strict(body: bytes) -> object:
    judged = Judged()
    document = StrictDocument((_BASE,), _Shown())
    strict.judge(document, lambda: iter((body,)), judged, Observed(10, is_compared=True), 2e9)
    return list(judged.results())


# --- what is done with them ---------------------------------------------------------------------------------------


def _mapped(body: bytes) -> object:
    given = Given(
        "x", "x", body, (), "2020-01-01", (), False, (samples.LISTED.encode(), samples.PROVENANCE.encode()), 0, False
    )
    made = prepare(Task(SourceFacts("laro", "http://x.org/oai", "gateway.example.org"), "oai:x:1", (given,)))
    for _, reason in made.problems:
        raise UnusableRecord(reason)
    return made


def _first_page_of_article(body: bytes) -> object:
    text = first_page_of(article_xml.text_of_article(body))
    assert is_legal(text)
    return text


def _beside(body: bytes) -> object:
    return (
        resourcesync_abouts.completed(Work(), [body]),
        resourcesync_abouts.republished([body], "urn:x"),
        resourcesync_abouts.profiles([body]),
    )


def _work(body: bytes) -> object:
    root = xmlio.parse(body)
    return reader_of(xmlio.name_of(root)[0]).read(root, body)


def _statements(body: bytes) -> object:
    text = body.decode("utf-8", "replace")
    statements = tuple(Statement(name, text, "") for name in ("identifier", "rights", "relation", "source"))
    return identifiers.identifiers_of(Work(statements=statements, upstream=text))


def _addresses(text: str) -> object:
    cached = (function.__wrapped__(text) for function in (address, any_uri, is_address))
    return *cached, uri_of(text), spdx_uri(text), urls.split(text), urls.host_of(text)


def _static(body: bytes) -> object:
    if not static_repository.is_static_repository(body):
        return None
    repository = static_repository.read(body)
    return [static_repository.cut(repository, list_, 0, len(list_.places)) for list_ in repository.lists]


def _entries(body: bytes) -> object:
    document = resourcesync.read(body, _BASE)
    rewritten = [(entries.entry_of(entries.entry_text(entry)), entries.entry_xml(entry)) for entry in document]
    return rewritten, document.head, document.notes, document.is_of_lists


def _packed(body: bytes) -> object:
    archive = package.Package(io.BytesIO(body), 1_000_000)
    return [archive.read(entry.path) for entry in archive.manifest() if entry.path]


def _identity(body: bytes) -> object:
    return identity.identity_of(oai_pmh.parse_identify(body))


def _robots(body: bytes) -> object:
    return robots.rules_of("http://x.org/robots.txt", 200, body).delay("http://x.org/a/b?c#d")


def _judged(body: bytes) -> object:
    first = body[:1100]
    component = Component(mime_type="application/pdf", size=3)
    judged = verdict(component, Bytes(len(body), {}, first, body[-1024:], "text/html"))
    return judged, mime_type(body), [doubt(FileFacts(body, statement, url="http://x.org/a")) for statement in _STATED]


_STATED = ("", "text/plain", "text/html", "application/xml", "application/json", "image/png")


def _expat(body: bytes) -> object:
    try:
        return parsing.outline(body, 5), namespaces.mended(body)
    except parsing.Broken as error:
        return error


TITLE_PAGE = b"""J. Gardens 12 (2012)\r\nCoherence of quantum dots: a study\r\nA. Matthiesen1\r\ndoi:10.1/x.1
arXiv:1207.0001v2 [quant-ph] 5 Sep 2012\r\nAbstract\r\nWe went.\fReferences\r\n[1] PMC123456"""


def _signs(text: str) -> object:
    identifiers = (("doi", "10.1/x.1"), ("arxiv", "1207.0001"), ("pmcid", "PMC123456"), ("handle", text[:9]))
    known = Named(identifiers, ("Coherence of quantum dots", text[:60]), ("Matthiesen", text[:7]), ("2012",))
    return signs(text, known), signs(TITLE_PAGE.decode(), Named(identifiers, (text,), (text[-9:],)))


def _compared(text: str) -> object:
    return (
        spelled(text),
        licenses.license_of(text),
        licenses.license_uri(text),
    )


def _matched(text: str) -> object:
    """Compare a record with a description of which each field is foreign."""
    lines = [*text.splitlines(), ""]
    stated = [
        Statement(("title", "creator", "date", "type", "source")[place % 5], line) for place, line in enumerate(lines)
    ]
    description = Description("10.1/a", lines[0], tuple(lines[1::5]), text, year=text[:9], other_titles=tuple(lines))
    return match_work(sought(Work(tuple(stated))), [description, description._replace(doi=text)], "x")


def _kinds(text: str) -> object:
    first, _, url = text.partition("\n")
    document = Extracted(Outcome.SUCCESS, 2, text, text[::-1], front=first)
    work = Work((Statement("title", text[:80]), Statement("type", first), Statement("source", text)))
    return judge(document, expected(work), url), page_ranges.number_of_pages(text)


def _dates(text: str) -> object:
    moment = dates.moment_of(text)
    return moment, dates.instant_of(text), dates.http_date(text), datestamp_of(text, 0)


def _claims(text: str) -> object:
    work = Work((Statement("rights", text), Statement("date", text[:20])))
    document = Extracted(Outcome.SUCCESS, 2, text, text[::-1], front=text[: len(text) // 2])
    stated = retractions.statement_in(text), retractions.label_before(text), rights_words.doubt_about(text, 9, 12)
    titled = retractions.by_title(text, "x")
    return access.open_from_record(work), access.access_of([text]), claims_of(document, [text[:9]]), stated, titled


def _identifiers(text: str) -> object:
    return (
        bibliography.dublin_core.read([Statement(element, text) for element in ("title", "creator", "date", "source")]),
        spellings.identifier_of(text), list(spellings.own_identifiers([text, text[:50]])), spellings.pmcids_in(text),
        spellings.issns_in(text), fixity.digests_of(text), repair.legal_references(text),
    )  # fmt: skip


_TEXTS = (
    samples.CITATION.encode(),
    b"https://doi.org/10.1002/(SICI)1097-4571(199806)49:8%3C693::AID-ASI4%3E3.0.CO;2-O",
)
_FRONTS = (
    b"Erratum to: On peat\nhttp://x.org/mmc1.pdf\nReviewer 1\nContents\nA .... 1\npp. 12-34",
    b"Annals 12(3), 45-58\nAbstract\nReceived 1 May 2018 Accepted 2 May 2018\n1\n2\n3\nReferences",
)
_RIGHTS = (
    b"RETRACTED: Meadows\nThis article has been retracted.\nNot for redistribution. All rights reserved.",
    b"This article is licensed under CC BY 4.0, if the authors pay. Creative Commons Attribution-NonCommercial\nCC0",
)
_DATES = (b"2020-01-02T03:04:05.678+01:00", b"2020-01-02", b"Mon, 06 Jul 2020 00:00:00 GMT", b"2020-1-2 3:04")
_ALLOWED = Allowed(("10.0.0.0/8", "a.org", "[::1]:80"))
_HUB_FORM = (
    b"hub.mode=unsubscribe&hub.callback=https%3A%2F%2Fa.org%2F&hub.topic=https%3A%2F%2Fx.org%2F&hub.secret=%C3%A9"
)
_HUB_TOPICS = Topics("https://x.org", "https://x.org/oai", (ResourceSet("oai_dc"),))
_CHANGE_LIST = b"https://x.org/resourcesync/oai_dc/source/changelist-open.xml"
_CALLBACKS = (
    b"https://a.org:8080/a?b=%C3%A9",
    b"http://[::ffff:127.0.0.1]:80/",
    b"http://0x7f.1/",
    b"https://u:p@a.local./#f",
)
_ARGUMENTS = b"verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01&until=2021-01-01&set=a:b&x=%C3%A9"
_OAI_SAMPLES = (
    samples.LIST, samples.IDENTIFY, samples.FORMATS, samples.SETS, samples.FIRST,
    samples.LIST.decode().encode("utf-16"), samples.LIST.replace(b"&amp;", b"&"),
)  # fmt: skip

TARGETS = (
    Target("oai_pmh.answers.parse_list", oai_pmh.parse_list, _OAI_SAMPLES),
    Target("oai_pmh.answers.parse_identify", oai_pmh.parse_identify, _OAI_SAMPLES),
    Target("oai_pmh.answers.parse_formats", oai_pmh.parse_formats, _OAI_SAMPLES),
    Target("oai_pmh.answers.parse_sets", oai_pmh.parse_sets, _OAI_SAMPLES),
    Target("recovery", _text(lambda text: recovery.recovered(text, "")), (samples.LIST,)),
    Target("repair", _text(repair.cleaned), (samples.LIST, samples.PAGE)),
    Target("decoding", decoding.decode, _OAI_SAMPLES),
    Target("entities", _text(repair.resolved), (samples.ENTITIES, samples.LIST)),
    Target("oai_pmh.description.identity", _identity, (samples.IDENTIFY.replace(b"<a xmlns='urn:a'/>", samples.OAI_IDENTIFIER), samples.IDENTIFY)),
    Target("files.metha", lambda body: wire_files.cut_document(body, "1", 0), (samples.METHA,)),
    Target("losses", _text(lambda text: losses.missing(text, text[: len(text) // 2])), (samples.LIST, samples.PAGE)),
    Target("parsing, namespaces", _expat, (samples.LIST, samples.STATIC)),
    Target("solr.select", solr.parse, (samples.SOLR, samples.SOLR_JSON)),
    Target("solr.select.select_url", _text(solr.select_url), (b"http://x.org/solr/core/select?q=*:*&wt=json",), (ValueError,)),
    Target("resourcesync.documents, resourcesync.entries", _entries, (samples.LISTS, samples.gzipped(samples.LISTS), samples.LISTS.replace(b"urlset", b"sitemapindex"))),
    Target("documents, entries, reading, values, resourcesync.bounded_parser", _strict, (samples.LISTS, samples.gzipped(samples.LISTS), samples.LISTS.replace(b"urlset", b"sitemapindex"))),
    Target("packages", _linted_package, (samples.a_zip(), samples.a_tar())),
    Target("memory", _inventory, (b"resource list 1\n" + bytes(range(160)),)),
    Target("static_repository.document", _static, (samples.STATIC,)),
    Target("files.records.records.cut_document", lambda body: wire_files.cut_document(body, "1", 0), (*_OAI_SAMPLES, *samples.PAYLOADS)),
    Target("files.records.records_in", wire_files.records_in, (*_OAI_SAMPLES, *samples.PAYLOADS)),
    Target("files.records.records.cut_dump", lambda body: wire_files.cut_dump(body, "x", is_last=True), (samples.DUMP,)),
    Target("files.records.records.cut_lines", lambda body: wire_files.cut_lines(body, is_last=True), (samples.LINES,)),
    Target("article_xml", article_xml.is_article_xml, (samples.LIST, samples.PAGE, samples.JATS, samples.JATS.decode().encode("utf-16"))),
    Target("article_text", _first_page_of_article, (samples.LIST, samples.PAGE, samples.JATS, samples.JATS.decode().encode("utf-16"))),
    Target("landing_page", lambda body: landing_page.read.__wrapped__(body, _BASE, "text/html"), (samples.PAGE,)),
    Target("resourcesync.leads.page", lambda body: leads.leads_of_page(body, _BASE), (samples.PAGE,)),
    Target("resourcesync.leads.robots", lambda body: leads.leads_of_robots(body, _BASE), (samples.ROBOTS,)),
    Target("resourcesync.leads.headers", lambda body: leads.leads_of_headers((("Link", body.decode("latin-1")),), _BASE), (samples.LINK,)),
    Target("links.header", _header("Link", signposting.of_answer), (samples.LINK,)),
    Target("links.text", _text(lambda text: list(typed_links.links_of_text(text, _BASE))), (samples.LINK,)),
    Target("links.json", lambda body: json_answers.linkset(body, _BASE), (samples.WORK_JSON,)),
    Target("typed_links", _text(lambda text: list(typed_links.written(text))), (samples.LINK,)),
    Target("declared", _declared, (samples.PAGE, samples.WORK_JSON, samples.LINK)),
    Target("signposting", _answer(lambda fetched: signposting.of_linkset(fetched, _BASE)), (samples.WORK_JSON, samples.LINK)),
    Target("robots_txt", _robots, (samples.ROBOTS,)),
    Target("arxiv", _answer(arxiv.read_list), (samples.ATOM,)),
    Target("crossref", _answer(crossref.read), (samples.WORK_JSON,)),
    Target("crossref.list", _answer(crossref.read_list), (samples.WORK_JSON,)),
    Target("crossref.works", _answer(crossref_works.read_works), (samples.WORK_JSON,)),
    Target("crossref.names", _answer(lambda answer: crossref_works.read_names(answer, "ISSN")), (samples.WORK_JSON,)),
    Target("crossref.agency", _answer(crossref_works.read_agency), (b'[{"DOI": "10.1/a", "RA": "Crossref"}]',)),
    Target("datacite", _answer(datacite.read), (samples.WORK_JSON,)),
    Target("datacite.list", _answer(datacite.read_list), (samples.WORK_JSON,)),
    Target("openalex", _answer(openalex.read), (samples.WORK_JSON,)),
    Target("openalex.list", _answer(openalex.read_list), (samples.WORK_JSON,)),
    Target("semantic_scholar", _answer(semantic_scholar.read), (samples.WORK_JSON,)),
    Target("semantic_scholar.list", _answer(semantic_scholar.read_list), (samples.WORK_JSON,)),
    Target("unpaywall", _answer(unpaywall.read), (samples.WORK_JSON,)),
    Target("europe_pmc", _answer(lambda fetched: europe_pmc.read(fetched, "10.1234/a")), SERVICES["europe_pmc"]),
    Target("hal", _answer(lambda fetched: hal.read(fetched, "10.1234/a")), SERVICES["hal"]),
    Target("doaj", _answer(lambda fetched: doaj.read(fetched, "10.1234/a")), SERVICES["doaj"]),
    Target("core", _answer(lambda fetched: core.read(fetched, "10.1234/a")), SERVICES["core"]),
    Target("base_search", _answer(lambda fetched: base_search.read(fetched, "10.1234/a")), SERVICES["base"]),
    Target("fatcat", _answer(lambda fetched: fatcat.read(fetched, "10.1234/a")), SERVICES["fatcat"]),
    Target("inveniordm", _answer(lambda fetched: inveniordm.read(fetched, "https://x.org")), SERVICES["inveniordm"]),
    Target("dspace", _answer(lambda fetched: dspace.read(fetched, dspace.Place("https://x.org", "x"))), SERVICES["dspace"]),
    Target("dspace.search", _answer(lambda fetched: dspace.read(fetched, dspace.Place("https://x.org", handle="1/2"))), SERVICES["dspace"]),
    Target("repositories", _text(lambda text: (inveniordm.place_of(text), dspace.place_of(text), osf.preprint_of(text))), PAGES),
    Target("openrxiv", _answer(lambda fetched: openrxiv.read(fetched, "10.1101/123456")), SERVICES["openrxiv"]),
    Target("osf", _answer(osf.read), SERVICES["osf"]),
    Target("publisher_policy", _answer(publisher_policy.read), (samples.WORK_JSON,)),
    Target("oai_pmh.description.friends", friends.parse, (samples.FRIENDS, samples.FRIENDS_2, samples.IDENTIFY)),
    Target("identifiers, resourcesync.fixity", _text(_identifiers), _TEXTS),
    Target("identifiers of a work", _statements, _TEXTS),
    Target("licenses, common_words", _text(_compared), (*_TEXTS, samples.PAGE)),
    Target("match", _text(_matched), (b"A title of a work: a part\nM\xc3\xbcller, K.\n2012\narticle\nA journal", *_TEXTS)),
    Target("pdf.rules, versions, page_ranges", _text(_kinds), (*_TEXTS, *_FRONTS)),
    Target("access_rights, retractions, rights_words, prohibitions, file_claims", _text(_claims), (samples.EMBARGO, *_RIGHTS)),
    Target("evidence", _text(_signs), (*_TEXTS, samples.PAGE, TITLE_PAGE)),
    Target("dates", _text(_dates), _DATES),
    Target("urls", _text(_addresses), (b"http://user@x.org:80/a%2Fb?c=d&e#f", b"https://[::1]:8080/", "http://é.org/é".encode())),
    Target("urls.base_url", _text(urls.base_url), (b"http://x.org/oai?verb=Identify&x=1",), (ValueError,)),
    Target("archives", archives.names_in, (samples.a_zip(), samples.a_tar())),
    Target("archives.beginning", lambda body: archives.unpacked_beginning(body, 1000), (samples.gzipped(samples.LISTS), samples.a_zip(), samples.a_tar())),
    Target("resourcesync.package", _packed, (samples.a_zip(), samples.a_tar())),
    Target("websub", _header("Link", topic_and_hub), (b'<http://h.org>; rel="hub", <http://x.org>; rel="self"',)),
    Target("websub.words", _answer(words_of), (b"no such topic",)),
    Target("oai_pmh.list_state", _text(list_state.state_of), (b'{"token": "a", "from_": "2020-01-01", "received": 3}',)),
    Target("messages.settled_date", _header("Last-Modified", settled_date), _DATES),
    Target("retrying.retry_after", _header("Retry-After", lambda fetched: retry_after(fetched, 0.0)), (*_DATES, b"120", b"1e3")),
    Target("gzip", lambda body: decoded(body, "gzip", "text/xml", 10_000_000), (samples.gzipped(samples.LIST), samples.gzipped(samples.gzipped(samples.LIST)))),
    Target("deflate", lambda body: decoded(body, "deflate", "text/xml", 10_000_000), (zlib.compress(samples.LIST), samples.gzipped(samples.LIST))),
    Target("mapping", _mapped, samples.PAYLOADS),
    Target("formats", _work, samples.PAYLOADS),
    Target("related", _beside, (samples.LISTED.encode(),)),
    Target("provenance", lambda body: read_provenance([body]), (samples.PROVENANCE.encode(), *samples.PAYLOADS)),
    Target("arguments", parse_arguments, (_ARGUMENTS,)),
    Target("hub.forms", lambda body: hub_forms.read(body, 864_000), (_HUB_FORM, b"hub.mode=subscribe&hub.lease_seconds=9")),
    Target("hub.callbacks", _text(lambda text: topics.refusal(text, ("https://x.org/oai",), _ALLOWED)), _CALLBACKS),
    Target("hub.callbacks.network_of", _text(topics.network_of), (b"192.0.2.1", b"2001:db8::1%eth0", b"::ffff:192.0.2.1")),
    Target("hub.topics", _text(_HUB_TOPICS.named), (b"https://x.org/oai?verb=ListRecords&metadataPrefix=oai_dc&set=a", _CHANGE_LIST)),
    Target("request line", escaped, (b"GET /oai?" + _ARGUMENTS + b" HTTP/1.1\r\n", "GET /oai?x=é HTTP/1.1\r\n".encode())),
    Target("mirror.read_components", lambda body: files(components(body)), (samples.DIDL.encode(), samples.METS.encode())),
    Target("mirror.package", lambda body: list(dumped(io.BytesIO(body))), (samples.DUMP,)),
    Target("mirror.verify", _judged, (samples.PAGE, b"%PDF-1.4", samples.a_zip(), b"<!-- a --><html>")),
    Target("mirror.inventory", inventory.read, (b'{"id": "a", "type": "https://ocfl.io/1.1/spec/#inventory", "head": "v1"}',)),
    Target("mirror.object_state", holding.read, (b'{"identifier": "a", "files": []}',)),
)  # fmt: skip


def real_samples(folder: Path, most: int = 40, most_bytes: int = 100_000) -> Iterator[bytes]:
    """Return real answers of the reference data, where it lies beside the project."""
    places = sorted(path for path in folder.rglob("*.xml") if path.is_file() and path.stat().st_size <= most_bytes)
    for place in places[:: max(1, len(places) // most)]:
        yield place.read_bytes()
