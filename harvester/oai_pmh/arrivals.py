"""What has come of a list and of the part that is being walked, so that nothing counts twice or goes in rings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import NamedTuple

from gateway.model import Slice
from harvester.wire.seen import Seen
from harvester.wire.windows import Window


class Sorted(NamedTuple):
    """The slices of a page to keep, and how many were new to the list, new to this part, and kept though not new."""

    kept: tuple[Slice, ...]
    news: int
    fresh: int
    repeated: int


class Arrivals:
    """The identifiers, pages and tokens that came. A part begins with every request without a token.

    `earlier` returns what came of the list in earlier runs, None when nobody can tell. It is asked only when a list
    leaves the plain path, for it takes time.
    """

    def __init__(self, earlier: Callable[[], Iterable[str]] | None, token: str = "") -> None:
        """Begin where a list is begun or goes on with `token`."""
        self._earlier = earlier
        self.all = Seen()
        self.part = self.all
        self.tokens = {token} - {""}
        self.barren = 0  # pages in a row with nothing new
        self._pages: set[bytes] = set()
        self._last_page = b""
        self._opening: tuple[Window, bytes] = Window(), b""

    def recall(self) -> bool:
        """Remember what came in earlier runs, too; tell whether that can be done."""
        if self._earlier is None:
            return False
        for identifier in self._earlier():
            self.all.add(identifier)
        self._earlier = tuple
        return True

    @property
    def knows_all(self) -> bool:
        """Whether everything is remembered that came of the list, in earlier runs, too."""
        return self._earlier is tuple

    def forget(self) -> None:
        """Begin a list anew, of which nothing has come."""
        self.all = Seen()
        self._earlier = tuple
        self.begin_part()

    def begin_part(self) -> None:
        """Begin a part; what it brings may have come before."""
        self.part = Seen() if len(self.all) else self.all
        self.tokens.clear()
        self._pages.clear()
        self._last_page = b""
        self.barren = 0

    def has(self, slices: tuple[Slice, ...]) -> bool:
        """Tell whether all of these came before in this part; of nothing, that is not told."""
        return bool(slices) and all(each.identifier in self.part for each in slices)

    def repeats(self, slices: tuple[Slice, ...]) -> bool:
        """Tell whether these very records came before in this part; a single record may, on pages that shift."""
        if not slices:
            return False
        digest = _digest(slices)
        is_known = digest == self._last_page or (digest in self._pages and len(slices) > 1)
        self._pages.add(digest)
        self._last_page = digest
        return is_known

    def opens_like_another(self, window: Window, slices: tuple[Slice, ...]) -> bool:
        """Tell whether the window before, which this one does not touch, began with the very same records."""
        digest = _digest(slices)
        (before, opening), self._opening = self._opening, (window, digest)
        return bool(slices) and opening == digest and "" < before.until < window.from_

    def sorted_out(self, slices: tuple[Slice, ...], since: str) -> Sorted:
        """Take the slices of a page. What an earlier part brought is not kept, unless it may have changed `since`."""
        kept, news, fresh, repeated = [], 0, 0, 0
        for each in slices:
            is_new = not each.identifier or self.all.add(each.identifier)
            is_new_here = is_new if self.part is self.all else not each.identifier or self.part.add(each.identifier)
            news += is_new
            fresh += is_new_here
            if is_new or not is_new_here or each.datestamp[: len(since)] >= since:
                kept.append(each)
                repeated += not is_new
        self.barren = 0 if fresh else self.barren + 1
        return Sorted(tuple(kept), news, fresh, repeated)


def _digest(slices: tuple[Slice, ...]) -> bytes:
    named = repr([(each.identifier, each.datestamp) for each in slices])
    return blake2b(named.encode("utf-8", "surrogatepass"), digest_size=16).digest()
