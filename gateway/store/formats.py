"""Chooses the prefix of a format: ours have their own, formats of sources the first one that is free."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from gateway.core.errors import StoreError
from gateway.core.model import FileLink, FileOrigin, Format, ItemState, Lack, LackCount, Lacking, Payload
from gateway.store.connector import Session
from gateway.store.queries import load

SQL = load("store")


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
            link = link._replace(origin=FileOrigin(link.origin), is_named=bool(link.is_named))
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
