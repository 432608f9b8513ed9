"""The due files, host by host: a host gets the next request when its pause is over, and no host waits for another."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable

from gateway.model import FileLook

_MOST_WAITING = 4000  # files in memory, of all hosts
_LONGEST_QUEUE = 20  # files of one host that are read at once


class HostQueues:
    """The due files of some hosts, each read from the database when its turn comes. For one thread."""

    def __init__(
        self,
        hosts: Iterable[str],
        more: Callable[[str, FileLook | None, int], Iterable[FileLook]],
        monotonic: Callable[[], float],
    ) -> None:
        """Take the hosts, `more(host, after, limit)`, which returns its next due files, and a clock."""
        self._free = [(0.0, host) for host in dict.fromkeys(hosts)]
        self._more, self._monotonic = more, monotonic
        self._at_once = min(max(_MOST_WAITING // max(len(self._free), 1), 1), _LONGEST_QUEUE)
        self._queues: dict[str, deque[FileLook]] = {}
        self._last: dict[str, FileLook] = {}
        heapq.heapify(self._free)

    def next_ready(self) -> FileLook | None:
        """Return a file whose host may get a request now, or None. The host gets no other request until `release`."""
        while self._free and self._free[0][0] <= self._monotonic():
            _, host = heapq.heappop(self._free)
            queue = self._queues.setdefault(host, deque())
            if not queue:
                queue.extend(self._more(host, self._last.get(host), self._at_once))
            if queue:
                file = self._last[host] = queue.popleft()
                return file
            del self._queues[host]
            self._last.pop(host, None)
        return None

    def release(self, host: str, seconds: float) -> None:
        """Note that a host may get its next request after so many seconds."""
        heapq.heappush(self._free, (self._monotonic() + seconds, host))

    def wait(self) -> float | None:
        """Return the seconds until the next host may get a request; None: each waits for an answer or is done."""
        return max(self._free[0][0] - self._monotonic(), 0.0) if self._free else None
