"""A package on its way: its bytes go to a file without a name, so that a dump of any length costs no memory."""

from __future__ import annotations

from typing import Self

from gateway.errors import NotResourceSync
from harvester.nameless import NamelessFile
from harvester.resourcesync.asking import refuse_status
from harvester.wire.entries import Entry
from harvester.wire.fixity import Fixity
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.package import Package

MOST_BYTES = 20_000_000_000


class Parcel:
    """The package that an entry of a dump names. Use it in a `with` block: its file is gone behind that."""

    def __init__(self, entry: Entry, source: str, most_bytes: int = MOST_BYTES) -> None:
        """Take what the dump says of the package."""
        self._entry, self._source, self._most = entry, source, most_bytes
        self.received_at = 0

    def __enter__(self) -> Self:
        self._file = NamelessFile(self._entry.loc, self._most)
        self._begin_anew()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def fetched(self, fetch: Fetch) -> Package:
        """Fetch and verify it. Raise what `fetch` raises, and NotResourceSync when it cannot be used."""
        answer = fetch(Request(self._entry.loc, self._source, sink=self))
        refuse_status(answer)
        if answer.body:  # from where bytes come at once
            self.write(answer.body)
        self.received_at = answer.received_at
        if fault := self._fixity.fault():
            raise NotResourceSync(f"The package is not what the source says. {fault}")
        return Package(self._file.file)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Ask for the whole of it."""
        return ()

    def begin(self, answer: Fetched) -> bool:
        """Take the whole of it, once more from the beginning when it broke off."""
        self._begin_anew()
        return answer.status == 200  # noqa: PLR2004 - OK

    def write(self, part: bytes) -> None:
        """Take the next bytes. Raise AnswerTooLarge when there are more than there may be."""
        self._file.put(part)
        self._fixity.feed(part)

    def _begin_anew(self) -> None:
        self._file.clear()
        self._fixity = Fixity(self._entry.length, self._entry.digests)
