"""The entry point of the check of anybody's ResourceSync documents: `harvester lint-resourcesync URL`.

It starts at any address of a source: its site, a document, a package. All requests go through the given `fetch`.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from gateway.core.errors import ConfigurationError
from harvester.http.messages import Fetch
from harvester.validate.check import Report
from harvester.validate.client import Clock
from harvester.validate.resourcesync.downloads import Downloads, Limits
from harvester.validate.resourcesync.memory import Before, Inventory, Memory, key_of
from harvester.validate.resourcesync.model import RULES, Document, Judged
from harvester.validate.resourcesync.together import Together, judge_resources
from harvester.validate.resourcesync.values import moment
from harvester.validate.resourcesync.walk import Set, Walk
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


# --- The rules of two runs: what is closed stays the same, and what changed between them is in a Change List ---------

_PACKAGES = ("resourcedump-manifest", "changedump-manifest")


def judge_again(walk: Walk) -> None:
    """Compare a walk that has ended with what an earlier run saw, and keep what this one saw."""
    memory = walk.memory
    if not memory.is_kept:
        return
    for document in walk.documents:
        before, now = memory.before.get(document.url), memory.now(document.url)
        if before is None or now is None:
            continue
        if document.capability in _PACKAGES:
            if (before.at, before.until) == (now.at, now.until):  # a package of another state may have this address
                changed = before.digest != now.digest and "It has the times and not the bytes of before."
                walk.judged.faults(document.shown, "again.package", changed)
        else:
            _document(walk, document, before, now)
    inventories: dict[str, Inventory] = {}
    for resource_set in walk.sets:
        root = resource_set.roots.get("resourcelist")
        if root is None or walk.limit:
            continue
        inventories[root.url] = resource_set.observed.inventory
        if resource_set.observed.before is not None:
            _resources(walk, resource_set, root, memory.before.get(root.url))
    memory.keep(inventories)


def _document(walk: Walk, document: Document, before: Before, now: Before) -> None:
    if before.until and document.kind is not None and document.kind.required == "from":
        sentence = f"It was closed at {before.until}, and has other bytes than before."
        walk.judged.faults(document.shown, "again.closed", before.digest != now.digest and sentence)
    one, other = moment(before.at), moment(now.at)
    if one is not None and other is not None:
        walk.judged.faults(document.shown, "again.at", other < one and f"at was {before.at}, and is {now.at}.")


def _resources(walk: Walk, resource_set: Set, root: Document, before: Before | None) -> None:
    observed = resource_set.observed
    if "changelist" not in resource_set.roots:
        for rule in ("again.changes", "again.deletions"):
            walk.judged.skip(rule, "The source has no Change List.")
        return
    since = moment(before.at) if before is not None else None
    keys = observed.changed_keys
    unlisted = [loc for loc in observed.changed_names if not _is_announced(keys, key_of(loc), since)]
    sentences = (f"{loc} changed since the run before, and no Change List has that." for loc in unlisted)
    walk.judged.faults(root.shown, "again.changes", sentences)
    assert observed.before is not None
    gone = [key for key in observed.before.keys() if observed.inventory.value(key) is None]  # noqa: SIM118
    silent = sum(key not in observed.deleted_keys for key in gone)
    sentence = f"{silent} resources left the list since the run before, and no Change List deletes them."
    walk.judged.faults(root.shown, "again.deletions", silent > 0 and sentence)


def _is_announced(changed_keys: dict[int, float | None], key: int, since: float | None) -> bool:
    if key not in changed_keys:
        return False
    changed = changed_keys[key]
    return changed is None or since is None or changed >= since
