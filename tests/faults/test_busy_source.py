"""A busy repository is harvested whole: what changed meanwhile is not missing, and what is missing is reported."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

from gateway.model import RunOutcome
from harvester.harvest.instance import Instance
from harvester.http.dates import SECONDS
from tests.faults.busy import KINDS, Business, Busy, Kind
from tests.faults.conftest import _house
from tests.faults.harvest import Harvested, harvested
from tests.faults.site import Clock, Site, Sites
from tests.faults.source import DAY, Record, moment, records

SEEDS = range(int(os.environ.get("BUSY_SEEDS", "2")))
COUNT = 200
# A record that goes from a page that was read lets another one slip; days and equal numbers hide that (see README.md).
UNSEEN = Kind(by_name=True, has_offsets=True, tells=True, forgets=True)


@pytest.fixture(scope="module")
def house() -> Iterator[Instance]:
    with _house() as house:
        yield house


def _opened(kind: Kind, granularity: str, seed: int) -> tuple[str, Site, Business]:
    clock, name = Clock(), f"kind{KINDS.index(kind)}-{len(granularity)}-{seed}"
    site = Sites("http://127.0.0.1:1").open(
        name,
        Busy({record.identifier: record for record in records(COUNT)}, clock, granularity=granularity, kind=kind),
        clock,
    )
    business = Business(random.Random(seed))
    site.distort([business])
    return name, site, business


def _is_held(harvest: Harvested, record: Record) -> bool:
    held = harvest.held.get(record.identifier)
    if record.is_deleted:
        return held is None or held.is_deleted
    return held is not None and not held.is_deleted and held.title == record.title


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_first_harvest_is_whole_while_a_tenth_changes_and_the_next_one_brings_the_rest(
    house: Instance, kind: Kind, seed: int
) -> None:
    name, site, business = _opened(kind, SECONDS, seed)
    began = moment(site.clock())
    first = harvested(house, site, name, [], is_direct=True)
    assert business.changes >= COUNT // 10
    unchanged = [record for record in site.source.held.values() if record.datestamp < began]
    assert [record for record in unchanged if not _is_held(first, record)] == []
    assert (first.run.outcome, first.run.is_complete) == (RunOutcome.SUCCEEDED, True), first.run.reasons
    business.is_on = False
    site.clock.sleep(3600)
    second = harvested(house, site, name, [], is_direct=True)
    assert [record for record in site.source.held.values() if not _is_held(second, record)] == []
    assert (second.run.outcome, second.run.is_complete) == (RunOutcome.SUCCEEDED, True), second.run.reasons


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != UNSEEN], ids=str)
def test_where_dates_are_days_no_harvest_is_called_whole_that_is_not(house: Instance, kind: Kind, seed: int) -> None:
    name, site, _ = _opened(kind, DAY, seed)
    began = moment(site.clock())
    harvest = harvested(house, site, name, [], is_direct=True)
    lost = [
        record for record in site.source.held.values() if record.datestamp < began and not _is_held(harvest, record)
    ]
    assert not (harvest.says_whole and lost)
