"""The download of a package into a temporary file without a name, so that its length takes no memory."""

from __future__ import annotations

from typing import Self

from gateway.errors import NotResourceSync
from harvester.http.messages import Fetch, Fetched, Request
from harvester.runtime.temporary_files import AnonymousFile
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.fixity import Fixity
from harvester.sources.resourcesync.package import Package
from harvester.sources.resourcesync.request import refuse_status

MOST_BYTES = 20_000_000_000


class Parcel:
    """The package of an entry of a dump, as a `Sink`. Its file is removed after the `with` block."""

    def __init__(self, entry: Entry, source: str, most_bytes: int = MOST_BYTES) -> None:
        """Take the entry of the package, the name of the source, and the most bytes."""
        self._entry, self._source, self._most = entry, source, most_bytes
        self.received_at = 0

    def __enter__(self) -> Self:
        self._file = AnonymousFile(self._entry.loc, self._most)
        self._begin_anew()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def fetched(self, fetch: Fetch) -> Package:
        """Return the fetched and verified package. Raise NotResourceSync, and the errors of `fetch`."""
        answer = fetch(Request(self._entry.loc, self._source, sink=self))
        refuse_status(answer)
        if answer.body:  # a `fetch` without sinks
            self.write(answer.body)
        self.received_at = answer.received_at
        if fault := self._fixity.fault():
            raise NotResourceSync(f"The package is not what the source states. {fault}")
        return Package(self._file.file)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return no headers: the whole package is requested."""
        return ()

    def begin(self, answer: Fetched) -> bool:
        """Return True for a whole package (200), and start again from an empty file; else False."""
        self._begin_anew()
        return answer.status == 200  # noqa: PLR2004 - OK

    def write(self, part: bytes) -> None:
        """Write the next bytes. Raise AnswerTooLarge when there are too many, StoreUnwritable when the disk is full."""
        self._file.put(part)
        self._fixity.feed(part)

    def _begin_anew(self) -> None:
        self._file.clear()
        self._fixity = Fixity(self._entry.length, self._entry.digests)
