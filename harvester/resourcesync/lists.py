"""The lists of one set of resources, read into a plan: what there is, or what has changed since a moment.

Positions come from the documents alone: `at` of a baseline, the last entry's time in an open Change List, `until` of a
closed one. Our clock is never asked.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b

from gateway.errors import AnswerError, GatewayError
from gateway.model import Cursor, RawPage
from harvester.resourcesync.asking import asked, asked_again, kept, validators_of
from harvester.resourcesync.bringing import REFUSALS
from harvester.resourcesync.enduring import FAILURES, Endurance
from harvester.resourcesync.plan import Plan
from harvester.sources import Options
from harvester.wire.dates import instant_of
from harvester.wire.entries import Entry, Head
from harvester.wire.http import Fetch, Fetched
from harvester.wire.resourcesync import Document

_DEEPEST = 3  # an index of indexes is none of the standard's, and exists
_MOST_SEEN = 20_000  # entries of one moment that are remembered: some tell days only

Instant = tuple[int, str]
_BEGINNING: Instant = (-(1 << 60), "")


class Lists:
    """Reads lists. `position` and `seen` are where a walk of what was read comes to; `doubts` say what is missing."""

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch, plan: Plan, endurance: Endurance) -> None:
        """Take where the entries go, and what decides how many failures are too many."""
        self._options, self._cursor, self._fetch, self._plan = options, cursor, fetch, plan
        self._endurance = endurance
        self._asked: set[str] = set()
        self.doubts: list[str] = []
        self.notes: list[str] = []
        self.position = ""
        self._moment = _BEGINNING
        self._marks: dict[str, None] = {}
        self.received_at = 0
        self.has_snapshot = False  # whether a list says when its snapshot was begun
        self.is_outdated = False  # the lists begin behind the position: what lies between is told nowhere
        self.begins = ""  # where lists of changes begin
        self.validators: tuple[str, ...] = ()  # of the list that was read, if it is only one
        self.is_unchanged = False

    @property
    def seen(self) -> tuple[str, ...]:
        """What tells apart the entries of the very moment of the position."""
        return tuple(self._marks)

    def _move(self, position: str, seen: Iterable[str] = ()) -> None:
        self.position, self._moment, self._marks = position, instant_of(position) or _BEGINNING, dict.fromkeys(seen)

    # -- everything --

    def baseline(self, url: str, known: tuple[str, ...] = ()) -> Iterator[RawPage]:
        """Read a Resource List, or the lists of an index; return the documents: none when it is the known one."""
        self.position = latest = ""
        self._asked.clear()
        for fetched, document in self._leaves(url, lambda _: True, known=known):
            for entry in self._entries(document, fetched.url):
                self._plan.add(entry)
                latest = _later(latest, entry.lastmod)
            yield self._kept("ResourceList", fetched)
        self.position = self.position or latest  # a plain sitemap has no `at`

    # -- changes --

    def changes(
        self, url: str, position: str, seen: Iterable[str], archive: str = "", known: tuple[str, ...] = ()
    ) -> Iterator[RawPage]:
        """Read what a Change List, or the lists of an index, tell since a position; return what told anything new.

        Where they begin behind the position, the archive is read too, and those that they name themselves. A list that
        is the known one tells nothing.
        """
        seen = tuple(seen)  # what the lists come to is another one
        self._move(position, seen)
        self.is_outdated = False
        self._asked.clear()
        for fetched, document in self._leaves(url, _is_behind(position), position, archive, known=known):
            if self.take(document, fetched.url, position, seen):
                yield self._kept("ChangeList", fetched)

    def is_of(self, url: str, moment: str, *, is_later: bool = False) -> bool:
        """Tell whether a Resource List is of a moment or later, or only later; so is one that does not say of when."""
        at, wanted = instant_of(asked(self._options, self._fetch, url)[1].head.at), instant_of(moment)
        return at is None or wanted is None or at > wanted or (at == wanted and not is_later)

    def packages(self, url: str, position: str = "", archive: str = "") -> Iterator[Entry]:
        """Return the packages of a dump, of one of changes those that tell something behind a position."""
        is_wanted = _is_behind(position)
        for fetched, document in self._leaves(url, is_wanted, position, archive):
            yield from (each for each in self._entries(document, fetched.url) if is_wanted(each))

    def take(self, document: Document, url: str, position: str, seen: Iterable[str]) -> bool:
        """Take what a list of changes, or a manifest of some, tells behind a position; tell whether it is anything."""
        since, known = instant_of(position) or _BEGINNING, frozenset(seen)
        if not self.position:
            self._move(position, known)
        has_news = False
        for entry in self._entries(document, url):
            moment = instant_of(entry.changed)
            if moment is not None and moment < since:
                continue
            if moment != since or _mark(entry) not in known:
                has_news = True
                if not self._is_overtaken(entry, moment):
                    self._plan.add(entry)
            if moment is not None:
                self._advance(entry, moment)
        self._close(document.head.until)
        return has_news

    def _is_overtaken(self, entry: Entry, moment: Instant | None) -> bool:
        """Tell whether a later change is known: there are lists that tell the last one first."""
        known = self._plan.entry(entry.loc)
        last = instant_of(known.changed) if known is not None and known.change else None
        return last is not None and moment is not None and last > moment

    def _advance(self, entry: Entry, moment: Instant) -> None:
        if moment > self._moment:
            self._move(entry.changed)
        if moment == self._moment and len(self._marks) < _MOST_SEEN:
            self._marks[_mark(entry)] = None

    def _close(self, until: str) -> None:
        """Take the end of a closed list: nothing before it will ever be told again."""
        moment = instant_of(until)
        if moment is not None and moment > self._moment:
            self._move(until)

    # -- documents --

    def _leaves(
        self,
        url: str,
        is_wanted: Callable[[Entry], bool],
        position: str = "",
        archive: str = "",
        depth: int = 0,
        known: tuple[str, ...] = (),
    ) -> Iterator[tuple[Fetched, Document]]:
        """Return the lists below an address, one after the other. What cannot be had is a doubt, but for the first."""
        if url in self._asked or depth > _DEEPEST:
            self.doubts.append(f"{url} is named by a list below it, or below too many.")
            return
        self._asked.add(url)
        try:
            fetched, document = asked_again(self._options, self._fetch, url, known)
        except (AnswerError, *REFUSALS, *FAILURES) as error:
            if not depth:
                raise
            self._note_missing(url, error)
            return
        self._endurance.succeeded()
        self.received_at = fetched.received_at
        if document is None:
            self.validators, self.is_unchanged = known, True
            return
        parts = list(self._entries(document, url)) if document.is_of_lists else []
        parts.sort(key=lambda each: instant_of(each.from_) or _BEGINNING)
        if not depth:
            self.validators = () if document.is_of_lists else validators_of(url, fetched)
            self.begins = document.head.from_ or next((each.from_ for each in parts), "")
            yield from self._archived(document.head, is_wanted, position, archive)
        self._note_snapshot(document.head, depth)
        if not document.is_of_lists:
            yield fetched, document
            return
        for part in parts:
            if is_wanted(part):
                yield from self._leaves(part.loc, is_wanted, depth=depth + 1)

    def _note_missing(self, url: str, error: GatewayError) -> None:
        """Doubt that a part of the lists is known. Raise the error when the source as such is not well."""
        if isinstance(error, FAILURES):
            self._endurance.failed(error)
        self.doubts.append(f"{url}: {error}")

    def _archived(
        self, head: Head, is_wanted: Callable[[Entry], bool], position: str, archive: str
    ) -> Iterator[tuple[Fetched, Document]]:
        """Go to the archives when the list begins behind the position; note when they do not reach back either."""
        begins, since = instant_of(self.begins), instant_of(position)
        if begins is None or since is None or begins <= since:
            return
        self.is_outdated = True
        for url in filter(None, dict.fromkeys((archive, *(link.href for link in head.related("archives"))))):
            for fetched, document in self._leaves(url, is_wanted, depth=1):
                reached = instant_of(document.head.from_)
                if reached is not None and reached <= since:
                    self.is_outdated = False
                yield fetched, document

    def _note_snapshot(self, head: Head, depth: int) -> None:
        """Remember when a snapshot was begun: that of an index, else the earliest of its parts."""
        moment, known = instant_of(head.at), instant_of(self.position)
        if head.capability.startswith("resource") and moment is not None:
            self.has_snapshot = True
            if not depth or known is None or moment < known:
                self.position = head.at

    def _entries(self, document: Document, url: str) -> Iterator[Entry]:
        """Return the entries of a document; where it breaks off is a doubt."""
        try:
            yield from document
        except AnswerError as error:
            self.doubts.append(f"{url}: {error}")
        self.notes += [f"{url}: {each}" for each in document.notes]

    def _kept(self, verb: str, fetched: Fetched) -> RawPage:
        return kept(self._options, self._cursor, verb, fetched)


def _is_behind(position: str) -> Callable[[Entry], bool]:
    """Return what tells whether a part may tell something behind a position: it is open, or closed later."""
    since = instant_of(position) or _BEGINNING

    def is_behind(part: Entry) -> bool:
        until = instant_of(part.until)
        return until is None or until > since

    return is_behind


def _later(one: str, other: str) -> str:
    first, second = instant_of(one), instant_of(other)
    return other if second is not None and (first is None or second > first) else one


def _mark(entry: Entry) -> str:
    """Return what tells entries of one moment apart."""
    said = repr((entry.loc, entry.change, entry.digests)).encode("utf-8", "replace")
    return urlsafe_b64encode(blake2b(said, digest_size=6).digest()).decode()
