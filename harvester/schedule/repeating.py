"""Rounds that are repeated in a thread while something else goes on, such as `tend --watch`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from harvester.runtime.interrupts import Stop


@contextmanager
def repeated(run: Callable[[], bool], stop: Stop, name: str, pause_seconds: float) -> Iterator[None]:
    """Call `run` in a thread, as long as the block lasts and no stop is asked for.

    It returns whether it should be called again at once; else there is a pause. `name` is that of the thread.
    """
    is_over = Event()

    def work() -> None:
        while not is_over.is_set() and not stop.is_asked:
            if not run():
                is_over.wait(pause_seconds)

    thread = Thread(target=work, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
