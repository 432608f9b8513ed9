"""`harvester tend` that is killed at a step of the hub: before or after a request, or a write of its state."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from gateway.store.sqlite_subscribers import SqliteSubscribers
from gateway.store.subscriptions_file import SubscriptionsFile
from harvester.http.fetching import Web

REQUEST = "__call__"
WRITES = ("confirm_request", "delivered", "denied", "drop_request", "expire", "failed", "postpone_request", "remove")


def steps(
    patch: pytest.MonkeyPatch, at: int, end: Callable[[], None], passed: Callable[[str], None] = lambda _: None
) -> None:
    """Call `end` at the step number `at`: each request, write and statement of one has a step before and behind it.

    `passed` gets the name of each request and write that was made.
    """
    numbers = count()

    def stepped(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*given: Any) -> Any:
            if next(numbers) == at:
                end()
            made = function(*given)
            passed(function.__name__)
            if next(numbers) == at:
                end()
            return made

        return call

    writing = SubscriptionsFile.writing

    @contextmanager
    def stepped_writing(file: SubscriptionsFile, **options: bool) -> Iterator[Any]:
        with writing(file, **options) as session:
            yield SimpleNamespace(
                one=session.one, execute=stepped(session.execute), executemany=stepped(session.executemany)
            )

    for place, name in ((Web, REQUEST), *((SqliteSubscribers, name) for name in WRITES)):
        patch.setattr(place, name, stepped(getattr(place, name)))
    patch.setattr(SubscriptionsFile, "writing", stepped_writing)


if __name__ == "__main__":
    from harvester.cli import main

    folder, number = sys.argv[1:]
    steps(pytest.MonkeyPatch(), int(number), lambda: os.kill(os.getpid(), signal.SIGKILL))
    main(["--instance", folder, "tend"])
