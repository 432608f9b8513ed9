"""Applies takedowns to what is published: finds the items that they concern, and publishes these again.

The list of takedowns is written first, so later publications respect it. This module finds what was published before
that, and what a removed entry has withheld. The store notes which entries were applied, so a kill loses nothing.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from math import inf
from typing import NamedTuple

from gateway.core.errors import FilesChanged, IntentExpired, PositionMoved, StoreError
from gateway.core.model import FileLink, FileOrigin, ItemFiles, ItemState, Publication, Selection
from gateway.core.names import SOURCES, source_of, upstream_identifier
from gateway.core.takedown_file import Entries, TakedownFile
from gateway.core.takedowns import Kind, Takedown, Takedowns, place_of
from gateway.publish.batch import Payloads
from gateway.publish.items import TRIES, Change, write
from gateway.publish.mapping import Prepared, Task, prepare, tombstone
from gateway.publish.rebuild import buried
from gateway.publish.source_facts import facts_held, made
from gateway.publish.withholding import Forbidden, permitted
from gateway.store.base import TAKEDOWNS_FACT, Inbox, Store

OF_ITEMS = (Kind.IDENTIFIER, Kind.UPSTREAM, Kind.DOI)
_INSIDE = ("oai_dc",)  # the DIDL of an item contains it
_LOCK = ".obeying"  # among machines; no source can have this name
_BATCH = 500
_MOST_AT_ONCE = 10_000  # items of a file; others follow when all records are read
_IDENTIFIER = re.compile(rb"<identifier>([^<]*)</identifier>")
_LOCAL = re.compile(r"oai:[^:]*:([^/]*)/")

Progress = Callable[[int], None]


@dataclass(slots=True)
class Survey:
    """The effect of takedowns on what is published.

    `items`, `files` and `addresses` are what each entry hits, by its key. `touched` are the identifiers of the items
    that become tombstones or change.
    """

    upstreams: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by source
    items: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    addresses: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    hidden: set[int] = field(default_factory=set)  # numbers of items
    touched: set[str] = field(default_factory=set)
    shared: list[tuple[str, str]] = field(default_factory=list)  # (key of an entry, file of an item that it hides)
    deleted: int = 0  # items that become tombstones
    changed: int = 0  # items that lose a file or an address

    def keep(self, has: Callable[[str], bool]) -> None:
        """Leave out the files of hidden items that a search has found for an item that stays."""
        for key, digest in self.shared:
            if digest in self.files[key] and has(digest):
                self.files[key].discard(digest)


class Searches(NamedTuple):
    """What is known of the files of searches, published or not; by default there are none.

    `files` returns, by the keys of entries, the SHA-256 of files that these concern. `has` returns whether a file with
    a SHA-256 was found for an item that is not taken down.
    """

    files: Callable[[Entries], Mapping[str, set[str]]] = lambda _: {}
    has: Callable[[str], bool] = lambda _: False


class TakedownsApplied(NamedTuple):
    """The result: how many items became tombstones, changed, or came back, and records with a new datestamp.

    `damaged`: how many damaged blocks of the store may still have what was withdrawn.
    """

    deleted: int = 0
    changed: int = 0
    returned: int = 0
    stamped: int = 0
    damaged: int = 0


def pending(store: Store) -> tuple[Entries, frozenset[str]]:
    """Return the entries that are not applied to this store yet, and the keys of removed entries that still are.

    Raise TakedownsUnreadable.
    """
    applied = _applied(store)  # first: an entry that is added and applied after this does not count as removed
    entries = store.takedowns().entries
    return tuple(entry for entry in entries if entry.key not in applied), applied - {entry.key for entry in entries}


def _applied(store: Store) -> frozenset[str]:
    return frozenset(json.loads(store.fact(TAKEDOWNS_FACT) or "[]"))


def reopen(store: Store, file: TakedownFile, keys: Collection[str]) -> None:
    """Let entries count as not applied, by their keys, because more is known of what they concern. Raise StoreError."""
    with file.applying(), store.locks.held(_LOCK, inf):  # who applies the list notes in the end what was applied
        store.remember(TAKEDOWNS_FACT, json.dumps(sorted(_applied(store) - frozenset(keys))))


def apply_takedowns(
    store: Store,
    inbox: Inbox,
    file: TakedownFile,
    progress: Progress = lambda _: None,
    searches: Searches | None = None,
) -> TakedownsApplied:
    """Apply the list, and note in it what its entries have hit. It can be killed and repeated.

    One process at a time does this; others wait. What is known to be concerned is published first, before all records
    are read. `progress` is called with the number of records read so far. The log of the store may have what was
    withdrawn until `finish_erasure`. Raise StoreError.
    """
    with file.applying(), store.locks.held(_LOCK, inf):
        return _apply(store, inbox, file, progress, searches or Searches())


def _apply(store: Store, inbox: Inbox, file: TakedownFile, progress: Progress, searches: Searches) -> TakedownsApplied:
    new, lifted = pending(store)
    names = {entry.key for entry in new}
    if new or lifted:
        store.abandon(store.intend())  # every process that writes after this has read the list
    first = survey(store, inbox, new, among=_known_to_have(store, new))
    first.keep(searches.has)
    _note(file, first)  # before the publication: a hidden item has no files any more
    new = tuple(entry for entry in store.takedowns().entries if entry.key in names)
    stamped = sum(_publish(store, inbox, source, batch) for source, batch in _batches(first.upstreams))
    while True:
        news = survey(store, inbox, new, progress)
        news.keep(searches.has)
        for key, digests in searches.files(new).items():
            news.files[key] |= digests
        if not _note(file, news):
            break  # else the new notes may hit more: the same bytes at another address
        new = tuple(entry for entry in store.takedowns().entries if entry.key in names)
    _note(file, _later(store, inbox))
    stamped += sum(_publish(store, inbox, source, batch) for source, batch in _batches(news.upstreams))
    stamped += sum(_restore_tombstones(store, new))
    returned = sum(_return(store, inbox)) if lifted else 0
    damaged = store.erase_superseded() if new else 0  # before the note, so that after a kill the next command does it
    if new or lifted:  # an entry that was added meanwhile is not among these
        store.remember(TAKEDOWNS_FACT, json.dumps(sorted(_applied(store) - lifted | names)))
    return TakedownsApplied(first.deleted + news.deleted, first.changed + news.changed, returned, stamped, damaged)


def _known_to_have(store: Store, entries: Entries) -> Iterator[tuple[str, str]]:
    """Yield (source, upstream identifier) of items that are known to have files that entries name."""
    with store.view() as view:
        for entry in entries:
            for identifier in view.items_with(entry.value, _MOST_AT_ONCE) if entry.kind is Kind.SHA256 else ():
                yield source_of(identifier), upstream_identifier(identifier)


# --- what entries concern -----------------------------------------------------------------------------------------


def survey(
    store: Store,
    inbox: Inbox,
    new: Entries,
    progress: Progress = lambda _: None,
    takedowns: Takedowns | None = None,
    among: Iterable[tuple[str, str]] | None = None,
) -> Survey:
    """Return the effect of these entries on what is published; `takedowns` is the list to apply (None: in force).

    `among` are the items to look at, besides those that entries name, as (source, upstream identifier); None: all.
    Raise StoreError.
    """
    survey = Survey()
    candidates: dict[str, set[str]] = defaultdict(set)
    others = scanned(store, Takedowns(new), progress) if among is None else among
    for source, upstream in (*named(new), *others):
        candidates[source].add(upstream)
    for source, upstreams in _batches(candidates):
        payloads = _payloads(store, inbox, source)
        for state in store.states(source, upstreams).values() if payloads else ():
            task = _task(payloads, state)._replace(takedowns=takedowns or store.takedowns())
            _count_changes(survey, source, state, task, new)
    return _with_shared(store, survey)


class Returning(NamedTuple):
    """The items that come back: their identifiers, the number of other changed items, and the purged items."""

    items: tuple[str, ...] = ()
    changed: int = 0
    purged: tuple[str, ...] = ()


def returning(store: Store, inbox: Inbox, lifted: Entries) -> Returning:
    """Return what comes back if these entries are removed from the list. Raise StoreError."""
    keys = {entry.key for entry in lifted}
    rest = Takedowns(entry for entry in store.takedowns().entries if entry.key not in keys)
    items: list[str] = []
    purged: list[str] = []
    changed = 0
    for source, states in _withheld(store):
        payloads = _payloads(store, inbox, source)
        for state in states if payloads else ():
            prepared = prepare(_task(payloads, state)._replace(takedowns=rest))
            if state.is_hidden and not prepared.is_withheld:
                (purged if prepared.is_deleted else items).append(state.identifier)
            elif not state.is_hidden and Change(prepared, (), state).differs():
                changed += 1
    return Returning(tuple(items), changed, tuple(purged))


def hidden(store: Store, inbox: Inbox, entries: Entries) -> Iterator[tuple[str, ItemState]]:
    """Yield the items that these entries hide as (source, state), whether they were published or not.

    Raise StoreError.
    """
    alone = Takedowns(entries)
    for source, states in _withheld(store, only_hidden=True):
        payloads = _payloads(store, inbox, source)
        for state in states if payloads else ():
            if prepare(_task(payloads, state)._replace(takedowns=alone)).is_deleted:
                yield source, state


def bury(store: Store, source: str, states: Iterable[ItemState]) -> None:
    """Note that the payloads of hidden items were deleted, so that a payload that arrives again counts as new.

    Raise StoreError.
    """
    write(store, Publication(source), [buried(store, state) for state in states])


def _count_changes(survey: Survey, source: str, state: ItemState, task: Task, new: Entries) -> None:
    prepared = prepare(task)
    if prepared.problems or not prepared.is_withheld:
        return
    survey.upstreams[source].add(state.upstream)
    is_deleted = prepared.is_deleted and not state.is_deleted
    is_changed = not prepared.is_deleted and Change(prepared, (), state).differs()
    survey.deleted += is_deleted
    survey.changed += is_changed
    survey.touched |= {state.identifier} if is_deleted or is_changed else set()
    for entry in new:
        alone = Takedowns((entry,))
        if prepared.is_deleted and prepare(task._replace(takedowns=alone)).is_withheld:
            survey.items[entry.key] |= {state.identifier} if state.records else set()
            survey.hidden.add(state.number)
            survey.shared += [(entry.key, file.sha256) for file in state.files if file.sha256]
        sound = (file for file in state.files if file.sha256)
        hit = [file for file in sound if alone.names_digest(file.sha256) or alone.targets(file.url)]
        survey.files[entry.key] |= {file.sha256 for file in hit}
        if entry.kind not in OF_ITEMS:
            survey.addresses[entry.key] |= {place_of(file.url) for file in hit if _is_named(file, task)} - {""}


def _is_named(file: FileLink, task: Task) -> bool:
    """Return whether a record names a file, which is then published without reading its bytes."""
    if file.origin is FileOrigin.UPSTREAM:
        return True
    none = Takedowns()
    return any(none.mentions(given.content, (file.url,)) for given in task.given if not given.is_deleted)


def _with_shared(store: Store, survey: Survey) -> Survey:
    """Add the files of hidden items, except files that a visible item has too."""
    for key, digest in survey.shared:
        if survey.hidden.issuperset(store.items_with(digest)):
            survey.files[key].add(digest)
    return survey


def named(entries: Entries) -> Iterator[tuple[str, str]]:
    """Yield (source, upstream identifier) of the items that entries name."""
    for entry in entries:
        if entry.kind is Kind.UPSTREAM:
            yield entry.source, entry.value
        for local in (*entry.items, *[entry.value] * (entry.kind is Kind.IDENTIFIER)):
            if match := _LOCAL.match(local):
                yield match[1], upstream_identifier(local)


def scanned(store: Store, wanted: Takedowns, progress: Progress) -> Iterator[tuple[str, str]]:
    """Yield (source, upstream identifier) of the items whose published records the entries may concern.

    `progress` is called with the number of records read so far, and may raise an error to end it.
    """
    if not wanted.needs_scan:
        return
    with store.view() as view:
        prefixes = [format_.metadata_prefix for format_ in view.formats() if format_.metadata_prefix not in _INSIDE]
    seen, after = 0, None
    for prefix in prefixes:
        while True:
            with store.view() as view:
                page = view.page(Selection(prefix), after, _BATCH)
            yield from filter(None, (_item_of(record) for record in page.records if wanted.may_concern(record)))
            after, seen = page.next, seen + len(page.records)
            progress(seen)
            if after is None:
                break


def _item_of(content: bytes) -> tuple[str, str] | None:
    header = _IDENTIFIER.search(content)
    local = unescape(header[1].decode()) if header else ""
    match = _LOCAL.match(local)
    return (match[1], upstream_identifier(local)) if match else None


def _later(store: Store, inbox: Inbox) -> Survey:
    """Return the items that were published after their entry and hit then, because their record has another DOI now."""
    survey, takedowns = Survey(), store.takedowns()
    for source, states in _withheld(store, only_hidden=True):
        news = [state for state in states if state.records and state.identifier not in takedowns.hit_items]
        payloads = _payloads(store, inbox, source) if news else None
        for state in news if payloads else ():
            _count_changes(survey, source, state, _task(payloads, state), takedowns.entries)
    return _with_shared(store, survey)


def _withheld(store: Store, *, only_hidden: bool = False) -> Iterator[tuple[str, list[ItemState]]]:
    after = 0
    while rows := store.withheld(after, _BATCH, only_hidden=only_hidden):
        by_source: dict[str, list[ItemState]] = defaultdict(list)
        for source, state in rows:
            by_source[source].append(state)
        yield from by_source.items()
        after = rows[-1][1].number


# --- notes in the list --------------------------------------------------------------------------------------------


def _note(file: TakedownFile, news: Survey) -> bool:
    """Write into the list what its entries have hit; return whether that was new."""
    before = file.read().listed
    if not (news.items or news.files or news.addresses):
        return False
    return file.change(lambda entries: [_noted(entry, news) for entry in entries]).listed != before


def _noted(entry: Takedown, news: Survey) -> Takedown:
    if not any(effect.get(entry.key) for effect in (news.items, news.files, news.addresses)):
        return entry
    items = {*entry.items, *news.items.get(entry.key, ())}
    files = {*entry.files, *news.files.get(entry.key, ())}
    addresses = {*entry.addresses, *news.addresses.get(entry.key, ())}
    return entry._replace(items=tuple(sorted(items)), files=tuple(sorted(files)), addresses=tuple(sorted(addresses)))


# --- publication --------------------------------------------------------------------------------------------------


def _publish(store: Store, inbox: Inbox, source: str, upstreams: Iterable[str]) -> int:
    """Publish items under the current list; return how many records got a new datestamp."""
    names = tuple(upstreams)
    for _ in range(TRIES if facts_held(store, source) else 0):
        position, edition, takedowns = store.position(source), store.edition(source), store.takedowns()
        payloads = _payloads(store, inbox, source)
        states = store.states(source, names).values()
        mapped = [(state, prepare(_task(payloads, state))) for state in states]
        changes = [Change(mapped_item, (), state) for state, mapped_item in mapped if not mapped_item.problems]
        files = [_files(mapped_item, state, takedowns) for state, mapped_item in mapped if state.files]
        publication = Publication(
            source,
            position=(position, position),
            edition=edition,
            files=tuple(file for file in files if file is not None),
            takedowns=takedowns.revision,
        )
        try:
            return write(store, publication, [change for change in changes if change.differs()])
        except (IntentExpired, PositionMoved, FilesChanged):
            continue
    if facts_held(store, source):
        raise StoreError(
            f"The takedowns in {source} were not applied: other processes were faster {TRIES} times. "
            "`harvester publish` applies them."
        )
    return 0


def _files(prepared: Prepared, state: ItemState, takedowns: Takedowns) -> ItemFiles | None:
    """Return the new known files of an item; None if they do not change."""
    is_hidden = prepared.is_withheld and prepared.is_deleted
    files = () if is_hidden else permitted(state.files, Forbidden(takedowns).with_files(state.files))
    return None if files == state.files else ItemFiles(state.upstream, files)


def _return(store: Store, inbox: Inbox) -> Iterator[int]:
    """Publish withheld items that are no longer taken down; yield for each batch how many came back."""
    for source, states in _withheld(store):
        hidden = {state.upstream for state in states if state.is_hidden}
        _publish(store, inbox, source, [state.upstream for state in states])
        now = store.states(source, tuple(hidden))
        yield sum(not record.is_deleted for record in now.values())


def _restore_tombstones(store: Store, entries: Entries) -> Iterator[int]:
    """Make the tombstones of items that a lost store had published; yield the number of records for each item."""
    with store.view() as view:
        sources = {source.name for source in view.sources()}
    for source, upstream in named(entries):
        identifiers = [item for entry in entries for item in entry.items if _is_of(item, source, upstream)]
        state = store.states(source, (upstream,)).get(upstream) if identifiers and source in sources else None
        if not identifiers or source not in sources or (state is not None and state.records):
            continue
        sets = (f"{SOURCES}:{source}",)
        tombstones = tuple(tombstone(prefix, sets) for prefix in made(store).prefixes)
        prepared = Prepared(upstream, identifiers[0], True, sets, tombstones, is_withheld=state is not None)
        yield write(store, Publication(source), [Change(prepared, (), state)])


def _is_of(local: str, source: str, upstream: str) -> bool:
    match = _LOCAL.match(local)
    return match is not None and match[1] == source and upstream_identifier(local) == upstream


# --- shared functions ---------------------------------------------------------------------------------------------


def _payloads(store: Store, inbox: Inbox, source: str) -> Payloads | None:
    facts = facts_held(store, source)
    return Payloads(store, inbox, facts) if facts else None


def _task(payloads: Payloads | None, state: ItemState) -> Task:
    assert payloads is not None
    return payloads.task(state.upstream, {}, state)


def _batches(upstreams: dict[str, set[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for source, names in upstreams.items():
        ordered = sorted(names)
        for begin in range(0, len(ordered), _BATCH):
            yield source, tuple(ordered[begin : begin + _BATCH])
