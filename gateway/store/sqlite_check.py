"""What `gateway check` asks of a store: is the file whole, and do its tables agree with each other."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.store.queries import load
from gateway.store.sqlite_file import Session

SQL = load("sqlite")


def findings(session: Session) -> tuple[str, ...]:
    """Return what is wrong, a sentence each."""
    return tuple(_findings(session))


def _findings(session: Session) -> Iterator[str]:
    for (text,) in session.execute("pragma quick_check(10)"):
        if text != "ok":
            yield f"The file is damaged: {text}."
