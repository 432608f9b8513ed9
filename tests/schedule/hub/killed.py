"""`harvester tend` that is killed at a step of the hub: before or after a request, or a write of its state."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import Any

import pytest

from gateway.store.sqlite_subscribers import SqliteSubscribers
from harvester.http.fetching import Web

WRITES = ("confirm_request", "delivered", "denied", "drop_request", "failed", "postpone_request")


def steps(patch: pytest.MonkeyPatch, at: int, end: Callable[[], None]) -> None:
    """Call `end` at the step number `at`: each request and each write has one before it, and one behind it."""
    numbers = count()

    def stepped(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*given: Any) -> Any:
            if next(numbers) == at:
                end()
            made = function(*given)
            if next(numbers) == at:
                end()
            return made

        return call

    for place, name in ((Web, "__call__"), *((SqliteSubscribers, name) for name in WRITES)):
        patch.setattr(place, name, stepped(getattr(place, name)))


if __name__ == "__main__":
    from harvester.cli import main

    folder, number = sys.argv[1:]
    steps(pytest.MonkeyPatch(), int(number), lambda: os.kill(os.getpid(), signal.SIGKILL))
    main(["--instance", folder, "tend"])
