"""The checks of `gateway check` on a store: whether the file is sound, and whether its tables agree.

All tallies are checked; the records behind them only for a sample, because the store may have millions. All blocks are
read if that is wanted.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from itertools import chain
from typing import Any, Final, NamedTuple

from gateway.core.model import Key
from gateway.core.pieces import text_of
from gateway.core.xmltext import utc_datetime
from gateway.store.block_reader import Blocks, listed_from, row_from
from gateway.store.block_rows import BlockRow, positions_of, within
from gateway.store.block_writer import damaged_bodies
from gateway.store.blocks import Kind, texts_of
from gateway.store.connector import Connector, Session
from gateway.store.damage import DAMAGE, has_count, items_in, problem_of, problem_of_row, strays_in
from gateway.store.queries import load
from gateway.store.rows import EVERYTHING

SQL = load("store")

_LOST: Final = {
    "check_bodies": "{} blocks are in no list.",
    "check_members": "{} places of sets lead to no block.",
    "check_lines": "{} records have not their line of the log of changes.",
}
_CREDENTIALS: Final = re.compile(rb"""://[^\s/?#"'<>:@]+:[^\s/?#"'<>@]+@""")  # RFC 3986 §3.2.1
_SAMPLE: Final = 200  # seconds whose records are counted: spread over the whole store, read in a second or two
_MOST_NAMED: Final = 3  # items of a damaged block
_MEND: Final = "`gateway rebuild` makes the records of damaged blocks again."
_RESTORE: Final = (
    "Restore the store with `gateway restore`, or make it again with `gateway rebuild --from-inbox --anew`."
)
_ALL_BLOCKS: Final = "`gateway check --whole` reads every block, and names all their items."


def findings(database: Connector, session: Session, *, is_whole: bool = False) -> Iterator[str]:
    """Yield a message for each problem. `is_whole`: read every block, and not only a sample."""
    check = _Check(session, is_whole=is_whole)
    is_sound = True
    for sentence in chain(database.damages(session, is_whole=is_whole), _sums(session), check.contradictions()):
        is_sound = False
        yield sentence
    yield from check.damages()
    if check.damaged:
        yield _MEND if is_whole else f"{_MEND} {_ALL_BLOCKS}"
    if check.has_strays or not is_sound:
        yield _RESTORE


def credentials(session: Session, *, is_whole: bool = False) -> str:
    """Return a message about addresses with a user and a password: of files, and in all records if `is_whole`."""
    files = session.execute(SQL["check_credentials"])
    known = {identifier for identifier, url in files if _CREDENTIALS.search(url.encode("utf-8", "surrogatepass"))}
    for prefix, *columns in session.execute(SQL["check_rows"]).fetchall() if is_whole else ():
        row = row_from(columns)
        with suppress(*DAMAGE):  # `findings` names damaged blocks
            if prefix > 0 and _CREDENTIALS.search(text_of((block := Blocks(session).body(row.body)).records)):
                texts = texts_of(block, Kind.RECORDS)
                live = (texts[place] for place in positions_of(row.live))
                known |= {_identifier(text) for text in live if _CREDENTIALS.search(text)}
    if not known:
        return ""
    return (
        f"Anybody can read a user and a password in addresses of {len(known)} items, such as {min(known)}. Correct the "
        "records at their source, or withdraw the items with `harvester takedown add`."
    )


def _identifier(record: bytes) -> str:
    return unescape(record.partition(b"<identifier>")[2].partition(b"</identifier>")[0].decode())


class _Names(dict[int, str]):
    """The names of the lists by their numbers; a damaged number has none."""

    def __missing__(self, number: int) -> str:
        return f"the unknown list {number}"


class _Second(NamedTuple):
    """A second of a list, and its tally: the number of a set and of a format, and the records."""

    collection: int
    prefix: int
    second: int
    records: int
    departed: int


def _sums(session: Session) -> Iterator[str]:
    for spec, prefix in session.execute(SQL["check_spans"]):
        yield f"The tallies of days, hours and seconds of the set {spec} in {prefix} contradict each other."
    for name, counted, counts_ in session.execute(SQL["check_items"]):
        yield f"The source {name} has {counts_} items, but {counted} were counted."
    for lines, listed in session.execute(SQL["check_log"]):
        yield f"The log of changes has {lines} lines, but lists of changes have {listed}."


class _Check:
    """The checks of blocks. Each damaged block is reported once, whichever check meets it first."""

    def __init__(self, session: Session, *, is_whole: bool) -> None:
        self._session, self._is_whole = session, is_whole
        self._sound, self._unreadable = set[int](), set[int]()  # bodies
        self.damaged = set[int]()  # those whose records can be replaced
        self.has_strays = False  # whether a block has records that are not those of their items
        self._sample: list[tuple[Any, ...]] = []  # the rows of blocks with seconds of the sample
        self._names = _Names((number, name) for name, number in session.execute(SQL["prefixes"]))
        for number, collection, prefix in session.execute(SQL["check_list_names"]):
            self._names[number] = f"the list of the set {collection} in {prefix}"
        self._specs: dict[int, str] = dict(session.execute(SQL["check_specs"]).fetchall())

    def contradictions(self) -> Iterator[str]:
        """Yield a message for each contradiction of tables; blocks whose keys cannot be read are among these."""
        yield from self._lists()
        for place in self._session.execute(SQL["check_sample"], (_SAMPLE,)).fetchall():
            yield from self._second(_Second(*place))

    def damages(self) -> Iterator[str]:
        """Yield a message for each block that is damaged: of those that are known, of the sample, or of all."""
        known = json.dumps(sorted(damaged_bodies(self._session)))
        for prefix, *columns in self._session.execute(SQL["check_damaged"], (known,)).fetchall():
            yield from self._block(prefix, row_from(columns))
        rows = self._session.execute(SQL["check_rows"]).fetchall() if self._is_whole else self._sample
        for prefix, *columns in rows:
            yield from self._block(prefix, row_from(columns))

    def _lists(self) -> Iterator[str]:
        """Compare the lists with the places of items: each record is in one block, and no two blocks overlap."""
        live, lasts = Counter[int](), dict[int, Key]()
        for prefix, *columns in self._session.execute(SQL["check_rows"]).fetchall():
            row = row_from(columns)
            live[prefix] += row.live.bit_count() if has_count(row) else 0
            if row.first <= lasts.get(prefix, Key(-1, 0)):
                yield f"Two blocks of {self._names[prefix]} overlap at {utc_datetime(row.first.datestamp)}."
            lasts[prefix] = row.last
            if problem := problem_of_row(row):
                self._unreadable.add(row.body)
                yield self._damage(prefix, row, problem)
        for number, records in self._session.execute(SQL["check_own_lists"]):
            if live[number] != records:
                yield f"There are {live[number]} records in {self._names[number]}, but the set has {records}."
        for prefix, places in self._session.execute(SQL["check_places"]):
            if live[prefix] != places:
                name = self._names[prefix]
                yield f"The blocks of {name} have {live[prefix]} records, but {places} items have one."
                yield from self._without_block(prefix)
        for query, sentence in _LOST.items():
            ((lost,),) = self._session.execute(SQL[query])
            if lost:
                yield sentence.format(lost)

    def _second(self, place: _Second) -> Iterator[str]:
        records = departed = 0
        key = {"collection": place.collection, "prefix": place.prefix, "second": place.second}
        for columns in self._session.execute(SQL["check_blocks"], key).fetchall():
            if columns[8] in self._unreadable:
                return  # nobody knows which of its records are of this second
            row, members, gone = listed_from(columns[:11])
            self._sample.append((place.prefix, *columns[:9]))
            bits = row.live & within(row, Key(place.second, 0), place.second)
            if place.collection == EVERYTHING:
                records += bits.bit_count()
            elif columns[11]:
                records += (bits & members).bit_count()
                departed += (bits & gone).bit_count()
        if (records, departed) != (place.records, place.departed):
            spec = self._specs.get(place.collection, "")
            where = f"{f'of the set {spec} ' if spec else ''}in {self._names[place.prefix]}"
            yield (
                f"There are {records} records and {departed} departed ones {where} at {utc_datetime(place.second)}; "
                f"the tally says {place.records} and {place.departed}."
            )

    def _block(self, prefix: int, row: BlockRow) -> Iterator[str]:
        """Read a block that was not looked at yet."""
        if any(row.body in known for known in (self._sound, self.damaged, self._unreadable)):
            return
        if problem := problem_of(self._session, row):
            self.damaged.add(row.body)
            yield self._damage(prefix, row, problem)
            return
        self._sound.add(row.body)
        if prefix > 0 and (strays := strays_in(self._session, prefix, row)):
            self.has_strays = True
            problem = f"{strays} of its records are not those of their items."
            yield self._damage(prefix, row, problem)

    def _without_block(self, prefix: int) -> Iterator[str]:
        """Name the items whose record of a format is in no block."""
        items = [item for (item,) in self._session.execute(SQL["check_places_lost"], {"prefix": prefix})]
        if items:
            yield f"No block of {self._names[prefix]} has the records of {len(items)} items: {self._named(items)}."

    def _damage(self, prefix: int, row: BlockRow, problem: str) -> str:
        what = f"A block of {self._names[prefix]} is damaged: {problem}"
        if prefix < 0:  # a copy
            return what
        items = items_in(self._session, prefix, row)
        first, last = (utc_datetime(key.datestamp) for key in (row.first, row.last))
        if not items:
            return what
        return f"{what} Number of its items: {len(items)}; from {first} to {last}: {self._named(items)}."

    def _named(self, items: list[int]) -> str:
        """Return the identifiers of items; if there are many and the check is short, only some."""
        named = items if self._is_whole else items[:_MOST_NAMED]
        names = [name for _, name in self._session.execute(SQL["identifiers_of"], (json.dumps(named),))]
        more = f" and {len(items) - len(named)} more" if len(items) > len(named) else ""
        return f"{', '.join(names)}{more}"
