"""A page of a list as parts of an answer, which are joined in any content coding."""

from __future__ import annotations

from typing import Final, NamedTuple

from gateway.model import Key
from gateway.pieces import Part

SMALL_PAGE: Final = 50  # a page of fewer records is exact, and has a part for each of them


class PageOfParts(NamedTuple):
    """A page: parts of an answer, which are lines; how many records they have; the key of the last one, or None.

    `next` is None at the end of the list, as in `Page`.
    """

    parts: tuple[Part, ...]
    size: int
    next: Key | None
