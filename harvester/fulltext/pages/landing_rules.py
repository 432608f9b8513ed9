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

_TABLE = table(__file__, "platforms")
PDF_TAGS, DOI_TAGS, TITLE_TAGS, LICENSE_TAGS = (
    tuple(_TABLE[name]) for name in ("pdf_tags", "doi_tags", "title_tags", "license_tags")
)
FULL_TEXT_TAGS = tuple((name, mime_type) for name, mime_type in _TABLE["full_text_tags"])

# The field of a page without links whose value is where a browser would be led to, percent-encoded (Elsevier's hub).
REDIRECT_FIELD, REDIRECT_MARK = "input#redirectURL", "redirectURL"

_PATTERNS = {name: re.compile(pattern) for name, pattern in _TABLE["patterns"].items()}
ISSUE_ADDRESS, VIEWER, FORMS, BEHIND_DOI, NUMBERS, NAMES_PDF, MAY_NAME_PDF = (
    _PATTERNS[name]
    for name in ("issue_address", "viewer", "forms", "behind_doi", "numbers", "names_pdf", "may_name_pdf")
)
GALLEY, OTHER_FORM, ELSEWHERE, MENU, PDF_DOWNLOAD, FRAMES = (
    _PATTERNS[name] for name in ("galley", "other_form", "elsewhere", "menu", "pdf_download", "frames")
)
LYING_TAGS = tuple(map(re.compile, _TABLE["lying_tags"]))


class Platform(NamedTuple):
    """One place on the pages of a system: what selects it, which attribute holds the address, where it was seen.

    `mark` is in every page with such a place; a search for the place itself would take much longer.
    """

    name: str
    selector: str
    attribute: str
    mark: str
    seen: str = ""


PLATFORMS = tuple(Platform(*row) for row in _TABLE["platforms"])
ISSUE, ISSUE_MARK = "main li a[id^='article-']", "article-"  # more than one on a page of OJS: an issue of a journal


SCRIPTS = tuple((re.compile(pattern), seen) for pattern, seen in _TABLE["scripts"])

QUOTED_PDF_DOWNLOAD = '\\"pdfDownload\\"'

REWRITES = tuple((re.compile(pattern), instead, seen) for pattern, instead, seen in _TABLE["rewrites"])


# Neither the file of the work nor a supplement: a licence, a picture of its first page, reviews, a whole issue.
NEVER = re.compile(rf"(?i){_WORDS['never']}")
# Supplements: what their addresses have, and how the texts of links to them begin. Some lead to pages, not to files.
SUPPLEMENT_ADDRESS = re.compile(rf"(?i){_WORDS['supplement_address']}")
SUPPLEMENT_TEXT = re.compile(rf"(?i)[\W\d_]{{0,5}}(?:{_WORDS['supplement_text']})(?![^\W\d_])")
FILE_ADDRESS = re.compile(rf"(?i){_WORDS['file_address']}")
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
