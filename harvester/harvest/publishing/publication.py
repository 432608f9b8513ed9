"""Publishing what a harvest brought: page by page in this process, or by a child process while the harvest goes on.

A short harvest is published as it arrives. After a few pages a child process takes over (`process_client.py`). It reads
the inbox forward and writes the store, with several processes. This process only fetches, parses and commits the inbox.
If many sources are harvested at once, a few have such a child process. The others are published here until one is free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from threading import BoundedSemaphore
from typing import Self

from gateway.core.errors import ConfigurationError
from gateway.publish.publish import Counts, SourceFacts, publish_pending
from harvester.harvest.instance import Instance
from harvester.harvest.publishing.process_client import Publisher
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.interrupts import Stop
from harvester.runtime.locks import await_publishers
from harvester.runtime.progress import Progress
from harvester.sources.oai_pmh.answers import parse_formats

# A process costs half a second to start, about as much as publishing these pages here.
PAGES_BEFORE_PROCESS = 3
# This process has a page in memory already. It does not read a page of more bytes besides, and publish it here.
_MOST_BYTES_HERE = 30_000_000
# As many as hosts are harvested at once. A source without a child process is published between two pages, in the
# process that harvests all sources, which has enough work. More child processes would only slow each other down.
_CHILDREN = BoundedSemaphore(8)
# How often a waiting harvester looks whether it was asked to stop.
_GLANCE_SECONDS = 0.2

# The outcomes of a record. Their sum is the number of received records.
OUTCOMES_OF_RECORDS = ("published", "unchanged", "quarantined", "ignored", "older_versions", "held_back")


def facts_of(instance: Instance, entry: SourceEntry) -> SourceFacts:
    """Return what publication must know of a source: the settings', the entry's and the source's own words.

    Raise ConfigurationError when the repository's domain is no longer the one under which things were published. Raise
    AnswerError when the stored answer with the formats cannot be read.
    """
    domain = instance.settings.text("repository_domain")
    fixed = instance.store.fact("repository_domain")
    if fixed and fixed != domain and _is_published(instance):
        raise ConfigurationError(
            f"The repository's domain is {fixed} and cannot become {domain}: identifiers with it are published."
        )
    answer = instance.inbox.last_answer(entry.name, "ListMetadataFormats")
    formats = parse_formats(answer.repaired or answer.body).formats if answer else ()
    return SourceFacts(
        name=entry.name,
        base_url=_shown_address(entry),
        domain=domain,
        formats={format_.metadata_prefix: (format_.schema, format_.namespace) for format_ in formats},
        rights=entry.rights,
        prefer=entry.prefer,
        fields=_texts_of(entry.own.get("fields")),
    )


def _shown_address(entry: SourceEntry) -> str:
    """Return the address that provenance names: never where something lies on this machine."""
    plain = f"file:/{entry.url.rpartition('/')[2]}" if entry.url.startswith("file:") else entry.url
    return str(entry.own.get("base_url") or plain)


def _texts_of(table: object) -> Mapping[str, str]:
    return {str(name): str(value) for name, value in table.items()} if isinstance(table, Mapping) else {}


def _is_published(instance: Instance) -> bool:
    with instance.store.view() as view:
        return bool(view.changes(0, 1))


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
        """Nothing happens before `feed` or `finish`."""
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
        while self._publisher.is_working(_GLANCE_SECONDS):
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
