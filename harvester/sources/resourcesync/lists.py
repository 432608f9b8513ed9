"""The lists of one set of resources, read into a plan: all resources, or the changes since a time.

Positions come from the documents alone: `at` of a baseline, the last entry's time in an open Change List, `until` of a
closed one. The clock of this machine is not used.
"""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b

from gateway.core.errors import AnswerError, GatewayError
from gateway.core.model import Cursor, RawPage
from harvester.http.dates import instant_of
from harvester.http.messages import Fetch, Fetched
from harvester.sources import Options
from harvester.sources.resourcesync.documents import Document
from harvester.sources.resourcesync.entries import Entry, Head
from harvester.sources.resourcesync.plan import Plan
from harvester.sources.resourcesync.request import (
    FAILURES,
    REFUSALS,
    Endurance,
    asked,
    asked_again,
    kept,
    validators_of,
)

_DEEPEST = 3  # an index of indexes is not in the standard, but exists
_MOST_SEEN = 20_000  # entries of one time that are stored: some sources state days only

Instant = tuple[int, str]
_BEGINNING: Instant = (-(1 << 60), "")


class Lists:
    """A reader of lists. `position` and `seen` are the position after the lists; `doubts` say what is missing.

    Methods with a URL raise the errors of `asked` for it. A list below it that cannot be read is a doubt, and so is one
    of changes: the Resource List may still be read.
    """

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch, plan: Plan, endurance: Endurance) -> None:
        self._options, self._cursor, self._fetch, self._plan = options, cursor, fetch, plan
        self._endurance = endurance
        self._asked: set[str] = set()
        self.doubts: list[str] = []
        self.notes: list[str] = []
        self.position = ""
        self._moment = _BEGINNING
        self._marks: dict[str, None] = {}
        self.received_at = 0
        self.has_snapshot = False  # whether a list states the start of its snapshot
        self.is_outdated = False  # the lists begin after the position: changes between them are missing
        self.begins = ""  # where lists of changes begin
        self.reaches_back = False  # the lists of changes begin at the position or before it
        self._is_open = False  # one of them has no end: it lists what changes until now (Z39.99 §12.1)
        self.validators: tuple[str, ...] = ()  # of the list, if only one was read
        self.is_unchanged = False

    @property
    def seen(self) -> tuple[str, ...]:
        """Marks of the entries at the exact time of the position."""
        return tuple(self._marks)

    @property
    def covers(self) -> bool:
        """Whether the lists of changes cover the time from the position until now."""
        return self.reaches_back and self._is_open

    def _move(self, position: str, seen: Iterable[str] = ()) -> None:
        self.position, self._moment, self._marks = position, instant_of(position) or _BEGINNING, dict.fromkeys(seen)

    # -- everything --

    def baseline(self, url: str, known: tuple[str, ...] = ()) -> Iterator[RawPage]:
        """Yield the documents of a Resource List, or of an index; none when it is the `known` one (`validators_of`)."""
        self.position = latest = ""
        self._asked.clear()
        for fetched, document in self._leaves(url, lambda _: True, known=known):
            for entry in self._entries(document, fetched.url):
                self._plan.add(entry)
                latest = _later(latest, entry.lastmod)
            yield kept(self._options, self._cursor, "ResourceList", fetched)
        self.position = self.position or latest  # a plain sitemap has no `at`

    # -- changes --

    def changes(
        self, url: str, position: str, seen: Iterable[str], archive: str = "", known: tuple[str, ...] = ()
    ) -> Iterator[RawPage]:
        """Yield the documents of a Change List, or of an index, that have changes after a position.

        If they begin after the position, their archives are read too. The `known` list has no changes.
        """
        seen = tuple(seen)  # `self.seen` changes meanwhile
        self._move(position, seen)
        self.is_outdated = self.reaches_back = self._is_open = False
        self._asked.clear()
        for fetched, document in self._leaves(url, _is_behind(position), position, archive, known=known):
            self._reach(document.head.from_, position)
            if self.take(document, fetched.url, position, seen):
                yield kept(self._options, self._cursor, "ChangeList", fetched)

    def is_of(self, url: str, moment: str, *, is_later: bool = False) -> bool:
        """Return whether a Resource List has this date or a later one (`is_later`: only later); True without a date."""
        at, wanted = instant_of(asked(self._options, self._fetch, url)[1].head.at), instant_of(moment)
        return at is None or wanted is None or at > wanted or (at == wanted and not is_later)

    def packages(self, url: str, position: str = "", archive: str = "") -> Iterator[Entry]:
        """Yield the packages of a dump; of a Change Dump, those with changes after a position."""
        is_wanted = _is_behind(position)
        for fetched, document in self._leaves(url, is_wanted, position, archive):
            self._reach(document.head.from_, position)
            yield from (entry for entry in self._entries(document, fetched.url) if is_wanted(entry))

    def take(self, document: Document, url: str, position: str, seen: Iterable[str]) -> bool:
        """Add the changes after a position in a list or a manifest to the plan; return whether there are any."""
        since, known = instant_of(position) or _BEGINNING, frozenset(seen)
        if not self.position:
            self._move(position, known)
        has_news = False
        for entry in self._entries(document, url):
            moment = instant_of(entry.changed)
            self._reach(entry.changed, position)
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

    def _reach(self, begins: str, position: str) -> None:
        """Note that the lists reach back to the position, by the beginning of one of them or by an entry."""
        begun = instant_of(begins)
        self.reaches_back |= begun is not None and begun <= (instant_of(position) or _BEGINNING)

    def _is_overtaken(self, entry: Entry, moment: Instant | None) -> bool:
        """Return whether a later change is known: some lists have the last change first."""
        known = self._plan.entry(entry.loc)
        last = instant_of(known.changed) if known is not None and known.change else None
        return last is not None and moment is not None and last > moment

    def _advance(self, entry: Entry, moment: Instant) -> None:
        if moment > self._moment:
            self._move(entry.changed)
        if moment == self._moment and len(self._marks) < _MOST_SEEN:
            self._marks[_mark(entry)] = None

    def _close(self, until: str) -> None:
        """Move to the end of a closed list: no further change before it will be listed."""
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
        until: str = "",
    ) -> Iterator[tuple[Fetched, Document]]:
        """Yield the lists below a URL, whose stated end is `until`. An unreadable one is a doubt.

        For the first, the error is raised, unless it lists changes after a position.
        """
        if url in self._asked or depth > _DEEPEST:
            self.doubts.append(f"{url} is named by a list below it, or on too deep a level.")
            return
        self._asked.add(url)
        try:
            fetched, document = asked_again(self._options, self._fetch, url, known)
        except (AnswerError, *REFUSALS, *FAILURES) as error:
            if not depth and not position:
                raise
            self.note_missing(url, error)
            return
        self._endurance.succeeded()
        self.received_at = fetched.received_at
        if document is None:
            self.validators, self.is_unchanged = known, True
            self.reaches_back = self._is_open = True  # only such a list is known
            return
        until = document.head.until or until
        parts = list(self._entries(document, url)) if document.is_of_lists else []
        parts.sort(key=lambda part: instant_of(part.from_) or _BEGINNING)
        if not depth:
            self.validators = () if document.is_of_lists else validators_of(url, fetched)
            self.begins = document.head.from_ or next((part.from_ for part in parts), "")
            yield from self._archived(document.head, is_wanted, position, archive)
        self._note_snapshot(document.head, depth)
        if not document.is_of_lists:
            self._is_open |= not until
            yield fetched, document
            return
        for part in parts:
            if is_wanted(part):
                yield from self._leaves(part.loc, is_wanted, depth=depth + 1, until=part.until or until)

    def note_missing(self, url: str, error: GatewayError) -> None:
        """Add a doubt about a part of the lists. Raise the error when the source as a whole is failing."""
        if isinstance(error, FAILURES):
            self._endurance.failed(error)
        self.doubts.append(f"{url}: {error}")

    def _archived(
        self, head: Head, is_wanted: Callable[[Entry], bool], position: str, archive: str
    ) -> Iterator[tuple[Fetched, Document]]:
        """Yield from the archives when the list begins after the position; note when they begin too late too."""
        begins, since = instant_of(self.begins), instant_of(position)
        if begins is None or since is None or begins <= since:
            return
        self.is_outdated = True
        for url in filter(None, dict.fromkeys((archive, *(link.href for link in head.related("archives"))))):
            for fetched, document in self._leaves(url, is_wanted, depth=1, until=self.begins):
                reached = instant_of(document.head.from_)
                if reached is not None and reached <= since:
                    self.is_outdated = False
                yield fetched, document

    def _note_snapshot(self, head: Head, depth: int) -> None:
        """Store the start of a snapshot: that of the index, else the earliest of its parts."""
        moment, known = instant_of(head.at), instant_of(self.position)
        if head.capability.startswith("resource") and moment is not None:
            self.has_snapshot = True
            if not depth or known is None or moment < known:
                self.position = head.at

    def _entries(self, document: Document, url: str) -> Iterator[Entry]:
        """Yield the entries of a document; add a doubt when it is truncated."""
        try:
            yield from document
        except AnswerError as error:
            self.doubts.append(f"{url}: {error}")
        self.notes += [f"{url}: {note}" for note in document.notes]


def _is_behind(position: str) -> Callable[[Entry], bool]:
    """Return a test whether a part may have changes after a position: it is open, or ends later."""
    since = instant_of(position) or _BEGINNING

    def is_behind(part: Entry) -> bool:
        until = instant_of(part.until)
        return until is None or until > since

    return is_behind


def _later(one: str, other: str) -> str:
    first, second = instant_of(one), instant_of(other)
    return other if second is not None and (first is None or second > first) else one


def _mark(entry: Entry) -> str:
    """Return a mark that distinguishes entries of one time."""
    key = repr((entry.loc, entry.change, entry.digests)).encode("utf-8", "replace")
    return urlsafe_b64encode(blake2b(key, digest_size=6).digest()).decode()
