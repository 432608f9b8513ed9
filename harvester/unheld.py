"""What a source names and was never held, as a sweep finds it: fetched record by record, or reported missing.

    sort out -> look at some -> fetch one by one -> what does not come is missing

What is missing goes into quarantine as unfetched, so that every later run tells it, and `--retry-failed` or the next
sweep asks for it again. What comes is received like any record, so a sweep that is stopped has nothing to do twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TypeVar

from gateway.model import Cursor, ItemState, RawPage, RunOutcome, Slice
from gateway.names import local_identifier
from harvester.instance import Instance
from harvester.named import Known, Named
from harvester.outcomes import OF_ONE_QUESTION
from harvester.sources import UNFETCHED, Options, SourceKind
from harvester.sources._budget import Spender
from harvester.sources_file import SourceEntry
from harvester.story import Clock, Story

LOOKED_AT = 50  # of what may be in other formats only, so many are asked for before the source is believed
MOST_FAILURES = 10  # in a row: then the source is failing, or does not answer GetRecord

Thing = TypeVar("Thing")

_BATCH = 500
_MOST_TOLD = 10  # of what does not come by name: more would bury the number of all
_NO_RECORD = "the source names it, and answers that it has no such record."
_NOT_ASKED = "so many requests in a row brought no record that it was not asked for."
_ENDED = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)


@dataclass(slots=True)
class Unheld:
    """What one format of a source names and was never held.

    `publish` is told of every record that was received, `show` how many of how many were asked for, `is_over` tells
    whether the sweep is to stop.
    """

    instance: Instance
    entry: SourceEntry
    kind: SourceKind
    options: Options
    fetch: Spender
    story: Story
    clock: Clock
    metadata_prefix: str
    named: Named
    publish: Callable[[int], None]
    show: Callable[[int, int], None]
    is_over: Callable[[], bool]
    total: int = 0  # never held, and to be fetched
    fetched: int = 0
    elsewhere: int = 0  # of the total: in other formats only
    asked: int = 0
    reported: int = 0  # put into quarantine by this sweep
    lost: int = 0
    _failures: int = field(default=0, init=False)

    @property
    def missing(self) -> int:
        """How many are known, wanted and not held after all."""
        return self.total - self.fetched - self.elsewhere

    @property
    def reason(self) -> str:
        """Say how many are missing, and what to do about it."""
        run = f"`harvester run {self.entry.name}"
        told = f"{self.metadata_prefix}: {self.missing} records are named, were never held, and are missing;"
        if not self._was_harvested():
            return f"{told} no harvest has ended yet, {run}` fetches them."
        return f"{told} {run} --retry-failed` and the next sweep ask for them again."

    # -- what is known of them --

    def hold(self, states: Iterable[ItemState]) -> None:
        """Remember that these items are held in this format, living or deleted."""
        formats = ((state.upstream, {each.metadata_prefix for each in state.payloads}) for state in states)
        self.named.know(Known.HELD, [upstream for upstream, prefixes in formats if self.metadata_prefix in prefixes])

    def sort_out(self) -> None:
        """Find out what is known of those that are not held: what is unusable or taken down is not asked for."""
        every = self.instance.store.quarantined(self.entry.name)
        mine = (each for each in every if each.metadata_prefix == self.metadata_prefix)
        for bad in batches(mine):
            unfetched = {each.identifier for each in bad if each.reason.startswith(UNFETCHED)}
            self.named.know(Known.UNFETCHED, unfetched)
            self.named.know(Known.UNUSABLE, {each.identifier for each in bad} - unfetched)
        takedowns, domain = self.instance.store.takedowns(), self.instance.settings.text("repository_domain")
        if not takedowns.is_empty:
            source = self.entry.name
            named = (each for each, _ in self.named.known(Known.NOTHING))
            hidden = (
                each for each in named if takedowns.names_item(local_identifier(domain, source, each), source, each)
            )
            for batch in batches(hidden):
                self.named.know(Known.TAKEN_DOWN, batch)
        self.total = self.named.living(Known.NOTHING) + self.named.living(Known.UNFETCHED)

    # -- asking for them --

    def fetch_all(self) -> None:
        """Ask for everything, or as much as the source and its hours allow. Raise what shows that it is failing."""
        if not self.total:
            return
        if not self._was_harvested():
            return
        new = iter(()) if self._is_elsewhere() else self.named.known(Known.NOTHING)
        for identifier, place in chain(new, self.named.known(Known.UNFETCHED)):
            if self.is_over():
                return
            self._ask(identifier, place)
            if self._failures == MOST_FAILURES:
                self.kind.describe(self.options, self.fetch)  # raises when the source as such is failing
            is_spent = self.fetch.is_spent
            if is_spent:
                self.story.note(self.fetch.sentence)
            if is_spent or self._failures == MOST_FAILURES:
                self._report_rest(new)
                return

    def _was_harvested(self) -> bool:
        """Tell whether any harvest has ended: what it has not come to yet is no reason to ask record by record."""
        totals = self.instance.inbox.run_totals()
        return any(
            each.source == self.entry.name and each.stage == "harvest" and each.outcome in _ENDED for each in totals
        )

    def _is_elsewhere(self) -> bool:
        """Tell whether what is new is all in other formats: some sources name in each format what is in any."""
        count = self.named.living(Known.NOTHING)
        if count <= LOOKED_AT:
            return False
        chosen = list(islice(self.named.known(Known.NOTHING), 0, None, count // LOOKED_AT))[:LOOKED_AT]
        for identifier, place in chosen:
            if self.is_over():
                return False
            self._ask(identifier, place)
            self.named.know(Known.ASKED, (identifier,))
            if self.elsewhere < self.asked:
                return False
        self.elsewhere = count
        self.story.note(
            f"{self.metadata_prefix}: {count} records are named that the source has in other formats only: "
            f"GetRecord answered so for each of {self.asked} of them."
        )
        return True

    def _ask(self, identifier: str, place: int) -> None:
        """Ask for one record, and receive it."""
        assert self.kind.single is not None
        cursor = self._cursor(place)
        self.asked += 1
        try:
            page, slices = self.kind.single(self.options, cursor, identifier, self.fetch)
        except OF_ONE_QUESTION as error:
            self._failures += 1
            self._lost(cursor, identifier, str(error))
            return
        finally:
            self.show(self.asked, self.total)
        self._failures = 0
        if slices:
            self.fetch.gained()
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

    # -- what does not come --

    def _lost(self, cursor: Cursor, identifier: str, why: str) -> None:
        """Report one record that did not come; it is in quarantine already where it did not come before, either."""
        if self.lost < _MOST_TOLD:
            self.story.warn((f"{self.metadata_prefix}: {identifier}: {UNFETCHED}{why}",))
        self.lost += 1
        if not self.named.is_known(Known.UNFETCHED, identifier):
            self._report(cursor, (identifier,), why)

    def _report_rest(self, rest: Iterator[tuple[str, int]]) -> None:
        """Report what was not asked for, because the source brings nothing of all that it names."""
        for batch in batches(rest):
            for place in sorted({place for _, place in batch}):
                self._report(self._cursor(place), [each for each, at in batch if at == place], _NOT_ASKED)

    def _report(self, cursor: Cursor, identifiers: Sequence[str], why: str) -> None:
        """Receive a page of our own making, whose slices are to go into quarantine as unfetched."""
        now = int(self.clock())
        page = RawPage(
            self.entry.name, "Sweep", self.entry.url, now, 0, (), b"", self.metadata_prefix, set_spec=cursor.set_spec
        )
        slices = tuple(Slice(each, "", (), False, 0, 0, problem=f"{UNFETCHED}{why}") for each in identifiers)
        self.instance.inbox.receive(page, slices, None)
        self.reported += len(slices)
        self.publish(len(slices))


def is_wanted(entry: SourceEntry, set_spec: str, record: Slice) -> bool:
    """Tell whether a record that the list of a set names is one of those that the source's entry wants.

    It may be in the set when it names that, or one below it, or none. Where the entry has dates, and it has none, it is
    not wanted.
    """
    if set_spec and record.sets and not any(f"{each}:".startswith(f"{set_spec}:") for each in record.sets):
        return False
    stamp, from_, until = record.datestamp, entry.from_, entry.until
    if not stamp:
        return not (from_ or until)
    return stamp[: len(from_)] >= from_[: len(stamp)] and (not until or stamp[: len(until)] <= until[: len(stamp)])


def compared(counts: Mapping[str, int]) -> str:
    """Return what a sweep has compared, in a sentence."""
    named, held, never, fetched, missing = (
        counts.get(each, 0) for each in ("named", "held", "never_held", "fetched", "missing")
    )
    what = f"{named} records that the source names were compared with {held} that are held"
    return f"{what}: {never} were never held; of these {fetched} were fetched, and {missing} are missing."


def batches(things: Iterable[Thing]) -> Iterator[list[Thing]]:
    """Return them in lists of at most 500."""
    rest = iter(things)
    while batch := list(islice(rest, _BATCH)):
        yield batch
