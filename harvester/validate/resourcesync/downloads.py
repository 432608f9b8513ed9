"""The requests of a check of ResourceSync documents: each answer in a temporary file, within limits.

Only this module sends requests.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from gateway.core.errors import FetchError
from harvester.http.messages import Fetched, Request, Sink
from harvester.runtime.durable_files import AnonymousFile
from harvester.sources.resourcesync.bounded_parser import STEP
from harvester.validate.check import Undecided
from harvester.validate.client import MostRequests, Requests
from harvester.validate.signposting.visits import Visit

_OK = 200


@dataclass(frozen=True, slots=True)
class Limits(MostRequests):
    """The limits of a check. `fetch` is how many resources of a list are requested; None: all.

    `lists` bounds the Capability Lists.
    """

    requests: int = 2000
    seconds: float = 1800.0
    bytes: int = 2_000_000_000
    fetch: int | None = 10
    lists: int = 20


class Download(Visit):
    """One request and its answer; the body is in a file until `close`. `size` and `digests` are those of the body."""

    def __init__(
        self, request: Request, fetched: Fetched | None, refusal: FetchError | None, file: AnonymousFile | None
    ) -> None:
        super().__init__(request, fetched, refusal)
        self._file = file
        self.size = 0 if file is None else file.size

    def parts(self) -> Iterator[bytes]:
        """Yield the bytes of the body."""
        if self._file is None:
            return
        stream = self.stream
        stream.seek(0)
        while part := stream.read(STEP):
            yield part

    @property
    def stream(self) -> BinaryIO:
        """The body as a file. There must be one."""
        assert self._file is not None
        return cast("BinaryIO", self._file.file)

    @property
    def beginning(self) -> bytes:
        """The first bytes of the body."""
        return next(self.parts(), b"")

    def digest(self, name: str = "sha256") -> str:
        """Return a digest of the body in hexadecimal digits."""
        digest = hashlib.new(name, usedforsecurity=False)
        for part in self.parts():
            digest.update(part)
        return digest.hexdigest()

    def close(self) -> None:
        """Remove the body."""
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def came(self) -> str:
        """The answer in one line."""
        if self.fetched is None:
            return f"no answer: {self.refusal}"
        return f"HTTP {self.status}, {self.header('Content-Type') or 'no Content-Type'}, {self.size} bytes"


class _Body(Sink):
    """Takes the body of an answer with status 200. A repeated try begins again."""

    def __init__(self, file: AnonymousFile) -> None:
        self.file = file

    def begin(self, answer: Fetched) -> bool:
        self.file.clear()
        return answer.status == _OK

    def write(self, part: bytes) -> None:
        self.file.put(part)


class Downloads(Requests[Limits]):
    """The requests of one check."""

    def get(self, url: str, accept: str = "*/*") -> Download:
        """Return the answer of an address; the caller closes it. Raise Undecided at a limit."""
        self.left()
        room = self.limits.bytes - self.received
        file = AnonymousFile("the answer", room)
        request = self.request(url, accept, sink=_Body(file))
        fetched, error = self.send(request)
        if error is None or file.size > room:
            self.received += file.size
        if error is None and fetched is not None and fetched.status == _OK:
            return Download(request, fetched, None, file)
        file.close()
        if error is not None and file.size > room:
            raise Undecided(f"The limit of {self.limits.bytes} bytes was reached.") from error
        return Download(request, fetched, error, None)
