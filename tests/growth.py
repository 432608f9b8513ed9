"""How the cost of an input grows: its processor time, and the memory that Python allocates for it.

No test compares a cost with a figure, which would depend on the machine: those are in the benches. The cost of four
times the input is compared with the cost of the input.
"""

import gc
import tracemalloc
from collections.abc import Callable
from time import process_time
from typing import TypeVar

_Input = TypeVar("_Input")
_MOST_GROWTH = 10  # times the processor time of a quarter of the input: 4 is linear, 16 is quadratic
_TRIES, _DOUBTFUL_TRIES = 3, 12  # other work slows some of them down, and not each time the same


def is_more_than_linear(work: Callable[[_Input], object], quarter: _Input, whole: _Input) -> bool:
    """Return whether the work takes far more than four times as long for the whole input as for a quarter of it."""
    work(quarter)  # the first call also fills caches
    short = long = float("inf")
    for number in range(1, _DOUBTFUL_TRIES + 1):
        short, long = min(short, _seconds(work, quarter)), min(long, _seconds(work, whole))
        if number >= _TRIES and long <= _MOST_GROWTH * short:
            return False
    return True


def _seconds(work: Callable[[_Input], object], given: _Input) -> float:
    is_collecting = gc.isenabled()
    gc.disable()  # a collection walks through all that is loaded, at a moment of its own
    try:
        began = process_time()
        work(given)
        return process_time() - began
    finally:
        if is_collecting:
            gc.enable()


def peak_bytes(work: Callable[[], object]) -> int:
    """Return how many bytes Python has allocated at most, at one time, for this work."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
