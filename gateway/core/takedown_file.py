"""The list of takedowns, `takedowns.json` in the instance folder: read when it has changed, and replaced in one step.

It is not part of a database, so it outlives them. A list that cannot be read never counts as empty.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from gateway.core import durable
from gateway.core.errors import StoreUnwritable, TakedownsUnreadable
from gateway.core.permissions import file_mode, keep_owner
from gateway.core.takedowns import Kind, Takedown, Takedowns
from gateway.core.waiting import locked

NAME = "takedowns.json"
_LOCK = ".takedowns"  # in `locks/`; no source can have this name
_APPLYING = ".obeying"
_MISSING = "missing"  # the revision of a list that does not exist

Entries = tuple[Takedown, ...]


class TakedownFile:
    """The list of one instance folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._last = Takedowns(revision=_MISSING)

    def revision(self) -> str:
        """Return the identifier of this state of the file. Raise TakedownsUnreadable."""
        try:
            known = self.path.stat()
        except FileNotFoundError:
            return _MISSING
        except OSError as error:
            raise _unreadable(self.path, error.strerror or str(error), "it can be read") from error
        return f"{known.st_ino} {known.st_size} {known.st_mtime_ns} {known.st_ctime_ns}"

    def read(self) -> Takedowns:
        """Return the list; it is empty if there is no file. Raise TakedownsUnreadable."""
        revision = self.revision()
        if revision != self._last.revision:
            entries = () if revision == _MISSING else _entries(self.path)
            self._last = Takedowns(entries, revision)
        return self._last

    def change(self, change: Callable[[Entries], Sequence[Takedown]]) -> Takedowns:
        """Replace the entries by those that `change` returns, durably, and return the list; one process at a time.

        Nothing is written if the entries stay the same. Raise TakedownsUnreadable or StoreUnwritable.
        """
        try:
            with locked(self.path.parent / "locks" / _LOCK):
                before = self.read().listed
                after = tuple(change(before))
                if after != before:
                    _write(self.path, after)
        except OSError as error:
            raise StoreUnwritable(f"{self.path} cannot be written: {error.strerror}.") from error
        return self.read()

    @contextmanager
    def applying(self) -> Iterator[None]:
        """Wait until no other process applies takedowns; inside the block, others wait. Raise StoreUnwritable."""
        with ExitStack() as held:
            try:
                held.enter_context(locked(self.path.parent / "locks" / _APPLYING))
            except OSError as error:
                raise StoreUnwritable(f"{error.filename or self.path} cannot be written: {error.strerror}.") from error
            yield


def _entries(path: Path) -> Entries:
    try:
        document = json.loads(path.read_bytes())
        return tuple(_entry(entry) for entry in document["takedowns"])
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error), "it can be read") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _unreadable(path, f"it is damaged ({type(error).__name__}: {error})") from error


def _entry(fields: Any) -> Takedown:  # noqa: ANN401 - a file may contain anything
    texts = {name: fields.pop(name) for name in ("value", "source", "reason", "at", "removed_at")}
    texts |= {name: fields.pop(name, "") for name in ("by", "removed_by")}  # earlier releases did not write these
    addresses = tuple(fields.pop("addresses", ()))
    items, files = tuple(fields.pop("items")), tuple(fields.pop("files"))
    kind = Kind(fields.pop("kind"))
    every = (*texts.values(), *items, *files, *addresses)
    if fields or not texts["value"] or not all(isinstance(text, str) for text in every):
        raise ValueError(f"an entry of the kind {kind} has other fields than it may have")
    return Takedown(kind, **texts, items=items, files=files, addresses=addresses)


def _write(path: Path, entries: Entries) -> None:
    lines = ",\n".join(json.dumps(entry._asdict(), ensure_ascii=True) for entry in entries)
    durable.write(path, f'{{"takedowns": [\n{lines}\n]}}\n'.encode(), partial(_permit, path.parent))


def _permit(folder: Path, descriptor: int) -> None:
    """Give a new file of the instance folder the mode and owner that it must have."""
    os.fchmod(descriptor, file_mode(folder))
    keep_owner(descriptor, folder)


def _unreadable(path: Path, why: str, until: str = "it is restored from a backup") -> TakedownsUnreadable:
    return TakedownsUnreadable(
        f"The list of takedowns {path} cannot be read: {why}. Nothing is published and no file is served until {until}."
    )
