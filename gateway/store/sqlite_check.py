"""The checks of `gateway check` on a store: whether the file is sound, and whether its tables agree.

All tallies are checked; the records behind them only for a sample, because the store may have millions.
"""

from __future__ import annotations

from collections.abc import Iterator

from zstandard import ZstdError

from gateway.errors import StoreDamaged
from gateway.store.queries import load
from gateway.store.sqlite_file import Session
from gateway.store.sqlite_rows import EVERYTHING

SQL = load("sqlite")

_SAMPLE = 200  # seconds whose records are counted: spread over the whole store, read in a second or two


def findings(session: Session) -> Iterator[str]:
    """Yield a message for each problem."""
    yield from _file(session)
    yield from _sums(session)
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


def _second(session: Session, place: dict[str, int], tallied: tuple[int, int]) -> Iterator[str]:
    where = "in second {second} of set {collection} and prefix {prefix}".format_map(place)
    if place["collection"] == EVERYTHING:
        row = tuple(session.one(SQL["check_records"], place) or ())
        yield from _contents(session, place, where)
    else:
        *counted, orphans = session.one(SQL["check_members"], place) or (0, 0, 0)
        row = tuple(counted)
        if orphans:
            yield f"{orphans} members {where} have no record."
    if row != tallied:
        yield f"There are {row[0]} records and {row[1]} departed ones {where}; the tally says {tallied}."


def _contents(session: Session, place: dict[str, int], where: str) -> Iterator[str]:
    for dictionary, content in session.execute(SQL["check_contents"], place):
        try:
            session.codec.unpack(dictionary, content)
        except (StoreDamaged, ZstdError) as error:
            yield f"A record {where} cannot be read: {error}"
