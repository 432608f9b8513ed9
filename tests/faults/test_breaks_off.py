"""Sources whose ListRecords and ListIdentifiers both break off: the rest comes by dates, or the run says what it lacks.

A list breaks off where a token leads to no records, or where no empty token element follows pages with tokens.
"""

from collections.abc import Mapping
from itertools import product
from random import Random
from zlib import crc32

import pytest

from gateway.core.model import RunOutcome
from harvester.harvest.instance import Instance
from tests.faults.endpoints import Endpoint, Traits, opened
from tests.faults.harvest import Harvested, harvested, missing, swept
from tests.faults.site import Site
from tests.faults.source import DAY, Record
from tests.rows import each_row

pytestmark = pytest.mark.slow  # it harvests repositories

BROKEN = {
    "noRecordsMatch": "short, then noRecordsMatch",
    "no element": "short, without an element",
}
SLOPPY = "the whole, then noRecordsMatch"
PROVED_NOTHING = "so it does not show that these are all."
HALF = Traits("the second half", "nothing", "noRecordsMatch", "short, then noRecordsMatch", names_page_size=10)


def _lost(harvest: Harvested, site: Site) -> list[str]:
    source = site.source
    assert isinstance(source, Endpoint)
    return missing(harvest, {record.identifier: record for record in source.living})


def _is_whole(harvest: Harvested) -> bool:
    return harvest.run.is_complete and harvest.run.outcome is RunOutcome.SUCCEEDED


GRANULARITIES = (DAY, Traits().granularity)


@each_row("ends, granularity, is_backwards", product(BROKEN, GRANULARITIES, (False, True)))
def test_rest_of_two_lists_that_break_off_comes_by_dates(
    house: Instance, ends: str, granularity: str, *, is_backwards: bool
) -> None:
    traits = HALF._replace(ends=ends, names=BROKEN[ends], granularity=granularity, is_backwards=is_backwards)
    _assert_whole(house, opened(traits), f"{ends}-{granularity}-{is_backwards}")


def _assert_whole(house: Instance, site: Site, name: str) -> Harvested:
    harvest = harvested(house, site, _name(name), (), is_direct=True)
    assert (_lost(harvest, site), _is_whole(harvest)) == ([], True)
    return harvest


def _name(text: str) -> str:
    return f"s{crc32(text.encode()):x}"


def _calm(house: Instance, traits: Traits, name: str) -> Site:
    """Return a site that was harvested whole, and has these traits from then on."""
    site = opened(traits.calm)
    assert harvested(house, site, _name(name), (), is_direct=True).says_whole
    site.source.traits = traits  # type: ignore[attr-defined]
    return site


class _Unordered(Endpoint):
    """The same with lists in the order of identifiers, whose dates are in none."""

    def selected(self, wanted: Mapping[str, str]) -> list[Record]:
        """Return the records in the order of their identifiers."""
        return sorted(super().selected(wanted), key=lambda record: record.identifier)


def _unordered(traits: Traits) -> Site:
    site = opened(traits)
    source = site.source
    assert isinstance(source, Endpoint)
    stamps = [record.datestamp for record in source.held.values()]
    Random(3).shuffle(stamps)
    held = {
        name: record._replace(datestamp=stamp)
        for (name, record), stamp in zip(source.held.items(), stamps, strict=True)
    }
    site.source = _Unordered(held, site.clock, traits.page_size, traits.granularity, traits=traits)
    site.distort([site.source.distort])
    return site


@each_row("ends, granularity", product(BROKEN, GRANULARITIES))
def test_lists_without_an_order_are_read_in_parts(house: Instance, ends: str, granularity: str) -> None:
    site = _unordered(HALF._replace(ends=ends, names=BROKEN[ends], granularity=granularity))
    harvest = _assert_whole(house, site, f"unordered-{ends}-{granularity}")
    texts = [event.text for event in house.inbox.events(harvest.run.number)]
    assert any("It breaks off, so ListIdentifiers was read once more in" in text for text in texts)


SO_FAR = "short, so far, then noRecordsMatch"


@each_row(
    "ends, names, dates",
    [
        *((ends, BROKEN[ends], dates) for ends, dates in product(BROKEN, ("ignored", "refused"))),
        (HALF.ends, SO_FAR, "refused"),
    ],
)
def test_two_lists_that_break_off_are_not_complete_where_nothing_can_be_asked_by_dates(
    house: Instance, ends: str, names: str, dates: str
) -> None:
    site = opened(HALF._replace(ends=ends, names=names, dates=dates))
    harvest = harvested(house, site, _name(f"none-{ends}-{names}-{dates}"), (), is_direct=True)
    assert not harvest.says_whole
    assert names == SO_FAR or any(PROVED_NOTHING in reason for reason in harvest.run.reasons)


@each_row("count", (60, 57, 5))
def test_whole_lists_that_end_otherwise_than_they_should_are_complete_after_a_few_questions(
    house: Instance, count: int
) -> None:
    site = opened(Traits("nothing", "nothing", "noRecordsMatch", SLOPPY), count)
    _assert_whole(house, site, f"sloppy-{count}")
    assert len(site.asked) <= site.source.pages + 12  # type: ignore[attr-defined]


@each_row("ends, dates", product(BROKEN, ("ignored", "refused")))
def test_sweep_does_not_believe_a_list_of_identifiers_that_breaks_off(house: Instance, ends: str, dates: str) -> None:
    name = f"unbelieved-{ends}-{dates}"
    site = _calm(house, HALF._replace(dates=dates, names=BROKEN[ends]), name)
    sweep = swept(house, site, _name(name))
    assert (_lost(sweep, site), sweep.says_whole) == ([], False)
    assert any(PROVED_NOTHING in reason and "Nothing was deleted." in reason for reason in sweep.run.reasons)


@each_row("ends, is_backwards", product(BROKEN, (False, True)))
def test_sweep_asks_for_the_rest_of_a_list_of_identifiers_by_dates(
    house: Instance, ends: str, *, is_backwards: bool
) -> None:
    name = f"rest-{ends}-{is_backwards}"
    site = _calm(house, HALF._replace(names=BROKEN[ends], is_backwards=is_backwards), name)
    sweep = swept(house, site, _name(name))
    assert (_lost(sweep, site), sweep.says_whole, sweep.run.counts["named"]) == ([], True, 52)


def test_sweep_believes_a_list_that_is_shown_to_be_whole(house: Instance) -> None:
    site = _calm(house, Traits(names=SLOPPY), SLOPPY)
    del site.source.held[next(iter(site.source.held))]
    sweep = swept(house, site, _name(SLOPPY))
    assert (sweep.says_whole, sweep.run.counts["deleted"]) == (True, 1)
