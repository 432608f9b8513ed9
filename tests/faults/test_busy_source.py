"""A busy repository is harvested whole: what changed meanwhile is not missing, and what is missing is reported."""

import os
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import pytest

from gateway.core.model import RunOutcome
from harvester.harvest.instance import Instance
from tests.faults.harvest import Harvested, faults_of, harvested, missing
from tests.faults.site import Asked, Clock, Said, Serve, Site, Sites, Stage
from tests.faults.source import Record, Source, Token, moment, records
from tests.seeds import SEED


class Kind(NamedTuple):
    """One kind of repository.

    `by_name`: its lists are in the order of identifiers, not of dates. `has_offsets`: a token says how many records to
    leave out. `tells`: it announces completeListSize. `forgets`: a deleted record is gone without a word.
    """

    by_name: bool
    has_offsets: bool
    tells: bool
    forgets: bool

    def __str__(self) -> str:
        return "-".join(
            (
                "names" if self.by_name else "dates",
                "offsets" if self.has_offsets else "keys",
                "sized" if self.tells else "unsized",
                "forgets" if self.forgets else "deletes",
            )
        )


KINDS = tuple(Kind(*flags) for flags in product((False, True), repeat=4))


@dataclass
class Busy(Source):
    """A source of one kind."""

    kind: Kind = KINDS[0]
    is_steady: bool = False

    def __post_init__(self) -> None:
        self.tells = self.kind.tells

    def selected(self, wanted: Mapping[str, str]) -> list[Record]:
        """Return what a list of these arguments has, in the order of its kind."""
        selection = super().selected(wanted)
        return sorted(selection, key=lambda record: record.identifier) if self.kind.by_name else selection

    def _rest(self, selection: list[Record], at: Token) -> list[Record]:
        if self.kind.has_offsets:
            return selection[at.cursor :]
        if self.kind.by_name:
            return [record for record in selection if record.identifier > at.identifier]
        return super()._rest(selection, at)


class Business:
    """Changes a source before each request, by the dice, so that a tenth of it changes while one list is walked."""

    def __init__(self, dice: random.Random, share: float = 0.1) -> None:
        """Take the dice, and the share that changes while one list is walked."""
        self.dice, self.share = dice, share
        self.is_on = True
        self.changes = 0

    def __call__(self, asked: Asked, serve: Serve, stage: Stage) -> Said:
        source = stage.source
        assert isinstance(source, Busy)
        if self.is_on and asked.verb in ("ListRecords", "ListIdentifiers", "GetRecord"):
            stage.clock.now += 2
            pages = len(source.held) / source.page_size
            most = self.share * len(source.held) / pages
            if asked.verb == "GetRecord":
                most /= source.page_size
            for _ in range(int(most) + (self.dice.random() < most % 1)):
                self.changes += 1
                self._change(source)
        return serve(asked)

    def _change(self, source: Busy) -> None:
        one = self.dice.choice([record for record in source.held.values() if not record.is_deleted])
        what = self.dice.choice(("change", "change", "change", "delete", "come", "return"))
        gone = [record for record in source.held.values() if record.is_deleted]
        if what == "return" and gone:
            source.put(self.dice.choice(gone)._replace(sets=("a", "b:c"), is_deleted=False))
        elif what == "come":
            source.put(Record(f"oai:faults:{self.dice.randrange(100000):05}new", f"New {self.changes}", "", ("a",)))
        elif what in ("change", "return"):
            source.put(one._replace(title=f"Changed {self.changes}"))
        elif source.kind.forgets:
            del source.held[one.identifier]
        else:
            source.put(one._replace(is_deleted=True))


# BUSY_SEEDS: how often each kind is tried.
SEEDS = range(SEED, SEED + int(os.environ.get("BUSY_SEEDS", "1")))
COUNT = 200


def _opened(kind: Kind, seed: int) -> tuple[str, Site, Business]:
    clock, name = Clock(), f"kind{KINDS.index(kind)}-{seed}"
    source = Busy({record.identifier: record for record in records(COUNT)}, clock, kind=kind)
    site = Sites("http://127.0.0.1:1").open(name, source, clock)
    business = Business(random.Random(seed))
    site.distort([business])
    return name, site, business


def _lacking(harvest: Harvested, records: Iterable[Record]) -> list[str]:
    return missing(harvest, {record.identifier: record for record in records})


def _wrong(house: Instance, kind: Kind, seed: int) -> list[object]:
    """Harvest a source while a tenth of it changes, and again when it is at rest; return what is wrong then."""
    name, site, business = _opened(kind, seed)
    began = moment(site.clock())
    first = harvested(house, site, name, [], is_direct=True)
    assert business.changes >= COUNT // 10
    before = (record for record in site.source.held.values() if record.datestamp < began)
    wrong: list[object] = [*_lacking(first, before)]
    business.is_on = False
    site.clock.sleep(3600)
    second = harvested(house, site, name, [], is_direct=True)
    wrong += _lacking(second, site.source.held.values())
    if not kind.forgets:
        wrong += faults_of(second, site, [])
    ends = [(harvest.run.outcome, harvest.run.is_complete, harvest.run.reasons) for harvest in (first, second)]
    return [*wrong, *(end for end in ends if end[:2] != (RunOutcome.SUCCEEDED, True) and not _is_told(end, kind))]


def _is_told(end: tuple[RunOutcome, bool | None, tuple[str, ...]], kind: Kind) -> bool:
    """Return whether a run only reports records that were deleted without a word between their name and GetRecord."""
    outcome, is_complete, reasons = end
    is_about_them = all("could not be fetched" in reason or "in quarantine" in reason for reason in reasons)
    return kind.forgets and outcome is RunOutcome.SUCCEEDED_WITH_ERRORS and not is_complete and is_about_them


def test_a_first_harvest_is_whole_while_a_tenth_changes_and_the_next_one_brings_the_rest(house: Instance) -> None:
    assert _wrong(house, KINDS[0], 0) == []


@pytest.mark.slow
@pytest.mark.unmeasured
def test_every_kind_of_source_is_whole_while_a_tenth_changes_and_the_next_harvest_brings_the_rest(
    house: Instance,
) -> None:
    wrong = {(str(kind), seed): _wrong(house, kind, seed) for kind in KINDS for seed in SEEDS}
    assert {case: found for case, found in wrong.items() if found} == {}
