"""Tables of facts about landing pages. Each row says where it was seen. Other modules use them.

The facts come from the documentation and tests of Unpaywall, Internet Archive's Sandcrawler and PubFetcher (selectors
and exclusion lists). Others come from the recorded pages of the reference data.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gateway.core.model import Outcome
from gateway.core.words import table
from harvester.words import any_of, load

_WORDS = {name: any_of(words) for name, words in load("links").items() if name != "titles"}
_TITLES = {name: any_of(words) for name, words in load("links")["titles"].items()}

# Tags of the head that name the file, best first (Google Scholar's, Digital Commons', EPrints', Wolters Kluwer's).
PDF_TAGS = ("citation_pdf_url", "bepress_citation_pdf_url", "eprints.document_url", "wkhealth_pdf_url")
# Tags of the head that name the full text in another form, and what that is (Google Scholar's, PubMed Central's).
FULL_TEXT_TAGS = (
    ("citation_xml_url", "application/xml"),
    ("citation_full_xml_url", "application/xml"),
    ("citation_fulltext_html_url", "text/html"),
    ("citation_full_html_url", "text/html"),
)
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

# The field of a page without links whose value is where a browser would be led to, percent-encoded (Elsevier's hub).
REDIRECT_FIELD, REDIRECT_MARK = "input#redirectURL", "redirectURL"

# Values of these tags that are not files of the work.
LYING_TAGS = (
    re.compile(r"^https?://[^/]*nature\.com/.*_reference\.pdf$"),  # the references alone, 2018
    re.compile(r"^https?://(?:dx\.)?doi\.org/"),
    re.compile(r"(?i)/(?:login|signin)\b"),
)


class Platform(NamedTuple):
    """One place on the pages of a system: what selects it, which attribute holds the address, where it was seen.

    `mark` is in every page with such a place; a search for the place itself would take much longer.
    """

    name: str
    selector: str
    attribute: str
    mark: str
    seen: str = ""


PLATFORMS = tuple(Platform(*row) for row in table(__file__, "platforms")["platforms"])
ISSUE, ISSUE_MARK = "main li a[id^='article-']", "article-"  # more than one on a page of OJS: an issue of a journal

ISSUE_ADDRESS = re.compile(r"/issue/(?:view|current|archive)\b")

# Scripts that name the file: a pattern whose first group is the address, and the system. Here and in `SAYS_PDF` letters
# come first, and the test of what precedes them follows. Python looks for letters many times as fast as it tries a
# rule.
SCRIPTS = (
    (re.compile(r"pdfUrl(?<!\wpdfUrl)\s{0,5}=\s{0,5}[\"']([^\"']{1,2000})[\"']"), "OJS 3 viewer"),
    (re.compile(r"\"exportPdfDownloadUrl\"\s*:\s*\"([^\"]+)\""), "OUP"),
    (re.compile(r"\"pdfPath\"\s*:\s*\"([^\"]+\.pdf)\""), "ieeexplore.ieee.org"),
    (re.compile(r"\"pdfUrl\"\s*:\s*\"([^\"]+)\""), "Unpaywall's list"),
    (re.compile(r"\"contentUrl\"\s*:\s*\"([^\"]+\.pdf[^\"]*)\""), "schema.org"),
    (re.compile(r"\"contentUrl\"\s*:\s*\"([^\"]+)\"[^{}]{0,300}?\"application/pdf\""), "schema.org"),
    (re.compile(r"\"application/pdf\"[^{}]{0,300}?\"contentUrl\"\s*:\s*\"([^\"]+)\""), "schema.org"),
)

# ScienceDirect has an article's address in pieces: the beginning of their JSON.
PDF_DOWNLOAD = re.compile(r"\"pdfDownload\"\s{0,5}:\s{0,5}(\{)")
QUOTED_PDF_DOWNLOAD = '\\"pdfDownload\\"'
FRAMES = re.compile(r"/stamp\.jsp\b")  # IEEE: a page whose frame has the file

# Addresses that deliver a viewer, and what delivers the file instead.
REWRITES = (
    (re.compile(r"(/doi/)(?:epdf|reader|full)/"), r"\1pdf/", "Atypon"),
    (re.compile(r"(onlinelibrary\.wiley\.com/doi/)pdf/"), r"\1pdfdirect/", "Wiley"),
    (
        re.compile(r"/article/view(?!/[^/?#]+/version/\d+/?$)((?:/[^/?#]+){1,3}/(?:\d+|pdf[\w.-]{0,40}))/?$"),
        r"/article/download\1",
        "OJS: a galley's page and its file",
    ),
    (re.compile(r"/article/viewPDFInterstitial/"), "/article/download/", "OJS 2"),
    (re.compile(r"\.pdf\+html\b"), ".pdf", "HighWire"),
)
# pdf.js: what it is to show, percent-encoded.
VIEWER = re.compile(r"/(?:viewer|pdfjs|index|pdf\.js)[^/?#]{0,60}\?(?:[^#&]{0,200}&){0,3}file=([^&#]+)")

# Suffixes after the common address of all forms of an article.
FORMS = re.compile(r"(?i)/(?:_article(?:/-char/\w\w)?|abstract|full(?:text)?|html?|index\.x?html?)/?$|\.x?html?$")
BEHIND_DOI = re.compile(r"(?i)(?:\.(?:full|short|abstract|long|pdf|html?)){1,2}$")
# Numbers and names of one article as parts of an address, except years.
NUMBERS = re.compile(r"(?<=[/=:])(?!(?:19|20)\d\d(?:[/?&#.]|$))[A-Za-z]{0,12}\d[\w-]{3,40}(?=[/?&#.]|$)")

# Never the file of the work: a licence, a picture of its first page, supplements, reviews, a whole issue.
NEVER = re.compile(rf"(?i){_WORDS['never']}")
# Names of parts of a work, and of what accompanies it, in the name of a file or in the text of a link.
PART = re.compile(
    rf"(?i)^[\W\d_]*+(?:{_WORDS['part']})(?![^\W\d_])[\W\d_]*+(?:pdf\b|\?|$)"
    rf"|(?<![^\W\d_])(?:{_WORDS['appendix']})(?![^\W\d_])|{_WORDS['appendix_without_spaces']}"
)
# Names of the whole of it.
WHOLE = re.compile(rf"(?i)(?<![^\W\d_])(?:{_WORDS['whole']})(?![^\W\d_])")
# A link that says that it is the article itself.
THE_ARTICLE = re.compile(
    rf"(?i)^\W{{0,5}}(?:(?:{_WORDS['verbs']}|full|the)\W{{1,3}}){{0,3}}(?:{_WORDS['article']})\W{{1,3}}pdf\b"
)

# Words in an address that make it another file than the work itself.
NOT_IN_ADDRESS = re.compile(
    rf"(?i){_WORDS['not_in_address']}|(?<![a-z])(?:{_WORDS['not_at_beginning']})"
    rf"|/(?:{_WORDS['help']})(?:[\w-]{{0,20}}|/[\w-]{{1,40}})\.pdf"
)
# Words in the text of a link that do the same, where they begin a word.
NOT_IN_TEXT = re.compile(rf"(?i)(?<![^\W\d_])(?:{_WORDS['not_in_text']})")
SAYS_PDF = re.compile(rf"pdf(?<![a-z]pdf)(?![a-z])|{_WORDS['full_text']}")
# The text of a link that says only this.
PLAIN = re.compile(rf"(?i)\W*+(?>(?:(?:{_WORDS['verbs']}|full[- ]?text|article|the) ?)*)pdf(?:[^\w(]*+\(.*\)|\W*+)")
NAMES_PDF = re.compile(
    r"(?i)\.pdf(?:$|[?#;])|/_?pdf(?:$|[/?#])|/e?pdf(?:direct)?/|download/pdf|type=(?:printable|pdf)|format=pdf"
    r"|/article-?pdf/|/pdfft(?:$|[?#])|/getpdf\.jsp"
)
# Every address that `NAMES_PDF` finds, also after `REWRITES` and `VIEWER`, has one of these. Most links of a page have
# none. They need not be completed, which takes longer than all other rules.
MAY_NAME_PDF = re.compile(r"(?i)pdf|type=|doi|file=")
# Addresses that lead to a file, where the text of the link says that it is a PDF.
GALLEY = re.compile(
    r"/document/?(?:$|[?#])|/article/(?:download|viewFile)/|/viewcontent\.cgi\?|/bitstreams?/[^?#]{1,300}/download\b"
)
# Addresses that name another form than PDF, and no page.
OTHER_FORM = re.compile(
    r"(?i)\.(?:txt|zip|csv|tsv|xlsx?|docx?|pptx?|epub|mobi|xml|json|png|jpe?g|tiff?|gif|svg|mp[34]|gz|tar|rdf)(?:$|[?#])"
    r"|format=(?:zip|csv|json|xml|html|epub)\b"
)

# Parts of a page about other works; `related-files` of Hyrax are of the work itself.
ELSEWHERE = re.compile(
    r"(?i)\b(?:references?|ref-list|biblio(?:graphy)?|literature-?cited|citations?-list|suppl\w*|related(?!-files)\w*|recommend\w*"
    r"|similar\w*|most-?read|footnotes?|citedby|cited-?by|toc|table-of-contents|sidebar-articles|trending|footer)\b"
)
# Parts of a page that every page of a site has.
MENU = re.compile(
    r"(?i)(?<![\w-])(?:(?:site|main|top|global|primary)[-_]?)?(?:nav(?:bar|igation)?|menu|breadcrumbs?|banner)(?![\w-])"
)

_LOGIN = r"\?SAMLRequest=|/password-login|/login\?source=|login\?TARGET=|/idp/|shibboleth"


class Obstacle(NamedTuple):
    """A sign that a page is not about a work, in its address or title, and its outcome."""

    part: str
    pattern: re.Pattern[str]
    outcome: Outcome


def _obstacle(part: str, pattern: str, outcome: Outcome) -> Obstacle:
    return Obstacle(part, re.compile(f"(?i){pattern}"), outcome)


OBSTACLES = (
    _obstacle("url", r"cookieAbsent|cookieSet=1|cookies_not_supported", Outcome.BLOCKED_COOKIE),
    _obstacle("url", r"/captcha/|validate\.perfdrive|_Incapsula_", Outcome.BLOCKED_CAPTCHA),
    _obstacle("url", _LOGIN, Outcome.BLOCKED_WALL),
    _obstacle("title", rf"^(?:{_TITLES['captcha']})", Outcome.BLOCKED_CAPTCHA),
    _obstacle("title", rf"^(?:{_TITLES['login']})", Outcome.BLOCKED_WALL),
    _obstacle("title", rf"cookies? (?:are )?(?:{_TITLES['cookies']})", Outcome.BLOCKED_COOKIE),
)
