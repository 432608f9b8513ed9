"""One publication of the records of some pages: which of them are new, and their payloads, read from the inbox."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from gateway.core import xmlio
from gateway.core.errors import FilesChanged, IntentExpired, NotXml, PageLost, StoreError
from gateway.core.model import (
    Deletion,
    Format,
    ItemState,
    Payload,
    Publication,
    Quarantined,
    RawPage,
    Slice,
    StoredPage,
)
from gateway.core.names import local_prefix
from gateway.core.takedowns import Takedowns
from gateway.core.xmltext import utc_datetime
from gateway.formats import written
from gateway.publish.items import TRIES, Change, write
from gateway.publish.mapping import Prepared, SourceFacts, Task, is_legal_identifier, prepare
from gateway.publish.payloads import Given, standing_alone
from gateway.publish.source_facts import keep_note, made
from gateway.publish.versions import Arrived, Versions, is_living
from gateway.store.base import Inbox, Store

_DIGEST_BYTES = 16
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MARGIN_SECONDS = 2 * 86_400  # for the overlap of harvests, and for sources with another clock or time zone
# A few seconds of work: a page may have a whole repository, but an intent lives for a minute, and a lock for less.
_MOST_AT_ONCE = 5_000
_MOST_BYTES_AT_ONCE = 16_000_000  # of payloads; their records take several times as much memory
_PAGES_KEPT = 4  # items that arrived together are on the same pages, and unpacking a page takes longer than mapping it
_SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"


@dataclass(slots=True)
class Counts:
    """The results for the records of some pages: `received` is the sum of the six fields below it.

    `ignored` counts deletions of unknown records, `older_versions` versions of which the same list has a newer one,
    `held_back` deletions that wait for a person. `stamped` counts the records, of all formats, with a new datestamp.
    `gone_back` counts records published with an older datestamp of the source than before; `example` is one of them.
    """

    pages: int = 0
    received: int = 0
    published: int = 0
    unchanged: int = 0
    quarantined: int = 0
    ignored: int = 0
    older_versions: int = 0
    held_back: int = 0
    stamped: int = 0
    gone_back: int = 0
    example: str = ""

    def add(self, other: Counts) -> None:
        """Add the results for other records."""
        self.example = self.example or other.example
        for field_ in fields(self)[:-1]:
            setattr(self, field_.name, getattr(self, field_.name) + getattr(other, field_.name))


def published(store: Store, inbox: Inbox, facts: SourceFacts, pages: Sequence[StoredPage], before: int) -> Counts:
    """Publish these pages, a large page in parts; only the last part moves the position. Raise PositionMoved."""
    counts = Counts()
    for places in parts_of(pages):
        for _ in range(TRIES):
            try:
                counts.add(Batch(store, inbox, facts, pages, places).publish(before))
                break
            except (IntentExpired, FilesChanged):
                continue
        else:
            raise beaten(facts.name, before)
    return counts


def parts_of(pages: Sequence[StoredPage]) -> tuple[slice, ...]:
    """Return the parts of the pages that are published at once, as slices; the last part has no end."""
    if len(pages) > 1:
        return (slice(None),)
    ends, begin, size = [0], 0, 0
    for place, cut in enumerate(pages[0].slices):
        if place > begin and (place - begin == _MOST_AT_ONCE or size > _MOST_BYTES_AT_ONCE):
            ends.append(place)
            begin, size = place, 0
        size += cut.stop - cut.start
    return (*(slice(one, other) for one, other in pairwise(ends)), slice(ends[-1], None))


def at_once() -> None:
    """Return at once: there is nothing to wait for."""


def beaten(source: str, before: int) -> StoreError:
    """Return the error for pages that other processes always published first."""
    return StoreError(
        f"The pages of {source} after {before} were not published: other processes were faster {TRIES} times. "
        "Publish again."
    )


class Batch:
    """One publication of the records of some pages."""

    def __init__(
        self, store: Store, inbox: Inbox, facts: SourceFacts, pages: Sequence[StoredPage], places: slice = slice(None)
    ) -> None:
        """Read the records at these places, and map those that changed. The last places complete the pages."""
        self._store, self._facts = store, facts
        self._places = places
        self._last = pages[-1].number if places.stop is None else None
        self._edition = store.edition(facts.name)  # first: a later change of files, or of our formats, raises it
        self._payloads = Payloads(store, inbox, facts, pages)
        self._counts = Counts(pages=0 if self._last is None else len(pages))
        self._quarantined: dict[tuple[str, str], list[Quarantined]] = {}  # by prefix and upstream identifier
        self._good: list[tuple[str, str]] = []
        self._restored = inbox.restored()
        self._has_quarantine = store.counts(facts.name)["quarantined"] > 0
        arrived = self._usable(pages)
        self._upstreams = {entry.slice.identifier for entry in arrived}
        self._deletions: dict[tuple[str, str], Arrived] = {}  # those that are not carried out
        self._held_back: set[tuple[str, str]] = set()  # those of them that wait for a person
        self._settled_deletions: list[tuple[str, str]] = []
        self._known_deletions = store.deletions_of(facts.name, self._upstreams)
        self._deleted_before = {
            (known_deletion.metadata_prefix, known_deletion.identifier): known_deletion
            for known_deletion in self._known_deletions
        }
        self._versions = Versions(inbox)
        self._takedowns = store.takedowns()
        self._states = store.states(facts.name, tuple(self._upstreams))
        settled = (self._settled(upstream, parts) for upstream, parts in self._without_known(arrived).items())
        self._changes = [change for change in settled if change is not None]

    def is_outdated(self) -> bool:
        """Return whether the state of these items in the store has changed since."""
        states = self._store.states(self._facts.name, tuple(self._upstreams))
        deletions = self._store.deletions_of(self._facts.name, self._upstreams)
        return states != self._states or deletions != self._known_deletions

    def publish(self, before: int, ready: Callable[[], None] = at_once) -> Counts:
        """Write the records when `ready` has returned, if the position is still at `before`; return the counts."""
        quarantined = tuple(bad for bads in self._quarantined.values() for bad in bads)
        position = (before, before if self._last is None else self._last)
        publication = Publication(
            self._facts.name,
            quarantined=quarantined,
            released=tuple(self._good),
            position=position,
            edition=self._edition,
            takedowns=self._takedowns.revision,
            deletions=tuple(
                Deletion(*key, *deletion.place_in_all, key in self._held_back)
                for key, deletion in self._deletions.items()
            ),
            settled=tuple(self._settled_deletions),
        )
        self._counts.stamped = write(self._store, publication, self._changes, ready)
        return self._counts

    def _task(self, upstream: str, parts: Mapping[str, Arrived]) -> Task:
        arrived = {prefix: part.part for prefix, part in parts.items()}
        return self._payloads.task(upstream, arrived, self._states.get(upstream), self._takedowns)

    def _usable(self, pages: Sequence[StoredPage]) -> list[Arrived]:
        """Return the slices with a usable identifier; put the others into quarantine."""
        usable = []
        for page in pages:
            text = page.page.repaired or page.page.body
            places = range(len(page.slices))[self._places]
            self._counts.received += len(places)
            for place in places:
                slice_ = page.slices[place]
                arrived = Arrived(page, place, slice_, _digest(slice_, text))
                reason = slice_.problem
                if not reason and not is_legal_identifier(slice_.identifier):
                    reason = "The record has no usable identifier."
                if reason:
                    self._refuse(arrived, reason)
                else:
                    usable.append(arrived)
        return usable

    def _release(self, arrived: Arrived) -> None:
        """Take a record out of quarantine, also one from an earlier place on the same pages.

        An earlier deletion of it that was not carried out is removed too.
        """
        key = arrived.key
        if self._deleted_before.pop(key, None):
            self._settled_deletions.append(key)
        if key in self._deletions and self._deletions[key].place_in_all < arrived.place_in_all:
            del self._deletions[key]
        bads = self._quarantined.pop(key, ())
        later = [bad for bad in bads if (bad.page, bad.slice) > (arrived.page.number, arrived.place)]
        if later:
            self._quarantined[key] = later
        elif self._has_quarantine:
            self._good.append(key)

    def _refuse(self, arrived: Arrived, reason: str) -> None:
        self._counts.quarantined += 1
        self._quarantined.setdefault(arrived.key, []).append(arrived.bad(reason))

    def _without_known(self, arrived: list[Arrived]) -> dict[str, dict[str, Arrived]]:
        """Return the new slices, by upstream identifier and prefix; of one that came twice, the newer or last one."""
        changed: dict[str, dict[str, Arrived]] = {}
        for entry in arrived:
            upstream, prefix = entry.slice.identifier, entry.prefix
            held = payloads_of(self._states.get(upstream))
            parts = changed.setdefault(upstream, {})
            deletions = self._deletions.get(entry.key), self._deleted_before.get(entry.key)
            if self._versions.is_superseded(entry, parts.get(prefix), held.get(prefix), *deletions):
                self._counts.older_versions += 1
                continue
            if entry.slice.waits and is_living(parts.get(prefix), held.get(prefix)):
                self._counts.held_back += 1
                self._held_back.add(entry.key)
                self._deletions[entry.key] = entry
                continue
            if parts.pop(prefix, None) is not None:
                self._counts.unchanged += 1  # the earlier one is replaced within this batch
            if entry.slice.is_deleted and prefix not in held and not self._may_have_lost(entry):
                self._counts.ignored += 1
                self._release(entry)  # an unusable version of it is obsolete
                if entry.page.page.list_begun is not None:
                    self._held_back.discard(entry.key)
                    self._deletions[entry.key] = entry
            elif prefix in held and held[prefix].digest == entry.digest and not self._payloads.is_lost(held[prefix]):
                self._counts.unchanged += 1
                self._release(entry)
            else:
                parts[prefix] = entry
        self._counts.gone_back, self._counts.example = self._versions.gone_back, self._versions.example
        return {upstream: parts for upstream, parts in changed.items() if parts}

    def _may_have_lost(self, arrived: Arrived) -> bool:
        """Return whether a deletion may be that of a published record that was lost when the inbox was restored.

        Harvesters may have this record, so its deletion must be published although the record is unknown here.
        """
        text = arrived.slice.datestamp.strip()
        return any(
            restoration.number < arrived.page.number
            and (not _DAY.match(text) or text[:10] >= _day_before(restoration.since))
            for restoration in self._restored
        )

    def _settled(self, upstream: str, parts: Mapping[str, Arrived]) -> Change | None:
        """Map and count an item, and return the change to write; of an item with problems, the good payloads."""
        prepared = prepare(self._task(upstream, parts))
        if prepared.problems:
            return self._half(prepared, parts)
        return self._change(prepared, parts)

    def _half(self, prepared: Prepared, parts: Mapping[str, Arrived]) -> Change | None:
        reasons = dict(prepared.problems)
        good = {prefix: part for prefix, part in parts.items() if prefix not in reasons}
        for prefix, entries in parts.items():
            if prefix in reasons:
                self._refuse(entries, reasons[prefix])
        if not good:
            return None
        if len(good) < len(parts):
            prepared = prepare(self._task(prepared.upstream, good))
        if prepared.problems:  # a stored payload can no longer be read: the last good version stays unchanged
            for entries in good.values():
                self._refuse(entries, prepared.problems[0][1])
            return None
        return self._change(prepared, good)

    def _change(self, prepared: Prepared, good: Mapping[str, Arrived]) -> Change:
        self._counts.published += len(good)
        for part in good.values():
            self._release(part)
        payloads = tuple([part.payload() for part in good.values()])
        return Change(prepared, payloads, self._states.get(prepared.upstream))


def _day_before(second: int) -> str:
    """Return the first day of datestamps that may have been lost after a second; clocks may differ."""
    return utc_datetime(second - _MARGIN_SECONDS)[:10]


def _digest(cut: Slice, text: bytes) -> bytes:
    """Return the digest that recognizes an unchanged record: of everything except its place and time of arrival."""
    digest = blake2b(text[cut.start : cut.stop], digest_size=_DIGEST_BYTES)
    digest.update(_common(cut.sets, cut.is_deleted, cut.declarations))
    digest.update(cut.datestamp.encode("utf-8", "surrogatepass"))
    for start, stop in cut.abouts:
        digest.update(text[start:stop])
    return digest.digest()


@lru_cache(maxsize=1024)
def _common(*headers: object) -> bytes:
    """Return as bytes what many records of a source have in common."""
    return repr(headers).encode("utf-8", "surrogatepass")


# --- payloads of the inbox ---------------------------------------------------------------------------------------


class Payloads:
    """Reads the payloads of one source's items: from `pages`, which are in memory, and from the inbox."""

    def __init__(self, store: Store, inbox: Inbox, facts: SourceFacts, pages: Sequence[StoredPage] = ()) -> None:
        self._store, self._inbox, self._facts = store, inbox, facts
        self._at_hand = {page.number: page for page in pages}
        self._page = lru_cache(maxsize=_PAGES_KEPT)(inbox.page)
        self._lost_until = inbox.lost_until()
        self._made = made(store)
        self._names: dict[str, str] = {"oai_dc": ""}  # ours contains it, so it needs no other name

    def task(
        self,
        upstream: str,
        arrived: Mapping[str, tuple[StoredPage, Slice]],
        state: ItemState | None,
        takedowns: Takedowns | None = None,
    ) -> Task:
        """Return the mapping task of an item: its arrived payloads, by upstream prefix, and its stored ones.

        Without `takedowns`, the list is looked at for each item. A publication that names the revision of its list need
        not do that: if the list has changed, it is not written.

        Raise PageLost when the inbox lacks the page of a stored payload that is needed, and TakedownsUnreadable.
        """
        takedowns = takedowns or self._store.takedowns()
        held = payloads_of(state)
        if arrived or (state and takedowns.names_item(state.identifier, self._facts.name, upstream)):
            # they are not needed
            held = {prefix: record for prefix, record in held.items() if not self.is_lost(record)}
        for prefix in held:
            if prefix in arrived and prefix not in self._names and prefix not in self._facts.formats:
                self._held(held[prefix])  # a deletion has no namespace, but the payload before it has one
        given = [self._given(page, cut) for page, cut in arrived.values()]
        if held:
            given += [self._held(payload) for prefix, payload in held.items() if prefix not in arrived]
        given.sort()
        if state is None:
            return Task(self._facts, upstream, tuple(given), takedowns=takedowns, made=self._made)
        held_sets: tuple[str, ...] = ()
        if all(record.is_deleted for record in given) or self._may_be_hidden(takedowns, state, given):
            held_sets = self._store.item_sets(state.number)
        published = tuple(prefix for prefix, _, _ in state.records)
        return Task(self._facts, upstream, tuple(given), held_sets, state.files, published, takedowns, self._made)

    def read(self, payload: Payload) -> Given:
        """Return a stored payload as one that is not served unchanged, so that no format is added. Raise PageLost."""
        page, cut = self._cut(payload)
        return given_of(page.page, cut, "")

    def is_lost(self, payload: Payload) -> bool:
        """Return whether the inbox lacks the page of a payload, because an earlier inbox was lost."""
        if payload.page > self._lost_until or payload.page in self._at_hand:
            return False
        try:
            self._cut(payload)
        except PageLost:
            return True
        return False

    def _cut(self, payload: Payload) -> tuple[StoredPage, Slice]:
        page = self._at_hand.get(payload.page) or self._page(payload.page)
        if payload.slice >= len(page.slices):  # the empty page that marks lost pages
            raise PageLost(payload.page)
        return page, page.slices[payload.slice]

    def _may_be_hidden(self, takedowns: Takedowns, state: ItemState, given: Iterable[Given]) -> bool:
        """Return, fast for most items, whether one may be taken down; then its former sets are needed."""
        if takedowns.is_empty:
            return False
        if state.is_withheld or takedowns.names_item(state.identifier, self._facts.name, state.upstream):
            return True
        contents = (content for record in given for content in (record.content, *record.abouts))
        return any(map(takedowns.may_concern, (state.upstream.encode("utf-8", "surrogatepass"), *contents)))

    def _given(self, page: StoredPage, cut: Slice) -> Given:
        return given_of(page.page, cut, self._exposed(page.page, cut))

    def _held(self, payload: Payload) -> Given:
        given = self._given(*self._cut(payload))
        return given._replace(is_deleted=payload.is_deleted)  # it is deleted too if its source was removed

    def _exposed(self, page: RawPage, cut: Slice) -> str:
        """Return the prefix under which a payload is served unchanged, or empty; a new one is added to the store."""
        upstream = page.metadata_prefix
        if upstream not in self._names:
            announced = self._facts.formats.get(upstream)
            known = None if announced else self._known(upstream)
            namespace_ = announced or known or _sniffed(page, cut)
            if namespace_ is None:
                return ""  # its namespace is unknown
            self._names[upstream] = namespace_ if isinstance(namespace_, str) else self._added(upstream, *namespace_)
        return self._names[upstream]

    def _known(self, upstream: str) -> str | None:
        with self._store.view() as view:
            ours = (format_ for format_ in view.formats() if format_.source == self._facts.name)
            return next((our.metadata_prefix for our in ours if our.upstream_prefix == upstream), None)

    def _added(self, upstream: str, schema: str, namespace: str) -> str:
        ours = written().get(upstream)
        is_ours = ours is not None and (self._facts.apart or not ours.is_optional)  # an optional one shares its prefix
        wanted = f"{upstream}.{self._facts.name}" if is_ours else local_prefix(upstream)
        format_ = Format(wanted, schema or namespace, namespace, 1, self._facts.name, upstream)
        added = self._store.add_format(format_).metadata_prefix
        keep_note(self._store, self._inbox, self._facts.name)
        return added


def payloads_of(state: ItemState | None) -> dict[str, Payload]:
    """Return the stored payloads of an item, by upstream prefix."""
    return {} if state is None else {payload.metadata_prefix: payload for payload in state.payloads}


def given_of(page: RawPage, cut: Slice, exposed: str) -> Given:
    """Return a payload for the mapping, with its bytes cut from its page; `exposed` is the prefix for serving it."""
    text = page.repaired or page.body
    abouts = tuple(text[start:stop] for start, stop in cut.abouts)
    return Given(
        page.metadata_prefix,
        exposed,
        text[cut.start : cut.stop],
        cut.declarations,
        cut.datestamp,
        cut.sets,
        cut.is_deleted,
        abouts,
        page.received_at,
        bool(page.repairs),
    )


def _sniffed(page: RawPage, cut: Slice) -> tuple[str, str] | None:
    """Return (schema, namespace) of a payload whose source does not announce them; None if it is not XML."""
    try:
        given = given_of(page, cut, "")
        root = xmlio.parse(standing_alone(given.content, given.declarations))
    except NotXml:
        return None
    namespace = xmlio.name_of(root)[0]
    locations = (root.get(_SCHEMA_LOCATION) or "").split()
    return dict(zip(locations[::2], locations[1::2], strict=False)).get(namespace, ""), namespace
