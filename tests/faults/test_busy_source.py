"""A busy repository is harvested whole: what changed meanwhile is not missing, and what is missing is reported."""

import os
import random
from collections.abc import Iterable

import pytest

from gateway.core.model import RunOutcome
from harvester.harvest.instance import Instance
from tests.faults.busy import KINDS, Business, Busy, Kind
from tests.faults.harvest import Harvested, faults_of, harvested, missing
from tests.faults.site import Clock, Site, Sites
from tests.faults.source import Record, moment, records
from tests.seeds import SEED

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
