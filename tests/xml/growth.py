"""Whether reading a hostile document takes time in proportion to its length."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

_Document = TypeVar("_Document")
_MOMENT = 0.2  # seconds of processor time in which nothing can be judged


def grows_evenly(read: Callable[[_Document], object], made: Callable[[int], _Document], size: int) -> bool:
    """Tell whether four times as much takes about four times as long; in processor time, the least of three tries."""

    def seconds(document: _Document) -> float:
        begun = time.process_time()
        read(document)
        return time.process_time() - begun

    small, large = made(size), made(4 * size)
    needed = seconds(large)
    return needed < _MOMENT or needed < 10 * min(seconds(small) for _ in range(3))
