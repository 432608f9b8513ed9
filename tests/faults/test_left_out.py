"""Records that ListRecords leaves out, however it is asked: in windows, in sets, by date, after a stop.

Each comes by GetRecord, or the run says that it is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest

from gateway.model import RunOutcome
from harvester.harvest.instance import Instance
from harvester.harvest.run_options import RunOptions
from tests.faults.harvest import MakeSite, faults_of, harvested, missing, opened, wanted
from tests.faults.table import Quirk, all_quirks
from tests.rows import each_row

pytestmark = pytest.mark.slow  # it asks servers

QUIRKS = all_quirks()
LEAVING_OUT = [
    "list_leaves_out_what_is_named_and_its_size_fits",
    "list_leaves_out_what_is_named_and_tells_no_size",
    "list_leaves_out_what_is_named_and_get_record_does_not_know",
    "page_in_the_middle_has_no_token_element",
    "list_stops_far_before_its_size_and_so_do_the_names",
]
WAYS: Mapping[str, Mapping[str, object]] = {
    "in windows of a year": {"slice": "year"},
    "in windows of a month": {"slice": "month"},
    "in windows, two at once": {"slice": "year", "connections": 2},
    "in a set": {"sets": ("a",)},
    "between dates": {"from": "2021-06-01T00:00:00Z", "until": "2023-01-01T00:00:00Z"},
}
# Windows of one page announce nothing, and the list is never asked for as a whole.
UNTOLD = (LEAVING_OUT[-1], "in windows of a month")


def _faults(house: Instance, site: MakeSite, quirk: Quirk, *, is_full: bool | None = None) -> list[str]:
    """Harvest a source with a quirk; `is_full`: the second of two runs, of which the first was stopped."""
    served, source = opened(site, [quirk])
    if is_full is not None:
        assert not harvested(house, served, source, [quirk], RunOptions(max_records=15)).says_whole
    harvest = harvested(house, served, source, [quirk], RunOptions(is_full=bool(is_full)))
    return faults_of(harvest, served, [quirk])


@each_row("name, way", [pair for pair in product(LEAVING_OUT, WAYS) if pair != UNTOLD])
def test_what_is_left_out_comes_or_is_missing_aloud(house: Instance, site: MakeSite, name: str, way: str) -> None:
    assert _faults(house, site, replace(QUIRKS[name], entry=WAYS[way])) == []


@each_row("name, is_full", product(LEAVING_OUT, (False, True)))
def test_what_is_left_out_comes_or_is_missing_aloud_in_a_run_that_goes_on(
    house: Instance, site: MakeSite, name: str, *, is_full: bool
) -> None:
    assert _faults(house, site, QUIRKS[name], is_full=is_full) == []


@each_row("entry", [{}, {"slice": "year"}])
def test_what_four_answers_of_list_identifiers_name_is_held_after_a_harvest(
    house: Instance, site: MakeSite, entry: Mapping[str, object]
) -> None:
    quirk = replace(QUIRKS[LEAVING_OUT[0]], entry=entry)
    served, source = opened(site, [quirk])
    harvest = harvested(house, served, source, [quirk])
    assert missing(harvest, wanted(served, [quirk])) == []
    assert (harvest.run.outcome, harvest.run.is_complete) == (RunOutcome.SUCCEEDED, True)


def test_numbers_that_were_announced_stand_beside_those_that_were_received(house: Instance, site: MakeSite) -> None:
    quirk = QUIRKS["list_stops_far_before_its_size_and_so_do_the_names"]
    served, source = opened(site, [quirk])
    run = harvested(house, served, source, [quirk]).run
    assert (run.counts["announced"], run.counts["received"]) == (60, 10)
    assert (run.outcome, run.is_complete) == (RunOutcome.SUCCEEDED_WITH_ERRORS, False)
