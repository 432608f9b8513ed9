"""One recheck of a published file: a conditional request, or the whole file, and what it says about the file.

    unchanged      304, the published bytes, or the published text at a host that stamps each download
    changed        other bytes, or something that is no readable file: `concluded` says what follows
    absent         not there now, and not for long enough to be lost
    lost           not there for longer than the grace
    unseen         the request was not allowed, so nothing is known

This module uses no database: it gets values and `fetch`, and returns a value.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from gateway.core.addresses import address
from gateway.core.model import Candidate, Decision, FileLink, FileRecheck, Outcome
from gateway.fulltext.decisions import UNSEEN, Thresholds, decided
from gateway.fulltext.found_copies import copies_of_result, described
from gateway.fulltext.search_result import NAMED, RECHECK, SearchResult
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import candidates_in, policy_in, search_as_json
from gateway.store.base import Findings
from harvester.fulltext.check_copy import Keep, KeepText, again, check, check_named
from harvester.fulltext.pdf.extraction import SECONDS, extract
from harvester.fulltext.pdf.file_type import PDF, mime_type
from harvester.fulltext.search_outcome import retraction_of, year_of
from harvester.fulltext.steps import Known
from harvester.fulltext.steps._fetch_once import FetchOnce
from harvester.fulltext.steps._visit import visit
from harvester.http.messages import Fetch, Fetched, Request, conditions, settled_date
from harvester.http.urls import host_of
from harvester.words import any_of, load

_DAY_SECONDS = 86_400  # until a host that blocks us, or a fault, is tried again
# The file is not there, or its server does not work: it may return.
ABSENT = frozenset(
    (
        Outcome.NOT_FOUND, Outcome.GONE, Outcome.BAD_STATUS, Outcome.DNS_ERROR, Outcome.TLS_ERROR, Outcome.TIMEOUT,
        Outcome.REDIRECT_LOOP, Outcome.TOO_MANY_REDIRECTS, Outcome.MAX_HOPS, Outcome.LINK_LOOP, Outcome.BAD_SCHEME,
        Outcome.EMPTY_BODY, Outcome.BODY_TOO_LARGE,
    )
)  # fmt: skip


class Effect(StrEnum):
    """What a recheck says about a published file."""

    UNCHANGED = "unchanged"
    RETURNED = "returned"  # it was not there at the last recheck, and is there again, unchanged
    CHANGED = "changed"
    ABSENT = "absent"
    LOST = "lost"
    UNSEEN = "unseen"
    FAULT = "fault"


class Grace(NamedTuple):
    """How often, and how many seconds long, a file must not be there until it counts as lost."""

    rechecks: int
    seconds: int

    @property
    def pause(self) -> int:
        """The seconds between two rechecks of a file that is not there."""
        return max(self.seconds // max(self.rechecks - 1, 1), 1)


class Rechecked(NamedTuple):
    """A recheck and its effect. `candidate` has facts about a changed or lost file. `is_stamped`: its host stamps."""

    file: FileRecheck
    effect: Effect
    candidate: Candidate | None = None
    is_stamped: bool = False


class Before(NamedTuple):
    """What is known of a file before it is judged: its work, the accepted copy, the link of the record.

    `last` is the last decision on the copy.
    """

    known: Known
    candidate: Candidate
    link: FileLink
    last: Decision | None = None


class Rechecker:
    """Rechecks files. Safe for threads."""

    def __init__(
        self,
        *,
        grace: Grace,
        whole_every: int,
        before: Callable[[FileRecheck], Before | None],
        copies: Copies,
        is_stamping: Callable[[str], bool],
        keep: Keep,
        keep_text: KeepText,
        seconds: float,
    ) -> None:
        """Take the grace, and after how many rounds a file is fetched whole (0: never).

        `before` returns what is known of a changed file; None: it is not to be published any more. `copies` are ours.
        `is_stamping` returns whether a host stamps each download. `keep` gets files that may be the work, `keep_text`
        the beginning of their texts. `seconds` is the time for reading a file.
        """
        self._grace, self._whole_every, self._before, self._copies = grace, whole_every, before, copies
        self._is_stamping, self._keep, self._keep_text, self._seconds = is_stamping, keep, keep_text, seconds

    def recheck(self, file: FileRecheck, fetch: Fetch, at: int) -> Rechecked:
        """Return the result of a recheck in the second `at`. Failures of a server or file are outcomes, not errors."""
        is_round = file.failures > 0 or (file.rounds + 1) % max(self._whole_every, 1) == 0
        is_whole = self._whole_every > 0 and is_round  # what returns may be an old backup with old validators
        is_conditional = not is_whole and bool(file.entity_tag or file.modified)
        once = FetchOnce(ConditionalFetch(fetch, file) if is_conditional else fetch)
        visited = visit(file.url, once)
        seen = file._replace(looked_at=at, rounds=file.rounds + 1, due=file.next_after(at), outcome=visited.outcome)
        fetched = visited.fetched
        is_unmodified = fetched is not None and fetched.status == NOT_MODIFIED  # at the address of its validators
        if is_conditional and is_unmodified and visited.url == file.final_url:
            return _same(seen)
        if visited.outcome in UNSEEN:
            return _unseen(seen, file)
        if fetched is None or visited.outcome is not Outcome.SUCCESS:
            return self._changed(seen, file, once)
        seen = with_validators(seen, fetched, visited.url)._replace(whole_at=at)
        if sha256(fetched.body).hexdigest() == file.sha256:
            return _same(self._with_text(seen, fetched.body))
        return self._other(seen, file, once, fetched.body, fetch)

    def _other(self, seen: FileRecheck, file: FileRecheck, once: Fetch, body: bytes, fetch: Fetch) -> Rechecked:
        """Return the result for other bytes than the published ones: stamped, or changed."""
        text, before = text_digest(body, self._seconds), self._text_of(seen)
        is_known = self._is_stamping(seen.host)
        is_stamped = text != NO_TEXT and (is_known or self._differs_again(seen.url, fetch, body, text))
        seen = seen._replace(text_sha256=text)
        if is_stamped and before in ("", NO_TEXT, text):  # without the earlier text there is no sign of a change
            return _same(seen)._replace(is_stamped=True)
        was_readable = seen.is_named and before not in ("", NO_TEXT)
        damage = unreadable(body, self._seconds) if was_readable and text == NO_TEXT else None
        return self._changed(seen, file, once, damage)._replace(is_stamped=is_stamped)

    def _text_of(self, seen: FileRecheck) -> str:
        """Return the digest of the text of the published bytes; empty: it is not known."""
        if seen.text_sha256:
            return seen.text_sha256
        body = self._copies.read(seen.sha256)
        return text_digest(body, self._seconds) if body else ""

    def _with_text(self, seen: FileRecheck, body: bytes) -> FileRecheck:
        """Return a file with the digest of its text, if no copy of ours can tell it later.

        A copy of a found file that was deleted is stored again.
        """
        if not (seen.is_named or self._copies.has(seen.sha256)):
            self._keep(body)
        if seen.text_sha256 or self._copies.has(seen.sha256):
            return seen
        return seen._replace(text_sha256=text_digest(body, self._seconds))

    def _differs_again(self, url: str, fetch: Fetch, body: bytes, text: str) -> bool:
        """Return whether the next download has other bytes again, with the same text."""
        fetched = visit(url, fetch).fetched
        return (
            fetched is not None
            and sha256(fetched.body).digest() != sha256(body).digest()
            and text_digest(fetched.body, self._seconds) == text
        )

    def _changed(self, seen: FileRecheck, file: FileRecheck, once: Fetch, damage: Outcome | None = None) -> Rechecked:
        """Return the result for a file that is not as it was published; `once` repeats its answers.

        `damage` is why nobody can read a file that the record names, and that was readable before.
        """
        at = seen.looked_at
        before = self._before(seen)
        if before is None:  # it is not published any more
            return Rechecked(seen, Effect.UNCHANGED)
        if seen.is_named:
            candidate = check_named(before.link, once, at)
            candidate = candidate._replace(outcome=damage or candidate.outcome)
        else:
            candidate = check(again(before.candidate), before.known, once, at, self._keep, self._keep_text)
        seen = seen._replace(outcome=candidate.outcome)
        if candidate.outcome is (Outcome.SUPPLEMENT if candidate.is_supplement else Outcome.SUCCESS):
            return Rechecked(_present(seen), Effect.CHANGED, candidate)
        # Validators and the text of something else must not count as those of the file later.
        seen = seen._replace(
            final_url=file.final_url, entity_tag=file.entity_tag, modified=file.modified, text_sha256=file.text_sha256
        )
        if candidate.outcome in UNSEEN:
            return _unseen(seen, file)
        seen = seen._replace(failures=seen.failures + 1, failing_since=seen.failing_since if file.failures else at)
        if candidate.outcome not in ABSENT:
            return Rechecked(seen, Effect.CHANGED, candidate)
        is_over = seen.failures >= self._grace.rechecks and at - seen.failing_since >= self._grace.seconds
        if is_over or seen.outcome == Outcome.GONE:
            return Rechecked(seen, Effect.LOST, candidate)
        return Rechecked(seen._replace(due=min(seen.due, at + self._grace.pause)), Effect.ABSENT, candidate)


def _same(seen: FileRecheck) -> Rechecked:
    effect = Effect.RETURNED if seen.failures else Effect.UNCHANGED
    return Rechecked(_present(seen._replace(outcome=Outcome.SUCCESS)), effect)


def _unseen(seen: FileRecheck, file: FileRecheck) -> Rechecked:
    """Return the result of a recheck that was not possible. It is no round: the next one is whole."""
    due, since = min(seen.due, seen.looked_at + _DAY_SECONDS), file.failing_since or seen.looked_at
    return Rechecked(seen._replace(due=due, rounds=file.rounds, failing_since=since), Effect.UNSEEN)


def _present(seen: FileRecheck) -> FileRecheck:
    return seen._replace(failures=0, failing_since=0)


# --- A Fetch for the recheck of one file ------------------------------------------------------------------------------

NOT_MODIFIED = 304
_LONGEST = 1000  # characters of a validator


class ConditionalFetch:
    """A Fetch over another one. It sends the validators of a file to the address that they came from."""

    def __init__(self, fetch: Fetch, file: FileRecheck) -> None:
        self._fetch, self._url = fetch, file.final_url
        self._condition = conditions(file.entity_tag, file.modified)

    def __call__(self, request: Request) -> Fetched:
        """Return the answer. Raise the errors of `fetch`."""
        if request.url != self._url:
            return self._fetch(request)
        return self._fetch(replace(request, headers=request.headers + self._condition))


def with_validators(file: FileRecheck, answer: Fetched, url: str) -> FileRecheck:
    """Return a file with the validators of its last answer, which came from `url`."""
    tag = answer.header("ETag").strip()
    return file._replace(
        final_url=url,
        entity_tag=tag if len(tag) <= _LONGEST and tag.isascii() and tag.isprintable() else "",
        modified=settled_date(answer),
    )


# --- Compares the texts of two files: a host that stamps each download changes the bytes and not the text ------------

_UNREADABLE = (Outcome.BROKEN_PDF, Outcome.ENCRYPTED_PDF)
NO_TEXT = "none"  # instead of a digest: it was read, and has no text to compare
# Words in the lines that hosts stamp on pages.
_STAMP = re.compile(rf"(?i)\b(?:{any_of(load('headings')['stamps'])})\b")


def text_digest(body: bytes, seconds: float = SECONDS) -> str:
    """Return a digest of the words of a PDF without the lines that hosts stamp on pages; NO_TEXT if there are none.

    Raise ConfigurationError when the process that reads PDF files cannot start.
    """
    if mime_type(body) != PDF:
        return NO_TEXT
    lines = extract(body, seconds).text.splitlines()
    words = " ".join(word for line in lines if not _STAMP.search(line) for word in line.split())
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest() if words else NO_TEXT


def unreadable(body: bytes, seconds: float = SECONDS) -> Outcome | None:
    """Return why nobody can read a PDF; None: it can be read, or is no PDF. Raise errors as `text_digest`."""
    outcome = extract(body, seconds).outcome if mime_type(body) == PDF else None
    return outcome if outcome in _UNREADABLE else None


class Case(NamedTuple):
    """A recheck with an effect, what was known before, and the address of the copy as the search wrote it."""

    rechecked: Rechecked
    before: Before | None
    url: str


def last_on(decisions: Iterable[Decision], url: str) -> Decision | None:
    """Return the last decision on the copy that is published at an address."""
    return next((last for last in reversed(tuple(decisions)) if address(last.url) == url), None)


def concluded(case: Case, thresholds: Thresholds, at: int, decisions: Sequence[Decision], search_json: str) -> Findings:
    """Return the decisions and the renewed story, given those that are stored now.

    The rules are those of a search. A file that the record names is never decided on: its new facts are stored, or why
    it is not there.
    """
    file, story = case.rechecked.file, json.loads(search_json) if search_json else {}
    unknown = Candidate(case.url, NAMED if file.is_named else RECHECK)
    stored = next((candidate for candidate in candidates_in(story) if _is_of(candidate, file)), unknown)
    renewed = _renewed(stored, case.rechecked, at)._replace(url=case.url)
    searched = SearchResult(
        Outcome.SUCCESS,
        candidates=(renewed,),
        policy=policy_in(story),
        published=story.get("published", ""),
        retracted=story.get("retracted", ""),
    )
    if case.before is not None:
        title, authors = described(case.before.known.work)
        searched = searched._replace(
            published=searched.published or year_of(case.before.known),
            retracted=searched.retracted or retraction_of(case.before.known, searched.candidates),
            title=title,
            authors=authors,
        )
    news = () if file.is_named else decided(file.identifier, searched, thresholds, at, decisions)
    copies = tuple(copies_of_result(file.identifier, file.source, searched, host_of)) if searched.title else ()
    return Findings(tuple(news), _story(story, searched, file), copies)


def _is_of(candidate: Candidate, file: FileRecheck) -> bool:
    return address(candidate.url) == file.url and (candidate.found_by == NAMED) is file.is_named


def _renewed(stored: Candidate, rechecked: Rechecked, at: int) -> Candidate:
    """Return the candidate after a recheck: with new facts, or with the earlier ones and the new outcome."""
    if rechecked.effect is Effect.RETURNED:
        return stored._replace(outcome=Outcome.SUCCESS, at=at)
    candidate = rechecked.candidate
    assert candidate is not None
    if candidate.sha256 and not (rechecked.file.is_named and candidate.outcome is not Outcome.SUCCESS):
        return candidate._replace(found_by=stored.found_by, evidence=stored.evidence or candidate.evidence)
    since = rechecked.file.failing_since or at
    return stored._replace(outcome=candidate.outcome, status=candidate.status, at=since)


def _story(story: dict[str, object], searched: SearchResult, file: FileRecheck) -> str:
    """Return a story in which the candidate of a file is renewed."""
    if not story:
        return search_as_json(searched)
    (renewed,) = searched.candidates
    others = [candidate for candidate in candidates_in(story) if not _is_of(candidate, file)]
    candidates = [candidate._asdict() for candidate in (*others, renewed)]
    return json.dumps({**story, "candidates": candidates, "retracted": searched.retracted})
