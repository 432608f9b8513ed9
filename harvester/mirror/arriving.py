"""A file on its way: the bytes that have come, and beside them a note of whose they are.

The next process that wants the same file goes on where this one ended (RFC 9110 §14, §13.1.5), if the server can.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO

from gateway.digests import begun
from gateway.errors import AnswerTooLarge, ConnectionFailed
from harvester.mirror.ocfl import ALWAYS, telling
from harvester.web.encodings import is_compressed_file
from harvester.wire.http import Fetched, settled_date

_CHUNK = 1 << 20
_SAID = ("ETag", "Last-Modified", "Content-Type")  # of a file, whichever part of it comes
_CONTENT_RANGE = re.compile(r"bytes (?P<first>\d{1,18})-(?P<last>\d{1,18})/(?P<length>\d{1,18}|\*)")


class Arriving:
    """A `Sink` that writes to a file. `said` are the headers with which its first part came."""

    def __init__(self, file: Path, url: str, max_bytes: int, algorithms: Iterable[str] = ()) -> None:
        """Take the file, where its bytes come from, how many there may be, and which digests are wanted too."""
        self._file, self._url, self._most = file, url, max_bytes
        self._note = file.with_name(f"{file.name}.json")
        self._algorithms = tuple(dict.fromkeys((*ALWAYS, *algorithms)))
        self._stream: BinaryIO | None = None
        self._validator = ""
        self.said: tuple[tuple[str, str], ...] = ()
        self.size = 0
        self.is_pieced = False  # whether a rest was added to a part
        self._begin_anew()
        self._remember()

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Ask for the rest when a part is there that the server can recognise."""
        if not (self.size and self._validator):
            self._begin_anew()
            return ()
        return ("Range", f"bytes={self.size}-"), ("If-Range", self._validator)

    def begin(self, answer: Fetched) -> bool:
        """Take whole files, and the rest of what is there. Raise ConnectionFailed for a rest that does not fit.

        What is there stays when the server has as many bytes and therefore no rest (RFC 9110 §15.5.17).
        """
        if answer.status == HTTPStatus.PARTIAL_CONTENT:
            if not self._is_rest(answer):
                self._begin_anew()
                raise ConnectionFailed(f"{answer.url} sent another part than it was asked for.")
            self.is_pieced = self.is_pieced or self.size > 0
        elif answer.status == HTTPStatus.OK:
            self._begin_anew()
            self._validator = _validator(answer)
            self.said = tuple((name, answer.header(name)) for name in _SAID if answer.header(name))
            note = {"url": self._url, "validator": self._validator, "said": dict(self.said)}
            with telling(self._note):
                self._note.write_text(json.dumps(note), "utf-8")
        else:
            is_all = answer.header("Content-Range").strip() == f"bytes */{self.size}"
            if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and not is_all:
                self._begin_anew()
            return False
        if self._stream is None:
            with telling(self._file):
                self._stream = self._file.open("ab")
        return True

    def _is_rest(self, answer: Fetched) -> bool:
        """Tell whether a part goes from where ours ends to the end, and is of the same file as far as it says so.

        A server that knows nothing of If-Range sends the rest of whatever it has now.
        """
        match = _CONTENT_RANGE.fullmatch(answer.header("Content-Range").strip())
        if match is None or int(match["first"]) != self.size or _is_encoded(answer):
            return False
        is_to_the_end = match["length"] in ("*", str(int(match["last"]) + 1))
        return is_to_the_end and (not self.size or _validator(answer) in ("", self._validator))

    def write(self, part: bytes) -> None:
        """Add bytes to the file. Raise AnswerTooLarge when there are more than there may be."""
        assert self._stream is not None
        self._count(part)
        if self.size > self._most:
            self.forget()
            raise AnswerTooLarge(f"{self._url} has more than {self._most} bytes.")
        with telling(self._file):
            self._stream.write(part)

    def finish(self) -> dict[str, str]:
        """Write everything; return the digests of the file by algorithm."""
        if self._stream is not None:
            with telling(self._file):
                self.close()
        return {name: each.hexdigest() for name, each in self._hashes.items()}

    def close(self) -> None:
        """Let go of the file; what has come stays."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def forget(self) -> None:
        """Remove what has come."""
        self._begin_anew()
        with telling(self._file):
            self._file.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)

    def move(self, file: Path) -> None:
        """Move what has come elsewhere."""
        self.finish()
        with telling(file):
            self._file.touch()
            self._file.replace(file)
        self.size = 0
        self.forget()

    def _begin_anew(self) -> None:
        self.close()
        if self.size:
            with telling(self._file):
                os.truncate(self._file, 0)
        self.size, self._validator, self.said, self.is_pieced = 0, "", (), False
        self._hashes = {name: begun(name) for name in self._algorithms}

    def _remember(self) -> None:
        """Take up what an earlier process has left of the same file; anything else is overwritten."""
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
        self.said = tuple(note.get("said", {}).items())

    def _count(self, part: bytes) -> None:
        self.size += len(part)
        for each in self._hashes.values():
            each.update(part)


def _is_encoded(answer: Fetched) -> bool:
    return bool(answer.header("Content-Encoding")) and not is_compressed_file(answer.header("Content-Type"))


def _validator(answer: Fetched) -> str:
    """Return what tells a server whether its file is still the same: a strong ETag, else a date that is old enough.

    Nothing for what came encoded: ranges are of the encoded bytes, and those that are here are not.
    """
    if _is_encoded(answer):
        return ""
    entity_tag = answer.header("ETag").strip()
    return entity_tag if entity_tag.startswith('"') else settled_date(answer)
