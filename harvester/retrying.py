"""What earlier runs could not fetch, once more: records in quarantine one by one, and the windows that were left.

What comes is received like anything a source has said; so what is good leaves quarantine, and a window that came is
left no longer. What does not come stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from gateway.errors import ConfigurationError, GatewayError
from gateway.model import Cursor, RunOutcome, Slice, WindowOutcome
from gateway.xmltext import utc_datetime
from harvester.descriptions import keep_description
from harvester.identity import refuse_another
from harvester.in_progress import HarvestInProgress
from harvester.instance import Instance
from harvester.locks import lock
from harvester.outcomes import OF_ONE_QUESTION, gravest, noting, outcome_of, status_of_parts
from harvester.pipeline import Ran, Wishes, arrived, count, learned_of, options_of, told
from harvester.progress import Progress
from harvester.publishing.publication import OUTCOMES_OF_RECORDS, Publication
from harvester.sources import Options, SourceKind, Step
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop, TimeIsOver
from harvester.story import Story, bury
from harvester.unfetched import unfetched
from harvester.waiting import tell_waiting
from harvester.windows.days import dates_of
from harvester.windows.kept import closed, label_of
from harvester.wire.http import Fetch

STAGE = "retry"
MOST_FAILURES = 10  # in a row: then the source is ill, rather than what it is asked for


def retry(
    instance: Instance,
    entry: SourceEntry,
    kind: SourceKind,
    wishes: Wishes,
    fetch: Fetch,
    progress: Progress,
    stop: Stop,
) -> Ran:
    """Try again what could not be fetched of one source. Raise SourceLocked when another process is at it.

    Raise ConfigurationError when its kind brings no single records. Every error of ours ends it with its outcome.
    """
    if kind.single is None:
        raise ConfigurationError(f"Of a source of the kind {kind.name} nothing can be fetched by itself.")
    with lock(instance.folder, entry.name):
        instance.check_clock()
        bury(instance.inbox, entry.name)
        story = Story(instance.inbox, entry.name, progress, stage=STAGE)
        retrial = _Retrial(instance, entry, kind, wishes, fetch, progress, stop, story)
        try:
            with noting(retrial.ended):
                retrial.whole()
        finally:
            ran = retrial.written_down()
        return ran


@dataclass(slots=True)
class _Retrial:
    """One run in progress. Its methods stand in the order in which they are called.

    `failures` is how often in a row nothing came.
    """

    instance: Instance
    entry: SourceEntry
    kind: SourceKind
    wishes: Wishes
    fetch: Fetch
    progress: Progress
    stop: Stop
    story: Story
    outcomes: list[RunOutcome] = field(default_factory=lambda: [RunOutcome.SUCCEEDED])
    in_progress: HarvestInProgress = field(init=False)
    failures: int = 0
    is_at_limit: bool = False
    is_whole: bool = False

    def whole(self) -> None:
        """Publish what an earlier run left, ask for what is missing, and publish what came."""
        refuse_another(self.instance.inbox, self.entry.name)
        self.instance.store.add_source(self.entry.source)
        with Publication(self.instance, self.entry, self.progress, self.stop) as publication:
            publication.finish()
        self.in_progress = HarvestInProgress(self.instance, self.entry.name, is_sure=self.wishes.is_sure, is_part=True)
        records, windows = self._records(), self._windows()
        if not records and not windows:
            again = f"`harvester run {self.entry.name}` asks again for whatever else was not well."
            self.story.note(f"No record and no window is left to be asked for by itself; {again}")
        else:
            with Publication(self.instance, self.entry, self.progress, self.stop) as publication:
                self._ask(records, windows, publication)
                publication.finish()
                self._account(publication)
        self.is_whole = True

    # -- what is missing --

    def _records(self) -> list[tuple[Cursor, str]]:
        """Return the records in quarantine that could not be fetched, each with its list."""
        return [each for each in unfetched(self.instance, self.entry.name) if self._is_wanted(each[0])]

    def _windows(self) -> list[tuple[Cursor, tuple[str, str]]]:
        """Return the windows that were left, each with its list; those of a sliced harvest that failed are lists."""
        inbox, name = self.instance.inbox, self.entry.name
        failed = [each for each in inbox.windows(name) if each.outcome is WindowOutcome.FAILED]
        left = [(cursor, window) for cursor in inbox.cursors(name) for window in self.kind.left(cursor)]
        return [each for each in (*left, *((it, dates_of(it.window)) for it in failed)) if self._is_wanted(each[0])]

    def _is_wanted(self, cursor: Cursor) -> bool:
        formats, sets = self.wishes.formats, self.wishes.sets
        return (not formats or cursor.metadata_prefix in formats) and (not sets or cursor.set_spec in sets)

    # -- asking for it --

    def _ask(
        self,
        records: list[tuple[Cursor, str]],
        windows: list[tuple[Cursor, tuple[str, str]]],
        publication: Publication,
    ) -> None:
        """Ask for everything, or as much as the time and the source allow."""
        try:
            options = self._options()
            for number, (cursor, identifier) in enumerate(records, 1):
                self._try(options, cursor, identifier, publication)
                self.progress.show(f"{self.entry.name} {label_of(cursor)} again", number, len(records))
                if self._is_over():
                    return
            for cursor, window in windows:
                self._try(replace(options, window=window), cursor, "", publication)
                if self._is_over():
                    return
        except TimeIsOver as over:
            self.is_at_limit = True
            self.story.note(str(over))
        except GatewayError as error:
            self.ended(outcome_of(error), str(error))  # what arrived before is published nevertheless

    def _options(self) -> Options:
        """Return what the source is told, after asking it who it is: one that is down says so here."""
        known = learned_of(self.instance, self.kind, self.entry.name)
        options = replace(options_of(self.entry, self.instance.settings, 0, Wishes()), known=known)
        description = self.kind.describe(options, self.fetch)
        keep_description(self.instance, self.entry.name, description)
        self.story.warn(description.notes)
        return replace(options.after(description), arrived=partial(arrived, self.instance.inbox))

    def _try(self, options: Options, cursor: Cursor, identifier: str, publication: Publication) -> None:
        """Ask for one record, or for the window of the options. Raise the last error when too much fails in a row."""
        steps = self._record(options, cursor, identifier) if identifier else self._window(options, cursor)
        try:
            for step in steps:
                self._take(step, publication)
                if self._is_over():
                    return
        except OF_ONE_QUESTION as error:
            self.failures += 1
            self._still_missing(f"{label_of(cursor)}: {identifier or _in_words(options)}: {error}")
            if self.failures == MOST_FAILURES:
                raise
        else:
            self.failures = 0

    def _record(self, options: Options, cursor: Cursor, identifier: str) -> Iterator[Step]:
        """Ask for one record; one that the source denies stays missing, because a list has named it.

        One that there is in other formats only is not missing in this one; then there is a deletion, as if the source
        had announced it.
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
            self.story.note(f"{label}: {identifier}: {note}")
        deletion = Slice(identifier, utc_datetime(page.received_at), (), True, 0, 0)
        yield Step(page, slices or (deletion,), cursor, 1)

    def _is_held(self, cursor: Cursor, identifier: str) -> bool:
        states = self.instance.store.states(cursor.source, [identifier]).values()
        payloads = (each for state in states for each in state.payloads)
        return any(each.metadata_prefix == cursor.metadata_prefix and not each.is_deleted for each in payloads)

    def _window(self, options: Options, cursor: Cursor) -> Iterator[Step]:
        """Walk a window that was left, from where its list stands by now."""
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
        count(self.story.counts, step)
        label = label_of(step.cursor)
        for note in (*step.notes, *step.page.repairs):
            self.story.note(f"{label}, page {number}: {note}", aloud=False)
        self.story.warn(f"{label}: {each.identifier}: {each.problem}" for each in step.slices if each.problem)
        publication.feed(len(step.slices))

    def _is_over(self) -> bool:
        limit = self.wishes.max_records
        is_reached = limit is not None and self.story.counts["received"] >= limit
        self.is_at_limit = self.is_at_limit or is_reached or self.stop.is_time_over
        return self.stop.is_asked or self.is_at_limit

    def _still_missing(self, reason: str) -> None:
        self.outcomes.append(RunOutcome.SUCCEEDED_WITH_ERRORS)
        self.story.counts["still_missing"] += 1
        self.story.warn((reason,))

    # -- the end --

    def _account(self, publication: Publication) -> None:
        """Count what became of what came."""
        self.story.counts.update({name: publication.counts[name] for name in OUTCOMES_OF_RECORDS})
        if publication.counts["quarantined"]:
            came = publication.counts["quarantined"]
            reason = f"Records in quarantine: {came}; `harvester quarantine {self.entry.name}` tells why."
            self.ended(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)

    def ended(self, outcome: RunOutcome, reason: str) -> None:
        """Note that the run, or a part of it, ended so."""
        self.outcomes.append(outcome)
        self.story.fail(reason)

    def written_down(self) -> Ran:
        """Write down how it ended; it is complete when nothing is missing of what was asked for."""
        if self.stop.is_asked or self.is_at_limit:
            self.outcomes.append(RunOutcome.STOPPED)
            self.story.note("It was asked to stop." if self.stop.is_asked else "It reached its limit.")
        tell_waiting(self.instance, self.entry.name, self.story, self.ended)
        outcome = gravest(self.outcomes)
        self.story.note(f"The retry ended: {outcome.value.replace('_', ' ')} ({told(self.story.counts)}).")
        is_complete = self.is_whole and outcome is RunOutcome.SUCCEEDED
        at_limit = self.is_at_limit and not self.stop.is_asked
        return Ran(self.story.end(outcome, is_complete), status_of_parts(self.outcomes, at_limit=at_limit))


def _in_words(options: Options) -> str:
    """Return how a person is told of the window of the options."""
    from_, until = options.window or ("", "")
    return f"what is dated from {from_ or 'the beginning'} until {until or 'now'}"
