"""What landing pages look like, as data: each row says where it was seen. Nothing here is interpreted.

Sources of the facts: the selectors and exclusion lists of Unpaywall, of Internet Archive's Sandcrawler and of
PubFetcher as their documentation and tests show them, and the recorded pages of the reference data.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gateway.model import Outcome

# Tags of the head that name the file, best first (Google Scholar's, Digital Commons', EPrints', Wolters Kluwer's).
PDF_TAGS = ("citation_pdf_url", "bepress_citation_pdf_url", "eprints.document_url", "wkhealth_pdf_url")
DOI_TAGS = (
    "citation_doi",
    "bepress_citation_doi",
    "prism.doi",
    "dc.identifier.doi",
    "dc.identifier",
    "eprints.id_number",
)
TITLE_TAGS = ("citation_title", "bepress_citation_title", "dc.title", "eprints.title", "og:title")
LICENSE_TAGS = ("dc.rights", "dcterms.license", "citation_license", "dcterms.rights", "eprints.rights")

# What these tags name and is no file of the work.
LYING_TAGS = (
    re.compile(r"^https?://[^/]*nature\.com/.*_reference\.pdf$"),  # the references alone, 2018
    re.compile(r"^https?://(?:dx\.)?doi\.org/"),
    re.compile(r"(?i)/(?:login|signin)\b"),
)


class Platform(NamedTuple):
    """One place on the pages of a system: what selects it, which attribute holds the address, where it was seen.

    `mark` stands in every page that has such a place: to look for a place costs more than to read the page.
    """

    name: str
    selector: str
    attribute: str
    mark: str
    seen: str = ""


PLATFORMS = (
    Platform("embedded", "embed[type='application/pdf']", "src", "application/pdf", "anywhere"),
    Platform("embedded", "object[type='application/pdf']", "data", "application/pdf", "anywhere"),
    Platform("framed", "iframe[src*='.pdf' i], frame[src*='.pdf' i]", "src", "frame", "anywhere"),
    Platform("pdf.js", "iframe[src*='viewer.html?file=']", "src", "viewer.html", "OJS 3 viewer"),
    Platform("alternate", "link[rel='alternate'][type='application/pdf']", "href", "application/pdf", "anywhere"),
    Platform("OJS 3", "a.obj_galley_link.pdf", "href", "obj_galley_link", "firstmonday.org"),
    Platform("OJS 2", "a#pdfDownloadLink", "href", "pdfDownloadLink", "OJS 2 interstitial pages"),
    Platform("OJS 2", "iframe[src*='viewPDFInterstitial']", "src", "viewPDFInterstitial", "OJS 2"),
    Platform("OJS 3", "header.header_view_pdf a.download", "href", "header_view_pdf", "OJS 3 viewer"),
    Platform("DSpace 7", "ds-file-download-link a[href*='/bitstreams/']", "href", "ds-file-download-link", "DSpace 7"),
    Platform("DSpace", "a[href*='/bitstream/'][href*='.pdf']", "href", "/bitstream/", "DSpace 1 to 6"),
    Platform("EPrints", "a.ep_document_link[href*='.pdf']", "href", "ep_document_link", "EPrints 3"),
    Platform("Digital Commons", "a#pdf[href*='viewcontent.cgi']", "href", "viewcontent.cgi", "bepress"),
    Platform(
        "Invenio", "#detailedrecordminipanelfile a[href*='.pdf']", "href", "detailedrecordminipanelfile", "cds.cern.ch"
    ),
    Platform("InvenioRDM", "link[rel='item'][type='application/pdf']", "href", "application/pdf", "zenodo.org"),
    Platform("Islandora", "a.islandora-pdf-link", "href", "islandora-pdf-link", "Islandora 7"),
    Platform("MyCoRe", ".mir-preview noscript a", "href", "mir-preview", "MyCoRe"),
    Platform("Pure", ".open-access a.document-link, a.document-link[href*='/files/']", "href", "document-link", "Pure"),
    Platform("HAL", ".widget-openaccess a[href]", "href", "widget-openaccess", "hal.science"),
    Platform("SAGE, Taylor & Francis", "a.show-pdf", "href", "show-pdf", "Atypon"),
    Platform("Plone", "a[href*='/at_download/']", "href", "/at_download/", "Plone"),
    Platform("PubMed Central", "li.pdf-link a[href*='/pdf/']", "href", "pdf-link", "ncbi.nlm.nih.gov/pmc"),
    Platform("arXiv", "a.download-pdf", "href", "download-pdf", "arxiv.org"),
    Platform("arXiv", "a[href^='/pdf/'][accesskey='f']", "href", "accesskey", "arxiv.org"),
)
ISSUE, ISSUE_MARK = "main li a[id^='article-']", "article-"  # more than one on a page of OJS: an issue of a journal

# Scripts that name the file: what holds the address in its first group, and where.
SCRIPTS = (
    (re.compile(r"\"pdfUrl\"\s*:\s*\"([^\"]+)\""), "Unpaywall's list"),
    (re.compile(r"\"exportPdfDownloadUrl\"\s*:\s*\"([^\"]+)\""), "OUP"),
    (re.compile(r"\"pdfPath\"\s*:\s*\"([^\"]+\.pdf)\""), "ieeexplore.ieee.org"),
    (re.compile(r"\"contentUrl\"\s*:\s*\"([^\"]+\.pdf[^\"]*)\""), "schema.org"),
    (re.compile(r"\"contentUrl\"\s*:\s*\"([^\"]+)\"[^{}]{0,300}?\"application/pdf\""), "schema.org"),
    (re.compile(r"\"application/pdf\"[^{}]{0,300}?\"contentUrl\"\s*:\s*\"([^\"]+)\""), "schema.org"),
)

# Addresses that deliver a viewer, and what delivers the file instead.
REWRITES = (
    (re.compile(r"(/doi/)(?:epdf|reader|full)/"), r"\1pdf/", "Atypon"),
    (re.compile(r"(onlinelibrary\.wiley\.com/doi/)pdf/"), r"\1pdfdirect/", "Wiley"),
    (re.compile(r"/article/view/(\d+/\d+)/?$"), r"/article/download/\1", "OJS: a galley's page and its file"),
)
VIEWER = re.compile(r"/viewer\.html\?file=([^&#]+)")  # pdf.js: what it is to show, percent-encoded

# Words in an address that make it another file than the work itself. Some are parts of other words and count only where
# one begins: discovery.ucl.ac.uk, figshare.com, scientometrics.
NOT_IN_ADDRESS = re.compile(
    r"(?i)suppl|supporting|appendi[xc]|figure|_fig\d|price|\.zip\b|\.bib\b|\.ris\b|bibtex|first-?page|preview"
    r"|flyer|author_?agreement|copyright|licen[cs]e_?agreement|order_?form|permission|subscri|purchase|getaccess"
    r"|crossmark|export|citation|/toc\b|table-?of-?contents|guidelines|instructions|slides|_ppt"
    r"|privacy|cookie|advert|media_?kit|checklist|reporting|masthead|editorial-?board|handbook"
    r"|manual\b|login|signin|mailto:|javascript:|facebook|twitter|linkedin|^#"
    r"|(?<![a-z])(?:cover|errat|metrics|poster|references\b|share|terms)"
)
# Words in the text of a link that do the same, where they begin a word: `Current platform: Paris` has three of them.
NOT_IN_TEXT = re.compile(
    r"(?i)(?<![^\W\d_])(?:suppl|appendi[xc]|figure|guide|checklist|licen[cs]e|agreement|statistic|citation|reference"
    r"|purchase|buy\b|rent|table of contents|terms|polic|form\b|poster|slides|presentation|cover|errat|corrigend"
    r"|high-res|image|bib|ris\b|endnote|powerpoint|previous|next article|subscri|issue\b|help|indexed|index[eé])"
)
SAYS_PDF = re.compile(
    r"(?i)\bpdf\b|\bt[eé]l[eé]charger\b|\bdownload\b|full[- ]?text|accepted (?:version|manuscript)|volltext"
)
# A link that says nothing else.
PLAIN = re.compile(r"(?i)\W*+(?:(?:view|download|get|open|full[- ]?text|article|the) ?)*+pdf(?:[^\w(]*+\(.*\)|\W*+)")
NAMES_PDF = re.compile(
    r"(?i)\.pdf(?:$|[?#;])|/pdf(?:$|[/?#])|/e?pdf(?:direct)?/|download/pdf|type=printable|format=pdf"
)

# Parts of a page that tell of other works.
ELSEWHERE = re.compile(
    r"(?i)\b(?:references?|ref-list|biblio(?:graphy)?|literature-?cited|citations?-list|suppl\w*|related\w*|recommend\w*"
    r"|similar\w*|most-?read|footnotes?|citedby|cited-?by|toc|table-of-contents|sidebar-articles|trending|footer)\b"
)

_TITLES_OF_CAPTCHAS = (
    r"just a moment|attention required|shieldsquare captcha|are you a robot|verify you are human|access denied"
    r"|security check|ddos-guard|robot check|client challenge"
)
_LOGIN = r"\?SAMLRequest=|/password-login|/login\?source=|login\?TARGET=|/idp/|shibboleth"


class Obstacle(NamedTuple):
    """What tells that a page is none of a work: in its address or title, and what it means."""

    part: str
    pattern: re.Pattern[str]
    outcome: Outcome


def _told(part: str, pattern: str, outcome: Outcome) -> Obstacle:
    return Obstacle(part, re.compile(f"(?i){pattern}"), outcome)


OBSTACLES = (
    _told("url", r"cookieAbsent|cookieSet=1|cookies_not_supported", Outcome.BLOCKED_COOKIE),
    _told("url", r"/captcha/|validate\.perfdrive|_Incapsula_", Outcome.BLOCKED_CAPTCHA),
    _told("url", _LOGIN, Outcome.BLOCKED_WALL),
    _told("title", rf"^(?:{_TITLES_OF_CAPTCHAS})", Outcome.BLOCKED_CAPTCHA),
    _told("title", r"^(?:sign in|log ?in|login required|institutional login|authentication)", Outcome.BLOCKED_WALL),
    _told("title", r"cookies? (?:are )?(?:required|disabled|not (?:enabled|supported))", Outcome.BLOCKED_COOKIE),
)
