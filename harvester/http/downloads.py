"""A file or an archive at an address, brought to this machine and then read like one that lies here.

It is stored in the instance folder with its ETag and Last-Modified. So the next run fetches it again only if it has
changed. An interrupted download continues where it stopped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from gateway.core.errors import ConnectionFailed, RemoteRefuses
from harvester.http.dates import http_second
from harvester.http.local_files import Local
from harvester.http.messages import Fetch, Fetched, Request, settled_date
from harvester.http.partial_file import Arriving
from harvester.runtime.durable_files import reporting_unwritable

FOLDER = "downloads"


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
            self._note.write_text(json.dumps({"url": self._url, **_validators(answer)}), "utf-8")

    def _known(self) -> tuple[tuple[str, str], ...]:
        """Return what lets the server say that nothing has changed."""
        try:
            note = json.loads(self._note.read_bytes())
        except (OSError, ValueError):
            return ()
        if not self._file.exists() or note.get("url") != self._url:
            return ()
        pairs = (("If-None-Match", note.get("etag", "")), ("If-Modified-Since", note.get("modified", "")))
        return tuple(pair for pair in pairs if pair[1])


def _validators(answer: Fetched) -> dict[str, str]:
    return {"etag": answer.header("ETag"), "modified": settled_date(answer)}


def _date(file: Path, modified: str) -> None:
    """Give a file the date that the server gives it: what looks the same need not be read again."""
    second = http_second(modified)
    if second is not None:
        with suppress(OverflowError, OSError):  # not every file system has every date
            os.utime(file, (second, second))


def forget(instance: Path, source: str) -> None:
    """Remove the downloads of a source."""
    shutil.rmtree(instance / FOLDER / source, ignore_errors=True)
