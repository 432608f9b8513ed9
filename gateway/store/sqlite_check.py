"""What `gateway check` asks of a store: is the file whole, and do its tables agree with each other.

The sums are checked for everything; the rows behind them for a sample, because the store may hold millions.
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
    """Yield what is wrong, a sentence each."""
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
    for name, counted, found in session.execute(SQL["check_items"]):
        yield f"The source {name} has {found} items, but {counted} were counted."


def _second(session: Session, place: dict[str, int], tallied: tuple[int, int]) -> Iterator[str]:
    where = "in second {second} of set {collection} and prefix {prefix}".format_map(place)
    if place["collection"] == EVERYTHING:
        found = tuple(session.one(SQL["check_records"], place) or ())
        yield from _contents(session, place, where)
    else:
        *counted, orphans = session.one(SQL["check_members"], place) or (0, 0, 0)
        found = tuple(counted)
        if orphans:
            yield f"{orphans} members {where} have no record."
    if found != tallied:
        yield f"There are {found[0]} records and {found[1]} departed ones {where}; the tally says {tallied}."


def _contents(session: Session, place: dict[str, int], where: str) -> Iterator[str]:
    for dictionary, content in session.execute(SQL["check_contents"], place):
        try:
            session.codec.unpack(dictionary, content)
        except (StoreDamaged, ZstdError) as error:
            yield f"A record {where} cannot be read: {error}"
