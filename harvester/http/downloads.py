"""A file or an archive at an address, brought to this machine and then read like one that lies here.

It is stored in the instance folder with its ETag and Last-Modified. So the next run fetches it again only if it has
changed. A partial download is the bytes so far, and a note beside them with their URL and validator: the next process
continues it with a range request (RFC 9110 §14, §13.1.5), if the server supports that.
"""

import json
import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, Self
from urllib.parse import unquote, urlsplit

from gateway.core.digests import begun
from gateway.core.errors import AnswerTooLarge, ConnectionFailed, RemoteRefuses
from harvester.http.content_encoding import is_compressed_file
from harvester.http.dates import http_second
from harvester.http.local_files import Local
from harvester.http.messages import Fetch, Fetched, Request, conditions, settled_date
from harvester.runtime.durable_files import DIGESTS, reporting_unwritable

_CHUNK = 1 << 20
_STORED_HEADERS = ("ETag", "Last-Modified", "Content-Type")  # of the whole file, in answers with any part of it
_CONTENT_RANGE = re.compile(r"bytes (?P<first>\d{1,18})-(?P<last>\d{1,18})/(?P<length>\d{1,18}|\*)")
FOLDER = "downloads"


class Arriving:
    """A `Sink` that writes to a file. `stated_headers` has the headers of the answer with its first part.

    Its methods raise StoreUnwritable when the file cannot be written.
    """

    def __init__(self, file: Path, url: str, max_bytes: int, algorithms: Iterable[str] = ()) -> None:
        self._file, self._url, self._most = file, url, max_bytes
        self._note = file.with_name(f"{file.name}.json")
        self._algorithms = tuple(dict.fromkeys((*DIGESTS, *algorithms)))
        self._stream: BinaryIO | None = None
        self._validator = ""
        self.stated_headers: tuple[tuple[str, str], ...] = ()
        self.size = 0
        self.is_pieced = False  # whether it was completed from several answers
        self._begin_anew()
        self._remember()

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return `Range` and `If-Range` when a part with a validator is stored; else none, and start again."""
        if not (self.size and self._validator):
            self._begin_anew()
            return ()
        return ("Range", f"bytes={self.size}-"), ("If-Range", self._validator)

    def begin(self, answer: Fetched) -> bool:
        """Return True for a whole file (200) or the rest of the stored part (206), else False.

        Raise ConnectionFailed for another part. The stored part stays when it is already whole (RFC 9110 §15.5.17).
        """
        if answer.status == HTTPStatus.PARTIAL_CONTENT:
            if not self._is_rest(answer):
                self._begin_anew()
                raise ConnectionFailed(f"{answer.url} sent another part of the file than the request asked for.")
            self.is_pieced = self.is_pieced or self.size > 0
        elif answer.status == HTTPStatus.OK:
            self._begin_anew()
            self._validator = _validator(answer)
            self.stated_headers = tuple((name, answer.header(name)) for name in _STORED_HEADERS if answer.header(name))
            note = {"url": self._url, "validator": self._validator, "said": dict(self.stated_headers)}
            with reporting_unwritable(self._note):
                self._note.write_text(json.dumps(note), "utf-8")
        else:
            is_all = answer.header("Content-Range").strip() == f"bytes */{self.size}"
            if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and not is_all:
                self._begin_anew()
            return False
        if self._stream is None:
            with reporting_unwritable(self._file):
                self._stream = self._file.open("ab")
        return True

    def _is_rest(self, answer: Fetched) -> bool:
        """Return whether a part begins where ours ends, reaches the end, and is of the same file as far as it says so.

        A server without If-Range sends the rest of its current file.
        """
        match = _CONTENT_RANGE.fullmatch(answer.header("Content-Range").strip())
        if match is None or int(match["first"]) != self.size or _is_encoded(answer):
            return False
        is_to_the_end = match["length"] in ("*", str(int(match["last"]) + 1))
        return is_to_the_end and (not self.size or _validator(answer) in ("", self._validator))

    def write(self, part: bytes) -> None:
        """Append bytes to the file. Raise AnswerTooLarge, and remove the file, when there are too many."""
        assert self._stream is not None
        self._count(part)
        if self.size > self._most:
            self.forget()
            raise AnswerTooLarge(f"{self._url} has more than {self._most} bytes.")
        with reporting_unwritable(self._file):
            self._stream.write(part)

    def finish(self) -> dict[str, str]:
        """Close the file and return its digests in hexadecimal, by algorithm."""
        if self._stream is not None:
            with reporting_unwritable(self._file):
                self.close()
        return {name: hash_.hexdigest() for name, hash_ in self._hashes.items()}

    def close(self) -> None:
        """Close the file; its bytes stay."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def forget(self) -> None:
        """Remove the file and its note."""
        self._begin_anew()
        with reporting_unwritable(self._file):
            self._file.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)

    def move(self, file: Path) -> None:
        """Move the finished file to `file` and remove the note."""
        self.finish()
        with reporting_unwritable(file):
            self._file.touch()
            self._file.replace(file)
        self.size = 0
        self.forget()

    def _begin_anew(self) -> None:
        self.close()
        if self.size:
            with reporting_unwritable(self._file):
                os.truncate(self._file, 0)
        self.size, self._validator, self.stated_headers, self.is_pieced = 0, "", (), False
        self._hashes = {name: begun(name) for name in self._algorithms}

    def _remember(self) -> None:
        """Continue the part that an earlier process left of the same URL; remove any other file."""
        try:
            note = json.loads(self._note.read_bytes())
            stream = self._file.open("rb")
        except (OSError, ValueError):
            self._file.unlink(missing_ok=True)
            return
        with stream:
            if note.get("url") != self._url or not note.get("validator"):
                self._file.unlink()
                return
            while part := stream.read(_CHUNK):
                self._count(part)
        self._validator = note["validator"]
        self.stated_headers = tuple(note.get("said", {}).items())

    def _count(self, part: bytes) -> None:
        self.size += len(part)
        for hash_ in self._hashes.values():
            hash_.update(part)


def _is_encoded(answer: Fetched) -> bool:
    return bool(answer.header("Content-Encoding")) and not is_compressed_file(answer.header("Content-Type"))


def _validator(answer: Fetched) -> str:
    """Return a strong validator of the file (RFC 9110 §8.8): a strong ETag, else a date that is old enough.

    Return an empty text for an encoded answer: ranges count encoded bytes, and the stored ones are decoded.
    """
    if _is_encoded(answer):
        return ""
    entity_tag = answer.header("ETag").strip()
    return entity_tag if entity_tag.startswith('"') else settled_date(answer)


class Downloaded:
    """Answers for what lies at one address, as `Local` does for a path. Use it in a `with` block."""

    def __init__(self, folder: Path, url: str, fetch: Fetch, most_bytes: int, limit: int) -> None:
        name = re.sub(r"[^A-Za-z0-9._-]", "_", unquote(urlsplit(url).path).rpartition("/")[2]).strip(".")
        self._file = folder / (name or "file")
        self._note = folder / "received.json"
        self._url, self._fetch, self._most, self._limit = url, fetch, most_bytes, limit
        self._local: Local | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._local is not None:
            self._local.__exit__()

    def __call__(self, request: Request) -> Fetched:
        """Answer one request, having looked once whether it has changed. Raise what `fetch` and `Local` raise."""
        if self._local is None:
            self._bring(request.source)
            self._local = Local(self._file.as_uri(), self._limit)
        _, mark, name = request.url.partition("#")
        answer = self._local(replace(request, url=f"{self._file.as_uri()}{mark}{name}"))
        return replace(answer, url=request.url)

    def _bring(self, source: str) -> None:
        """Fetch it unless it is here as it is there."""
        with reporting_unwritable(self._file):
            self._file.parent.mkdir(parents=True, exist_ok=True)
        arriving = Arriving(self._file.with_name("arriving"), self._url, self._most)
        try:
            answer = self._fetch(Request(self._url, source, self._known(), sink=arriving))
        finally:
            arriving.finish()
        if answer.status == HTTPStatus.NOT_MODIFIED:
            return
        if answer.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
            is_failing = answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            raise (ConnectionFailed if is_failing else RemoteRefuses)(
                f"{self._url} answers with HTTP status {answer.status}."
            )
        with reporting_unwritable(self._file):
            self._file.with_name("arriving").replace(self._file)
            self._file.with_name("arriving.json").unlink(missing_ok=True)
            _date(self._file, answer.header("Last-Modified"))
            note = {"url": self._url, "etag": answer.header("ETag"), "modified": settled_date(answer)}
            self._note.write_text(json.dumps(note), "utf-8")

    def _known(self) -> tuple[tuple[str, str], ...]:
        """Return what lets the server say that nothing has changed."""
        try:
            note = json.loads(self._note.read_bytes())
        except (OSError, ValueError):
            return ()
        if not self._file.exists() or note.get("url") != self._url:
            return ()
        return conditions(note.get("etag", ""), note.get("modified", ""))


def _date(file: Path, modified: str) -> None:
    """Give a file the date that the server gives it: what looks the same need not be read again."""
    second = http_second(modified)
    if second is not None:
        with suppress(OverflowError, OSError):  # not every file system has every date
            os.utime(file, (second, second))


def forget(instance: Path, source: str) -> None:
    """Remove the downloads of a source."""
    shutil.rmtree(instance / FOLDER / source, ignore_errors=True)
