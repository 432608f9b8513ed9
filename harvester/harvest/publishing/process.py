"""The process that publishes while another one harvests: it hands out pages to several processes, its runners.

Its parent's end is `publication.py`, which says what the lines on the wire mean. The input ends without the line
`end` when the parent has died or needs the process no more. Then it exits when the runners have written their present
pages.

The process reads only numbers. It hands out the pages in their order, gives the turn from one runner to the next, and
adds up the counts. Each runner prepares its pages by itself, and they write in turn. Each writes to the process by its
own pipe: `READY` when the pages are prepared, then their counts; or the error that ended the runner. The process sends
each runner the pages to take, and `GO`.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple, TypeAlias

from gateway.core.children import Orders
from gateway.core.errors import GatewayError, StoreError
from gateway.core.settings import instance_folder, load
from gateway.core.waiting import leave_with_parent
from gateway.publish.publish import Counts, begin, pass_removals, publish_in_turn
from gateway.search.indexing import OBJECTS_BEFORE_COLLECTION
from gateway.store.base import Inbox
from harvester.harvest.instance import opened
from harvester.harvest.publishing.publication import counts_of, facts_of

READY, GO = "ready", "go"
# Few enough that pages are published soon after they came, many enough that a transaction is worth its while.
RECORDS_PER_PUBLICATION = 500
_PAGES_PER_QUERY = 500


class Job(NamedTuple):
    """The pages that a runner publishes in one go, and the position that they follow."""

    before: int
    numbers: tuple[int, ...]


Publish: TypeAlias = Callable[[int, tuple[int, ...], Callable[[], None]], Counts]


class Jobs:
    """The pages of a source to be published, in their order."""

    def __init__(self, inbox: Inbox, source: str, position: int) -> None:
        self._inbox, self._source, self._position = inbox, source, position

    def next(self) -> Job | None:
        """Return the next pages, or None when there are none now."""
        numbers: list[int] = []
        records = 0
        for number, held in self._inbox.extents(self._source, self._position, _PAGES_PER_QUERY):
            if numbers and records + held > RECORDS_PER_PUBLICATION:
                break
            numbers.append(number)
            records += held
        if not numbers:
            return None
        job = Job(self._position, tuple(numbers))
        self._position = numbers[-1]
        return job


class Relay:
    """The runners, and where each of them stands."""

    def __init__(self, pipes: list[Connection]) -> None:
        self.pipes = pipes
        self._idle = deque(pipes)
        self._running: deque[Connection] = deque()  # in the order of their pages
        self._ready: set[Connection] = set()

    @property
    def is_idle(self) -> bool:
        """Return whether no runner has anything to do."""
        return not self._running

    def hand_out(self, jobs: Jobs) -> None:
        """Give work to every runner that has none, as far as there is any."""
        while self._idle and (job := jobs.next()) is not None:
            runner = self._idle.popleft()
            self._running.append(runner)
            runner.send(job)

    def receive(self, runner: Connection) -> Counts | None:
        """Take what a runner reports; return the counts if it has published.

        Raise StoreError if the runner has died, else the GatewayError that ended it.
        """
        try:
            answer: Any = runner.recv()
        except (EOFError, OSError) as error:
            raise StoreError(
                "A process that publishes has died; what it had not written, the next run does."
            ) from error
        if isinstance(answer, GatewayError):
            raise answer
        if answer == READY:
            self._ready.add(runner)
        else:
            self._running.popleft()
            self._idle.append(runner)
        if self._running and self._running[0] in self._ready:
            self._ready.remove(self._running[0])
            self._running[0].send(GO)
        return None if answer == READY else answer


@contextmanager
def runners(number: int, folder: str, source: str) -> Iterator[Relay]:
    """Start so many processes that publish; at the end of the block they leave after what they are writing.

    They are forked, so that nothing is imported twice: the caller has neither threads nor open databases.
    """
    context = get_context("fork")
    pipes: list[Connection] = []
    processes = []
    for _ in range(number):
        ours, theirs = context.Pipe()
        process = context.Process(target=_enter, args=(theirs, [*pipes, ours], folder, source))
        process.start()
        theirs.close()
        pipes.append(ours)
        processes.append(process)
    try:
        yield Relay(pipes)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.join()


def _enter(pipe: Connection, others: list[Connection], folder: str, source: str) -> None:
    for other in others:
        other.close()  # the end of the process that holds them is heard only when nobody else does
    _let_go_of_input_and_output()
    leave_with_parent()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        try:
            with opened(folder, is_child=True) as instance:
                facts = facts_of(instance, instance.sources.entry(source))
                run(pipe, partial(publish_in_turn, instance.store, instance.inbox, facts))
        except GatewayError as error:  # somebody has edited sources.toml meanwhile, say
            pipe.send(error)
            while True:  # what is handed out is not taken, until the other end has heard of it
                pipe.recv()


def _let_go_of_input_and_output() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def run(pipe: Connection, publish: Publish) -> None:
    """Publish what the other end of the pipe says, until it closes: that raises EOFError."""

    def turn() -> None:
        pipe.send(READY)
        pipe.recv()

    while True:
        before, numbers = pipe.recv()
        try:
            counts = publish(before, numbers, turn)
        except GatewayError as error:
            pipe.send(error)
            return
        pipe.send(counts)


def spoken(relay: Relay, *others: int, seconds: float | None = None) -> list[Any]:
    """Return the pipes, and those of the descriptors `others`, that have something to say; wait for it so long."""
    return wait([*relay.pipes, *others], seconds)


# --- The process ------------------------------------------------------------------------------------------------------


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
    orders = Orders(sys.stdin.fileno())
    number = load(instance_folder(folder)).number("publish_processes")
    with runners(number, folder, source) as relay, opened(folder, is_child=True) as instance:
        facts = facts_of(instance, instance.sources.entry(source))
        begin(instance.store, instance.inbox, facts)
        pass_removals(instance.store, instance.inbox, facts)
        jobs = Jobs(instance.inbox, source, instance.store.position(source))
        _hand_on(orders, relay, jobs)


def _hand_on(orders: Orders, relay: Relay, jobs: Jobs) -> None:
    """Let the runners publish what there is until the orders say that it is enough."""
    total: Counter[str] = Counter()
    example = ""
    while True:
        while orders.receive(0):
            pass
        if not orders.is_over:  # else the parent process has died, and nothing more is published
            relay.hand_out(jobs)
        if relay.is_idle and not orders.is_open:
            return
        for speaker in spoken(relay, *[orders.descriptor] * orders.is_open):
            if speaker == orders.descriptor:
                orders.receive(0)
            elif counts := relay.receive(speaker):
                total.update(counts_of(counts))
                example = example or counts.example
                _report({"counts": total, "example": example})


def _report(message: object) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")
    sys.stdout.flush()
