"""Request again what earlier runs could not fetch: records in quarantine one by one, and failed windows.

Fetched records are received as in a harvest. So good records leave quarantine, and a harvested window is not failed any
more. Nothing else changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from gateway.core.errors import ConfigurationError, GatewayError
from gateway.core.model import Cursor, RunOutcome, WindowOutcome
from harvester.harvest.accounting import count_published, count_step, report_quarantined, unfetched
from harvester.harvest.admission import keep_description
from harvester.harvest.list_progress import HarvestInProgress, deletion_slice, report_waiting
from harvester.harvest.never_held import MOST_FAILURES
from harvester.harvest.publishing.publication import Publication
from harvester.harvest.repository_identity import refuse_another
from harvester.harvest.run_lifecycle import Conclusion, RunResult, SourceRun, received_identifiers
from harvester.harvest.session import SourceSession
from harvester.harvest.windows import closed, dates_of, label_of
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST, outcome_of
from harvester.sources import Options, Step

STAGE = "retry"


def retry(session: SourceSession) -> RunResult:
    """Request again what could not be fetched of one source. Raise SourceLocked when the source is locked.

    Raise ConfigurationError when its kind has no single records. Any other GatewayError ends the run with its outcome.
    """
    if session.kind.single is None:
        raise ConfigurationError(f"Of a source of the kind {session.kind.name} nothing can be fetched by itself.")
    with session.recorded(STAGE) as run:
        _Retry(**session.shared(), run=run).work()
    return run.ran


@dataclass(kw_only=True)
class _Retry(SourceSession):
    """One retry in progress. Its methods are in the order of their calls.

    `failures` is the number of failed requests in a row.
    """

    run: SourceRun
    in_progress: HarvestInProgress = field(init=False)
    failures: int = 0
    is_finished: bool = False

    def work(self) -> None:
        """Publish the rest of an earlier run, request missing records, and publish them."""
        instance, entry = self.instance, self.entry
        self.run.conclude = self._conclude
        refuse_another(instance.inbox, entry.name)
        instance.store.add_source(entry.source)
        with self.publication() as publication:
            publication.finish()
        self.in_progress = HarvestInProgress(instance, entry.name, is_sure=self.run_options.is_sure, is_part=True)
        # The records in quarantine that could not be fetched, each with its list.
        records = [record for record in unfetched(instance, entry.name) if self._is_wanted(record[0])]
        windows = self._windows()
        if not records and not windows:
            again = f"`harvester run {entry.name}` asks again for whatever else was not well."
            self.run.log.note(f"No record and no window is left to be asked for by itself; {again}")
        else:
            with self.publication() as publication:
                self._ask(records, windows, publication)
                publication.finish()
                count_published(self.run, publication)
                report_quarantined(self.run, publication.counts["quarantined"])
        self.is_finished = True

    # -- what is missing --

    def _windows(self) -> list[tuple[Cursor, tuple[str, str]]]:
        """Return the failed windows, each with its list; failed windows of a sliced harvest are lists themselves."""
        inbox, name = self.instance.inbox, self.entry.name
        failed = [cursor for cursor in inbox.windows(name) if cursor.outcome is WindowOutcome.FAILED]
        left = [(cursor, window) for cursor in inbox.cursors(name) for window in self.kind.left(cursor)]
        left += [(cursor, dates_of(cursor.window)) for cursor in failed]
        return [window for window in left if self._is_wanted(window[0])]

    def _is_wanted(self, cursor: Cursor) -> bool:
        formats, sets = self.run_options.formats, self.run_options.sets
        return (not formats or cursor.metadata_prefix in formats) and (not sets or cursor.set_spec in sets)

    # -- asking for it --

    def _ask(
        self, records: list[tuple[Cursor, str]], windows: list[tuple[Cursor, tuple[str, str]]], publication: Publication
    ) -> None:
        """Request everything, or as much as the time limit and the source allow."""
        try:
            with self.run.limited():
                options = self._described()
                for number, (cursor, identifier) in enumerate(records, 1):
                    self._try(options, cursor, identifier, publication)
                    self.progress.show(f"{self.entry.name} {label_of(cursor)} again", number, len(records))
                    if self.run.must_end:
                        return
                for cursor, window in windows:
                    self._try(replace(options, window=window), cursor, "", publication)
                    if self.run.must_end:
                        return
        except GatewayError as error:
            self.run.fail(outcome_of(error), str(error))  # what arrived before is published nevertheless

    def _described(self) -> Options:
        """Return the options of the source after Identify: an unavailable source fails here."""
        options = self.options()
        description = self.kind.describe(options, self.fetch)
        keep_description(self.instance, self.entry.name, description)
        self.run.log.add_warnings(description.notes)
        return replace(options.after(description), arrived=partial(received_identifiers, self.instance.inbox))

    def _try(self, options: Options, cursor: Cursor, identifier: str, publication: Publication) -> None:
        """Request one record, or the window of the options. Raise the last error after ten failures in a row."""
        steps = self._record(options, cursor, identifier) if identifier else self._window(options, cursor)
        try:
            for step in steps:
                self._take(step, publication)
                if self.run.must_end:
                    return
        except ERRORS_OF_ONE_REQUEST as error:
            self.failures += 1
            self._still_missing(f"{label_of(cursor)}: {identifier or _in_words(options)}: {error}")
            if self.failures == MOST_FAILURES:
                raise
        else:
            self.failures = 0

    def _record(self, options: Options, cursor: Cursor, identifier: str) -> Iterator[Step]:
        """Request one record. A record that the source does not have stays missing, because a list has named it.

        A record in other formats only is not missing in this one: it becomes a deletion, as if the source had
        announced it.
        """
        assert self.kind.single is not None
        label = label_of(cursor)
        page, slices = self.kind.single(options, cursor, identifier, self.fetch)
        if not slices and (not self.kind.is_elsewhere(page) or self._is_held(cursor, identifier)):
            sweep = f"`harvester source sweep {self.entry.name}` compares it with what the source lists now."
            self._still_missing(f"{label}: {identifier}: the source says that it has no such record. {sweep}")
            return
        if not slices:
            note = "the source has this record in other formats only, so it is not missing."
            self.run.log.note(f"{label}: {identifier}: {note}")
        deletion = deletion_slice(identifier, page.received_at)
        yield Step(page, slices or (deletion,), cursor, 1)

    def _is_held(self, cursor: Cursor, identifier: str) -> bool:
        states = self.instance.store.states(cursor.source, [identifier]).values()
        payloads = (payload for state in states for payload in state.payloads)
        return any(one.metadata_prefix == cursor.metadata_prefix and not one.is_deleted for one in payloads)

    def _window(self, options: Options, cursor: Cursor) -> Iterator[Step]:
        """Harvest a failed window, from the present cursor of its list."""
        list_ = self.instance.inbox.cursor(cursor.source, cursor.metadata_prefix, cursor.set_spec)
        for step in self.kind.changes(options, cursor if cursor.window else list_, self.fetch):
            yield closed(self.kind, step) if cursor.window and step.is_last else step
            if step.is_last:
                break
        else:
            return
        is_left = not step.is_complete if cursor.window else options.window in self.kind.left(step.cursor)
        if is_left:
            self._still_missing(f"{label_of(cursor)}: {_in_words(options)}: {' '.join(step.doubts)}")

    def _take(self, step: Step, publication: Publication) -> None:
        page, slices, harvest = self.in_progress.taken(step)
        number = self.instance.inbox.receive(page, slices, step.cursor, harvest)
        count_step(self.run.log.counts, step)
        label = label_of(step.cursor)
        for note in (*step.notes, *step.page.repairs):
            self.run.log.note(f"{label}, page {number}: {note}", aloud=False)
        unusable = (record for record in step.slices if record.problem)
        self.run.log.add_warnings(f"{label}: {record.identifier}: {record.problem}" for record in unusable)
        publication.feed(len(step.slices))

    def _still_missing(self, reason: str) -> None:
        self.run.outcomes.append(RunOutcome.SUCCEEDED_WITH_ERRORS)
        self.run.log.counts["still_missing"] += 1
        self.run.log.add_warnings((reason,))

    # -- the end --

    def _conclude(self) -> Conclusion:
        """Return whether all requested records were fetched."""
        report_waiting(self.instance, self.run)
        return Conclusion(self.is_finished and self.run.outcome is RunOutcome.SUCCEEDED)


def _in_words(options: Options) -> str:
    """Return the window of the options as words for a person."""
    from_, until = options.window or ("", "")
    return f"what is dated from {from_ or 'the beginning'} until {until or 'now'}"
