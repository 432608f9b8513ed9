"""Request single records for a sweep, and put the results into the inbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gateway.core.model import Cursor, RunOutcome
from harvester.harvest.instance import Instance
from harvester.harvest.never_held import MOST_FAILURES
from harvester.harvest.run_lifecycle import Clock, SourceRun
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.waiting_deletions import deletion_page, deletion_slice
from harvester.http.messages import Fetch
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST
from harvester.sources import Options, SourceKind

_MOST_UNANSWERED = 3  # requests; then the list is believed


@dataclass(slots=True)
class SingleRecords:
    """One format of a source that serves single records. `publish` is called with the number of received records."""

    run: SourceRun
    instance: Instance
    entry: SourceEntry
    kind: SourceKind
    options: Callable[[], Options]
    fetch: Fetch
    clock: Clock
    cursor: Cursor
    publish: Callable[[int], None]

    def living(self, identifiers: Sequence[str]) -> list[str]:
        """Return the records that the source has; each is requested.

        When a request fails, the list counts as right. After several failures, it counts as right for all further
        records.
        """
        assert self.kind.single is not None
        living, unanswered = [], 0
        for identifier in identifiers:
            if unanswered == _MOST_UNANSWERED or self.run.stop.is_asked:
                break
            try:
                _, slices = self.kind.single(self.options(), self.cursor, identifier, self.fetch)
            except ERRORS_OF_ONE_REQUEST:
                unanswered += 1
            else:
                living += [identifier] if any(not record.is_deleted for record in slices) else []
        return living

    def receive(self, batches: Iterable[Sequence[str]], trouble: str) -> Iterator[str]:
        """Request records one by one, receive them, and return those that the source does not have."""
        assert self.kind.single is not None
        failures = 0
        for identifier in (identifier for batch in batches for identifier in batch):
            if self.run.stop.is_asked:
                return
            try:
                page, slices = self.kind.single(self.options(), self.cursor, identifier, self.fetch)
            except ERRORS_OF_ONE_REQUEST as error:
                failures += 1
                self.run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, f"{identifier} {trouble}: {error}")
                if failures == MOST_FAILURES:
                    raise
                continue
            failures = 0
            if not slices:
                yield identifier
                continue
            self.instance.inbox.receive(page, slices, None)
            self.publish(len(slices))

    def delete(self, identifiers: Sequence[str]) -> None:
        """Put a page of deletions into the inbox, as if the source had announced them."""
        now, entry = int(self.clock()), self.entry
        slices = tuple(deletion_slice(identifier, now) for identifier in identifiers)
        prefix = self.cursor.metadata_prefix
        page = deletion_page(entry.name, entry.url, "Sweep", "vanished", prefix, identifiers, now)
        self.instance.inbox.receive(page, slices, None)
        self.publish(len(slices))
