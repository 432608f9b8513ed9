"""The loop: one run of one source, from its first question to the proof that nothing is missing.

The source's answers are committed one by one to the inbox (page, slices, next cursor: one transaction) and handed on
to publication. Killed at any moment, the next run goes on from the last cursor and publishes what is not published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from gateway.errors import AnswerError, GatewayError
from gateway.model import Cursor, Run, RunOutcome, Selection, SetDescription
from gateway.publish import local_set
from gateway.settings import Settings
from gateway.store.base import Inbox
from harvester.admission import Admission
from harvester.descriptions import doubts_of_empty_set
from harvester.holdings import StoredHoldings
from harvester.in_progress import HarvestInProgress
from harvester.instance import Instance
from harvester.locks import lock
from harvester.outcomes import OF_ONE_QUESTION, Status, gravest, noting, outcome_of, status_of_parts
from harvester.progress import Progress, Silence
from harvester.proof import Proof, proved
from harvester.publishing.publication import OUTCOMES_OF_RECORDS, Publication, gone_back_in_words
from harvester.returning import note_former
from harvester.sources import Options, SourceKind, Step
from harvester.sources._budget import Budget
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop, TimeIsOver
from harvester.story import Story, bury
from harvester.unfetched import unfetched
from harvester.waiting import release, tell_waiting
from harvester.windows.abreast import Fetcher
from harvester.windows.days import OPEN
from harvester.windows.kept import behind, day_before, label_of, plan, windows_of
from harvester.windows.walking import Sliced
from harvester.wire.http import Fetch

# The verbs of pages whose records came each by itself: resources of ResourceSync, files, documents of Solr.
_BY_THEMSELVES = frozenset(("Resource", "file", "select"))
MOST_NAMED = 10  # of them among the reasons of a run; `harvester quarantine` names all


@dataclass(frozen=True, slots=True)
class Wishes:
    """What one run is asked beyond what the source's entry says. Empty: as the entry says.

    `from_` and `until` make a window of their own, which leaves the incremental harvest where it was. `is_sure`: a
    person says that deletions need not wait.
    """

    is_full: bool = False
    from_: str = ""
    until: str = ""
    formats: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    max_records: int | None = None
    slice: str | None = None
    is_sure: bool = False

    @property
    def stage(self) -> str:
        """What the run is in the log: a harvest, or a part of one, after which the whole is as due as before."""
        return "part" if self.has_window or self.formats or self.sets else "harvest"

    @property
    def has_window(self) -> bool:
        """Whether it asks for a window of its own."""
        return bool(self.from_ or self.until)


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that ended, and the status it gives to the shell."""

    run: Run
    status: Status


def options_of(entry: SourceEntry, settings: Settings, overlap_seconds: int, wishes: Wishes) -> Options:
    """Return what the source is told: its entry, the settings of all sources, and the wishes of this run."""
    return Options(
        source=entry.name,
        url=entry.url,
        overlap_seconds=overlap_seconds if entry.overlap_seconds is None else int(entry.overlap_seconds),
        from_=entry.from_,
        until=entry.until,
        window=(wishes.from_, wishes.until) if wishes.from_ or wishes.until else None,
        own=entry.own,
        most_bytes=settings.number("fetch_document_max_bytes"),
        announced_tolerance=settings.share("announced_tolerance"),
        asks_anew=wishes.is_full,
        budget=Budget(settings.number("fallback_most_requests"), settings.seconds("fallback_most_seconds")),
    )


def learned_of(instance: Instance, kind: SourceKind, source: str) -> str:
    """Return what the lists of a source have taught, for those that have not begun."""
    return kind.learned((*instance.inbox.cursors(source), *instance.inbox.windows(source)))


def arrived(inbox: Inbox, cursor: Cursor, since: int) -> Iterator[str]:
    """Return the identifiers that have come of one list since a second; it reads every page of the source."""
    wanted = (cursor.metadata_prefix, cursor.set_spec)
    for stored in inbox.pages(cursor.source, 0):
        if (stored.page.metadata_prefix, stored.page.set_spec) == wanted and stored.page.received_at >= since:
            yield from (each.identifier for each in stored.slices if each.identifier)


def lists_of(entry: SourceEntry, wishes: Wishes) -> Iterator[tuple[str, str]]:
    """Return the lists to walk, as (metadataPrefix, set): every format, and of each every set."""
    for metadata_prefix in dict.fromkeys(wishes.formats or entry.formats):
        for set_spec in dict.fromkeys(wishes.sets or entry.sets or ("",)):
            yield metadata_prefix, set_spec


def run(
    instance: Instance,
    entry: SourceEntry,
    kind: SourceKind,
    wishes: Wishes,
    fetch: Fetch,
    progress: Progress | None = None,
    stop: Stop | None = None,
    fetcher: Fetcher | None = None,
) -> Ran:
    """Harvest one source and publish what arrived. Raise SourceLocked when another process is at it.

    `fetcher` makes what else fetches from the source, for as many windows at once as its entry allows; None: one.

    Every other error of ours ends the run with its outcome and reason. The run is in the inbox in any case; a
    KeyboardInterrupt comes through when it is written down.
    """
    progress, stop = progress or Silence(), stop or Stop()
    with lock(instance.folder, entry.name):
        instance.check_clock()
        bury(instance.inbox, entry.name)
        story = Story(instance.inbox, entry.name, progress, stage=wishes.stage)
        harvest = _Harvest(instance, entry, kind, wishes, fetch, progress, stop, story, fetcher)
        try:
            with noting(harvest.ended):
                harvest.whole()
        finally:
            # In any case: no run may stay `running` behind a process that lives.
            ran = harvest.written_down()
        return ran


def count(counts: Counter[str], step: Step) -> None:
    """Count one step."""
    counts["pages"] += 1
    counts["received"] += len(step.slices)
    counts["deleted"] += sum(each.is_deleted for each in step.slices)
    counts["repaired_pages"] += bool(step.page.repairs)
    counts["damaged_pages"] += bool(step.losses)
    counts["unusable"] += sum(bool(each.problem) for each in step.slices)
    if step.left_out:
        counts["left_out"] += step.left_out


def cursor_of(instance: Instance, source: str, metadata_prefix: str, set_spec: str, wishes: Wishes) -> Cursor:
    """Return where the list is to go on: where it stopped, or, on a full harvest, at its beginning.

    A window is whole in any case; begun from nothing, it would take the incremental harvest's place with it.
    """
    if wishes.is_full and not (wishes.from_ or wishes.until):
        return Cursor(source, metadata_prefix, set_spec)
    return instance.inbox.cursor(source, metadata_prefix, set_spec)


@dataclass(slots=True)
class _Harvest:
    """One run in progress. Its methods stand in the order in which they are called."""

    instance: Instance
    entry: SourceEntry
    kind: SourceKind
    wishes: Wishes
    fetch: Fetch
    progress: Progress
    stop: Stop
    story: Story
    fetcher: Fetcher | None
    outcomes: list[RunOutcome] = field(default_factory=lambda: [RunOutcome.SUCCEEDED])
    earliest: str = ""  # what the source calls its earliest datestamp
    sets: tuple[SetDescription, ...] = ()  # that the source lists
    now: int = 0  # seconds, by its clock or by ours, whichever is behind
    in_progress: HarvestInProgress = field(init=False)
    lists_left: int = 0  # lists and parts of lists that are not shown to be whole
    is_at_limit: bool = False
    is_whole: bool = False
    named: dict[str, str] = field(default_factory=dict)  # some documents that cannot be used, and why
    door: Admission = field(init=False)  # what lets the answers in, once the source has said who it is
    proof: Proof = field(default_factory=Proof)

    def whole(self) -> None:
        """Do everything, or as much as the time that was given allows."""
        try:
            self._whole()
        except TimeIsOver as over:
            self._time_over(over)

    def _time_over(self, over: TimeIsOver) -> None:
        self.is_at_limit = True
        self.story.note(str(over))

    def _whole(self) -> None:
        """Publish what an earlier run left, ask, harvest every list, publish it, and prove the counts."""
        instance, entry, wishes = self.instance, self.entry, self.wishes
        note_former(instance, entry, self.story.note)
        instance.store.add_source(entry.source)
        self._publish_first("Published what an earlier run had left")
        if wishes.is_sure and (released := release(instance, entry.name, entry.url)):
            self.story.note(f"Deletions that waited and are released: {released}.")
            self._publish_first("Published these deletions")
        self.in_progress = HarvestInProgress(instance, entry.name, is_sure=wishes.is_sure, is_part=wishes.has_window)
        overlap = instance.settings.number("harvest_overlap_seconds")
        options = options_of(entry, instance.settings, overlap, wishes)
        known = learned_of(instance, self.kind, entry.name)
        options = replace(options, arrived=partial(arrived, instance.inbox), known=known)
        description = self.kind.describe(options, self.fetch)
        self.door = Admission(instance, entry, self.kind, self.fetch, description).identified(
            options.after(description)
        )
        self.story.warn((*description.notes, *self.door.doubts))
        self.outcomes += [RunOutcome.SUCCEEDED_WITH_ERRORS] * bool(self.door.doubts)
        self.earliest, self.sets = description.earliest_datestamp, description.sets
        # Records get their dates from the clock of the source.
        self.now = min(self.story.started_at, description.told_at or self.story.started_at)
        options = options.after(description)
        with Publication(instance, entry, self.progress, self.stop) as publication:
            try:
                held = StoredHoldings(instance.store, instance.inbox, entry.name)
                self._walk_lists(replace(options, holdings=held), publication)
            except TimeIsOver as over:
                self._time_over(over)
            except GatewayError as error:
                self.ended(outcome_of(error), str(error))  # what arrived before is published nevertheless
            self.door.keep()
            publication.finish()
            self._account(publication)
        self.is_whole = True

    def _publish_first(self, what: str) -> None:
        """Publish what lies in the inbox before this run asks for anything; it has counts of its own."""
        with Publication(self.instance, self.entry, self.progress, self.stop) as publication:
            publication.finish()
            if publication.counts["received"]:
                self.story.note(f"{what}: {told(publication.counts)}.")

    def _walk_lists(self, options: Options, publication: Publication) -> None:
        """Walk every list. What one of them answers says nothing about the others, as long as the source is well."""
        lists = tuple(lists_of(self.entry, self.wishes))
        self.lists_left = len(lists)
        failures = 0
        self.proof.lists = len(lists)
        for number, (metadata_prefix, set_spec) in enumerate(lists, 1):
            options.answers.lists_to_come = len(lists) - number
            if self.stop.is_asked or self.is_at_limit:
                return
            try:
                self._walk(options, metadata_prefix, set_spec, publication)
            except OF_ONE_QUESTION as error:
                failures += 1
                is_answer = isinstance(error, AnswerError)
                is_all = failures == len(lists)
                outcome = RunOutcome.SUCCEEDED_WITH_ERRORS if is_answer and not is_all else outcome_of(error)
                self.ended(outcome, f"{label_of(Cursor(self.entry.name, metadata_prefix, set_spec))}: {error}")
                if not is_answer and (metadata_prefix, set_spec) != lists[-1]:
                    self.kind.describe(options, self.fetch)  # ends the run when the source as such is not well

    def _walk(self, options: Options, metadata_prefix: str, set_spec: str, publication: Publication) -> None:
        """Walk one list to its end, or until somebody asks to stop; first its windows, if it has some."""
        cursor = cursor_of(self.instance, self.entry.name, metadata_prefix, set_spec, self.wishes)
        self.door.begin(options, cursor)
        before = self.story.counts["received"]
        if self.wishes.is_full:
            self.in_progress.begin_again(cursor)
        windows = self._windows(options, cursor)
        if windows:
            options = self._walk_windows(options, windows, publication)
            if self.stop.is_asked or self.is_at_limit:
                return
        begun = self.story.counts["received"]
        for step in self.kind.changes(options, cursor, self.fetch):
            self._take(step, publication)
            if step.is_last:
                self.proof.end(step, self.story.counts["received"] - begun)
                self._end_list(step, is_empty=self.story.counts["received"] == before)
                return
            if self._is_over():
                return

    # -- a first harvest in windows --

    def _windows(self, options: Options, cursor: Cursor) -> list[Cursor]:
        """Return the windows of a list; they are planned when it was never harvested, or is to be wholly."""
        inbox, wishes = self.instance.inbox, self.wishes
        if options.window is not None:
            return []
        if wishes.is_full:
            inbox.forget_windows(cursor)
        unit = wishes.slice or self.entry.slice
        windows = windows_of(inbox, cursor)
        if unit and self.kind.takes_dates and not windows and not cursor.state:
            inbox.put_cursor(cursor)  # what the list had come to before a full harvest is of no use behind its windows
            windows = plan(inbox, cursor, options, unit, self.earliest, self.now)
            self.story.note(
                f"{label_of(cursor)}: the first harvest goes in windows: {len(windows)}, of one {unit} each."
            )
        elif windows and (day := day_before(windows, options)):
            more = plan(inbox, cursor, replace(options, until=day), unit or "year", self.earliest, self.now)
            self.story.note(f"{label_of(cursor)}: what is wanted before its windows goes in {len(more)} more.")
            windows = [*more, *windows]
        return windows

    def _walk_windows(self, options: Options, windows: list[Cursor], publication: Publication) -> Options:
        """Walk the windows that are left; return the options of the list itself, which goes on behind them.

        Where the source does not keep to dates, they are given up.
        """
        commit = partial(self._take, publication=publication)
        inbox = self.instance.inbox
        sliced = Sliced(inbox, self.kind, options, self.story, commit, self._is_over, self._window_lost)
        sliced.walk(windows, self.entry.connections, self.fetch, self.fetcher)
        if not sliced.keeps_dates:
            return sliced.options
        is_new = any(each.outcome in OPEN for each in windows)
        return replace(behind(windows_of(inbox, windows[0]), sliced.options), is_behind_new=is_new)

    def _is_over(self) -> bool:
        return self.stop.is_asked or self._is_limit_reached()

    def _window_lost(self, outcome: RunOutcome, reason: str) -> None:
        self.lists_left += 1
        self.ended(outcome, reason)

    # -- what every answer goes through --

    def _take(self, step: Step, publication: Publication) -> None:
        """Commit one step and hand it on."""
        self.door.admit(step)
        page, slices, harvest = self.in_progress.taken(step)
        number = self.instance.inbox.receive(page, slices, step.cursor, harvest)
        count(self.story.counts, step)
        if step.is_last and step.cursor.window:
            self.proof.end(step, step.received)
        label = label_of(step.cursor)
        for note in step.notes:
            self.story.note(f"{label}, page {number}: {note}", aloud=False)
        self._name_unusable(step, label)
        for repair in step.page.repairs:
            self.story.note(f"{label}, page {number} was repaired: {repair}", aloud=False)
        if step.losses:
            self.outcomes.append(RunOutcome.SUCCEEDED_WITH_ERRORS)
            self.story.warn(f"{label}, page {number}: {loss}" for loss in step.losses)
        done, total = (
            (self.story.counts["received"], None) if step.cursor.window else (step.received, step.announced[1])
        )
        self.progress.show(f"{self.entry.name} {label_of(replace(step.cursor, window=''))}", done, total)
        self.story.tell(None if total is None else max(0, total - done))
        publication.feed(len(step.slices), len(step.page.body))

    def _name_unusable(self, step: Step, label: str) -> None:
        """Name what came by itself and cannot be used: each record that was asked for, and some documents."""
        found = [(each.identifier, each.problem) for each in step.slices if each.problem]
        if step.page.verb == "GetRecord":
            self.story.warn(f"{label}: {identifier}: {problem}" for identifier, problem in found)
        elif step.page.verb in _BY_THEMSELVES:
            for identifier, problem in found[: MOST_NAMED - len(self.named)]:
                self.named.setdefault(identifier, problem if identifier in problem else f"{identifier}: {problem}")

    def _is_limit_reached(self) -> bool:
        limit = self.wishes.max_records
        is_reached = limit is not None and self.story.counts["received"] >= limit
        self.is_at_limit = is_reached or self.stop.is_time_over
        return self.is_at_limit

    def _end_list(self, step: Step, *, is_empty: bool) -> None:
        label = label_of(step.cursor)
        announced = "" if step.announced[1] is None else f" of {step.announced[1]} announced"
        self.story.note(f"{label}: the list ended ({step.end}) with {step.received} records{announced}.")
        doubts = step.doubts or (() if step.is_complete else (f"the list ended with {step.end}.",))
        if is_empty and (of_set := self._doubts_of_set(step.cursor)):
            doubts = (*doubts, *of_set)
            if not (self.wishes.from_ or self.wishes.until):
                self.instance.inbox.put_cursor(replace(step.cursor, state=""))  # once it is there, it is wanted whole
        if not doubts:
            self.lists_left -= 1
            return
        self.story.warn(f"{label}: {doubt}" for doubt in doubts)
        self.outcomes.append(RunOutcome.SUCCEEDED_WITH_ERRORS)

    def _doubts_of_set(self, cursor: Cursor) -> tuple[str, ...]:
        """Return why it is doubtful that a set is one; a set that we hold records of is, whoever lists it."""
        with self.instance.store.view() as view:
            is_held = view.count(Selection("oai_dc", local_set(cursor.source, cursor.set_spec)))
        return () if is_held else doubts_of_empty_set(cursor.set_spec, self.sets)

    def _account(self, publication: Publication) -> None:
        """Prove that every record that was received has become something."""
        counts, found = self.story.counts, publication.counts
        counts.update({name: found[name] for name in OUTCOMES_OF_RECORDS})
        if found["older_versions"]:
            self.story.note(
                f"Versions that are older than others in the same list, left out: {found['older_versions']}."
            )
        if found["gone_back"]:
            self.story.warn((gone_back_in_words(publication),))
        if self.stop.is_asked:
            return  # what is not published yet is published by the next run
        missing = counts["received"] - sum(found[name] for name in OUTCOMES_OF_RECORDS)
        if missing:
            self.ended(RunOutcome.FAILED, f"It is not known what became of {missing} received records.")
            self.lists_left += 1
        if found["quarantined"]:
            reason = (
                f"Records in quarantine: {found['quarantined']}; `harvester quarantine {self.entry.name}` tells why."
            )
            self.ended(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)
        self._tell_missing()

    def _tell_missing(self) -> None:
        """Tell how many records are missing of these lists that this run or an earlier one could not fetch."""
        lists, name = frozenset(lists_of(self.entry, self.wishes)), self.entry.name
        found = unfetched(self.instance, name)
        missing = sum((cursor.metadata_prefix, cursor.set_spec) in lists for cursor, _ in found)
        if missing:
            self.story.counts["missing"] = missing
            self.lists_left += 1
            reason = f"Records that could not be fetched: {missing}; `harvester run {name} --retry-failed` asks again."
            self.ended(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)

    def ended(self, outcome: RunOutcome, reason: str) -> None:
        """Note that the run, or a part of it, ended so."""
        self.outcomes.append(outcome)
        self.story.fail(reason)

    def written_down(self) -> Ran:
        """Write down how the run ended."""
        is_stopped = (self.is_whole and self.stop.is_asked) or self.is_at_limit
        if is_stopped and RunOutcome.STOPPED not in self.outcomes:
            self.outcomes.append(RunOutcome.STOPPED)
            self.story.note("It reached its limit." if self.is_at_limit else "It was asked to stop.")
        tell_waiting(self.instance, self.entry.name, self.story, self.ended)
        self.story.warn(self.named.values())
        outcome = gravest(self.outcomes)
        is_complete = self.is_whole and self.lists_left == 0 and not self.story.counts["waiting"]
        self.story.counts.update(self.proof.counts)
        counts, ended = self.story.counts, outcome.value.replace("_", " ")
        proof = proved(self.entry.name, counts, self.proof, is_complete=is_complete)
        self.story.note(f"The run ended: {ended} ({told(counts)}). {proof}")
        at_limit = self.is_at_limit and not self.stop.is_asked
        return Ran(self.story.end(outcome, is_complete), status_of_parts(self.outcomes, at_limit=at_limit))


def told(counts: Mapping[str, int]) -> str:
    """Return counts in words, those that are zero left out."""
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if number) or "nothing"
