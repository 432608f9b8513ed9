"""Takedowns are obeyed: what they name is found among what is published, and published again without it.

The list is written first, so all that is published from then on obeys it. This finds what was published before, and
what an entry that was removed has withheld. The store remembers which entries it has obeyed, so a kill loses nothing.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

from gateway.errors import FilesChanged, IntentExpired, PositionMoved, StoreError
from gateway.formats import written
from gateway.items import TRIES, Change, Payloads, facts_held, write
from gateway.mapping import Prepared, Task, prepare, tombstone
from gateway.model import ItemFiles, ItemState, Publication, Selection
from gateway.names import SOURCES, upstream_identifier
from gateway.rebuild import buried
from gateway.store.base import OBEYED_FACT, Inbox, Store
from gateway.store.takedown_file import Entries, TakedownFile
from gateway.takedowns import Kind, Takedown, Takedowns
from gateway.withholding import Forbidden, permitted

_INSIDE = ("oai_dc",)  # it stands in the DIDL of its item
_BATCH = 500
_IDENTIFIER = re.compile(rb"<identifier>([^<]*)</identifier>")
_LOCAL = re.compile(r"oai:[^:]*:([^/]*)/")

Progress = Callable[[int], None]


@dataclass(slots=True)
class Survey:
    """What takedowns mean for what is published. `items` and `files` are what each entry hits, by its key."""

    upstreams: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by source
    items: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    files: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    hidden: set[int] = field(default_factory=set)  # numbers of items
    shared: list[tuple[str, str]] = field(default_factory=list)  # keys, and files of items that they hide
    deleted: int = 0  # items that become tombstones
    changed: int = 0  # items that lose a file or an address


class Obeyed(NamedTuple):
    """What was published: items that became tombstones, that changed, that came back; records with a new datestamp."""

    deleted: int = 0
    changed: int = 0
    returned: int = 0
    stamped: int = 0


def pending(store: Store) -> tuple[Entries, frozenset[str]]:
    """Return the entries that this store has not obeyed yet, and the keys of those that are to be lifted."""
    obeyed = _obeyed(store)  # first: an entry that is added and obeyed after this is none that was removed
    entries = store.takedowns().entries
    return tuple(each for each in entries if each.key not in obeyed), obeyed - {each.key for each in entries}


def _obeyed(store: Store) -> frozenset[str]:
    return frozenset(json.loads(store.fact(OBEYED_FACT) or "[]"))


def obey(
    store: Store,
    inbox: Inbox,
    file: TakedownFile,
    progress: Progress = lambda _: None,
    found: Callable[[Entries], Mapping[str, set[str]]] = lambda _: {},
) -> Obeyed:
    """Publish what the list means now, and note in it what it has hit. May be killed and repeated.

    One process at a time does this; another one waits, and then finds what is left. `progress` is told how many records
    were looked at; `found` tells, by the keys of entries, which files they mean that are not published. Raise
    StoreError.
    """
    with file.obeying():
        return _obey(store, inbox, file, progress, found)


def _obey(
    store: Store,
    inbox: Inbox,
    file: TakedownFile,
    progress: Progress,
    found: Callable[[Entries], Mapping[str, set[str]]],
) -> Obeyed:
    new, lifted = pending(store)
    names = {each.key for each in new}
    if new or lifted:
        store.abandon(store.intend())  # a process that writes after this has seen the list
    while True:
        news = survey(store, inbox, new, progress)
        for key, digests in found(new).items():
            news.files[key] |= digests
        if not _note(file, news):
            break  # what was noted may have hit more: the same bytes at another address
        new = tuple(each for each in store.takedowns().entries if each.key in names)
    _note(file, _later(store, inbox))
    stamped = sum(_publish(store, inbox, source, each) for source, each in _batches(news.upstreams))
    stamped += sum(_restore_tombstones(store, new))
    returned = sum(_return(store, inbox)) if lifted else 0
    if new or lifted:  # an entry that was added meanwhile is not among the names
        store.remember(OBEYED_FACT, json.dumps(sorted(_obeyed(store) - lifted | names)))
    return Obeyed(news.deleted, news.changed, returned, stamped)


# --- what is meant ------------------------------------------------------------------------------------------------


def survey(
    store: Store, inbox: Inbox, new: Entries, progress: Progress = lambda _: None, takedowns: Takedowns | None = None
) -> Survey:
    """Return what these entries mean for what is published; `takedowns` is the whole list, if not the one in force."""
    found = Survey()
    candidates: dict[str, set[str]] = defaultdict(set)
    for source, upstream in (*named(new), *_scanned(store, Takedowns(new), progress)):
        candidates[source].add(upstream)
    for source, upstreams in _batches(candidates):
        payloads = _payloads(store, inbox, source)
        for state in store.states(source, upstreams).values() if payloads else ():
            task = _task(payloads, state)._replace(takedowns=takedowns or store.takedowns())
            _look(found, source, state, task, new)
    return _with_shared(store, found)


class Returning(NamedTuple):
    """What comes back: identifiers of items, how many records of others change, and items whose content was purged."""

    items: tuple[str, ...] = ()
    changed: int = 0
    purged: tuple[str, ...] = ()


def returning(store: Store, inbox: Inbox, lifted: Entries) -> Returning:
    """Return what comes back when these entries are removed from the list."""
    keys = {each.key for each in lifted}
    rest = Takedowns(each for each in store.takedowns().entries if each.key not in keys)
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
    """Return the items, with their sources, that these entries hide, whether they were published or not."""
    alone = Takedowns(entries)
    for source, states in _withheld(store, only_hidden=True):
        payloads = _payloads(store, inbox, source)
        for state in states if payloads else ():
            if prepare(_task(payloads, state)._replace(takedowns=alone)).is_deleted:
                yield source, state


def bury(store: Store, source: str, states: Iterable[ItemState]) -> None:
    """Note that nothing of the payloads of hidden items is left, so that any that comes again is news."""
    write(store, Publication(source), [buried(store, each) for each in states])


def _look(found: Survey, source: str, state: ItemState, task: Task, new: Entries) -> None:
    prepared = prepare(task)
    if prepared.problems or not prepared.is_withheld:
        return
    found.upstreams[source].add(state.upstream)
    found.deleted += prepared.is_deleted and not state.is_deleted
    found.changed += not prepared.is_deleted and Change(prepared, (), state).differs()
    for each in new:
        alone = Takedowns((each,))
        if prepared.is_deleted and prepare(task._replace(takedowns=alone)).is_withheld:
            found.items[each.key] |= {state.identifier} if state.records else set()
            found.hidden.add(state.number)
            found.shared += [(each.key, file.sha256) for file in state.files if file.sha256]
        found.files[each.key] |= {file.sha256 for file in state.files if file.sha256 and alone.names_file(file)}


def _with_shared(store: Store, found: Survey) -> Survey:
    """Add the files of items that are hidden, but for those that an item which stays has too."""
    for key, digest in found.shared:
        if found.hidden.issuperset(store.items_with(digest)):
            found.files[key].add(digest)
    return found


def named(entries: Entries) -> Iterator[tuple[str, str]]:
    """Return (source, upstream identifier) of the items that entries name."""
    for each in entries:
        if each.kind is Kind.UPSTREAM:
            yield each.source, each.value
        for local in (*each.items, *[each.value] * (each.kind is Kind.IDENTIFIER)):
            if match := _LOCAL.match(local):
                yield match[1], upstream_identifier(local)


def _scanned(store: Store, wanted: Takedowns, progress: Progress) -> Iterator[tuple[str, str]]:
    """Return (source, upstream identifier) of the items whose published records may tell what is wanted."""
    if not wanted.needs_scan:
        return
    with store.view() as view:
        prefixes = [each.metadata_prefix for each in view.formats() if each.metadata_prefix not in _INSIDE]
    seen, after = 0, None
    for prefix in prefixes:
        while True:
            with store.view() as view:
                page = view.page(Selection(prefix), after, _BATCH)
            yield from filter(None, (_item_of(each) for each in page.records if wanted.may_concern(each)))
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
    """Return the items that were hit when they were published, after their entry: their record says another DOI now."""
    found, takedowns = Survey(), store.takedowns()
    for source, states in _withheld(store, only_hidden=True):
        news = [each for each in states if each.records and each.identifier not in takedowns.hit_items]
        payloads = _payloads(store, inbox, source) if news else None
        for state in news if payloads else ():
            _look(found, source, state, _task(payloads, state), takedowns.entries)
    return _with_shared(store, found)


def _withheld(store: Store, *, only_hidden: bool = False) -> Iterator[tuple[str, list[ItemState]]]:
    after = 0
    while rows := store.withheld(after, _BATCH, only_hidden=only_hidden):
        by_source: dict[str, list[ItemState]] = defaultdict(list)
        for source, state in rows:
            by_source[source].append(state)
        yield from by_source.items()
        after = rows[-1][1].number


# --- what is noted ------------------------------------------------------------------------------------------------


def _note(file: TakedownFile, news: Survey) -> bool:
    """Write into the list what its entries have hit; tell whether that was new."""
    before = file.read().listed
    if not (news.items or news.files):
        return False
    return file.change(lambda entries: [_noted(each, news) for each in entries]).listed != before


def _noted(entry: Takedown, news: Survey) -> Takedown:
    items = {*entry.items, *news.items.get(entry.key, ())}
    files = {*entry.files, *news.files.get(entry.key, ())}
    return entry._replace(items=tuple(sorted(items)), files=tuple(sorted(files)))


# --- what is published --------------------------------------------------------------------------------------------


def _publish(store: Store, inbox: Inbox, source: str, upstreams: Iterable[str]) -> int:
    """Publish items as the list wants them now; return how many records were stamped."""
    payloads, names = _payloads(store, inbox, source), tuple(upstreams)
    for _ in range(TRIES if payloads else 0):
        position, edition, takedowns = store.position(source), store.edition(source), store.takedowns()
        states = store.states(source, names).values()
        mapped = [(state, prepare(_task(payloads, state))) for state in states]
        changes = [Change(each, (), state) for state, each in mapped if not each.problems]
        files = [_files(each, state, takedowns) for state, each in mapped if state.files]
        publication = Publication(
            source,
            position=(position, position),
            edition=edition,
            files=tuple(each for each in files if each is not None),
            takedowns=takedowns.revision,
        )
        try:
            return write(store, publication, [each for each in changes if each.differs()])
        except (IntentExpired, PositionMoved, FilesChanged):
            continue
    if payloads:
        raise StoreError(f"The takedowns in {source} could not be published: something came between {TRIES} times.")
    return 0


def _files(prepared: Prepared, state: ItemState, takedowns: Takedowns) -> ItemFiles | None:
    """Return what is to be known of an item's files from now on; None when that is what is known."""
    is_hidden = prepared.is_withheld and prepared.is_deleted
    files = () if is_hidden else permitted(state.files, Forbidden(takedowns).with_files(state.files))
    return None if files == state.files else ItemFiles(state.upstream, files)


def _return(store: Store, inbox: Inbox) -> Iterator[int]:
    """Publish again what is withheld and is not taken down any more; yield how many items came back of each batch."""
    for source, states in _withheld(store):
        hidden = {each.upstream for each in states if each.is_hidden}
        _publish(store, inbox, source, [each.upstream for each in states])
        now = store.states(source, tuple(hidden))
        yield sum(not each.is_deleted for each in now.values())


def _restore_tombstones(store: Store, entries: Entries) -> Iterator[int]:
    """Make the tombstones of items that were published by a store that is lost; yield how many records they are."""
    with store.view() as view:
        sources = {each.name for each in view.sources()}
    for source, upstream in named(entries):
        identifiers = [each for entry in entries for each in entry.items if _is_of(each, source, upstream)]
        state = store.states(source, (upstream,)).get(upstream) if identifiers and source in sources else None
        if not identifiers or source not in sources or (state is not None and state.records):
            continue
        sets = (f"{SOURCES}:{source}",)
        tombstones = tuple(tombstone(prefix, sets) for prefix in written())
        prepared = Prepared(upstream, identifiers[0], True, sets, tombstones, is_withheld=state is not None)
        yield write(store, Publication(source), [Change(prepared, (), state)])


def _is_of(local: str, source: str, upstream: str) -> bool:
    match = _LOCAL.match(local)
    return match is not None and match[1] == source and upstream_identifier(local) == upstream


# --- what all need ------------------------------------------------------------------------------------------------


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
