"""Writes one publication, inside the transaction that the store has opened for it.

The blocks are made before, so that the lock is free during the compression. First it reads the state, then it computes
all rows in memory (`rows`), then it writes them, one statement per table. So the lock is held for as short a time as
possible.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from gateway.core.errors import StoreError
from gateway.core.model import ItemChange, Key, Publication
from gateway.store.block_merging import shares
from gateway.store.block_writer import BlockWriter
from gateway.store.blocks import Block, block_of, pack
from gateway.store.connector import Session
from gateway.store.own_lists import Upkeep
from gateway.store.queries import load
from gateway.store.rows import (
    Added,
    HeldItem,
    HeldRecord,
    Known,
    Logged,
    Numbers,
    Planner,
    Rows,
    ancestors,
    listed,
)

SQL = load("store")

Lines: TypeAlias = defaultdict[int, dict[int, int]]  # the number of a line of the log, by format and item

FULLTEXT_SPEC: Final = "fulltext"


class Chunk(NamedTuple):
    """A block of a publication: the numbers of its changes, in the order of its records. It has no items yet."""

    changes: tuple[int, ...]
    block: Block


Packed: TypeAlias = dict[str, list[Chunk]]  # by metadataPrefix


def packed(changes: Sequence[ItemChange]) -> Packed:
    """Return the records of a publication in blocks, by format.

    Records are sorted by the sets of their items. So many blocks have records of one set only, and are served whole in
    its list.
    """
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number in sorted(range(len(changes)), key=lambda number: changes[number].sets):
        for record in changes[number].records:
            numbers[record.metadata_prefix].append(number)
    return {prefix: list(_chunks(prefix, several, changes)) for prefix, several in numbers.items()}


def blocks_of(
    made: Packed, prefix: str, added: Sequence[Added], changes: Sequence[ItemChange]
) -> Iterator[tuple[list[Added], Block]]:
    """Yield the blocks of the records that are written, with what is known of these.

    Usually these are all, and their blocks are made. If some records have not changed, blocks are made anew.
    """
    by_change = {one.change: one for one in added}
    chunks = made[prefix]
    wanted = [number for chunk in chunks for number in chunk.changes if number in by_change]
    if len(wanted) < sum(len(chunk.changes) for chunk in chunks):
        chunks = list(_chunks(prefix, wanted, changes))
    for chunk in chunks:
        several = [by_change[number] for number in chunk.changes]
        yield several, chunk.block._replace(items=pack(one.item for one in several))


def _chunks(prefix: str, numbers: Sequence[int], changes: Sequence[ItemChange]) -> Iterator[Chunk]:
    contents = [content_of(changes[number], prefix) for number in numbers]
    for start, stop in shares(contents):
        yield Chunk(tuple(numbers[start:stop]), block_of(contents[start:stop], ()))


def content_of(change: ItemChange, prefix: str) -> bytes:
    """Return the record of a change in a format."""
    return next(record.content for record in change.records if record.metadata_prefix == prefix)


def write(session: Session, datestamp: int, publication: Publication, packed: Packed) -> int:
    """Write a publication whose records are `packed` in blocks; return how many records it wrote.

    Raise StoreError for a source or format that was not added, or an item that is there twice.
    """
    known = _known(session, publication.source, publication.changes)
    planner = Planner(known, datestamp)
    for number, change in enumerate(publication.changes):
        planner.plan(number, change)
    _write_rows(session, known, planner.rows)
    lines = _write_log(session, datestamp, planner.rows.changes)
    _write_records(session, known, datestamp, planner.rows, publication.changes, packed, lines)
    if publication.files:
        _write_files(session, known.source, publication)
    _write_quarantine(session, known.source, datestamp, publication)
    session.executemany(SQL["deletion_remove"], [(known.source, *record) for record in publication.settled])
    session.executemany(SQL["deletion_put"], [(known.source, *deletion) for deletion in publication.deletions])
    return sum(map(len, planner.rows.added.values()))


def add_collections(session: Session, specs: Iterable[str]) -> dict[str, int]:
    """Return the numbers of these sets; missing sets are made."""
    wanted = sorted(specs)
    numbers: dict[str, int] = dict(session.execute(SQL["collections_named"], (json.dumps(wanted),)))
    missing = [(spec,) for spec in wanted if spec not in numbers]
    if missing:
        session.executemany(SQL["collection_add"], missing)
        return add_collections(session, wanted)
    return numbers


# --- the state before ---------------------------------------------------------------------------------------------


def _known(session: Session, name: str, changes: Sequence[ItemChange]) -> Known:
    row = session.one(SQL["source"], (name,))
    if row is None:
        raise StoreError(f"The source {name!r} is not in the store, so nothing of it can be published. Add it first.")
    source, stem = row
    specs = {above for specs in {change.sets for change in changes} for spec in specs for above in ancestors(spec)}
    held = _held(session, source, changes)
    contents = session.execute(SQL["held_contents"], (listed(item.number for item in held.values()),))
    return Known(
        source=source,
        stem=_learn_stem(session, source, changes) if stem is None else stem,
        prefixes=_prefixes(session, changes),
        collections=add_collections(session, specs),
        fulltext=frozenset(session.one(SQL["collection"], (FULLTEXT_SPEC,)) or ()),
        held=held,
        last_item=(session.one(SQL["item_last"]) or (0,))[0],
        contents={number: list(several) for number, several in groupby(contents, key=lambda row: row[0])},
    )


def _learn_stem(session: Session, source: int, changes: Sequence[ItemChange]) -> str | None:
    """Store, from the first item that shows it, the part of local identifiers before the upstream identifier."""
    for change in changes:
        if change.identifier.endswith(change.upstream):
            stem = change.identifier.removesuffix(change.upstream)
            session.execute(SQL["stem_set"], (stem, source))
            return stem
    return None


def _prefixes(session: Session, changes: Sequence[ItemChange]) -> dict[str, int]:
    exposed = {record.metadata_prefix for change in changes for record in change.records}
    missing = sorted(exposed - {row[0] for row in session.execute(SQL["formats"])})
    if missing:
        raise StoreError(f"The format {missing[0]!r} is not in the store, so no record can be published in it.")
    upstream = {payload.metadata_prefix for change in changes for payload in change.payloads}
    session.executemany(SQL["prefix_add"], [(name,) for name in sorted(upstream)])
    return dict(session.execute(SQL["prefixes"]))


def _held(session: Session, source: int, changes: Sequence[ItemChange]) -> dict[str, HeldItem]:
    upstreams = {change.upstream for change in changes}
    if len(upstreams) < len(changes):
        raise StoreError("Nothing was published, because an item is twice in the publication.")
    rows = session.execute(SQL["held_items"], {"source": source, "upstreams": json.dumps(sorted(upstreams))})
    held = {
        upstream: HeldItem(number, False, bool(is_deleted), _numbers(sets), _numbers(departed))
        for upstream, number, is_deleted, sets, departed in rows
    }
    items = {item.number: item for item in held.values()}
    for item, prefix, datestamp, number, digest, is_deleted, *exact in session.execute(
        SQL["held_records"], (listed(items),)
    ):
        items[item].records[prefix] = HeldRecord(Key(datestamp, number), digest, bool(is_deleted), *exact)
    return held


def _numbers(text: str | None) -> Numbers:
    return frozenset(json.loads(text)) if text else frozenset()


# --- writing ------------------------------------------------------------------------------------------------------


def _write_rows(session: Session, known: Known, rows: Rows) -> None:
    tallies = list(rows.tallies())
    emptied = [(*key, span, start) for *key, span, start, members_, gone in tallies if min(members_, gone) < 0]
    for query, table in (
        ("item_add", rows.items_added),
        ("item_change", rows.items_changed),
        ("withheld_put", rows.withheld),
        ("withheld_remove", rows.not_withheld),
        ("lacking_put", rows.lacking),
        ("lacking_remove", rows.not_lacking),
        ("payload_put", rows.payloads),
        ("contents_remove", rows.contents_removed),
        ("content_add", rows.contents_added),
        ("cited_remove", rows.contents_removed),
        ("cited_put", rows.cited),
        ("resource_remove", rows.resources_removed),
        ("tally_add", tallies),
        ("tally_sweep", emptied),
        ("source_count", [(rows.items, rows.deleted, rows.fulltext, known.source)]),
    ):
        session.executemany(SQL[query], table)


def _write_records(
    session: Session,
    known: Known,
    datestamp: int,
    rows: Rows,
    changes: Sequence[ItemChange],
    packed: Packed,
    lines: Lines,
) -> None:
    """Write the new records in blocks, and note which records they supersede; `lines` are those of the log."""
    block_writer, upkeep = BlockWriter(session), Upkeep(session)
    names = {number: name for name, number in known.prefixes.items()}
    for regrouped in rows.regrouped:
        upkeep.regroup(regrouped.prefix, block_writer.regroup(*regrouped))
    for prefix, superseded in sorted(rows.superseded.items()):
        block_writer.supersede(prefix, [key for key, _ in superseded])
        upkeep.supersede(prefix, superseded)
    for prefix, added in sorted(rows.added.items()):
        keys: list[tuple[Key, Added]] = []
        for several, block in blocks_of(packed, names[prefix], added, changes):
            keys += zip(block_writer.add(prefix, datestamp, several, block, lines[prefix]), several, strict=True)
        upkeep.add(prefix, keys, partial(_content, changes, names[prefix]))
    combinations = {sets for *_, sets, _ in rows.items_added} | {sets for _, sets, *_ in rows.items_changed}
    session.executemany(SQL["combination_add"], [(sets,) for sets in sorted(combinations)])


def _content(changes: Sequence[ItemChange], name: str, one: Added) -> bytes:
    return content_of(changes[one.change], name)


def _write_log(session: Session, datestamp: int, changes: list[Logged]) -> Lines:
    """Write the lines of the log of changes, format by format, so that one row finds those of a format.

    Return the numbers of the lines that have a SHA-256, by format and item.
    """
    lines_of: Lines = defaultdict(dict)
    if not changes:
        return lines_of
    numbers = _combinations(session, {sets for line in changes for sets in (line.sets, line.left)})
    ((last,),) = session.execute(SQL["change_last"])
    lines = sorted(changes, key=lambda line: (line.prefix, line.kind))
    rows = [
        (number, prefix, datestamp, kind, item, length, sha256, numbers[sets], numbers[left])
        for number, (prefix, kind, item, length, sha256, sets, left) in enumerate(lines, last + 1)
    ]
    session.executemany(SQL["change_add"], rows)
    first = last + 1
    for prefix, several in groupby(lines, key=lambda line: line.prefix):
        behind = first + len(list(several))
        session.execute(SQL["logged_add"], (prefix, datestamp, first, behind - 1))
        first = behind
    for number, prefix, _, _, item, _, sha256, *_ in rows:
        if sha256 is not None:
            lines_of[prefix][item] = number
    return lines_of


def _combinations(session: Session, wanted: set[Numbers]) -> dict[Numbers, int]:
    """Return the numbers of combinations of sets; missing ones are added."""
    texts = {listed(sets): sets for sets in wanted}
    session.executemany(SQL["combination_add"], [(text,) for text in sorted(texts)])
    rows = session.execute(SQL["combinations"], (json.dumps(sorted(texts)),))
    return {texts[text]: number for text, number in rows}


def _write_files(session: Session, source: int, publication: Publication) -> None:
    wanted = {file.upstream: file.files for file in publication.files}
    rows = session.execute(SQL["held_items"], {"source": source, "upstreams": json.dumps(sorted(wanted))})
    items = {number: wanted[upstream] for upstream, number, *_ in rows.fetchall()}
    session.executemany(SQL["files_remove"], [(number,) for number in items])
    # The last field, the digests that the source states, is not stored: it is read from the record.
    known = [(number, *link[:-1]) for number, links in items.items() for link in links]
    session.executemany(SQL["file_add"], known)
    session.execute(SQL["edition_raise"], (source,))


def _write_quarantine(session: Session, source: int, datestamp: int, publication: Publication) -> None:
    released = [(datestamp, source, prefix, identifier) for prefix, identifier in publication.released]
    session.executemany(SQL["quarantine_release"], released)
    quarantined = [
        (source, bad.metadata_prefix, bad.identifier, bad.page, bad.slice, bad.reason, bad.at or datestamp)
        for bad in publication.quarantined
    ]
    session.executemany(SQL["quarantine_put"], [row for row in quarantined if row[2]])
    session.executemany(SQL["quarantine_put_nameless"], [row for row in quarantined if not row[2]])
