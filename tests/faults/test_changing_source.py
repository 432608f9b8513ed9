"""A source that changes while it is harvested: after the next harvest we hold what it holds."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from harvester.harvest.instance import Instance
from tests.faults.harvest import faults_of, harvested, missing, wanted
from tests.faults.site import Asked, Said, Serve, Site, Stage
from tests.faults.source import Record, Source

SEEDS = 50
SEEDS_OF_OFFSETS = 20


class Change:
    """Changes a source before every page of a list, by the dice: records are updated, deleted, brought back, added."""

    def __init__(self, dice: random.Random) -> None:
        """Begin with the source as it is."""
        self.dice = dice
        self.is_on = True
        self.changes = 0

    def __call__(self, asked: Asked, serve: Serve, stage: Stage) -> Said:
        if self.is_on and asked.is_list:
            for _ in range(self.dice.randrange(4)):
                stage.clock.now += self.dice.randrange(3)
                self.changes += 1
                self._change(stage.source)
        return serve(asked)

    def _change(self, source: Source) -> None:
        one = self.dice.choice(list(source.held.values()))
        new = Record(f"oai:faults:new{self.changes:04}", f"New {self.changes}", "", ("a",))
        source.put(
            self.dice.choice(
                (
                    one._replace(title=f"Changed {self.changes}", is_deleted=False),
                    one._replace(is_deleted=True),
                    one._replace(sets=("a", "b:c"), is_deleted=False),
                    new,
                )
            )
        )


MakeSite = Callable[[], tuple[str, Site]]


def _differences(house: Instance, site: MakeSite, seed: int, *, has_offsets: bool) -> list[str]:
    """Harvest a source while it changes, and again when it is at rest; return what is wrong then."""
    name, served = site()
    served.source.has_offsets = has_offsets
    change = Change(random.Random(seed))
    served.distort([change])
    harvested(house, served, name, [], is_direct=True)
    assert change.changes
    change.is_on = False
    served.clock.sleep(3600)
    harvest = harvested(house, served, name, [], is_direct=True)
    lost = missing(harvest, wanted(served, []))
    return [
        f"seed {seed}: {difference}" for difference in (*faults_of(harvest, served, []), *lost, *harvest.run.reasons)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_next_harvest_brings_what_changed_under_the_first(house: Instance, site: MakeSite, seed: int) -> None:
    assert _differences(house, site, seed, has_offsets=False) == []


@pytest.mark.slow
def test_next_harvest_brings_what_slipped_from_page_to_page(house: Instance, site: MakeSite) -> None:
    """A record that changes moves to the end, and the first of the next page slips to the one that was read already.

    Another one comes twice then, so there are as many records as were announced.
    """
    by_seed = [_differences(house, site, seed, has_offsets=True) for seed in range(SEEDS_OF_OFFSETS)]
    assert [difference for differences in by_seed for difference in differences] == []
