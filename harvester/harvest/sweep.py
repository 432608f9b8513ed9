"""A sweep: compare the records of a source with the stored ones, when the source does not announce all deletions.

    list all headers -> compare them with the store -> request some of the missing ones -> deletions
                                                    -> fetch returned records, and those never stored (`never_held.py`)

It writes only to the inbox: pages of deletions, as if the source had announced them, and the fetched records unchanged.
So publication works as after a harvest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice

from gateway.core.errors import AnswerError, ConfigurationError
from gateway.core.model import Cursor, ItemState, RunOutcome
from gateway.store.base import Store
from harvester.harvest.accounting import count_published, report_quarantined, unfetched
from harvester.harvest.admission import Admission
from harvester.harvest.instance import Instance
from harvester.harvest.list_progress import deletion_page, deletion_slice, report_waiting, waiting_deletions
from harvester.harvest.named_records import Heading, ListedRecords, RecordState
from harvester.harvest.never_held import MOST_FAILURES, SAMPLE_SIZE, NeverHeld, batches, compared, is_wanted
from harvester.harvest.publishing.publication import Publication
from harvester.harvest.run_lifecycle import Conclusion, RunResult, SourceRun
from harvester.harvest.session import SourceSession
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST, outcome_of
from harvester.sources import Options
from harvester.sources.budget import Budget, Spender

# The notes about identifiers in `ListedRecords`.
VANISHED = "vanished"  # stored, and not listed any more
RETURNED = "returned"  # stored as deleted, and listed
NOT_NAMED = "not named"  # missing, and not listed any more

_ITEMS_AT_ONCE = 1000
STAGE = "sweep"

_MOST_SHOWN = 10  # identifiers in one sentence
_PAGES_WITHOUT_NEW = 10  # pages in a row without a new identifier
_GONE = "gone"  # vanished, and missing on request

# Called with the numbers of vanished and stored records, when the deletions exceed the allowed share.
Confirm = Callable[[int, int], bool]

_MOST_UNANSWERED = 3  # requests; then the list is believed


def compare(
    instance: Instance,
    source: str,
    metadata_prefix: str,
    named: ListedRecords,
    never_held: NeverHeld,
    *,
    is_listed: bool,
) -> dict[str, int]:
    """Note in `named` how the listed records differ from the stored ones; return the counts of the comparison.

    `is_listed`: the list is complete, so that a record that is not in it has vanished. Raise StoreError.
    """
    held, takedowns = 0, instance.store.takedowns()
    for states in _items(instance.store, source):
        withdrawn = {
            state.upstream for state in states if takedowns.names_item(state.identifier, source, state.upstream)
        }
        ours = [
            (state.upstream, payload.is_deleted)
            for state in states
            for payload in state.payloads
            if payload.metadata_prefix == metadata_prefix
        ]
        held += sum(not is_deleted for _, is_deleted in ours)
        never_held.hold(states)
        living = {upstream: named.is_living(upstream) for upstream, _ in ours}
        if is_listed:
            named.note(VANISHED, (name for name, is_deleted in ours if not is_deleted and not living[name]))
        returned = (name for name, is_deleted in ours if is_deleted and living[name])
        named.note(RETURNED, (name for name in returned if name not in withdrawn))  # purged, not deleted
    never_held.sort_out()
    if is_listed:  # missing records that are not in the list; if they are stored, they have vanished, too
        missing = (name for cursor, name in unfetched(instance, source) if cursor.metadata_prefix == metadata_prefix)
        for batch in batches(name for name in missing if not named.is_living(name)):
            named.note(NOT_NAMED, batch)
    return {
        "named": named.living(),
        "held": held,
        "vanished": named.count(VANISHED),
        "returned": named.count(RETURNED),
        "never_held": never_held.total,
        "unusable": named.living(RecordState.UNUSABLE),
    }


def _items(store: Store, source: str) -> Iterator[list[ItemState]]:
    after = 0
    while rows := store.items(source, after, _ITEMS_AT_ONCE):
        yield [state for _, state in rows]
        after = rows[-1][1].number


def sweep(session: SourceSession, confirm: Confirm = lambda _vanished, _held: False) -> RunResult:
    """Sweep one source. Raise SourceLocked when it is locked, ConfigurationError when its kind cannot be swept.

    It deletes only records that a complete list does not name. A GatewayError ends it with its outcome and reason.
    """
    if not session.kind.can_be_swept:
        raise ConfigurationError(f"A source of the kind {session.kind.name} cannot be swept.")
    with session.recorded(STAGE) as run:
        _Sweep(**session.shared(), run=run, confirm=confirm).work()
    return run.ran


@dataclass(kw_only=True)
class _Sweep(SourceSession):
    """One sweep in progress. Its methods are in the order of their calls."""

    run: SourceRun
    confirm: Confirm
    known: str = ""  # facts that were learned of the source
    formats_left: int = 0  # formats that are not completely swept
    has_slipped: bool = False  # a list moved while it was read: its missing records are requested one by one
    budget: Budget = field(default_factory=Budget)  # of requests for records never stored, in all formats
    unfetched: int = 0  # records in quarantine because they could not be fetched
    admission: Admission = field(init=False)  # checks the answers after the source was identified

    def work(self) -> None:
        """Sweep all formats, or as many as the hours of the source allow, and publish the results."""
        self.run.conclude = self._conclude
        with self.run.limited():
            self._identify_source()
            with self.publication() as publication:
                publication.finish()  # the rest of an earlier run
            with self.publication() as publication:
                self._sweep_formats(publication)
                self.admission.keep()
                publication.finish()
                count_published(self.run, publication)
                report_quarantined(self.run, publication.counts["quarantined"] - self.unfetched)

    def _identify_source(self) -> None:
        self.instance.store.add_source(self.entry.source)
        description = self.kind.describe(self.options(), self.fetch)
        self.known = description.known
        admission = Admission(**self.shared(), description=description)
        self.admission = admission.identified(self._options())
        self.run.log.add_warnings((*description.notes, *self.admission.doubts))
        self.run.outcomes += [RunOutcome.SUCCEEDED_WITH_ERRORS] * bool(self.admission.doubts)
        self.formats_left = len(self.entry.formats)
        self.budget = self._options().budget

    def _sweep_formats(self, publication: Publication) -> None:
        for metadata_prefix in self.entry.formats:
            try:
                with ListedRecords(self.instance.folder) as named:
                    self._sweep(Cursor(self.entry.name, metadata_prefix), named, publication)
            except ERRORS_OF_ONE_REQUEST as error:  # proves nothing about other formats, while the source is available
                self.run.fail(outcome_of(error), f"{metadata_prefix}: {error}")
                self.kind.describe(self._options(), self.fetch)

    def _options(self) -> Options:
        return replace(self.options(), known=self.known)

    def _sweep(self, cursor: Cursor, named: ListedRecords, publication: Publication) -> None:
        sets = enumerate(self.entry.sets or ("",))
        are_named = [self._is_named(replace(cursor, set_spec=spec), named, place) for place, spec in sets]
        if self.stop.is_asked:
            return
        is_listed = all(are_named)
        records = SingleRecords(
            **self.shared(), run=self.run, learned=self._options, cursor=cursor, publish=publication.feed
        )
        never_held = self._never_held(cursor, named, publication)
        prefix = cursor.metadata_prefix
        counts = compare(self.instance, self.entry.name, prefix, named, never_held, is_listed=is_listed)
        self.run.log.counts.update(counts)
        is_swept = is_listed and self._may_delete(prefix, named, counts["held"]) and self._is_looked_at(records, named)
        if is_swept and not self.stop.is_asked:
            for batch in named.noted(_GONE):
                records.delete(batch)
                self.run.log.counts["deleted"] += len(batch)
        # Listed records that are stored as deleted are fetched: no incremental harvest would receive them again.
        for _ in records.receive(named.noted(RETURNED), "returned, and could not be fetched"):
            pass
        self._fetch_never_held(never_held)
        if is_swept:
            self._clear_not_named(records, named)
        self.formats_left -= is_swept and not (never_held.missing or self.stop.is_asked)

    # -- what the source has --

    def _is_named(self, cursor: Cursor, named: ListedRecords, place: int) -> bool:
        """List everything in a set of this format; return whether the list is proven complete."""
        if self.stop.is_asked:
            return False
        label = f"{cursor.metadata_prefix} {cursor.set_spec}".rstrip()
        state = self.instance.inbox.cursor(cursor.source, cursor.metadata_prefix, cursor.set_spec)
        assert self.kind.listed is not None
        self.admission.begin(self._options(), replace(state, state=""))
        pages_without_new = 0
        try:
            for page in self.kind.listed(self._options(), state, self.fetch):
                self.admission.check_first(page.slices)
                headings = (
                    Heading(record.identifier, record.is_deleted, is_wanted(self.entry, cursor.set_spec, record))
                    for record in page.slices
                )
                new = named.add(headings, place)
                self.has_slipped = self.has_slipped or page.has_slipped
                done, total = page.received, page.announced
                self.run.log.counts["received"] += len(page.slices)
                self.progress.show(f"{self.entry.name} {label} named", done, total)
                self.run.log.record_progress(None if total is None else max(0, total - done))
                pages_without_new = 0 if new or not page.slices else pages_without_new + 1
                if page.is_last and not page.doubts:
                    return True
                if self.stop.is_asked:
                    return False
                if page.doubts or pages_without_new == _PAGES_WITHOUT_NEW:
                    self._doubt(f"{label}: {page.doubts[0] if page.doubts else 'ListIdentifiers loops.'}")
                    return False
        except AnswerError as error:  # says nothing about the other lists
            self._doubt(f"{label}: {error}")
        return False

    def _doubt(self, text: str) -> None:
        self.run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, f"{text} Nothing was deleted.")

    # -- what is stored --

    def _never_held(self, cursor: Cursor, named: ListedRecords, publication: Publication) -> NeverHeld:
        label = f"{self.entry.name} {cursor.metadata_prefix} never stored"
        return NeverHeld(
            **self.shared(),
            learned=self._options(),
            spender=Spender(self.fetch, self.budget),
            log=self.run.log,
            metadata_prefix=cursor.metadata_prefix,
            named=named,
            publish=publication.feed,
            show=partial(self.progress.show, label),
        )

    def _may_delete(self, metadata_prefix: str, named: ListedRecords, held: int) -> bool:
        """Return whether so many may be deleted at once, or somebody says that they may.

        While deletions of the source wait, no further one is carried out without a word.
        """
        vanished, share = named.count(VANISHED), self.instance.settings.share("sweep_most_share")
        is_waiting = waiting_deletions(self.instance, self.entry.name) > 0
        if vanished <= (0 if is_waiting else share * held) or self.confirm(vanished, held):
            return True
        reason = (
            "and deletions of the source wait for a decision"
            if is_waiting
            else f"more than the share {share:g} that is deleted without asking"
        )
        self._doubt(
            f"{metadata_prefix}: {vanished} of the {held} stored records are not listed any more, {reason}; "
            f"`harvester source sweep {self.entry.name} --yes` deletes them."
        )
        return False

    # -- what is missing --

    def _is_looked_at(self, records: SingleRecords, named: ListedRecords) -> bool:
        """Request some of the missing records; return whether the others may count as gone.

        When all can be asked for, those that are still there are simply kept.
        """
        prefix, vanished = records.cursor.metadata_prefix, named.count(VANISHED)
        most = vanished if self.has_slipped else SAMPLE_SIZE
        step = max(1, vanished // most) if most else 1
        chosen = list(islice(chain.from_iterable(named.noted(VANISHED)), 0, None, step))[:most]
        living = records.living(chosen)
        if living and vanished > most:
            looked_at = f"{len(living)} of {len(chosen)} that were looked at"
            self._doubt(f"{prefix}: the list does not name {living[0]}, which is there ({looked_at}).")
            return False
        for batch in named.noted(VANISHED):
            named.note(_GONE, (name for name in batch if name not in living))
        if living:
            self.run.log.note(f"{prefix}: not named, and there: {', '.join(living)}.")
        return True

    # -- what comes of it --

    def _clear_not_named(self, records: SingleRecords, named: ListedRecords) -> None:
        """Request missing records that are not listed any more. Those that the source does not have are not missing."""
        trouble = "was missing, is not named any more, and could not be asked for"
        for batch in batches(records.receive(named.noted(NOT_NAMED), trouble)):
            records.delete(batch)
            self.run.log.counts["not_named"] += len(batch)
            names = ", ".join(batch[:_MOST_SHOWN])
            more = f" and {left} more" if (left := len(batch) - _MOST_SHOWN) > 0 else ""
            gone = "The source does not name them any more, and has no such record."
            self.run.log.note(f"{records.cursor.metadata_prefix}: missing no longer: {names}{more}. {gone}")

    def _fetch_never_held(self, never_held: NeverHeld) -> None:
        """Fetch listed records that were never stored, and report how many are missing."""
        try:
            never_held.fetch_all()
        finally:
            counts = {
                "fetched": never_held.fetched,
                "in_other_formats": never_held.elsewhere,
                "missing": never_held.missing,
            }
            self.run.log.counts.update(counts)
            self.unfetched += never_held.reported
        if never_held.missing and not self.stop.is_asked:
            self.run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, never_held.reason)

    # -- the end --

    def _conclude(self) -> Conclusion:
        """Return whether every format was swept, and what was compared."""
        report_waiting(self.instance, self.run)
        is_complete = self.run.outcome is RunOutcome.SUCCEEDED and not self.formats_left
        return Conclusion(is_complete, compared(self.run.log.counts))


@dataclass(kw_only=True)
class SingleRecords(SourceSession):
    """One format of a source that serves single records. `publish` is called with the number of received records."""

    run: SourceRun
    learned: Callable[[], Options]
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
                _, slices = self.kind.single(self.learned(), self.cursor, identifier, self.fetch)
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
                page, slices = self.kind.single(self.learned(), self.cursor, identifier, self.fetch)
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
