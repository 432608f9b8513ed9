"""The search for full text: its state for an item, the candidates, and the decisions on them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """The outcome of a search for full text, of one step of it, or of one fetched address."""

    SUCCESS = "success"
    # ended without a request
    ALREADY_HELD = "already-held"
    NO_DOI = "no-doi"
    NOT_OA = "not-oa"
    EMBARGOED_UNTIL = "embargoed-until"
    POLICY_FORBIDS = "policy-forbids"
    # the request was not allowed
    ROBOTS_DENIED = "robots-denied"
    SKIP_HOST = "skip-host"
    TAKEN_DOWN = "taken-down"
    PRIVATE_ADDRESS = "private-address"
    BAD_SCHEME = "bad-scheme"
    # from the connection or the HTTP status
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
    # from the links of a page
    NO_PDF_LINK = "no-pdf-link"
    LINK_LOOP = "link-loop"
    MAX_HOPS = "max-hops"
    # from the bytes
    BODY_TOO_LARGE = "body-too-large"
    EMPTY_BODY = "empty-body"
    WRONG_MIMETYPE = "wrong-mimetype"
    NOT_PDF = "not-pdf"
    ENCRYPTED_PDF = "encrypted-pdf"
    BROKEN_PDF = "broken-pdf"
    PARSE_TIMEOUT = "parse-timeout"
    PARSE_MEMORY = "parse-memory"
    # the full text in another form: only its address is stored
    FULL_TEXT_XML = "full-text-xml"
    FULL_TEXT_HTML = "full-text-html"
    # from the text
    NO_TEXT = "no-text"
    WRONG_DOCUMENT = "wrong-document"
    SUPPLEMENT = "supplement"
    LOW_SCORE = "low-score"
    # a fault of this program
    FAULT = "fault"


class DocumentKind(StrEnum):
    """The kind of document that a file is. The COAR Resource Types have no name for some of these."""

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
    """One copy of a work that was checked: its address, its properties, how it was found, and the outcome.

    `version` is submitted, accepted, published, or empty; `license` is the name of the licence stated for this copy.
    `evidence` is its place in the answer of the step `found_by`. `kind` (a DocumentKind) and `text_version` (like
    `version`) come from the file itself. `is_auxiliary`: its kind is not that of the record. `identified_by` has the
    signs of the work on its first pages (`gateway.fulltext.search_result.Sign`). `at` is the second of the check.
    `doubt` says why a licence on the page is not that of this copy. `restriction` says why not everybody may have it.
    `retracted` says that its page or text states a retraction. All three are sentences. `has_read_claims` is
    False if an earlier release read the file, without its claims about licence, restriction and retraction.
    `is_supplement`: a page of the work links to it as a supplement, so it was not compared with the work. `beside` has
    the addresses of the files that this page names.
    `judge` is the number of the judge that read it; 0: one of an earlier release, or none. `likeness` is the score by
    which lists are sorted, from 0 to 1. `score` and `covered` are only those of earlier releases, about common words.
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
    robots: str = ""  # the rule of robots.txt for its address: allowed, denied, or that there is none
    status: int = 0  # the HTTP status of the last answer on the way to it; 0: there was no answer
    kind: str = ""
    text_version: str = ""
    identified_by: tuple[str, ...] = ()
    pages: int = 0
    open_from: str = ""  # the date (`2027-01-31`) on which its embargo ends
    doubt: str = ""
    restriction: str = ""
    retracted: str = ""
    kind_doubt: str = ""  # why it may be another kind of document, as a sentence
    has_read_claims: bool = False
    likeness: float = 0.0
    judge: int = 0
    is_supplement: bool = False
    beside: tuple[str, ...] = ()

    @property
    def has_likeness(self) -> bool:
        """Whether a judge of this release has compared it with the work."""
        return bool(self.judge) and not self.is_supplement


class FoundCopy(NamedTuple):
    """A copy of an item as lists show it, with its work.

    `score` is the likeness of the file; None if no judge of this release has read it. `colour` is that of RoMEO, of the
    policy of the journal. `step` and `outcome` are empty if the last search did not check the copy.
    """

    identifier: str
    url: str
    source: str
    title: str = ""
    authors: str = ""
    step: str = ""
    host: str = ""
    outcome: str = ""
    score: float | None = None
    kind: str = ""
    colour: str = ""
    license: str = ""
    version: str = ""
    size: int = 0
    sha256: str = ""
    judge: int = 0


class Match(NamedTuple):
    """A DOI that a service gives for a record without one, by title, author and year: a claim.

    `doi` is in lower case; `title`, `author` and `year` are those of the service. `similarity` is the share of equal
    letters in the two titles, from 0 to 1.
    """

    service: str
    doi: str
    title: str
    similarity: float
    author: str
    year: str


class Refusal(NamedTuple):
    """The decision of a person that a DOI does not belong to an item; `at` is the second of the decision."""

    identifier: str
    doi: str
    reason: str
    decided_by: str
    at: int


class Trace(NamedTuple):
    """The result of one step for one item: its outcome, how many copies it named, and a note if one is needed.

    `host` is the host of the last request; empty if there was none. `way` are the other hosts, which redirected to it.
    """

    step: str
    outcome: Outcome
    copies: int = 0
    note: str = ""
    host: str = ""
    way: tuple[str, ...] = ()


class Tried(NamedTuple):
    """The last search for one item, for readers: when, with which result, what each step answered, and when it is next.

    `next_at` is 0 if no further search is planned. `waiting` files need the decision of a person, `refused` ones were
    rejected.
    """

    searched_at: int
    outcome: Outcome
    steps: tuple[tuple[str, Outcome], ...] = ()
    next_at: int = 0
    waiting: int = 0
    refused: int = 0


class Ending(NamedTuple):
    """A counted outcome: of a step, or of a copy that it named, at a host (perhaps none), on a day.

    `month` (`2026-11`) is empty in counts of earlier releases. `what` is `step` or `copy`; empty: an earlier release
    counted both together. It is `step way` or `copy way` at a host that redirected to that of the end. `day` is in days
    since 1970; it is 0 in counts of earlier releases, and of days long ago.
    """

    source: str
    step: str
    host: str
    outcome: str
    month: str
    what: str
    day: int = 0


class ListedCopy(NamedTuple):
    """A copy in a list of copies, and the last decision on it; its verdict is empty if there is none."""

    copy: FoundCopy
    decision: Decision


VERDICTS = ("accept", "reject", "review")
ANY_VERDICT = "any"  # in a list of copies: any of these, or none yet


class CopyFilter(NamedTuple):
    """Which copies a list has, besides their verdict. Fields that are empty or None do not matter.

    `unknown` means a licence, version, kind or colour that is not known. `reason` is words of the reason. The case of
    ASCII letters does not matter in host, step, licence and reason. `decided_by` is `rule` or the name of a person.
    `sources` are the only ones that are listed at all.
    """

    source: str = ""
    host: str = ""
    step: str = ""
    license: str = ""
    version: str = ""
    kind: str = ""
    reason: str = ""
    least_score: float | None = None
    most_score: float | None = None
    outcome: str = ""
    colour: str = ""
    decided_by: str = ""
    sources: tuple[str, ...] = ()


class CopyOrder(StrEnum):
    """The order of a list of copies. Equal ones are sorted by item and address, in the same direction."""

    IDENTIFIER = "identifier"
    SCORE = "score"  # the highest first
    TITLE = "title"
    DECIDED_AT = "decided-at"  # the latest first


class DecisionFilter(NamedTuple):
    """Which decisions a list has. Fields that are empty do not matter; no sources: those of all.

    `decided_by` is a person, or `rule`. The time is from the second `since` to that before `until`.
    """

    decided_by: str = ""
    verdict: str = ""
    sources: tuple[str, ...] = ()
    since: int = 0
    until: int = 1 << 53


class Alarm(NamedTuple):
    """The share of successes of a step, or of its copies, at a host has fallen more than chance explains.

    `before` and `after` count the outcomes of the weeks before and of the last days. `examples` are identifiers of
    items. Times are in seconds since 1970; 0: not yet. It is in force until it is closed.
    """

    number: int
    source: str
    step: str
    host: str
    what: str
    opened_at: int
    before: dict[str, int]
    after: dict[str, int]
    examples: tuple[str, ...]
    closed_at: int = 0
    acknowledged_at: int = 0
    acknowledged_by: str = ""
    comment: str = ""

    @property
    def is_open(self) -> bool:
        """Return whether it needs a person: it is in force, and nobody has acknowledged it."""
        return not (self.closed_at or self.acknowledged_at)


class Lease(NamedTuple):
    """An item that was taken for a search, under a unique number; `tries` counts the searches, including this one."""

    identifier: str
    source: str
    upstream: str
    number: int
    tries: int


class SearchState(NamedTuple):
    """The state of the search for one item: due, leased, waiting (until the second `due`) or done.

    `search_json` is the last search as JSON (`gateway.fulltext.stored_search`).
    """

    identifier: str
    source: str
    upstream: str
    state: str = "due"
    due: int = 0
    tries: int = 0
    outcome: str = ""
    searched_at: int = 0
    search_json: str = ""


class Unpublished(NamedTuple):
    """An item that may have unpublished changes; `changed` counts the changes so far."""

    identifier: str
    source: str
    upstream: str
    changed: int


class Decision(NamedTuple):
    """A decision on one copy: `verdict` is accept, reject or review; `decided_by` is `rule` or the name of a person.

    `is_undoing`: it takes back the last decision in force, and its verdict is that of the one before. `number` is given
    by the database; a new decision has that of the decision that it follows.
    """

    identifier: str
    url: str
    sha256: str
    verdict: str
    reason: str
    decided_by: str
    at: int
    is_undoing: bool = False
    number: int = 0


class Written(NamedTuple):
    """What became of decisions that follow others.

    `written` are those that were added. `met` are the last decisions of others on copies that were not decided on.
    `changed` are those that were not added because the copy has other bytes now, or is unknown.
    """

    written: tuple[Decision, ...] = ()
    met: tuple[Decision, ...] = ()
    changed: tuple[Decision, ...] = ()


class AcceptRule(StrEnum):
    """A rule that accepts files, named after its basis."""

    LICENSE = "license"  # an open licence was stated for this copy
    POLICY = "policy"  # the policy of the publisher permits this version


class Judged(StrEnum):
    """What a person says of a file that a rule has accepted."""

    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


class SampledFile(NamedTuple):
    """A file of a random sample of those that a rule has accepted."""

    identifier: str
    url: str
    sha256: str


class Judgement(NamedTuple):
    """The judgement of a person on a file that a rule has accepted; `at` is its second."""

    rule: AcceptRule
    file: SampledFile
    judged: Judged
    judged_by: str
    at: int


# --- Offers of discovered files to the source of their item ----------------------------------------------------------


class OfferWay(StrEnum):
    """The way in which a file is offered: an announcement to an inbox (COAR Notify), or a package in a folder."""

    INBOX = "inbox"
    FOLDER = "folder"


class OfferOutcome(StrEnum):
    """The outcome of an offer.

    `waiting` is never stored: the file has no offer yet. Nor is `taken` stored, unless the offer was never answered.
    """

    WAITING = "waiting"
    CREATED = "created"  # the inbox has stored the announcement (201)
    ACCEPTED = "accepted"  # the inbox will decide on the announcement (202)
    PACKAGED = "packaged"  # the package is in the folder
    RETRYING = "retrying"  # no answer, or an error that may pass
    REFUSED = "refused"  # an answer that another try would get again
    TAKEN = "taken"  # the record of the source names a file with these bytes now
    WITHDRAWN = "withdrawn"  # the file was offered, and is not published any more


class Offer(NamedTuple):
    """The offer of one file of an item in one way.

    `at` is the second of the last try, `next_at` that of the next one (0: none), `status` the HTTP status (0: none).
    `place` is the inbox or the package, `location` the address that the inbox gave to the announcement.
    """

    identifier: str
    sha256: str
    way: OfferWay
    source: str
    outcome: OfferOutcome
    at: int = 0
    tries: int = 0
    next_at: int = 0
    status: int = 0
    place: str = ""
    location: str = ""
    problem: str = ""
