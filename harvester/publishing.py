"""The process that publishes while another one harvests: it writes the store, a pool of processes maps the records.

Its parent's end is `harvester/publisher.py`, which says what the lines on the wire mean. When the input ends without
the line `end`, the parent has died or does not want it any more: it leaves after the publication it is at.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from select import select
from threading import Thread

from gateway.errors import GatewayError
from gateway.publish import publish_all
from harvester.instance import opened
from harvester.publication import counts_of, facts_of
from harvester.publisher import END

# Few enough that a publication stays far below the minute that its intent lives, many enough to fill the pool.
PAGES_PER_PUBLICATION = 2
# Records that travel to a process of the pool together.
CHUNK = 64


def main(folder: str, source: str) -> int:
    """Publish what is pending whenever the parent says so; return the exit status."""
    try:
        _publish(folder, source)
    except GatewayError as error:
        _tell({"error": str(error), "kind": type(error).__name__})
        return 1
    return 0


def _publish(folder: str, source: str) -> None:
    orders = _Orders(sys.stdin.fileno())
    total: Counter[str] = Counter()
    with opened(folder) as instance, _pool(instance.settings.number("publish_processes")) as pool:
        facts = facts_of(instance, instance.sources.entry(source))
        mapper = partial(pool.map, chunksize=CHUNK)
        is_idle = True
        while orders.want_more(is_idle):
            is_idle = True
            for counts in publish_all(instance.store, instance.inbox, source, facts, mapper, PAGES_PER_PUBLICATION):
                is_idle = False
                total.update(counts_of(counts))
                _tell({"counts": total})
                if not orders.want_more(is_idle):
                    return


def _tell(message: object) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()


class _Orders:
    """What the parent says on standard input."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._tail = b""
        self._is_last_round = False
        self._is_over = False

    def want_more(self, is_idle: bool) -> bool:
        """Tell whether to look for pages once more; when there were none the last time, wait for a word first."""
        if self._is_last_round and is_idle:
            return False
        while not self._is_over and select([self._descriptor], [], [], None if is_idle else 0)[0]:
            self._hear(os.read(self._descriptor, 65536))
            is_idle = False
        return self._is_last_round or not self._is_over

    def _hear(self, words: bytes) -> None:
        self._tail = (self._tail + words)[-len(END) :]
        self._is_last_round = self._is_last_round or self._tail == END
        self._is_over = not words


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes that map records. Spawned: a fork would share the connections of the databases."""
    with ProcessPoolExecutor(max(1, processes), get_context("spawn"), _leave_with_parent) as pool:
        yield pool


def _leave_with_parent() -> None:
    """End this process when the one that started it is gone: it would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
