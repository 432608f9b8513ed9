"""The lists of copies, and the first pages of files.

Each order is an index that has everything by which copies are chosen.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import zstandard

from gateway.core.errors import StoreDamaged
from gateway.core.model import ANY_VERDICT, VERDICTS, CopyFilter, CopyOrder, FoundCopy, ListedCopy
from gateway.store.connector import Connector
from gateway.store.discovery_rows import copy_rows, listed_copy_of, place_of, spaced
from gateway.store.queries import load

SQL = load("discovery")

# The columns of each order, the parameters that are compared with them, and whether it is descending.
_ORDERS = {
    CopyOrder.IDENTIFIER: ("identifier, url", ":identifier, :url", False),
    CopyOrder.SCORE: ("likeness, identifier, url", ":value, :identifier, :url", True),
    CopyOrder.TITLE: ("title, identifier, url", ":value, :identifier, :url", False),
    CopyOrder.DECIDED_AT: ("decided_at, identifier, url", ":value, :identifier, :url", True),
}
_MOST_WORDS = 8  # of an address that is looked for; the last ones say most
_BATCH = 500


def _matching(order: CopyOrder, *, is_descending: bool, is_first: bool) -> str:
    columns, parameters, _ = _ORDERS[order]
    direction = " desc" if is_descending else ""
    return SQL["copies_matching"].format(
        place="true" if is_first else f"({columns}) {'<' if is_descending else '>'} ({parameters})",
        order=", ".join(f"{column}{direction}" for column in columns.split(", ")),
    )


# One text for every order and both directions, from the beginning and from a place.
LISTS: Mapping[tuple[CopyOrder, bool, bool], str] = MappingProxyType(
    {
        (order, is_descending, is_first): SQL["copies_listed"].format(
            matching=_matching(order, is_descending=is_descending, is_first=is_first)
        )
        for order in CopyOrder
        for is_descending in (False, True)
        for is_first in (False, True)
    }
)
COUNT = SQL["copies_counted"].format(matching=_matching(CopyOrder.IDENTIFIER, is_descending=False, is_first=True))


class CopyLists:
    """Lists of copies and first pages in an open file; `Discovery` in base_discovery.py has the promises of all."""

    def __init__(self, file: Connector) -> None:
        self._file = file

    def listed_copies(
        self,
        verdict: str,
        wanted: CopyFilter,
        order: CopyOrder,
        after: ListedCopy | None,
        limit: int,
        *,
        is_back: bool = False,
    ) -> tuple[ListedCopy, ...]:
        """Return at most `limit` copies on which the last decision has this verdict, after the copy `after`.

        With `ANY_VERDICT`, it may have any verdict, or there may be none; an empty verdict: there is none. With
        `is_back`, return the copies before `after`, or the last ones, in the same order.
        """
        is_descending = _ORDERS[order][2] != is_back
        value, identifier, url = place_of(order)(after) if after is not None else (None, "", "")
        asked = {**_values(wanted), "value": value, "identifier": identifier, "url": url, "limit": limit}
        query = LISTS[order, is_descending, after is None]
        with self._file.reading() as session:
            rows = [row for one in _verdicts(verdict) for row in session.execute(query, {**asked, "verdict": one})]
        nearest = sorted(map(listed_copy_of, rows), key=place_of(order), reverse=is_descending)[:limit]
        return tuple(reversed(nearest) if is_back else nearest)

    def count_copies(self, verdict: str, wanted: CopyFilter, most: int) -> int:
        """Return the number of copies of a list; `most` + 1 if there are more than `most`."""
        asked = {**_values(wanted), "limit": most + 1}
        with self._file.reading() as session:
            counts = [session.one(COUNT, {**asked, "verdict": one}) or (0,) for one in _verdicts(verdict)]
        return min(sum(int(count) for (count,) in counts), most + 1)

    def addresses_with(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield (identifier, address) of the copies whose address may have these words, in this order.

        The words are of ASCII letters and digits, and case makes no difference. There are also other copies: those
        whose address has an escape, and so may have any words.
        """
        pattern = "".join(f"%{word}" for word in words[-_MOST_WORDS:]) + "%"
        for verdict in _verdicts(ANY_VERDICT):
            asked = {"pattern": pattern, "verdict": verdict, "limit": _BATCH, "identifier": "", "url": ""}
            is_last = False
            while not is_last:
                rows = self._file.rows(SQL["addresses_with"], asked)
                yield from rows
                is_last = len(rows) < _BATCH
                if not is_last:
                    asked |= {"identifier": rows[-1][0], "url": rows[-1][1]}

    def first_page(self, sha256: str) -> str:
        """Return the beginning of the text of the file with this SHA-256; empty if it was not read, or was forgotten.

        Raise StoreDamaged when it cannot be read.
        """
        row = self._file.one(SQL["first_page"], (sha256,))
        try:
            return zstandard.decompress(row[0]).decode() if row else ""
        except (zstandard.ZstdError, UnicodeDecodeError) as error:
            raise StoreDamaged(f"{self._file.path}: the text of a file cannot be read: {error}.") from error

    def keep_first_page(self, sha256: str, text: str) -> None:
        """Store the beginning of the text of a file."""
        self._file.change(SQL["first_page_put"], (sha256, zstandard.compress(text.encode())))

    def files_without_text(self, limit: int) -> tuple[str, ...]:
        """Return the SHA-256 of at most `limit` files of which no text was ever stored, sorted."""
        return tuple(digest for (digest,) in self._file.rows(SQL["first_pages_lacking"], (limit,)))

    def copies_to_judge(
        self, judge: int, sources: Collection[str], after: tuple[str, str], limit: int
    ) -> tuple[tuple[str, str], ...]:
        """Return (identifier, address) of files that wait for a person and that only earlier judges have judged.

        At most `limit` after one of them, sorted. No sources: of all.
        """
        identifier, url = after
        asked = {"judge": judge, "sources": spaced(sources), "identifier": identifier, "url": url, "limit": limit}
        return tuple((identifier, url) for identifier, url in self._file.rows(SQL["copies_to_judge"], asked))

    def count_copies_to_judge(self, judge: int, sources: Collection[str]) -> int:
        """Return how many files `copies_to_judge` has in all."""
        (count,) = self._file.one(SQL["copies_to_judge_count"], {"judge": judge, "sources": spaced(sources)}) or (0,)
        return int(count)

    def note_judged(self, judge: int, identifier: str, url: str) -> None:
        """Note that a judge could not judge a file again: it waits as before, and is not tried again."""
        self._file.change(SQL["copy_judged"], (judge, identifier, url))

    def forget_first_pages(self, digests: Iterable[str]) -> None:
        """Delete the texts of the files with these SHA-256."""
        with self._file.writing() as session:
            session.executemany(SQL["first_page_forget"], [(digest,) for digest in digests])

    def copies_lack_after(self) -> str | None:
        """Return the item up to which the copies of an earlier release are listed, or None if all are."""
        row = self._file.one(SQL["copies_lack_after"])
        return row[0] if row else None

    def list_copies(self, copies: Iterable[FoundCopy], after: str | None) -> None:
        """List copies of an earlier release, and store up to which item they are listed; None: all are."""
        with self._file.writing() as session:
            session.executemany(SQL["copy_put"], copy_rows(copies))
            if after is None:
                session.execute(SQL["copies_lack_none"])
            else:
                session.execute(SQL["copies_lack_put"], (after,))


def _verdicts(verdict: str) -> tuple[str, ...]:
    return ("", *VERDICTS) if verdict == ANY_VERDICT else (verdict,)


def _values(wanted: CopyFilter) -> dict[str, object]:
    return {**wanted._asdict(), "sources": json.dumps(wanted.sources)}
