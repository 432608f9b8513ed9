"""Records that a source lists and that were never held: a sweep fetches them one by one, or reports them missing.

    sort out -> request some -> fetch one by one -> those that cannot be fetched are missing

Missing records go into quarantine as unfetched. So each later run reports them, and `--retry-failed` or the next sweep
requests them again. Fetched records are received as in a harvest, so an interrupted sweep repeats nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TypeVar

from gateway.core.model import Cursor, ItemState, RawPage, RunOutcome, Slice
from gateway.core.names import local_identifier
from harvester.harvest.named_records import ListedRecords, RecordState
from harvester.harvest.run_lifecycle import RunLog
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST
from harvester.sources import UNFETCHED, Options
from harvester.sources.budget import Spender

SAMPLE_SIZE = 50  # requests after which the source is believed that all are in other formats only
MOST_FAILURES = 10  # in a row; then the source is failing, or does not support GetRecord

Thing = TypeVar("Thing")

_BATCH = 500
_MOST_NAMED_IN_REASONS = 10  # records
_NO_RECORD = "the source names it, and answers that it has no such record."
_NOT_ASKED = "it was not requested, because too many requests in a row returned no record."
_ENDED = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)


@dataclass(kw_only=True)
class NeverHeld(SourceSession):
    """The records of one format that are listed and were never held.

    `publish` is called with the number of received records, `show` with the numbers of requested and of all records.
    """

    learned: Options
    spender: Spender
    log: RunLog
    metadata_prefix: str
    named: ListedRecords
    publish: Callable[[int], None]
    show: Callable[[int, int], None]
    total: int = 0  # records to be fetched
    fetched: int = 0
    elsewhere: int = 0  # records of the total that are in other formats only
    asked: int = 0
    reported: int = 0  # records put into quarantine by this sweep
    lost: int = 0
    _failures: int = field(default=0, init=False)

    @property
    def missing(self) -> int:
        """The number of records that are still missing."""
        return self.total - self.fetched - self.elsewhere

    @property
    def reason(self) -> str:
        """A sentence with the number of missing records, and what to do."""
        run = f"`harvester run {self.entry.name}"
        sentence = f"{self.metadata_prefix}: {self.missing} records are named, were never held, and are missing;"
        if not self._was_harvested():
            return f"{sentence} no harvest has ended yet, {run}` fetches them."
        return f"{sentence} {run} --retry-failed` and the next sweep ask for them again."

    # -- their states --

    def hold(self, states: Iterable[ItemState]) -> None:
        """Note that these items are held in this format, deleted or not."""
        formats = ((state.upstream, {payload.metadata_prefix for payload in state.payloads}) for state in states)
        self.named.know(
            RecordState.HELD, [upstream for upstream, prefixes in formats if self.metadata_prefix in prefixes]
        )

    def sort_out(self) -> None:
        """Note which of the others are in quarantine or taken down: these are not requested. Raise StoreError."""
        every = self.instance.store.quarantined(self.entry.name)
        mine = (record for record in every if record.metadata_prefix == self.metadata_prefix)
        for bad in batches(mine):
            unfetched = {record.identifier for record in bad if record.reason.startswith(UNFETCHED)}
            self.named.know(RecordState.UNFETCHED, unfetched)
            self.named.know(RecordState.UNUSABLE, {record.identifier for record in bad} - unfetched)
        takedowns, domain = self.instance.store.takedowns(), self.instance.settings.text("repository_domain")
        if not takedowns.is_empty:
            source = self.entry.name
            named = (identifier for identifier, _ in self.named.known(RecordState.NOTHING))
            hidden = (
                identifier
                for identifier in named
                if takedowns.names_item(local_identifier(domain, source, identifier), source, identifier)
            )
            for batch in batches(hidden):
                self.named.know(RecordState.TAKEN_DOWN, batch)
        self.total = self.named.living(RecordState.NOTHING) + self.named.living(RecordState.UNFETCHED)

    # -- requests --

    def fetch_all(self) -> None:
        """Request the records, or as many as the source and its hours allow. Raise a GatewayError when it fails."""
        if not self.total:
            return
        if not self._was_harvested():
            return
        new = iter(()) if self._is_elsewhere() else self.named.known(RecordState.NOTHING)
        for identifier, place in chain(new, self.named.known(RecordState.UNFETCHED)):
            if self.stop.is_asked:
                return
            self._ask(identifier, place)
            if self._failures == MOST_FAILURES:
                self.kind.describe(self.learned, self.spender)  # raises when the source as such is failing
            is_spent = self.spender.is_spent
            if is_spent:
                self.log.note(self.spender.sentence)
            if is_spent or self._failures == MOST_FAILURES:
                self._report_rest(new)
                return

    def _was_harvested(self) -> bool:
        """Return whether any harvest has ended. Before that, the harvest itself fetches the records."""
        totals = self.instance.inbox.run_totals()
        return any(
            total.source == self.entry.name and total.stage == "harvest" and total.outcome in _ENDED for total in totals
        )

    def _is_elsewhere(self) -> bool:
        """Return whether all new records are in other formats only: some sources list them in each format."""
        count = self.named.living(RecordState.NOTHING)
        if count <= SAMPLE_SIZE:
            return False
        chosen = list(islice(self.named.known(RecordState.NOTHING), 0, None, count // SAMPLE_SIZE))[:SAMPLE_SIZE]
        for identifier, place in chosen:
            if self.stop.is_asked:
                return False
            self._ask(identifier, place)
            self.named.know(RecordState.ASKED, (identifier,))
            if self.elsewhere < self.asked:
                return False
        self.elsewhere = count
        self.log.note(
            f"{self.metadata_prefix}: {count} records are named that the source has in other formats only: "
            f"GetRecord answered so for each of {self.asked} of them."
        )
        return True

    def _ask(self, identifier: str, place: int) -> None:
        """Request one record, and receive it."""
        assert self.kind.single is not None
        cursor = self._cursor(place)
        self.asked += 1
        try:
            page, slices = self.kind.single(self.learned, cursor, identifier, self.spender)
        except ERRORS_OF_ONE_REQUEST as error:
            self._failures += 1
            self._lost(cursor, identifier, str(error))
            return
        finally:
            self.show(self.asked, self.total)
        self._failures = 0
        if slices:
            self.spender.gained()
            self.fetched += 1
            self.instance.inbox.receive(page, slices, None)
            self.publish(len(slices))
        elif self.kind.is_elsewhere(page):
            self.elsewhere += 1
        else:
            self._lost(cursor, identifier, _NO_RECORD)

    def _cursor(self, place: int) -> Cursor:
        sets = self.entry.sets or ("",)
        return self.instance.inbox.cursor(self.entry.name, self.metadata_prefix, sets[place])

    # -- failures --

    def _lost(self, cursor: Cursor, identifier: str, why: str) -> None:
        """Report one record that could not be fetched, and put it into quarantine unless it is there already."""
        if self.lost < _MOST_NAMED_IN_REASONS:
            self.log.add_warnings((f"{self.metadata_prefix}: {identifier}: {UNFETCHED}{why}",))
        self.lost += 1
        if not self.named.is_known(RecordState.UNFETCHED, identifier):
            self._report(cursor, (identifier,), why)

    def _report_rest(self, rest: Iterator[tuple[str, int]]) -> None:
        """Report records that were not requested, because the source fails for all."""
        for batch in batches(rest):
            for place in sorted({place for _, place in batch}):
                self._report(self._cursor(place), [identifier for identifier, at in batch if at == place], _NOT_ASKED)

    def _report(self, cursor: Cursor, identifiers: Sequence[str], why: str) -> None:
        """Receive a page made here, whose slices go into quarantine as unfetched."""
        now = int(self.clock())
        page = RawPage(
            self.entry.name, "Sweep", self.entry.url, now, 0, (), b"", self.metadata_prefix, set_spec=cursor.set_spec
        )
        slices = tuple(
            Slice(identifier, "", (), False, 0, 0, problem=f"{UNFETCHED}{why}") for identifier in identifiers
        )
        self.instance.inbox.receive(page, slices, None)
        self.reported += len(slices)
        self.publish(len(slices))


def is_wanted(entry: SourceEntry, set_spec: str, record: Slice) -> bool:
    """Return whether a listed record belongs to the set and the dates of the entry of its source.

    A record without sets may be in any set. A record without a datestamp is in no range of dates.
    """
    if set_spec and record.sets and not any(f"{spec}:".startswith(f"{set_spec}:") for spec in record.sets):
        return False
    stamp, from_, until = record.datestamp, entry.from_, entry.until
    if not stamp:
        return not (from_ or until)
    return stamp[: len(from_)] >= from_[: len(stamp)] and (not until or stamp[: len(until)] <= until[: len(stamp)])


def compared(counts: Mapping[str, int]) -> str:
    """Return a sentence with the counts of a sweep."""
    named, held, never, fetched, missing = (
        counts.get(count, 0) for count in ("named", "held", "never_held", "fetched", "missing")
    )
    what = f"{named} records that the source names were compared with {held} that are held"
    return f"{what}: {never} were never held; of these {fetched} were fetched, and {missing} are missing."


def batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    """Return the items in lists of at most 500."""
    rest = iter(things)
    while batch := list(islice(rest, _BATCH)):
        yield batch
