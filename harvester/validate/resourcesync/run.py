"""The entry point of the check of anybody's ResourceSync documents: `harvester lint-resourcesync URL`.

It starts at any address of a source: its site, a document, a package. All requests go through the given `fetch`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from gateway.errors import ConfigurationError
from harvester.http.messages import Fetch
from harvester.validate.client import Clock
from harvester.validate.report import Report
from harvester.validate.resourcesync.again import judge_again
from harvester.validate.resourcesync.downloads import Downloads, Limits
from harvester.validate.resourcesync.judged import Judged
from harvester.validate.resourcesync.memory import Memory
from harvester.validate.resourcesync.model import Document
from harvester.validate.resourcesync.resources import judge_resources
from harvester.validate.resourcesync.rules import RULES
from harvester.validate.resourcesync.together import Together
from harvester.validate.resourcesync.walk import Walk
from harvester.validate.signposting.declared import is_http

__all__ = ["RULES", "Limits", "Linted", "lint"]


class Linted(NamedTuple):
    """A report, and what was read: the version, how many documents and entries, and why not everything was read."""

    report: Report
    version: str
    documents: int
    entries: int
    limit: str

    def as_data(self) -> dict[str, object]:
        """Return the report as data for JSON; JSON.md describes it."""
        data = self.report.as_data()
        read = {"version": self.version, "documents": self.documents, "entries": self.entries, "limit": self.limit}
        return {"url": data.pop("base_url"), **read, **data}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report for people."""
        yield from self.report.lines()
        yield f"{self.documents} documents with {self.entries} entries; ResourceSync {self.version}."
        if self.limit:
            yield f"Not everything was read: {self.limit}"


def lint(
    url: str,
    fetch: Fetch,
    *,
    limits: Limits | None = None,
    again: Path | None = None,
    clock: Clock = time.monotonic,
    now: Callable[[], float] = time.time,
) -> Linted:
    """Return a report on the ResourceSync source that an address belongs to, with every rule in the order of `RULES`.

    `fetch` sends all requests and is responsible for politeness. `limits` bounds requests, seconds, bytes and samples.
    `again` is a folder for what is compared with a later run. Raise ConfigurationError for a text that is no http or
    https address, and for a folder that cannot be used. Raise NotResourceSync when the address leads to no document,
    and the FetchError when it gets no answer.
    """
    if not is_http(url):
        raise ConfigurationError(f"{url!r} is not the address of a source. Write http:// or https://.")
    downloads, judged = Downloads(fetch, limits or Limits(), clock), Judged()
    walk = Walk(downloads, judged, Memory(again), now())
    with closing(walk):
        walk.begin(url)
        Together(walk).judge()
        judge_resources(walk)
        judge_again(walk)
    limit = walk.limit or walk.unread
    report = Report(url, tuple(judged.results(limit)), downloads.sent, downloads.seconds)
    entries = sum(document.size for document in walk.documents)
    return Linted(report, _version(walk.documents), len(walk.documents), entries, limit)


def _version(documents: list[Document]) -> str:
    """Return the versions that the documents can be of, by what only some versions have."""
    if any(document.has_datetime for document in documents):
        return "1.1"
    if any("modified" in document.md for document in documents):
        return "0.5"
    has_old = any(
        document.md.get("capability") == "resourcesync" or document.linked("resourcesync") for document in documents
    )
    return "0.9" if has_old else "1.0 or 1.1"
