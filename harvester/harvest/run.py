"""One run of one source, from its first request to the proof that nothing is missing; and its rehearsal, a dry run.

Each answer is committed to the inbox (page, slices, next cursor: one transaction), and then published. After a kill,
the next run continues from the last cursor, and publishes what is not published yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial

from gateway.core.errors import AnswerError, GatewayError
from gateway.core.model import Cursor, RunOutcome, SetDescription
from harvester.harvest.accounting import Accounting, count_step
from harvester.harvest.admission import Admission, doubts_of_empty_set, keep_description
from harvester.harvest.list_progress import HarvestInProgress, covers_earlier, release, unlisted_records
from harvester.harvest.named_records import StoredHoldings
from harvester.harvest.publishing.publication import Publication
from harvester.harvest.repository_identity import note_former
from harvester.harvest.run_lifecycle import RunResult, SourceRun, lists_of, received_identifiers, start_cursor, summary
from harvester.harvest.session import SourceSession
from harvester.harvest.windows import OPEN, behind, day_before, label_of, plan, windows_of
from harvester.harvest.windows.harvest import WindowedHarvest
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST, outcome_of
from harvester.sources import Description, Options, Step


def run(session: SourceSession) -> RunResult:
    """Harvest one source and publish its records. Raise SourceLocked when another process works on the source.

    Any other GatewayError ends the run with its outcome and reason. The run is recorded in any case; then a
    KeyboardInterrupt is raised again.
    """
    with session.recorded(session.run_options.stage) as run:
        account = Accounting(run, session.instance, session.entry, session.run_options)
        run.conclude = account.conclude
        _Harvest(**session.shared(), run=run, account=account).work()
    return run.ran


@dataclass(kw_only=True)
class _Harvest(SourceSession):
    """One harvest in progress. Its methods are in the order of their calls."""

    run: SourceRun
    account: Accounting
    earliest: str = ""  # the earliestDatestamp of the source (OAI-PMH 2.0 §4.2)
    now: int = 0  # seconds since 1970, by the clock of the source or by ours, whichever is behind
    in_progress: HarvestInProgress = field(init=False)
    admission: Admission = field(init=False)  # checks the answers after the source was identified

    def work(self) -> None:
        """Run all steps, or stop at the time limit."""
        with self.run.limited():
            self._publish_earlier()
            options = self._identify_source()
            with self.publication() as publication:
                self._harvest(options, publication)
                self.admission.keep()
                publication.finish()
                self.account.close(publication)
            self._report_unlisted()
            self.account.is_finished = True

    def _publish_earlier(self) -> None:
        """Publish records that an earlier run left, and released deletions."""
        instance, entry = self.instance, self.entry
        note_former(instance, entry, self.run.log.note)
        instance.store.add_source(entry.source)
        self._publish_first("Published what an earlier run had left")
        if self.run_options.is_sure and (released := release(instance, entry.name, entry.url)):
            self.run.log.note(f"Deletions that waited and are released: {released}.")
            self._publish_first("Published these deletions")

    def _identify_source(self) -> Options:
        """Identify the source; return the options of its lists."""
        instance, entry, run_options = self.instance, self.entry, self.run_options
        is_part = run_options.has_window
        self.in_progress = HarvestInProgress(instance, entry.name, is_sure=run_options.is_sure, is_part=is_part)
        options = self.options(instance.settings.number("harvest_overlap_seconds"))
        options = replace(options, arrived=partial(received_identifiers, instance.inbox))
        description = self.kind.describe(options, self.fetch)
        options = options.after(description)
        self.admission = Admission(**self.shared(), description=description).identified(options)
        self.run.log.add_warnings((*description.notes, *self.admission.doubts))
        self.run.outcomes += [RunOutcome.SUCCEEDED_WITH_ERRORS] * bool(self.admission.doubts)
        self.earliest = description.earliest_datestamp
        self.account.sets = cache(partial(self._ask_sets, options, description))
        # Records get their dates from the clock of the source.
        self.now = min(self.run.log.started_at, description.stated_at or self.run.log.started_at)
        return replace(options, holdings=StoredHoldings(instance.store, instance.inbox, entry.name))

    def _ask_sets(self, options: Options, description: Description) -> tuple[SetDescription, ...]:
        """Ask for the sets of the source, and store them; return none where these are not all."""
        described = description.with_sets(self.kind, options, self.fetch)
        if described is not description:
            further = described._replace(pages=described.pages[len(description.pages) :])
            keep_description(self.instance, self.entry.name, further)
            self.run.log.add_warnings(described.notes[len(description.notes) :])
            for cursor in self.instance.inbox.cursors(self.entry.name):
                self.instance.inbox.put_cursor(self.kind.taught(cursor, described.known))
        return described.sets if described.has_all_sets else ()

    def _harvest(self, options: Options, publication: Publication) -> None:
        """Harvest all lists. Records received before an error are published."""
        try:
            with self.run.limited():
                self._walk_lists(options, publication)
                if not (self.stop.is_asked or self.run.is_at_limit):
                    self.account.sets()
        except GatewayError as error:
            self.run.fail(outcome_of(error), str(error))

    def _report_unlisted(self) -> None:
        """After a full harvest of the whole entry, report stored records that it did not list, if they are many."""
        entry, options = self.entry, self.run_options
        is_whole = options.stage == "harvest" and not (entry.from_ or entry.until)
        if not (self.kind.is_listed_anew and is_whole) or self.stop.is_asked:
            return
        for metadata_prefix in dict.fromkeys(entry.formats):
            lists = [key for key in lists_of(entry, options) if key[0] == metadata_prefix]
            begun = self.in_progress.full_since(lists)
            if begun is not None:
                if covers_earlier(self.instance, entry.name, lists):
                    self.account.report_unlisted(unlisted_records(self.instance, entry.name, metadata_prefix, begun))
                self.in_progress.forget_full(lists)

    def _publish_first(self, what: str) -> None:
        """Publish the pages in the inbox before the first request, with separate counts."""
        with self.publication() as publication:
            publication.finish()
            if publication.counts["received"]:
                self.run.log.note(f"{what}: {summary(publication.counts)}.")

    def _walk_lists(self, options: Options, publication: Publication) -> None:
        """Harvest all lists. A list that fails does not stop the others, as long as the source is available."""
        lists = tuple(lists_of(self.entry, self.run_options))
        self.account.lists_left = len(lists)
        failures = 0
        for number, (metadata_prefix, set_spec) in enumerate(lists, 1):
            options.answers.lists_to_come = len(lists) - number
            if self.stop.is_asked or self.run.is_at_limit:
                return
            try:
                self._walk(options, metadata_prefix, set_spec, publication)
            except ERRORS_OF_ONE_REQUEST as error:
                failures += 1
                is_answer = isinstance(error, AnswerError)
                is_all = failures == len(lists)
                outcome = RunOutcome.SUCCEEDED_WITH_ERRORS if is_answer and not is_all else outcome_of(error)
                self.run.fail(outcome, f"{label_of(Cursor(self.entry.name, metadata_prefix, set_spec))}: {error}")
                if not is_answer and (metadata_prefix, set_spec) != lists[-1]:
                    self.kind.describe(options, self.fetch)  # ends the run when the source itself is failing

    def _walk(self, options: Options, metadata_prefix: str, set_spec: str, publication: Publication) -> None:
        """Harvest one list to its end, or until the run must end; its windows first, if it has any."""
        cursor = start_cursor(self.instance, self.entry.name, metadata_prefix, set_spec, self.run_options)
        self.admission.begin(options, cursor)
        before = self.run.log.counts["received"]
        if self.run_options.is_full:
            self.in_progress.begin_again(cursor)
        windows = self._windows(options, cursor)
        if windows:
            options = self._walk_windows(options, windows, publication)
            if self.stop.is_asked or self.run.is_at_limit:
                return
        begun = self.run.log.counts["received"]
        for step in self.kind.changes(options, cursor, self.fetch):
            self._take(step, publication)
            if step.is_last:
                in_list = self.run.log.counts["received"] - begun
                self.account.end_list(step, in_list=in_list, in_windows=begun - before)
                return
            if self.run.must_end:
                return

    # -- a first harvest in windows --

    def _windows(self, options: Options, cursor: Cursor) -> list[Cursor]:
        """Return the windows of a list. They are planned for a first or a full harvest."""
        inbox, run_options = self.instance.inbox, self.run_options
        if options.window is not None:
            return []
        if run_options.is_full:
            inbox.forget_windows(cursor)
        unit = run_options.slice or self.entry.slice
        windows = windows_of(inbox, cursor)
        if unit and self.kind.takes_dates and not windows and not cursor.state:
            inbox.put_cursor(cursor)  # the cursor before a full harvest is of no use after its windows
            windows = plan(inbox, cursor, options, unit, self.earliest, self.now)
            self.run.log.note(
                f"{label_of(cursor)}: the first harvest goes in windows: {len(windows)}, of one {unit} each."
            )
        elif windows and (day := day_before(windows, options)):
            more = plan(inbox, cursor, replace(options, until=day), unit or "year", self.earliest, self.now)
            self.run.log.note(f"{label_of(cursor)}: {len(more)} more windows cover the earlier dates.")
            windows = [*more, *windows]
        return windows

    def _walk_windows(self, options: Options, windows: list[Cursor], publication: Publication) -> Options:
        """Harvest the open windows; return the options of the list, which continues after them.

        The windows are given up when the source ignores dates.
        """
        commit = partial(self._take, publication=publication)
        inbox = self.instance.inbox
        windowed = WindowedHarvest(
            inbox, self.kind, options, self.run.log, commit, lambda: self.run.must_end, self.account.lose_window
        )
        windowed.walk(windows, self.entry.connections, self.fetch, self.fetcher)
        if not windowed.keeps_dates:
            return windowed.options
        is_new = any(window.outcome in OPEN for window in windows)
        return replace(behind(windows_of(inbox, windows[0]), windowed.options), is_behind_new=is_new)

    # -- each answer --

    def _take(self, step: Step, publication: Publication) -> None:
        """Commit one step to the inbox, and publish it."""
        self.admission.admit(step)
        page, slices, harvest = self.in_progress.taken(step)
        number = self.instance.inbox.receive(page, slices, step.cursor, harvest)
        self.account.step(step, number)
        log, is_window = self.run.log, bool(step.cursor.window)
        done, total = (log.counts["received"], None) if is_window else (step.received, step.announced[1])
        self.progress.show(f"{self.entry.name} {label_of(replace(step.cursor, window=''))}", done, total)
        log.record_progress(None if total is None else max(0, total - done))
        publication.feed(len(step.slices), len(step.page.body))


def rehearse(session: SourceSession) -> Counter[str]:
    """Send the requests of a run, store nothing, and return the counts.

    A list that fails counts as doubtful. Raise the last GatewayError when all lists fail.
    """
    instance, entry, kind, fetch = session.instance, session.entry, session.kind, session.fetch
    run_options, progress, stop = session.run_options, session.progress, session.stop
    options = session.options(instance.settings.number("harvest_overlap_seconds"))
    description = kind.describe(options, fetch)
    options = options.after(description)
    admission = Admission(**session.shared(), description=description, is_rehearsal=True).identified(options)
    for doubt in admission.doubts:
        progress.say(f"{entry.name}: {doubt}")
    counts: Counter[str] = Counter(doubts=len(admission.doubts))
    failures: list[GatewayError] = []
    lists = tuple(lists_of(entry, run_options))
    in_progress = HarvestInProgress(instance, entry.name, is_sure=run_options.is_sure)
    for metadata_prefix, set_spec in lists:
        cursor, before = start_cursor(instance, entry.name, metadata_prefix, set_spec, run_options), counts["received"]
        admission.begin(options, cursor)
        for step in _until_it_fails(kind.changes(options, cursor, fetch), failures):
            admission.admit(step)
            count_step(counts, step)
            is_empty = step.is_last and counts["received"] == before
            of_set = doubts_of_empty_set(set_spec, description.with_sets(kind, options, fetch).sets) if is_empty else ()
            doubts = (*step.doubts, *step.losses, *of_set)
            counts["doubts"] += len(doubts)
            counts["held_back"] += sum(slice_.waits for slice_ in in_progress.marked(step))
            for doubt in doubts:
                progress.say(f"{entry.name} {label_of(step.cursor)}: {doubt}")
            progress.show(f"{entry.name} {label_of(step.cursor)}", step.received, step.announced[1])
            is_limit_reached = run_options.max_records and counts["received"] >= run_options.max_records
            if stop.is_asked or stop.is_time_over or is_limit_reached:
                return counts
    if len(failures) == len(lists):
        raise failures[-1]
    for failure in failures:
        progress.fail(f"{entry.name}: {failure}")
    return counts + Counter(doubts=len(failures))


def _until_it_fails(steps: Iterator[Step], failures: list[GatewayError]) -> Iterator[Step]:
    """Return the steps of a list. An error that ends it is noted, and does not stop the others."""
    try:
        yield from steps
    except ERRORS_OF_ONE_REQUEST as error:
        failures.append(error)
