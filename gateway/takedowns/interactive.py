"""The takedowns that people add in the review: what they would touch, and the thread that carries them out.

That can take minutes in a large repository, because a file may be in any record. So the server answers after some
seconds, and the thread goes on. It opens the databases for itself, as a command does.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import closing
from threading import Thread
from time import monotonic
from typing import Final

from gateway.core.errors import GatewayError, StoreError
from gateway.core.instance_folder import DISCOVERY
from gateway.core.names import source_of, upstream_identifier
from gateway.core.settings import Settings, load
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown, Takedowns
from gateway.search.indexing import following
from gateway.store.base import Databases, DiscoveryOnDemand, Inbox, Store
from gateway.takedowns.apply import pending, scanned, survey
from gateway.takedowns.plans import Listed, Plan
from gateway.takedowns.withdrawing import added, carry_out, files_named, has_file

_WAIT_SECONDS: Final = 5.0
_READ_SECONDS: Final = 10.0  # for the preview of an address; the whole of a large repository takes minutes
_ESCAPES: Final = (b"%", b"&#", b"\\")  # with which an address can be spelled without its words
MOST_ITEMS: Final = 200  # of a preview

log = logging.getLogger("gateway")


class _OutOfTime(Exception):
    """The records were read for as long as a person waits."""


class _Address(Takedowns):
    """An entry on one address, prepared for records that name many others at the same host."""

    def __init__(self, entry: Takedown) -> None:
        super().__init__((entry,))
        self._words = [word.lower().encode() for word in _words_of(entry)]

    def may_concern(self, content: bytes) -> bool:
        """Return, fast for most records, whether one may contain the address in any spelling."""
        low = content.lower()
        if not all(word in low for word in self._words) and not any(mark in low for mark in _ESCAPES):
            return False
        return super().may_concern(content)


def _words_of(entry: Takedown) -> list[str]:
    """Return the words in the path and the query of an address."""
    return re.findall("[0-9A-Za-z]+", entry.value.partition("/")[2])


class InteractiveTakedowns:
    """The takedowns of one instance; `Withdrawals` has the promises. `inbox` is None if it cannot be read."""

    def __init__(self, settings: Settings, store: Store, inbox: Inbox | None, discovery: DiscoveryOnDemand) -> None:
        self._settings, self._store, self._inbox, self._discovery = settings, store, inbox, discovery

    def plan(self, entry: Takedown, item: str = "") -> Plan:
        """Return what an entry would touch; nothing is changed. Raise StoreError."""
        if self._inbox is None:
            raise StoreError("Nothing can be taken down, because the inbox cannot be read.")
        listed = self._store.takedowns()
        before = next((known for known in listed.entries if known.key == entry.key), None)
        is_done = before is not None and not self._is_waiting(entry)
        if entry.kind is Kind.SHA256:
            items = self._with_file(entry.value)
            return Plan(entry, items[:MOST_ITEMS], (entry.value,), len(items) > MOST_ITEMS, before, is_done)
        if entry.kind is Kind.URL:
            return self._at_address(self._inbox, entry, item)._replace(before=before, is_done=is_done)
        every = Takedowns(added(listed.listed, (entry,)))
        effect = survey(self._store, self._inbox, (entry,), takedowns=every, among=())
        files = self._alone(entry, effect.files[entry.key])
        return Plan(entry, tuple(sorted(effect.items[entry.key])), tuple(sorted(files)), before=before, is_done=is_done)

    def _at_address(self, inbox: Inbox, entry: Takedown, item: str) -> Plan:
        """Return what an address would touch: records, files that were found there, and all that has their bytes."""
        alone, until = Takedowns((entry,)), monotonic() + _READ_SECONDS
        places, owners = {(source_of(item), upstream_identifier(item))} if item else set(), set[str]()
        is_whole = True
        try:
            owners.update(self._found_at(entry, until))
            places.update(scanned(self._store, _Address(entry), lambda _: _stop_after(until)))
        except _OutOfTime:
            is_whole = False
        effect = survey(self._store, inbox, (entry,), takedowns=alone, among=sorted(places))
        items = {*effect.touched, *owners}
        files = set(effect.files[entry.key])
        if self._has_searched:
            discovery = self._discovery.open()
            searches = filter(None, map(discovery.search, sorted({*items, item})[:MOST_ITEMS]))
            files |= files_named(self._store, discovery, searches, (entry,))[entry.key]
        for digest in files:
            items.update(self._with_file(digest))
        hidden = tuple(sorted(effect.items[entry.key]))
        shown = tuple(sorted(items, key=lambda name: (name not in hidden, name)))[:MOST_ITEMS]
        has_more = not is_whole or len(items) > MOST_ITEMS
        return Plan(entry, shown, tuple(sorted(files)), has_more, hidden=hidden)

    def _found_at(self, entry: Takedown, until: float) -> Iterator[str]:
        """Yield the items for which a file was found at an address, published or not. Raise _OutOfTime."""
        alone = Takedowns((entry,))
        for identifier, url in self._discovery.open().addresses_with(_words_of(entry)) if self._has_searched else ():
            _stop_after(until)
            if alone.targets(url):
                yield identifier

    def _alone(self, entry: Takedown, files: set[str]) -> set[str]:
        """Return the files that an item alone has, published or found for it, given its published ones."""
        if not self._has_searched:
            return files
        discovery = self._discovery.open()
        search = discovery.search(entry.value)
        of_search = files_named(self._store, discovery, (search,), (entry,))[entry.key] if search else set()
        return {digest for digest in files | of_search if not has_file(self._store, discovery, digest, (entry,))}

    def _with_file(self, digest: str) -> tuple[str, ...]:
        """Return the items that have a file: in their published records, or found for them."""
        with self._store.view() as view:
            named = view.items_with(digest, MOST_ITEMS + 1)
        copies = self._discovery.open().copies_with(digest, MOST_ITEMS + 1) if self._has_searched else ()
        return tuple(sorted({*named, *(copy.identifier for copy in copies)}))

    @property
    def _has_searched(self) -> bool:
        return Databases(self._settings).has(DISCOVERY)

    def add(self, entry: Takedown) -> bool:
        """Put an entry on the list, and carry the list out; return whether that was done within some seconds."""
        TakedownFile(self._settings.instance).change(lambda listed: added(listed, (entry,)))
        work = self._begun()
        work.join(_WAIT_SECONDS)
        return not work.is_alive() and not self._is_waiting(entry)

    def resume(self) -> None:
        """Carry out what is left in the list, such as after the kill of a worker of the server. Raise StoreError."""
        if self._inbox is not None and any(pending(self._store)):
            self._begun()

    def _begun(self) -> Thread:
        work = Thread(target=self._carry_out, name="takedowns", daemon=True)
        work.start()
        return work

    def _is_waiting(self, entry: Takedown) -> bool:
        return entry.key in {waiting.key for waiting in pending(self._store)[0]}

    def _carry_out(self) -> None:
        settings = load(self._settings.instance)
        try:
            with (
                following(settings, completes=False) as index,
                closing(Databases(settings).inbox(only_reads=True)) as inbox,
                closing(DiscoveryOnDemand(settings)) as discovery,
            ):
                carry_out(index.store, inbox, discovery.open if self._has_searched else None, settings)
        except GatewayError as error:
            log.error("Takedowns were not carried out; `harvester tend` repeats it: %s", error)  # noqa: TRY400 - expected

    def listed(self, *, with_removed: bool = False) -> tuple[Listed, ...]:
        """Return the entries in force, and the removed ones if they are wanted, the newest first."""
        new, lifted = pending(self._store)
        waiting = {entry.key for entry in new} | lifted
        rows = (
            Listed(entry, number, entry.key not in waiting)
            for number, entry in enumerate(self._store.takedowns().listed, 1)
            if with_removed or not entry.removed_at
        )
        return tuple(sorted(rows, key=lambda row: row.place, reverse=True))

    def has_open_erasure(self) -> bool:
        """Return whether a reader keeps what was taken down in the files of the store."""
        return self._store.has_open_erasure()

    def damaged(self) -> int:
        """Return how many damaged blocks of the store may still have what was withdrawn."""
        return 0 if self._store.takedowns().is_empty else self._store.damaged_with_superseded()


def _stop_after(until: float) -> None:
    """Raise _OutOfTime if it is later than that."""
    if monotonic() > until:
        raise _OutOfTime
