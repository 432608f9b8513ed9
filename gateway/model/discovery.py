"""Where full text is: the search for an item, its candidates, and what was decided about them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """How a search for full text, or a step of it, or the fetching of one address ended: a closed list."""

    SUCCESS = "success"
    # what ends an item without a request
    ALREADY_HELD = "already-held"
    NO_DOI = "no-doi"
    NOT_OA = "not-oa"
    EMBARGOED_UNTIL = "embargoed-until"
    POLICY_FORBIDS = "policy-forbids"
    # what keeps us from asking
    ROBOTS_DENIED = "robots-denied"
    SKIP_HOST = "skip-host"
    TAKEN_DOWN = "taken-down"
    PRIVATE_ADDRESS = "private-address"
    BAD_SCHEME = "bad-scheme"
    # what the connection brings
    DNS_ERROR = "dns-error"
    TLS_ERROR = "tls-error"
    TIMEOUT = "timeout"
    RATE_LIMITED = "rate-limited"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    GONE = "gone"
    BAD_STATUS = "bad-status"
    REDIRECT_LOOP = "redirect-loop"
    TOO_MANY_REDIRECTS = "too-many-redirects"
    BLOCKED_COOKIE = "blocked-cookie"
    BLOCKED_CAPTCHA = "blocked-captcha"
    BLOCKED_WALL = "blocked-wall"
    # what a page leads to
    NO_PDF_LINK = "no-pdf-link"
    LINK_LOOP = "link-loop"
    MAX_HOPS = "max-hops"
    # what the bytes are
    BODY_TOO_LARGE = "body-too-large"
    EMPTY_BODY = "empty-body"
    WRONG_MIMETYPE = "wrong-mimetype"
    NOT_PDF = "not-pdf"
    ENCRYPTED_PDF = "encrypted-pdf"
    BROKEN_PDF = "broken-pdf"
    PARSE_TIMEOUT = "parse-timeout"
    PARSE_MEMORY = "parse-memory"
    # what is the full text in another form: its address is kept
    FULL_TEXT_XML = "full-text-xml"
    FULL_TEXT_HTML = "full-text-html"
    # what the text says
    NO_TEXT = "no-text"
    WRONG_DOCUMENT = "wrong-document"
    SUPPLEMENT = "supplement"
    LOW_SCORE = "low-score"
    # what is our own
    FAULT = "fault"


class DocumentKind(StrEnum):
    """What kind of document a file is: a closed list. COAR's Resource Types have no name for some of these."""

    ARTICLE = "article"  # COAR: journal article, conference paper, book part, report
    PREPRINT = "preprint"
    NOTICE = "notice"  # an erratum, a retraction, an expression of concern, a comment on another work
    FRONT_MATTER = "front-matter"  # the contents of an issue, a cover page without the work
    PREVIEW = "preview"  # the first page, or some
    SUPPLEMENT = "supplement"
    REVIEW = "review"  # a peer review and its answers, not a review article
    POSTER = "poster"  # a poster or slides
    THESIS = "thesis"
    VOLUME = "volume"  # a whole volume of proceedings, an issue, a book
    UNKNOWN = "unknown"


class Candidate(NamedTuple):
    """One copy of a work that was looked at: where it is, what it is, how it was found, and what came of it.

    `version` is submitted, accepted, published or not told; `license` the name of what was stated for this very copy;
    `evidence` where in the answer of the step `found_by` it stood. `kind` (a DocumentKind) and `text_version` (like
    `version`) are what the file itself says. `is_auxiliary`: it is of a kind that is not the record's. `identified_by`
    names what of the work stands on its first pages.
    """

    url: str
    found_by: str
    evidence: str = ""
    outcome: Outcome = Outcome.NO_PDF_LINK
    final_url: str = ""
    hops: tuple[str, ...] = ()
    mime_type: str = ""
    size: int = 0
    sha256: str = ""
    version: str = ""
    license: str = ""
    license_url: str = ""
    host_type: str = ""
    score: float = 0.0
    covered: float = 0.0
    has_doi: bool = False
    has_title: bool = False
    is_auxiliary: bool = False
    at: int = 0
    modified: str = ""  # the UTCdatetime of its last change, as its server says
    robots: str = ""  # what robots.txt says of its address: allowed, denied, or that there is none
    status: int = 0  # of HTTP, of the last answer on the way to it; 0: there was none
    kind: str = ""
    text_version: str = ""
    identified_by: tuple[str, ...] = ()
    pages: int = 0
    open_from: str = ""  # a date (`2027-01-31`) before which it may not be had


class Match(NamedTuple):
    """A DOI that a service names for the title, an author and the year of a record that has none: a claim.

    `doi` is in lower case; `title`, `author` and `year` are the service's own of what agrees; `similarity` is the
    share of the letters of the titles that agree, from 0 to 1.
    """

    service: str
    doi: str
    title: str
    similarity: float
    author: str
    year: str


class Refusal(NamedTuple):
    """A DOI that is not that of an item, as a person says; `at` is the second."""

    identifier: str
    doi: str
    reason: str
    decided_by: str
    at: int


class Trace(NamedTuple):
    """What one step did for one item: how it ended, how many copies it told of, and a sentence where one is needed.

    `host` is where it ended; empty when nobody was asked.
    """

    step: str
    outcome: Outcome
    copies: int = 0
    note: str = ""
    host: str = ""


class Ending(NamedTuple):
    """How a step, or a copy that it told of, ended, at which host, where it was at one, and in which month (2026-11).

    What an earlier release has counted has no month.
    """

    source: str
    step: str
    host: str
    outcome: str
    month: str


class Lease(NamedTuple):
    """An item that was taken for a search, under a number that nobody else has; `tries` counts this one."""

    identifier: str
    source: str
    upstream: str
    number: int
    tries: int


class SearchState(NamedTuple):
    """How the search for one item stands: due, leased, waiting (until `due`) or done. `story` is JSON of the search."""

    identifier: str
    source: str
    upstream: str
    state: str
    due: int
    tries: int
    outcome: str
    searched_at: int
    story: str


class Unpublished(NamedTuple):
    """An item of which something may have to be published; `changed` counts what may have changed it."""

    identifier: str
    source: str
    upstream: str
    changed: int


class Decision(NamedTuple):
    """What was decided of one copy: `verdict` is accept, reject or review; `decided_by` a rule's or a person's name.

    `is_undoing`: it takes back the last decision that stood, and its verdict is that of the one before.
    """

    identifier: str
    url: str
    sha256: str
    verdict: str
    reason: str
    decided_by: str
    at: int
    is_undoing: bool = False
