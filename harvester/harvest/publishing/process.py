"""The process that publishes while another one harvests: it hands out pages to the processes of `workers.py`.

Its parent's end is `publication.py`, which says what the lines on the wire mean. The input ends without the line
`end` when the parent has died or needs the process no more. Then it exits when the runners have written their present
pages.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from select import select

from gateway.core.errors import GatewayError
from gateway.core.settings import instance_folder, load
from gateway.publish.publish import begin, pass_removals
from gateway.store.waiting import leave_with_parent
from harvester.harvest.instance import opened
from harvester.harvest.publishing.publication import END, counts_of, facts_of
from harvester.harvest.publishing.workers import Jobs, Relay, runners, spoken


def main(folder: str, source: str) -> int:
    """Publish what is pending whenever the parent says so; return the exit status."""
    leave_with_parent()
    try:
        _publish(folder, source)
    except BrokenPipeError:
        return 1  # nobody listens any more
    except GatewayError as error:
        _report({"error": str(error), "kind": type(error).__name__})
        return 1
    return 0


def _publish(folder: str, source: str) -> None:
    orders = _Orders(sys.stdin.fileno())
    number = load(instance_folder(folder)).number("publish_processes")
    with (
        runners(number, folder, source) as relay,
        opened(folder, is_child=True) as instance,
    ):
        facts = facts_of(instance, instance.sources.entry(source))
        begin(instance.store, instance.inbox, facts)
        pass_removals(instance.store, instance.inbox, facts)
        jobs = Jobs(instance.inbox, source, instance.store.position(source))
        _hand_on(orders, relay, jobs)


def _hand_on(orders: _Orders, relay: Relay, jobs: Jobs) -> None:
    """Let the runners publish what there is until the orders say that it is enough."""
    total: Counter[str] = Counter()
    example = ""
    while True:
        orders.receive_all()
        if orders.want_more:
            relay.hand_out(jobs)
        if relay.is_idle and orders.are_last:
            return
        for speaker in spoken(relay, *orders.descriptors):
            if speaker in orders.descriptors:
                orders.receive()
            elif counts := relay.receive(speaker):
                total.update(counts_of(counts))
                example = example or counts.example
                _report({"counts": total, "example": example})


def _report(message: object) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()


class _Orders:
    """The orders of the parent, read from standard input."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._tail = b""
        self._is_end = False
        self._is_over = False

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Return the descriptors from which more orders may come."""
        return () if self.are_last else (self._descriptor,)

    @property
    def are_last(self) -> bool:
        """Return whether no more orders come."""
        return self._is_end or self._is_over

    @property
    def want_more(self) -> bool:
        """Return whether what is there is to be published."""
        return self._is_end or not self._is_over

    def receive_all(self) -> None:
        """Read the pending input. If the parent process has died meanwhile, nothing more is published."""
        while not self.are_last and select([self._descriptor], [], [], 0)[0]:
            self.receive()

    def receive(self) -> None:
        """Read what was said; it must be there."""
        words = os.read(self._descriptor, 65536)
        self._tail = (self._tail + words)[-len(END) :]
        self._is_end = self._is_end or self._tail == END
        self._is_over = not words
