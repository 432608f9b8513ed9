"""A bar on stderr for commands that take long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import click

from gateway.core.program import is_quiet


@contextmanager
def progress(label: str) -> Iterator[Callable[[str, int, int], None]]:
    """Draw a bar on stderr, and yield the function that moves it; it takes a name, how much is done, and the total."""
    with ExitStack() as stack:
        bar = click.progressbar(length=1, label=label, file=sys.stderr, hidden=is_quiet())

        def show(name: str, done: int, total: int) -> None:
            if not bar.entered:  # opening the store may draw a bar of its own before
                stack.enter_context(bar)
            bar.label, bar.length = name, max(total, 1)
            bar.pos = min(done, bar.length)
            bar.render_progress()  # `update` draws nothing for a step of 0

        yield show
