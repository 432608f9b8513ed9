"""The part of `Store` that lists items: their states, what they lack, and what is waiting or in quarantine."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from gateway.core.model import Deletion, ItemState, Lack, LackCount, Quarantined
from gateway.store.connector import Connector
from gateway.store.formats import lack_counts, states_of
from gateway.store.queries import load

SQL = load("store")

_COUNTED = ("items", "deleted", "fulltext", "quarantined", "waiting")
_BATCH = 500  # rows of a list that is read while others write


class StoredItems:
    """The items of a store, as they are published. Every method may raise StoreError."""

    _file: Connector

    def position(self, source: str) -> int:
        """Return the number of the last inbox page of this source that was published; 0 at first."""
        row = self._file.one(SQL["position"], (source,))
        return row[0] if row else 0

    def last_position(self) -> int:
        """Return the number of the last inbox page of any source that was published; 0 at first."""
        (last,) = self._file.one(SQL["position_last"]) or (0,)
        return int(last)

    def edition(self, source: str) -> int:
        """Return how often the known files of a source's items have changed; call it before `states`."""
        row = self._file.one(SQL["edition"], (source,))
        return row[0] if row else 0

    def withheld(self, after: int, limit: int, *, only_hidden: bool = False) -> tuple[tuple[str, ItemState], ...]:
        """Return, like `items`, the items of which something is taken down; or only those that are hidden whole."""
        return self._items("items_withheld", {"after": after, "limit": limit, "hidden": only_hidden})

    def items_with(self, sha256: str) -> tuple[int, ...]:
        """Return the numbers of the items, without deleted ones, that have a known file with these bytes."""
        return tuple(row[0] for row in self._file.rows(SQL["items_with"], (sha256,)))

    def states(self, source: str, upstreams: Sequence[str]) -> dict[str, ItemState]:
        """Return the states of the items with these upstream identifiers; unknown ones are absent."""
        with self._file.reading() as session:
            session.begin()
            parameters = {"source": source, "upstreams": json.dumps(sorted(set(upstreams)))}
            rows = session.execute(SQL["items_of_upstream"], parameters).fetchall()
            return {state.upstream: state for state in states_of(session, rows)}

    def items(self, source: str | None, after: int, limit: int) -> tuple[tuple[str, ItemState], ...]:
        """Return at most `limit` items as (source name, state), sorted by number, after the number `after`.

        `source` restricts them to one source; None: all.
        """
        return self._items("items", {"source": source, "after": after, "limit": limit})

    def _items(self, query: str, parameters: dict[str, object]) -> tuple[tuple[str, ItemState], ...]:
        with self._file.reading() as session:
            session.begin()
            rows = session.execute(SQL[query], parameters).fetchall()
            return tuple((row[4], state) for row, state in zip(rows, states_of(session, rows), strict=True))

    def living(self, source: str, metadata_prefix: str, after: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` upstream identifiers of living items with a living payload in a format.

        They are those of one source after the identifier `after`, sorted by their bytes.
        """
        parameters = {"source": source, "prefix": metadata_prefix, "after": after, "limit": limit}
        return tuple(upstream for (upstream,) in self._file.rows(SQL["living"], parameters))

    def item_sets(self, number: int) -> tuple[str, ...]:
        """Return the specs of the sets of item `number`, including ancestors."""
        return tuple(row[0] for row in self._file.rows(SQL["item_sets"], {"item": number}))

    def quarantined(self, source: str | None = None) -> Iterator[Quarantined]:
        """Yield the records in quarantine, the oldest first."""
        after = 0
        while True:
            with self._file.reading() as session:
                parameters = {"source": source, "after": after, "limit": _BATCH}
                rows = session.execute(SQL["quarantined"], parameters).fetchall()
            if not rows:
                return
            yield from (Quarantined(*row[:7]) for row in rows)
            after = rows[-1][7]

    def counts(self, source: str) -> dict[str, int]:
        """Return how many `items`, `deleted`, `fulltext`, `quarantined` and `waiting` (deletions) a source has."""
        row = self._file.one(SQL["counts"], (source,))
        return dict(zip(_COUNTED, row or [0] * len(_COUNTED), strict=True))

    def lack_counts(self, sources: Iterable[str]) -> dict[str, tuple[LackCount, ...]]:
        """Return how many living items of each source lack something, by format and by what they lack.

        Sources of which no item lacks anything are absent.
        """
        with self._file.reading() as session:
            return lack_counts(session, sources)

    def items_lacking(self, source: str, lack: Lack, limit: int) -> tuple[str, ...]:
        """Return the upstream identifiers of at most `limit` items of a source that lack something."""
        with self._file.reading() as session:
            rows = session.execute(SQL["items_lacking"], {"source": source, "lack": int(lack), "limit": limit})
            return tuple(upstream for (upstream,) in rows)

    def standings(self) -> dict[str, tuple[int, dict[str, int]]]:
        """Return what `position` and `counts` return, for every source."""
        rows = self._file.rows(SQL["standings"])
        return {name: (position, dict(zip(_COUNTED, row, strict=True))) for *row, position, name in rows}

    def waiting(self, source: str, after: tuple[str, str], limit: int) -> tuple[Deletion, ...]:
        """Return at most `limit` deletions that wait for a person, after the key `after` (prefix, identifier)."""
        return tuple(_deletion(row) for row in self._file.rows(SQL["waiting"], (source, *after, limit)))

    def deletions_of(self, source: str, upstreams: Collection[str]) -> frozenset[Deletion]:
        """Return the deletions of these upstream identifiers that were not carried out."""
        with self._file.reading() as session:
            rows = session.execute(SQL["deletions_of"], (source, json.dumps(sorted(upstreams))))
            return frozenset(map(_deletion, rows))


def _deletion(row: tuple[Any, ...]) -> Deletion:
    prefix, identifier, page, place, waits = row
    return Deletion(prefix, identifier, page, place, bool(waits))
