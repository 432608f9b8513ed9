"""Publishing what a harvest brought: page by page in this process, or by a child process while the harvest goes on.

A short harvest is published as it arrives. After a few pages a child process takes over (`process.py`). It reads the
inbox forward and writes the store, with several processes. This process only fetches, parses and commits the inbox. If
many sources are harvested at once, a few have such a child process. The others are published here until one is free.

A line on the standard input of the child announces pages; the line `end` asks it to publish the remaining pages and to
exit. Its standard output brings a line of JSON after every publication: its counts so far, or the error that ended it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any, Self

from gateway.core import errors
from gateway.core.children import Child, program
from gateway.core.errors import ConfigurationError, StoreError
from gateway.publish.publish import Counts, SourceFacts, publish_pending
from harvester.harvest.instance import Instance
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import await_publishers, publishing
from harvester.runtime.progress import Progress
from harvester.sources.oai_pmh.answers import parse_formats

WAKE = b"page\n"
# A process costs half a second to start, about as much as publishing these pages here.
PAGES_BEFORE_PROCESS = 3
# This process has a page in memory already. It does not read a page of more bytes besides, and publish it here.
_MOST_BYTES_HERE = 30_000_000
# As many as hosts are harvested at once. A source without a child process is published between two pages, in the
# process that harvests all sources, which has enough work. More child processes would only slow each other down.
_CHILDREN = BoundedSemaphore(8)
# How often a waiting harvester looks whether it was asked to stop.
_POLL_SECONDS = 0.2

# The outcomes of a record. Their sum is the number of received records.
OUTCOMES_OF_RECORDS = ("published", "unchanged", "quarantined", "ignored", "older_versions", "held_back")


class Publisher:
    """A running child, as its parent sees it."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self.counts: Counter[str] = Counter()
        self.example = ""  # of what has gone back to an older datestamp

    @classmethod
    def start(cls, folder: Path, source: str) -> Publisher:
        """Start a child that publishes `source` of an instance folder."""
        # The child has the lock from its first moment: it may begin after its parent has died.
        with publishing(folder, source) as lock:
            return cls(Child(program("harvester.harvest.publishing.process", "main", str(folder), source), (lock,)))

    def wake(self) -> None:
        """Tell the child process that there are new pages. Raise the error that ended the child, if one did."""
        # It may have plenty of such lines to read, and one is enough.
        self.is_working(0 if self._child.order(WAKE, waits=False) else 1.0)

    def finish(self) -> None:
        """Ask the child process to publish the remaining pages and exit.

        Raise the error that ended the child, if one did; StoreError when the child did not name it.
        """
        if not self._child.finish():
            self.is_working(1.0)

    def dismiss(self) -> None:
        """Ask the child process to exit after the present publication."""
        self._child.dismiss()

    def kill(self) -> None:
        """End the child process at once. The next run publishes what it has not committed."""
        self._child.kill()

    def is_working(self, seconds: float) -> bool:
        """Wait for so long, and return whether the child process still works. Raise the error that ended it."""
        lines = self._child.hear(seconds)
        for line in lines or ():
            self._receive(json.loads(line))
        if lines is None and (status := self._child.wait()):
            raise StoreError(f"The process that publishes ended with status {status}.")
        return lines is not None

    def _receive(self, message: dict[str, Any]) -> None:
        if "error" in message:
            kind = getattr(errors, str(message["kind"]), StoreError)
            raise kind(str(message["error"]))
        self.counts = Counter(message["counts"])
        self.example = str(message.get("example", ""))


def facts_of(instance: Instance, entry: SourceEntry) -> SourceFacts:
    """Return what publication must know of a source: the settings', the entry's and the source's own words.

    Raise ConfigurationError when the repository's domain is no longer the one under which things were published. Raise
    AnswerError when the stored answer with the formats cannot be read.
    """
    domain = instance.settings.text("repository_domain")
    fixed = instance.store.fact("repository_domain")
    if fixed and fixed != domain:
        with instance.store.view() as view:
            if view.changes(0, 1):
                raise ConfigurationError(
                    f"The repository's domain is {fixed} and cannot become {domain}: identifiers with it are published."
                )
    answer = instance.inbox.last_answer(entry.name, "ListMetadataFormats")
    formats = parse_formats(answer.repaired or answer.body).formats if answer else ()
    # Provenance never names where something lies on this machine.
    plain = f"file:/{entry.url.rpartition('/')[2]}" if entry.url.startswith("file:") else entry.url
    fields = entry.own.get("fields")
    return SourceFacts(
        name=entry.name,
        base_url=str(entry.own.get("base_url") or plain),
        domain=domain,
        formats={format_.metadata_prefix: (format_.schema, format_.namespace) for format_ in formats},
        rights=entry.rights,
        prefer=entry.prefer,
        fields={str(name): str(value) for name, value in fields.items()} if isinstance(fields, Mapping) else {},
        apart=entry.apart,
    )


def counts_of(counts: Counts) -> dict[str, int]:
    """Return the counts of one publication by name."""
    return {name: getattr(counts, name) for name in ("received", *OUTCOMES_OF_RECORDS, "gone_back")}


def gone_back_in_words(publication: Publication) -> str:
    """Return how many records have now an older datestamp than before, which one for example, and why that may be."""
    return (
        f"Records that the source brings with an older datestamp than it did before: {publication.counts['gone_back']} "
        f"({publication.example}, say). They are published as they came; was the source restored from a backup?"
    )


class Publication:
    """The publication of one source while it is harvested. Use it in a `with` block: no child outlives that."""

    def __init__(self, instance: Instance, entry: SourceEntry, progress: Progress, stop: Stop) -> None:
        self._instance = instance
        self._entry = entry
        self._progress = progress
        self._stop = stop
        self._facts: SourceFacts | None = None
        self._here: Counter[str] = Counter()
        self._example = ""
        self._pages_here = 0
        self._fed = 0  # records
        self._publisher: Publisher | None = None

    def __enter__(self) -> Self:
        await_publishers(self._instance.folder, self._entry.name)
        return self

    def __exit__(self, *_: object) -> None:
        if self._publisher is not None:
            self._publisher.kill()
            _CHILDREN.release()

    @property
    def counts(self) -> Counter[str]:
        """The counts of records so far: received, `OUTCOMES_OF_RECORDS`, and gone_back."""
        return self._here + (self._publisher.counts if self._publisher else Counter())

    @property
    def example(self) -> str:
        """The identifier of one record that has gone back to an older datestamp."""
        return self._example or (self._publisher.example if self._publisher else "")

    def feed(self, records: int, size: int = 0) -> None:
        """Take notice of a committed page with so many records and bytes. Raise the errors of publication."""
        self._fed += records
        if size > _MOST_BYTES_HERE:
            self._let_child()
        if self._publisher is not None:
            self._publisher.wake()
            assert self._instance.index is not None, "a command that publishes opened the instance"
            self._instance.index.expect(records)
        else:
            self._publish_here()
        self._show()

    def finish(self) -> None:
        """Publish everything that is not published yet, and wait for it; less when asked to stop.

        Raise ConfigurationError when the repository's domain is not that of the published identifiers, and StoreError.
        """
        while self._publisher is None and not self._stop.is_asked and self._publish_here():
            self._show()
        if self._publisher is None:
            return
        if not self._stop.is_asked:
            self._publisher.finish()
        while self._publisher.is_working(_POLL_SECONDS):
            self._show()
            if self._stop.is_asked:
                self._publisher.dismiss()
        self._show()

    def _publish_here(self) -> bool:
        """Publish one page, and return whether there was one. After a few, start a child process."""
        instance = self._instance
        if self._facts is None:
            self._facts = facts_of(instance, self._entry)
        counts = publish_pending(instance.store, instance.inbox, self._entry.name, self._facts, limit_pages=1)
        self._here.update(counts_of(counts))
        self._example = self._example or counts.example
        self._pages_here += 1
        if self._pages_here >= PAGES_BEFORE_PROCESS:
            self._let_child()
        return bool(counts.pages)

    def _let_child(self) -> None:
        """Let a child publish from now on, where there may be one."""
        may_be_one = self._publisher is None and self._instance.settings.number("publish_processes") > 0
        if not may_be_one or not _CHILDREN.acquire(blocking=False):
            return
        try:
            self._publisher = Publisher.start(self._instance.folder, self._entry.name)
        except BaseException:
            _CHILDREN.release()
            raise
        self._publisher.wake()

    def _show(self) -> None:
        """Show the number of published records, and of those that wait. Unusable records are shown separately."""
        counts, name = self.counts, self._entry.name
        done = counts["published"] + counts["unchanged"]
        waiting = max(0, self._fed - counts["received"])
        self._progress.show(f"{name} published", done, done + waiting)
        if counts["quarantined"]:
            self._progress.show(f"{name} quarantined", counts["quarantined"], None)
