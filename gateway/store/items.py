"""The part of `Store` that lists items: their states, what they lack, and what is waiting or in quarantine."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from gateway.core.errors import StoreError
from gateway.core.model import (
    Deletion,
    FileLink,
    FileOrigin,
    Format,
    ItemState,
    Lack,
    LackCount,
    Lacking,
    Payload,
    Quarantined,
    Unused,
    UnusedElement,
)
from gateway.store.connector import Database, Session
from gateway.store.queries import load

SQL = load("store")

_COUNTED = ("items", "deleted", "fulltext", "quarantined", "waiting")
_BATCH = 500  # rows of a list that is read while others write


class StoredItems(Database):
    """The items of a store, as they are published. Every method may raise StoreError."""

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

    def unused(self, sources: Iterable[str]) -> dict[str, tuple[Unused, ...]]:
        """Return which elements of each source no reader uses, by format. Unknown sources are absent."""
        rows = self._file.rows(SQL["unused"], (json.dumps(list(sources)),))
        return {source: tuple(map(_unused, json.loads(value)["formats"])) for source, value in rows}

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


def _unused(row: Sequence[Any]) -> Unused:
    prefix, items, of, elements = row
    return Unused(prefix, items, of, tuple(UnusedElement(*element) for element in elements))


def _deletion(row: tuple[Any, ...]) -> Deletion:
    prefix, identifier, page, place, waits = row
    return Deletion(prefix, identifier, page, place, bool(waits))


# --- The prefixes of formats: ours have their own, formats of sources the first one that is free ---------------------


def add_format(session: Session, wanted: Format) -> Format:
    """Return the format as it is served; add it if it is missing. See `Store.add_format` in gateway/store/base.py.

    Raise StoreError if a format of a source has the prefix of ours.
    """
    return _add_upstream(session, wanted) if wanted.source else _add_ours(session, wanted)


def _add_ours(session: Session, wanted: Format) -> Format:
    there = _format(session, wanted.metadata_prefix)
    if there is not None and there.namespace != wanted.namespace and there.source:
        raise StoreError(
            f"Our format {wanted.metadata_prefix!r} cannot be added: the prefix is taken by one of the source "
            f"{there.source!r}."
        )
    if there is not None and not there.source and there.version >= wanted.version:
        return there
    _put(session, wanted)
    return wanted


def _add_upstream(session: Session, wanted: Format) -> Format:
    row = session.one(SQL["format_of_upstream"], (wanted.source, wanted.upstream_prefix))
    there = _format(session, row[0]) if row else None
    if there is None or there.namespace != wanted.namespace:
        there = _free(session, wanted, _names(wanted))
        session.execute(SQL["upstream_format_put"], (wanted.source, wanted.upstream_prefix, there.metadata_prefix))
    return Format(
        there.metadata_prefix, there.schema, there.namespace, there.version, wanted.source, wanted.upstream_prefix
    )


def _free(session: Session, wanted: Format, names: Iterator[str]) -> Format:
    """Return the format under the first of `names` that is free, or that means the same and is no other of the source.

    Otherwise two formats of one source could be two records of one item under one name. For example, the source `up` is
    a gateway with the formats `oai_didl` and `oai_didl.up`. Here, both would be `oai_didl.up`.
    """
    name = next(names)
    there = _format(session, name)
    if there is None:
        there = Format(name, wanted.schema, wanted.namespace, wanted.version, wanted.source, wanted.upstream_prefix)
        _put(session, there)
    others = session.one(SQL["format_of_upstream_taken"], (wanted.source, wanted.upstream_prefix, name))
    return there if there.namespace == wanted.namespace and not others else _free(session, wanted, names)


def _names(wanted: Format) -> Iterator[str]:
    yield wanted.metadata_prefix
    yield f"{wanted.metadata_prefix}.{wanted.source}"
    yield from (f"{wanted.metadata_prefix}.{wanted.source}.{number}" for number in count(2))


def _format(session: Session, name: str) -> Format | None:
    row = session.one(SQL["format"], (name,))
    return Format(*row) if row else None


def _put(session: Session, wanted: Format) -> None:
    session.execute(SQL["prefix_add"], (wanted.metadata_prefix,))
    session.execute(
        SQL["format_put"],
        (
            wanted.metadata_prefix,
            wanted.schema,
            wanted.namespace,
            wanted.version,
            wanted.source,
            wanted.upstream_prefix,
        ),
    )


# --- Reads what the store has of items: their states, and the files that are known besides their records -------------


def states_of(session: Session, rows: Sequence[tuple[int, str, str, int]]) -> Iterator[ItemState]:
    """Yield the states of items whose rows are (number, upstream, identifier, is_deleted, ...)."""
    numbers = json.dumps([row[0] for row in rows])
    payloads: dict[int, list[Payload]] = {row[0]: [] for row in rows}
    records: dict[int, list[tuple[str, bytes, bool]]] = {row[0]: [] for row in rows}
    for item, prefix, page, place, digest, is_deleted in session.execute(SQL["payloads"], (numbers,)):
        payloads[item].append(Payload(prefix, page, place, digest, bool(is_deleted)))
    for item, prefix, digest, is_deleted in session.execute(SQL["records"], (numbers,)):
        records[item].append((prefix, digest, bool(is_deleted)))
    files = _files(session, numbers) if rows else {}
    withheld = {row[0] for row in session.execute(SQL["withheld_of"], (numbers,))}
    lacking = {item: Lacking(prefix, Lack(n)) for item, prefix, n in session.execute(SQL["lacking_of"], (numbers,))}
    for number, upstream, identifier, is_deleted, *_ in rows:
        parts = tuple(payloads[number]), tuple(records[number]), tuple(files.get(number, ()))
        yield ItemState(number, upstream, identifier, bool(is_deleted), *parts, number in withheld, lacking.get(number))


def _files(session: Session, numbers: str) -> dict[int, list[FileLink]]:
    """Return the known files of these items (a JSON list of numbers). Most stores have none."""
    files: dict[int, list[FileLink]] = {}
    if session.one(SQL["files_any"]) == (1,):
        for item, *row in session.execute(SQL["files"], (numbers,)):
            link = FileLink(*row)
            link = link._replace(
                origin=FileOrigin(link.origin), is_named=bool(link.is_named), is_supplement=bool(link.is_supplement)
            )
            files.setdefault(item, []).append(link)
    return files


def lack_counts(session: Session, sources: Iterable[str]) -> dict[str, tuple[LackCount, ...]]:
    """Return how many items of each source lack something, by format and by what they lack, each with an example."""
    counts: dict[tuple[str, str, Lack], tuple[int, int]] = {}
    for source, prefix, lacks, items, first in session.execute(SQL["lack_counts"], (json.dumps(list(sources)),)):
        for lack in Lack(lacks):
            before, example = counts.get((source, prefix, lack), (0, first))
            counts[source, prefix, lack] = (before + items, min(example, first))
    examples = json.dumps([example for _, example in counts.values()])
    names = dict(session.execute(SQL["identifiers_of"], (examples,)))
    made: dict[str, list[LackCount]] = {}
    for (source, prefix, lack), (items, example) in sorted(counts.items()):
        made.setdefault(source, []).append(LackCount(prefix, lack, items, names[example]))
    return {source: tuple(several) for source, several in made.items()}
