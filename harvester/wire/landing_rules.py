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
    re.compile(r"nature\.com/.*_reference\.pdf$"),  # the references alone, 2018
    re.compile(r"^https?://(?:dx\.)?doi\.org/"),
    re.compile(r"(?i)/(?:login|signin)\b"),
)


class Platform(NamedTuple):
    """One place on the pages of a system: what selects it, which attribute holds the address, where it was seen."""

    name: str
    selector: str
    attribute: str = "href"
    seen: str = ""


PLATFORMS = (
    Platform("embedded", "embed[type='application/pdf']", "src", "anywhere"),
    Platform("embedded", "object[type='application/pdf']", "data", "anywhere"),
    Platform("alternate", "link[rel='alternate'][type='application/pdf']", "href", "anywhere"),
    Platform("OJS 3", "a.obj_galley_link.pdf", "href", "firstmonday.org"),
    Platform("OJS 2", "a#pdfDownloadLink", "href", "OJS 2 interstitial pages"),
    Platform("OJS 2", "iframe[src*='viewPDFInterstitial']", "src", "OJS 2"),
    Platform("OJS 3", "header.header_view_pdf a.download", "href", "OJS 3 viewer"),
    Platform("DSpace 7", "ds-file-download-link a[href*='/bitstreams/']", "href", "DSpace 7"),
    Platform("DSpace", "a[href*='/bitstream/'][href*='.pdf']", "href", "DSpace 1 to 6"),
    Platform("EPrints", "a.ep_document_link[href*='.pdf']", "href", "EPrints 3"),
    Platform("Digital Commons", "a#pdf[href*='viewcontent.cgi']", "href", "bepress"),
    Platform("Invenio", "#detailedrecordminipanelfile a[href*='.pdf']", "href", "CERN Document Server"),
    Platform("InvenioRDM", "link[rel='item'][type='application/pdf']", "href", "zenodo.org"),
    Platform("Islandora", "a.islandora-pdf-link", "href", "Islandora 7"),
    Platform("MyCoRe", ".mir-preview noscript a", "href", "MyCoRe"),
    Platform("Pure", ".open-access a.document-link, a.document-link[href*='/files/']", "href", "Elsevier Pure"),
    Platform("HAL", ".widget-openaccess a[href]", "href", "hal.science"),
    Platform("SAGE, Taylor & Francis", "a.show-pdf", "href", "Atypon"),
    Platform("Plone", "a[href*='/at_download/']", "href", "Plone"),
    Platform("PubMed Central", "li.pdf-link a[href*='/pdf/']", "href", "ncbi.nlm.nih.gov/pmc"),
    Platform("arXiv", "a.download-pdf, a[href^='/pdf/'][accesskey='f']", "href", "arxiv.org"),
)

# Scripts that name the file: what holds the address in its first group, and where.
SCRIPTS = (
    (re.compile(r"\"pdfUrl\"\s*:\s*\"([^\"]+)\""), "Unpaywall's list"),
    (re.compile(r"\"exportPdfDownloadUrl\"\s*:\s*\"([^\"]+)\""), "OUP"),
    (re.compile(r"\"pdfPath\"\s*:\s*\"([^\"]+\.pdf)\""), "ieeexplore.ieee.org"),
    (re.compile(r"\"contentUrl\"\s*:\s*\"([^\"]+\.pdf[^\"]*)\""), "schema.org"),
)

# Addresses that deliver a viewer, and what delivers the file instead.
REWRITES = (
    (re.compile(r"(/doi/)(?:epdf|reader|full)/"), r"\1pdf/", "Atypon"),
    (re.compile(r"(onlinelibrary\.wiley\.com/doi/)pdf/"), r"\1pdfdirect/", "Wiley"),
    (re.compile(r"/article/view/(\d+/\d+)/?$"), r"/article/download/\1", "OJS: a galley's page and its file"),
)

# Words in an address that make it another file than the work itself.
NOT_IN_ADDRESS = re.compile(
    r"(?i)suppl|supporting|appendi[xc]|figure|_fig\d|price|\.zip\b|\.bib\b|\.ris\b|bibtex|first-?page|preview|terms"
    r"|flyer|author_?agreement|copyright|licen[cs]e_?agreement|order_?form|permission|subscri|purchase|getaccess"
    r"|crossmark|export|citation|references\b|/toc\b|table-?of-?contents|guidelines|instructions|poster|slides|_ppt"
    r"|cover|errat|privacy|cookie|advert|media_?kit|checklist|reporting|metrics|masthead|editorial-?board|handbook"
    r"|manual\b|login|signin|share|mailto:|javascript:|facebook|twitter|linkedin|^#"
)
# Words in the text of a link that do the same.
NOT_IN_TEXT = re.compile(
    r"(?i)suppl|appendi[xc]|figure|guide|checklist|licen[cs]e|agreement|statistic|citation|reference|purchase|buy\b|rent"
    r"|table of contents|terms|polic|form\b|poster|slides|presentation|cover|errat|corrigend|high-res|image|bib|ris\b"
    r"|endnote|powerpoint|previous|next article|subscri|issue\b|help|indexed|index[eé]"
)
SAYS_PDF = re.compile(
    r"(?i)\bpdf\b|\bt[eé]l[eé]charger\b|\bdownload\b|full[- ]?text|accepted (?:version|manuscript)|volltext"
)
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
