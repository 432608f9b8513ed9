"""A sweep: what a source has is compared with what is held of it, where the source itself does not tell all.

    list all headers -> compare them with the store -> look at some of what is missing -> deletions
                                                    -> fetch what returned, and what was never held (`unheld.py`)

It writes to the inbox only: a page of deletions, as if the source had told them, and the records that it fetched, as
they came. So everything behind the inbox is as ever, and stays so when it is done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from time import time

from gateway.errors import AnswerError, ConfigurationError
from gateway.model import Cursor, ItemState, RawPage, RunOutcome, Slice
from gateway.xmltext import escape, utc_datetime
from harvester.admission import Admission
from harvester.instance import Instance
from harvester.locks import lock
from harvester.named import Heading, Known, Named
from harvester.outcomes import OF_ONE_QUESTION, gravest, noting, outcome_of, status_of_parts
from harvester.pipeline import Ran, Wishes, learned_of, options_of, told
from harvester.progress import Progress
from harvester.publishing.publication import OUTCOMES_OF_RECORDS, Publication
from harvester.sources import Options, SourceKind
from harvester.sources._budget import Budget, Spender
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop, TimeIsOver
from harvester.story import Clock, Story, bury
from harvester.unfetched import unfetched
from harvester.unheld import LOOKED_AT, MOST_FAILURES, Unheld, batches, compared, is_wanted
from harvester.waiting import tell_waiting, waiting_deletions
from harvester.wire.http import Fetch

STAGE = "sweep"

_UNTOLD = 3
_ITEMS_AT_ONCE = 1000
_MOST_TOLD = 10  # identifiers in one sentence
_BARREN_PAGES = 10  # in a row that name nothing new
_VANISHED, _RETURNED, _GONE, _NOT_NAMED = "vanished", "returned", "gone", "not named"

# Asked (how many vanished, how many are held) when it is more than the share that may be deleted untold.
Confirm = Callable[[int, int], bool]


def sweep(
    instance: Instance,
    entry: SourceEntry,
    kind: SourceKind,
    fetch: Fetch,
    progress: Progress,
    stop: Stop,
    confirm: Confirm = lambda _vanished, _held: False,
    clock: Clock = time,
) -> Ran:
    """Sweep one source. Raise SourceLocked when another process is at it, ConfigurationError when its kind cannot.

    Deletes only what a whole list does not name; every error of ours ends it with its outcome and reason.
    """
    if not kind.can_be_swept:
        raise ConfigurationError(f"A source of the kind {kind.name} cannot be swept.")
    with lock(instance.folder, entry.name):
        instance.check_clock()
        bury(instance.inbox, entry.name)
        story = Story(instance.inbox, entry.name, progress, clock, STAGE)
        swept = _Sweep(instance, entry, kind, fetch, progress, stop, story, confirm, clock)
        try:
            with noting(swept.ended):
                swept.whole()
        finally:
            ran = swept.written_down()
        return ran


@dataclass(slots=True)
class _Sweep:
    """One sweep in progress. Its methods stand in the order in which they are called."""

    instance: Instance
    entry: SourceEntry
    kind: SourceKind
    fetch: Fetch
    progress: Progress
    stop: Stop
    story: Story
    confirm: Confirm
    clock: Clock
    outcomes: list[RunOutcome] = field(default_factory=lambda: [RunOutcome.SUCCEEDED])
    known: str = ""  # what was learned of the source
    formats_left: int = 0  # that are not shown to have been swept
    has_slipped: bool = False  # a list moved while it was read: what is missing in it is looked at one by one
    is_at_limit: bool = False
    budget: Budget = field(default_factory=Budget)  # of what was never held, in all formats
    unfetched: int = 0  # records that were put into quarantine because they did not come
    door: Admission = field(init=False)  # what lets the answers in, once the source has said who it is

    def whole(self) -> None:
        """Do everything, or as much as the hours of the source allow."""
        try:
            self._whole()
        except TimeIsOver as over:
            self.is_at_limit = True
            self.outcomes.append(RunOutcome.STOPPED)
            self.story.note(str(over))

    def _whole(self) -> None:
        """Sweep every format, and publish what was found."""
        self.instance.store.add_source(self.entry.source)
        self.known = learned_of(self.instance, self.kind, self.entry.name)
        description = self.kind.describe(self._options(), self.fetch)
        self.known = description.known
        self.door = Admission(self.instance, self.entry, self.kind, self.fetch, description).identified(self._options())
        self.story.warn((*description.notes, *self.door.doubts))
        self.outcomes += [RunOutcome.SUCCEEDED_WITH_ERRORS] * bool(self.door.doubts)
        self.formats_left = len(self.entry.formats)
        self.budget = self._options().budget
        with Publication(self.instance, self.entry, self.progress, self.stop) as publication:
            publication.finish()  # what an earlier run has left
        with Publication(self.instance, self.entry, self.progress, self.stop) as publication:
            for metadata_prefix in self.entry.formats:
                try:
                    with Named(self.instance.folder) as named:
                        self._sweep(Cursor(self.entry.name, metadata_prefix), named, publication)
                except OF_ONE_QUESTION as error:  # says nothing about the other formats, as long as the source is well
                    self.ended(outcome_of(error), f"{metadata_prefix}: {error}")
                    self.kind.describe(self._options(), self.fetch)
            self.door.keep()
            publication.finish()
            self._account(publication)

    def _options(self) -> Options:
        return replace(options_of(self.entry, self.instance.settings, 0, Wishes()), known=self.known)

    def _sweep(self, cursor: Cursor, named: Named, publication: Publication) -> None:
        is_listed = self._is_listed(cursor, named)
        if self.stop.is_asked:
            return
        unheld = self._unheld(cursor, named, publication)
        held = self._compare(cursor, named, unheld, is_listed=is_listed)
        is_swept = is_listed and self._may_delete(cursor, named, held) and self._is_looked_at(cursor, named)
        if is_swept and not self.stop.is_asked:
            self._delete(cursor, named, publication)
        self._fetch_returned(cursor, named, publication)
        self._fetch_unheld(unheld)
        if is_swept:
            self._clear_not_named(cursor, named, publication)
        self.formats_left -= is_swept and not (unheld.missing or self.stop.is_asked)

    # -- what the source has --

    def _is_listed(self, cursor: Cursor, named: Named) -> bool:
        """List everything in this format, set by set; tell whether it is shown that all was named."""
        sets = enumerate(self.entry.sets or ("",))
        are_named = [self._is_named(replace(cursor, set_spec=spec), named, place) for place, spec in sets]
        return all(are_named)

    def _is_named(self, cursor: Cursor, named: Named, place: int) -> bool:
        if self.stop.is_asked:
            return False
        label = f"{cursor.metadata_prefix} {cursor.set_spec}".rstrip()
        state = self.instance.inbox.cursor(cursor.source, cursor.metadata_prefix, cursor.set_spec)
        assert self.kind.listed is not None
        self.door.begin(self._options(), replace(state, state=""))
        barren = 0
        try:
            for page in self.kind.listed(self._options(), state, self.fetch):
                self.door.look(page.slices)
                new = named.add((self._heading(cursor, each) for each in page.slices), place)
                self.has_slipped = self.has_slipped or page.has_slipped
                self._tell(f"{self.entry.name} {label} named", len(page.slices), page.received, page.announced)
                barren = 0 if new or not page.slices else barren + 1
                if page.is_last and not page.doubts:
                    return True
                if self.stop.is_asked:
                    return False
                if page.doubts or barren == _BARREN_PAGES:
                    self._doubt(f"{label}: {page.doubts[0] if page.doubts else 'ListIdentifiers goes in rings.'}")
                    return False
        except AnswerError as error:  # says nothing about the other lists
            self._doubt(f"{label}: {error}")
        return False

    def _heading(self, cursor: Cursor, record: Slice) -> Heading:
        return Heading(record.identifier, record.is_deleted, is_wanted(self.entry, cursor.set_spec, record))

    def _doubt(self, text: str) -> None:
        self.ended(RunOutcome.SUCCEEDED_WITH_ERRORS, f"{text} Nothing was deleted.")

    def _tell(self, task: str, more: int, done: int, total: int | None) -> None:
        self.story.counts["received"] += more
        self.progress.show(task, done, total)
        self.story.tell(None if total is None else max(0, total - done))

    # -- what we hold --

    def _unheld(self, cursor: Cursor, named: Named, publication: Publication) -> Unheld:
        label = f"{self.entry.name} {cursor.metadata_prefix} never held"
        return Unheld(
            self.instance,
            self.entry,
            self.kind,
            self._options(),
            Spender(self.fetch, self.budget),
            self.story,
            self.clock,
            cursor.metadata_prefix,
            named,
            publication.feed,
            partial(self.progress.show, label),
            lambda: self.stop.is_asked,
        )

    def _compare(self, cursor: Cursor, named: Named, unheld: Unheld, *, is_listed: bool) -> int:
        """Note what we hold and the source does not name, and what it names and we hold as deleted; return the held.

        `is_listed`: the source has named all, so that what it does not name has vanished.
        """
        held, takedowns, source = 0, self.instance.store.takedowns(), self.entry.name
        for states in self._items():
            withdrawn = {
                each.upstream for each in states if takedowns.names_item(each.identifier, source, each.upstream)
            }
            ours = [
                (state.upstream, payload.is_deleted)
                for state in states
                for payload in state.payloads
                if payload.metadata_prefix == cursor.metadata_prefix
            ]
            held += sum(not is_deleted for _, is_deleted in ours)
            unheld.hold(states)
            living = {upstream: named.is_living(upstream) for upstream, _ in ours}
            if is_listed:
                named.note(_VANISHED, (each for each, is_deleted in ours if not is_deleted and not living[each]))
            returned = (each for each, is_deleted in ours if is_deleted and living[each])
            named.note(_RETURNED, (each for each in returned if each not in withdrawn))  # purged, not deleted
        unheld.sort_out()
        if is_listed:
            self._note_not_named(cursor, named)
        self.story.counts.update(
            named=named.living(),
            held=held,
            vanished=named.count(_VANISHED),
            returned=named.count(_RETURNED),
            never_held=unheld.total,
            unusable=named.living(Known.UNUSABLE),
        )
        return held

    def _note_not_named(self, cursor: Cursor, named: Named) -> None:
        """Note what is missing and not named as living; what is held of it has vanished like any record."""
        prefix, name = cursor.metadata_prefix, self.entry.name
        missing = (each for list_, each in unfetched(self.instance, name) if list_.metadata_prefix == prefix)
        for batch in batches(each for each in missing if not named.is_living(each)):
            named.note(_NOT_NAMED, batch)

    def _items(self) -> Iterator[list[ItemState]]:
        after = 0
        while rows := self.instance.store.items(self.entry.name, after, _ITEMS_AT_ONCE):
            yield [state for _, state in rows]
            after = rows[-1][1].number

    def _may_delete(self, cursor: Cursor, named: Named, held: int) -> bool:
        """Tell whether so many may be deleted at once, or somebody says that they may.

        While deletions of the source wait, no further one is carried out without a word.
        """
        vanished, share = named.count(_VANISHED), self.instance.settings.share("sweep_most_share")
        is_waiting = waiting_deletions(self.instance, self.entry.name) > 0
        if vanished <= (0 if is_waiting else share * held) or self.confirm(vanished, held):
            return True
        reason = (
            "and deletions of the source wait for a decision"
            if is_waiting
            else f"more than the share {share:g} that is deleted untold"
        )
        self._doubt(
            f"{cursor.metadata_prefix}: {vanished} of the {held} records held are not named any more, {reason}; "
            f"`harvester source sweep {self.entry.name} --yes` deletes them."
        )
        return False

    # -- what is missing --

    def _is_looked_at(self, cursor: Cursor, named: Named) -> bool:
        """Ask for some of what is missing; tell whether the rest may be believed to be gone.

        When all can be asked for, those that are still there are simply kept.
        """
        vanished = named.count(_VANISHED)
        most = vanished if self.has_slipped else LOOKED_AT
        step = max(1, vanished // most) if most else 1
        chosen = list(islice((each for batch in named.noted(_VANISHED) for each in batch), 0, None, step))[:most]
        living = self._living(cursor, chosen)
        if living and vanished > most:
            self._doubt(
                f"{cursor.metadata_prefix}: the list does not name {living[0]}, which is there ({len(living)} of "
                f"{len(chosen)} that were looked at)."
            )
            return False
        for batch in named.noted(_VANISHED):
            named.note(_GONE, (each for each in batch if each not in living))
        if living:
            self.story.note(f"{cursor.metadata_prefix}: not named, and there: {', '.join(living)}.")
        return True

    def _living(self, cursor: Cursor, identifiers: Sequence[str]) -> list[str]:
        """Return those that the source brings, asked for one by one.

        Of one that it cannot tell about, the list is believed; where it cannot tell about several, of the others too.
        """
        assert self.kind.single is not None
        living, untold = [], 0
        for each in identifiers:
            if untold == _UNTOLD or self.stop.is_asked:
                break
            try:
                _, slices = self.kind.single(self._options(), cursor, each, self.fetch)
            except OF_ONE_QUESTION:
                untold += 1
            else:
                living += [each] if any(not found.is_deleted for found in slices) else []
        return living

    # -- what comes of it --

    def _delete(self, cursor: Cursor, named: Named, publication: Publication) -> None:
        """Put pages of deletions into the inbox, as if the source had told them."""
        for batch in named.noted(_GONE):
            self._put_deletions(cursor, batch, publication)
            self.story.counts["deleted"] += len(batch)

    def _put_deletions(self, cursor: Cursor, identifiers: Sequence[str], publication: Publication) -> None:
        now = int(self.clock())
        slices = tuple(Slice(each, utc_datetime(now), (), True, 0, 0) for each in identifiers)
        self.instance.inbox.receive(self._page(cursor, identifiers, now), slices, None)
        publication.feed(len(slices))

    def _page(self, cursor: Cursor, identifiers: Sequence[str], now: int) -> RawPage:
        """Return a page of our own making that says what a sweep has found."""
        lines = "".join(f"<identifier>{escape(each)}</identifier>\n" for each in identifiers)
        opening = f'<vanished metadataPrefix="{escape(cursor.metadata_prefix)}" at="{utc_datetime(now)}">'
        body = f"{opening}\n{lines}</vanished>\n".encode("utf-8", "surrogatepass")
        return RawPage(self.entry.name, "Sweep", self.entry.url, now, 0, (), body, cursor.metadata_prefix)

    def _fetch_returned(self, cursor: Cursor, named: Named, publication: Publication) -> None:
        """Fetch what the source names and we hold as deleted: no incremental harvest would bring it again."""
        for _ in self._denied(cursor, named.noted(_RETURNED), "returned, and could not be fetched", publication):
            pass

    def _clear_not_named(self, cursor: Cursor, named: Named, publication: Publication) -> None:
        """Ask once more for what was missing and is not named any more; what the source denies is not missing."""
        what = "was missing, is not named any more, and could not be asked for"
        for batch in batches(self._denied(cursor, named.noted(_NOT_NAMED), what, publication)):
            self._put_deletions(cursor, batch, publication)
            self.story.counts["not_named"] += len(batch)
            names = ", ".join(batch[:_MOST_TOLD]) + (
                f" and {left} more" if (left := len(batch) - _MOST_TOLD) > 0 else ""
            )
            gone = "The source does not name them any more, and has no such record."
            self.story.note(f"{cursor.metadata_prefix}: missing no longer: {names}. {gone}")

    def _denied(
        self, cursor: Cursor, batches: Iterator[tuple[str, ...]], trouble: str, publication: Publication
    ) -> Iterator[str]:
        """Ask for records one by one, receive those that come, and yield those that the source does not have."""
        assert self.kind.single is not None
        failures = 0
        for identifier in (each for batch in batches for each in batch):
            if self.stop.is_asked:
                return
            try:
                page, slices = self.kind.single(self._options(), cursor, identifier, self.fetch)
            except OF_ONE_QUESTION as error:
                failures += 1
                self.ended(RunOutcome.SUCCEEDED_WITH_ERRORS, f"{identifier} {trouble}: {error}")
                if failures == MOST_FAILURES:
                    raise
                continue
            failures = 0
            if not slices:
                yield identifier
                continue
            self.instance.inbox.receive(page, slices, None)
            publication.feed(len(slices))

    def _fetch_unheld(self, unheld: Unheld) -> None:
        """Fetch what the source names and was never held, and say how much of it is missing."""
        try:
            unheld.fetch_all()
        finally:
            counts = {"fetched": unheld.fetched, "in_other_formats": unheld.elsewhere, "missing": unheld.missing}
            self.story.counts.update(counts)
            self.unfetched += unheld.reported
        if unheld.missing and not self.stop.is_asked:
            self.ended(RunOutcome.SUCCEEDED_WITH_ERRORS, unheld.reason)

    # -- the end --

    def _account(self, publication: Publication) -> None:
        """Count what became of what came."""
        self.story.counts.update({name: publication.counts[name] for name in OUTCOMES_OF_RECORDS})
        if (unusable := publication.counts["quarantined"] - self.unfetched) > 0:
            reason = f"Records in quarantine: {unusable}; `harvester quarantine {self.entry.name}` tells why."
            self.ended(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)

    def ended(self, outcome: RunOutcome, reason: str) -> None:
        """Note that the sweep, or a part of it, ended so."""
        self.outcomes.append(outcome)
        self.story.fail(reason)

    def written_down(self) -> Ran:
        """Write down how the sweep ended."""
        if self.stop.is_asked:
            self.outcomes.append(RunOutcome.STOPPED)
        tell_waiting(self.instance, self.entry.name, self.story, self.ended)
        outcome = gravest(self.outcomes)
        counts, in_words = self.story.counts, outcome.value.replace("_", " ")
        self.story.note(f"The sweep ended: {in_words} ({told(counts)}). {compared(counts)}")
        is_complete = outcome is RunOutcome.SUCCEEDED and not self.formats_left
        at_limit = self.is_at_limit and not self.stop.is_asked
        return Ran(self.story.end(outcome, is_complete), status_of_parts(self.outcomes, at_limit=at_limit))
