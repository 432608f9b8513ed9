"""The checks of `gateway check` on a store: whether the file is sound, and whether its tables agree.

All tallies are checked; the records behind them only for a sample, because the store may have millions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from gateway.errors import StoreDamaged
from gateway.model import Key
from gateway.pieces import checksums, text_of
from gateway.store.block_merging import contents
from gateway.store.block_pages import within
from gateway.store.block_rows import Bits, BlockRow, positions_of
from gateway.store.blocks import Kind, texts_of
from gateway.store.queries import load
from gateway.store.sqlite_blocks import Blocks, listed_from, row_from
from gateway.store.sqlite_file import Session
from gateway.store.sqlite_rows import EVERYTHING
from gateway.store.sqlite_shelf import DAMAGED_FACT

SQL = load("sqlite")

_LOST = {"check_bodies": "{} blocks are in no list.", "check_members": "{} places of sets lead to no block."}
_SAMPLE = 200  # seconds whose records are counted: spread over the whole store, read in a second or two


def findings(session: Session) -> Iterator[str]:
    """Yield a message for each problem."""
    yield from _file(session)
    yield from _sums(session)
    yield from _lists(session)
    yield from _damaged(session)
    for collection, prefix, second, records, departed in session.execute(SQL["check_sample"], (_SAMPLE,)).fetchall():
        place = {"collection": collection, "prefix": prefix, "second": second}
        yield from _second(session, place, (records, departed))


def _file(session: Session) -> Iterator[str]:
    for (text,) in session.execute("pragma quick_check(10)"):
        if text != "ok":
            yield f"The file is damaged: {text}."


def _sums(session: Session) -> Iterator[str]:
    for spec, prefix in session.execute(SQL["check_spans"]):
        yield f"The tallies of days, hours and seconds of the set {spec} in {prefix} contradict each other."
    for name, counted, counts_ in session.execute(SQL["check_items"]):
        yield f"The source {name} has {counts_} items, but {counted} were counted."
    for lines, listed in session.execute(SQL["check_log"]):
        yield f"The log of changes has {lines} lines, but lists of changes have {listed}."


def _lists(session: Session) -> Iterator[str]:
    """Compare the lists with the places of items: each record is in one block, and no two blocks overlap."""
    live, lasts = Counter[int](), dict[int, Key]()
    for prefix, *columns in session.execute(SQL["check_rows"]):
        row = row_from(columns)
        live[prefix] += row.live.bit_count()
        if row.first <= lasts.get(prefix, Key(-1, 0)):
            yield f"Two blocks of the format {prefix} overlap at the second {row.first.datestamp}."
        lasts[prefix] = row.last
    for number, collection, records in session.execute(SQL["check_own_lists"]):
        if live[number] != records:
            yield f"The list of the set {collection} has {live[number]} records, but the set has {records}."
    for prefix, places in session.execute(SQL["check_places"]):
        if live[prefix] != places:
            yield f"The blocks of the format {prefix} have {live[prefix]} records, but {places} items have one."
    for query, sentence in _LOST.items():
        ((lost,),) = session.execute(SQL[query])
        if lost:
            yield sentence.format(lost)


def _damaged(session: Session) -> Iterator[str]:
    """Look again at the blocks that compaction could not read."""
    (bodies,) = session.one(SQL["fact"], (DAMAGED_FACT,)) or ("[]",)
    for name, *columns in session.execute(SQL["check_damaged"], (bodies,)).fetchall():
        row = row_from(columns)
        try:
            contents(row, Blocks(session).body(row.body))
        except (StoreDamaged, ValueError) as error:
            yield f"A block of the format {name} at the second {row.first.datestamp} cannot be read: {error}"


def _second(session: Session, place: dict[str, int], tallied: tuple[int, int]) -> Iterator[str]:
    where = "in second {second} of set {collection} and prefix {prefix}".format_map(place)
    is_everything = place["collection"] == EVERYTHING
    records = departed = 0
    for columns in session.execute(SQL["check_blocks"], place).fetchall():
        row, members, gone = listed_from(columns[:11])
        bits = row.live & within(row, Key(place["second"], 0), place["second"])
        if is_everything:
            records += bits.bit_count()
            yield from _body(session, place["prefix"], row, bits, where)
        elif columns[11]:
            records += (bits & members).bit_count()
            departed += (bits & gone).bit_count()
    if (records, departed) != tallied:
        yield f"There are {records} records and {departed} departed ones {where}; the tally says {tallied}."


def _body(session: Session, prefix: int, row: BlockRow, bits: Bits, where: str) -> Iterator[str]:
    """Check that a block can be read, has what its checksums say, and has the records of its items."""
    blocks, positions = Blocks(session), list(positions_of(bits))
    try:
        body = blocks.body(row.body)
        for piece in (body.records, body.headers):
            if checksums(text_of(piece)) != piece[2:]:
                yield f"A block {where} has not the records that it had."
        counts = [len(texts_of(body, kind)) for kind in Kind]
        items = blocks.items(row)
    except (StoreDamaged, ValueError) as error:
        yield f"A block {where} cannot be read: {error}"
        return
    if {*counts, len(items)} != {row.size}:
        yield f"A block {where} has not the {row.size} records that it should have."
        return
    wanted = json.dumps([items[position] for position in positions])
    places = {item: Key(*key) for item, *key in session.execute(SQL["check_keys"], {"items": wanted, "prefix": prefix})}
    lost = sum(places.get(items[position]) != key for position, key in zip(positions, row.keys(positions), strict=True))
    if lost:
        yield f"{lost} records {where} are not those of their items."
