"""Sources whose ListRecords and ListIdentifiers both break off: the rest comes by dates, or the run says what it lacks.

A list breaks off where a token leads to no records, or where no empty token element follows pages with tokens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

import pytest

from gateway.model import RunOutcome
from harvester.harvest.instance import Instance
from tests.faults.endpoints import Endpoint, Traits, opened
from tests.faults.harvest import Harvested, harvested, missing, swept
from tests.faults.site import Site, Sites
from tests.faults.source import DAY, Record
from tests.faults.table import Promise, Quirk

pytestmark = pytest.mark.slow  # it harvests repositories

BROKEN = {
    "noRecordsMatch": "short, then noRecordsMatch",
    "an empty list": "short, then an empty list",
    "no element": "short, without an element",
    "white space": "short, with white space",
}
SLOPPY = {"noRecordsMatch": "the whole, then noRecordsMatch", "no element": "the whole, without an element"}
PROVED_NOTHING = "so it does not show that these are all."
HALF = Traits("the second half", "nothing", "noRecordsMatch", "short, then noRecordsMatch", names_page_size=10)


def _lost(harvest: Harvested, site: Site) -> list[str]:
    source = site.source
    assert isinstance(source, Endpoint)
    return missing(harvest, {record.identifier: record for record in source.living})


def _is_whole(harvest: Harvested) -> bool:
    return harvest.run.is_complete and harvest.run.outcome is RunOutcome.SUCCEEDED


@pytest.mark.parametrize("granularity", [DAY, Traits().granularity])
@pytest.mark.parametrize("is_backwards", [False, True])
@pytest.mark.parametrize("ends", BROKEN)
def test_rest_of_two_lists_that_break_off_comes_by_dates(
    own_house: Instance, ends: str, granularity: str, *, is_backwards: bool
) -> None:
    traits = HALF._replace(ends=ends, names=BROKEN[ends], granularity=granularity, is_backwards=is_backwards)
    site = opened(traits)
    harvest = harvested(own_house, site, "half", (), is_direct=True)
    assert (_lost(harvest, site), _is_whole(harvest)) == ([], True)


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


@pytest.mark.parametrize("granularity", [DAY, Traits().granularity])
@pytest.mark.parametrize("ends", BROKEN)
def test_lists_without_an_order_are_read_in_parts(own_house: Instance, ends: str, granularity: str) -> None:
    site = _unordered(HALF._replace(ends=ends, names=BROKEN[ends], granularity=granularity))
    harvest = harvested(own_house, site, "half", (), is_direct=True)
    assert (_lost(harvest, site), _is_whole(harvest)) == ([], True)
    assert any(
        "It breaks off, so ListIdentifiers was read once more in" in event.text
        for event in own_house.inbox.events(harvest.run.number)
    )


def test_sweep_does_not_read_in_parts(own_house: Instance) -> None:
    site = _unordered(HALF.calm)
    assert harvested(own_house, site, "half", (), is_direct=True).says_whole
    site.source.traits = HALF  # type: ignore[attr-defined]
    sweep = swept(own_house, site, "half")
    assert (_lost(sweep, site), sweep.says_whole) == ([], False)


@pytest.mark.parametrize("dates", ["ignored", "refused"])
@pytest.mark.parametrize("ends", BROKEN)
def test_two_lists_that_break_off_are_not_complete_where_nothing_can_be_asked_by_dates(
    own_house: Instance, ends: str, dates: str
) -> None:
    site = opened(HALF._replace(ends=ends, names=BROKEN[ends], dates=dates))
    harvest = harvested(own_house, site, "half", (), is_direct=True)
    assert not harvest.says_whole
    assert any(PROVED_NOTHING in reason for reason in harvest.run.reasons)


@pytest.mark.parametrize("names", ["short, so far, then noRecordsMatch", "short, the page, without an element"])
def test_number_of_the_records_so_far_does_not_show_the_end(own_house: Instance, names: str) -> None:
    site = opened(HALF._replace(names=names, dates="refused"))
    assert not harvested(own_house, site, "so_far", (), is_direct=True).says_whole


@pytest.mark.parametrize("count", [60, 57, 5])
@pytest.mark.parametrize("ends", SLOPPY)
def test_whole_lists_that_end_otherwise_than_they_should_are_complete_after_a_few_questions(
    own_house: Instance, ends: str, count: int
) -> None:
    site = opened(Traits("nothing", "nothing", ends, SLOPPY[ends]), count)
    harvest = harvested(own_house, site, "sloppy", (), is_direct=True)
    assert (_lost(harvest, site), _is_whole(harvest)) == ([], True)
    assert len(site.asked) <= site.source.pages + 12  # type: ignore[attr-defined]


def test_lists_of_one_date_that_break_off_are_not_complete(own_house: Instance) -> None:
    """No question by date shows what is behind their end."""
    site = opened(Traits("nothing", "nothing", "no element", "the whole, without an element"))
    held = site.source.held
    site.source.held = {name: record._replace(datestamp="2021-02-03T04:05:06Z") for name, record in held.items()}
    harvest = harvested(own_house, site, "one_date", (), is_direct=True)
    assert (_lost(harvest, site), harvest.says_whole) == ([], False)


@pytest.mark.parametrize("dates", ["ignored", "refused"])
@pytest.mark.parametrize("ends", BROKEN)
def test_sweep_does_not_believe_a_list_of_identifiers_that_breaks_off(
    own_house: Instance, ends: str, dates: str
) -> None:
    site = opened(HALF._replace(dates=dates).calm)
    assert harvested(own_house, site, "swept", (), is_direct=True).says_whole
    site.source.traits = HALF._replace(dates=dates, names=BROKEN[ends])  # type: ignore[attr-defined]
    sweep = swept(own_house, site, "swept")
    assert (_lost(sweep, site), sweep.says_whole) == ([], False)
    assert any(PROVED_NOTHING in reason and "Nothing was deleted." in reason for reason in sweep.run.reasons)


@pytest.mark.parametrize("is_backwards", [False, True])
@pytest.mark.parametrize("ends", BROKEN)
def test_sweep_asks_for_the_rest_of_a_list_of_identifiers_by_dates(
    own_house: Instance, ends: str, *, is_backwards: bool
) -> None:
    traits = HALF._replace(names=BROKEN[ends], is_backwards=is_backwards)
    site = opened(traits.calm)
    assert harvested(own_house, site, "swept", (), is_direct=True).says_whole
    site.source.traits = traits  # type: ignore[attr-defined]
    sweep = swept(own_house, site, "swept")
    assert (_lost(sweep, site), sweep.says_whole, sweep.run.counts["named"]) == ([], True, 52)


@pytest.mark.parametrize("names", SLOPPY.values())
def test_sweep_believes_a_list_that_is_shown_to_be_whole(own_house: Instance, names: str) -> None:
    site = opened(Traits())
    assert harvested(own_house, site, "swept", (), is_direct=True).says_whole
    gone, *_ = site.source.held
    del site.source.held[gone]
    site.source.traits = Traits(names=names)  # type: ignore[attr-defined]
    sweep = swept(own_house, site, "swept")
    assert (sweep.says_whole, sweep.run.counts["deleted"]) == (True, 1)


class _Mets(Endpoint):
    """The same with complex objects: its only format is `mets`."""

    def answer(self, arguments: list[tuple[str, str]]) -> str:
        """Translate the format of the request, and the metadata of the answer."""
        asked = [
            (name, _PREFIXES.get(value, "none") if name == "metadataPrefix" else value) for name, value in arguments
        ]
        answer = super().answer(asked).replace("oai_dc</metadataPrefix>", "mets</metadataPrefix>")
        return re.sub("<metadata>.*?</metadata>", _METS, answer, flags=re.DOTALL)


_PREFIXES = {"mets": "oai_dc"}  # of a request, and that of `Source`
_METS = (
    '<metadata><mets xmlns="http://www.loc.gov/METS/"><fileSec/><structMap><div LABEL="A work"/></structMap></mets>'
    "</metadata>"
)


@pytest.mark.parametrize(("dates", "is_whole"), [("kept", True), ("refused", False), ("ignored", False)])
@pytest.mark.parametrize("ends", BROKEN)
def test_format_of_complex_objects_is_no_exception(
    own_house: Instance, sites: Sites, ends: str, dates: str, *, is_whole: bool
) -> None:
    """It is asked over the network."""
    site = opened(HALF._replace(ends=ends, names=BROKEN[ends], dates=dates))
    assert isinstance(site.source, Endpoint)
    source = _Mets(site.source.held, site.clock, traits=site.source.traits)
    served = sites.open(f"mets_{dates}_{len(ends)}", source, site.clock)
    served.distort([source.distort])
    mets = Quirk(lambda asked, serve, _stage: serve(asked), Promise.WHOLE, (), entry={"formats": ("mets",)})
    harvest = harvested(own_house, served, "mets", (mets,))
    stored = set(own_house.store.living("mets", "mets", "", 100))
    assert ({record.identifier for record in source.living} == stored, _is_whole(harvest)) == (is_whole, is_whole)
