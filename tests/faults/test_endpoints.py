"""Endpoints made by combination: each harvest ends complete, or says that it is not; the sweep behind it finds all.

`endpoints.py` says what is combined, and what each endpoint gives away.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest

from gateway.model import RunOutcome
from harvester.harvest.instance import Instance
from harvester.sources.budget import MOST_REQUESTS
from tests.faults.conftest import _house
from tests.faults.endpoints import COUNT, Endpoint, Traits, drawn, opened
from tests.faults.gaps import counted
from tests.faults.harvest import Harvested, harvested, missing, swept
from tests.faults.site import Site
from tests.faults.source import DAY
from tests.faults.table import Promise, Quirk
from tests.rows import each_row
from tests.seeds import seed_of

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # it harvests dozens of repositories

# ENDPOINTS: how many are tried, or `all` (more than a thousand, some ten minutes); ENDPOINTS_SEED: which; else others
# for each state of the program.
_COUNT = os.environ.get("ENDPOINTS", "16")
_SEED = seed_of("ENDPOINTS_SEED")
_PORTION = 20  # endpoints for one instance
# Of empty windows, and of records that come again up to a limit: neither is counted.
_BEYOND_REQUESTS = 4 * MOST_REQUESTS
_ENDED = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)  # a sweep fetches when a harvest has ended


# What each of these once lost, a harvest said nothing of.
_REMARKABLE = {
    "a size of all so far was taken for that of the list": Traits(
        "the last page", "so far", "noRecordsMatch", "badVerb", names_page_size=10
    ),
    "windows that a source ignores were taken to keep their sizes": Traits(
        "one moment", "the truth", "noRecordsMatch", "short", page_size=25, names_page_size=10, dates="ignored"
    ),
    "the size of a window that broke off was forgotten": Traits("five", "the truth", "itself", "short"),
    "ListIdentifiers announces more where dates are refused": Traits(
        "one", "so far", "white space", "short, with the size of the truth", granularity=DAY, dates="refused"
    ),
    "names that are cut were taken for the end of a list that broke off": Traits(
        "a window", "nothing", "itself", "one page of the whole", way="set"
    ),
    "the same, where the source does not look at dates": Traits(
        "a window", "nothing", "itself", "one page of the whole", dates="ignored", way="set"
    ),
    "names that are cut, of which the newest stand first": Traits(
        "the first dates", "nothing", "itself", "one page of the whole", is_backwards=True, way="set"
    ),
    "each part of a window that was divided had a budget of its own": Traits(
        size="too much", ends="HTTP 204", names="noRecordsMatch", page_size=COUNT, is_backwards=True, way="years"
    ),
    "the same, where ListIdentifiers names all": Traits(
        "the last dates", "first the truth", "HTTP 204", is_backwards=True, way="years"
    ),
    "ListIdentifiers was believed to name nothing where records came": Traits(
        "one", "so far", "HTTP 204", "noRecordsMatch", page_size=COUNT, way="years"
    ),
    "ListIdentifiers broke off at the same place": Traits(
        "the second half", "nothing", "noRecordsMatch", "short, then noRecordsMatch", dates="refused"
    ),
    "a size of all names so far was taken for that of the list": Traits(
        "one",
        "the truth",
        "badResumptionToken",
        "short, so far, then noRecordsMatch",
        page_size=25,
        names_page_size=COUNT,
    ),
    "the last page had no element, and a size of all records so far": Traits(
        "the second half", "so far", "no element", "short, the page, without an element", "HTTP 500", dates="refused"
    ),
    "a page that led to itself, with a size of all records so far, was taken for the last": Traits(
        "all but ten", "so far", "itself", "one page of the whole", page_size=7, dates="ignored", way="years"
    ),
    "names in one full answer were taken for all where the list broke off": Traits(
        "a window", "nothing", "white space", "one page of the whole", dates="ignored", way="set"
    ),
}


_HALVES = Traits(
    "the second half", "so far", "itself", "short, then noRecordsMatch", page_size=7, names_page_size=COUNT, way="years"
)
_PARTS = Traits("one set", "so far", "an empty list with an empty token", "one page of the whole", page_size=25)
# These must be complete: a list that breaks off is asked for until nothing is new; a part of ListIdentifiers that is
# cut each time is read in smaller ones; the names beyond the end of a list are asked for, and none is new.
_COMPLETE = {
    "halves": _HALVES,
    "parts": _PARTS._replace(has_cursor=False, way="later"),
    "broken": Traits("a window", "nothing", "itself", names_page_size=COUNT, way="set"),
}


@each_row("symptom", _REMARKABLE)
def test_endpoint_that_once_lost_records_in_silence_loses_none(house: Instance, symptom: str) -> None:
    name, counts = f"remarkable{list(_REMARKABLE).index(symptom)}", Counter[str]()
    assert verdict(house, opened(_REMARKABLE[symptom]), name, counts) == []
    assert counts == {"honest": 1}


@each_row("name", _COMPLETE)
def test_list_that_breaks_off_is_complete_after_more_questions(house: Instance, name: str) -> None:
    counts = Counter[str]()
    assert verdict(house, opened(_COMPLETE[name]), name, counts) == []
    assert counts == {"complete": 1}


def test_names_of_one_answer_whose_token_leads_to_nothing_are_asked_for_one_by_one(house: Instance) -> None:
    names, counts = "one page, then noRecordsMatch", Counter[str]()
    site = opened(Traits("all but ten", "the page", "HTTP 500", names, "unknown", names_page_size=COUNT))
    assert verdict(house, site, "nothing_behind", counts) == []
    assert (counts, len(site.asked) < 10 * COUNT) == ({"honest": 1}, True)


def verdict(house: Instance, site: Site, name: str, counts: Counter[str]) -> list[str]:
    """Harvest and sweep an endpoint; return what is wrong with that, and count how it ended."""
    endpoint = site.source
    assert isinstance(endpoint, Endpoint)
    way = (_WAYS[endpoint.traits.way],)
    if endpoint.traits.way == "later":
        traits, endpoint.traits = endpoint.traits, endpoint.traits.calm
        assert harvested(house, site, name, way, is_direct=True).says_whole
        endpoint.traits = traits
        endpoint.change()
        site.asked.clear()
    with counted(site) as gaps:
        harvest = harvested(house, site, name, way, is_direct=True)
    counts["complete" if harvest.says_whole else "honest"] += 1
    *_, last = house.inbox.events(harvest.run.number)
    faults = [*_of_the_run(harvest, endpoint, last.text, counts), *_of_the_requests(harvest, site)]
    if site.is_run_away_from:
        faults.append(f"it would have gone on for ever: {len(site.asked)} requests")
    if gaps.most > MOST_REQUESTS + _BEYOND_REQUESTS:
        faults.append(f"{gaps.most} requests in a row brought no new record")
    if not endpoint.names.refusal and endpoint.traits.way != "later":  # a sweep does not look for changes
        faults += _of_the_sweep(harvest, swept(house, site, name, way), endpoint)
    return faults


def _way(**entry: Any) -> Quirk:
    return Quirk(lambda asked, serve, _stage: serve(asked), Promise.WHOLE, (), entry=entry)


_WAYS = {"whole": _way(), "set": _way(sets=("a",)), "years": _way(slice="year"), "later": _way()}


def _lost(harvest: Harvested, endpoint: Endpoint) -> frozenset[str]:
    return frozenset(missing(harvest, {record.identifier: record for record in endpoint.living}))


def _of_the_run(harvest: Harvested, endpoint: Endpoint, last_line: str, counts: Counter[str]) -> list[str]:
    lost, run = _lost(harvest, endpoint), harvest.run
    if any("fault of this program" in reason for reason in run.reasons):
        return [f"it broke: {run.reasons}"]
    if not lost or not harvest.says_whole:
        return []
    if given_away := _given_away(endpoint, lost):
        return [f"SILENT: it lost {given_away}"]
    is_left = bool(lost & endpoint.named)
    counts["left to the sweep" if is_left else "unknowable"] += 1
    is_announced = f"`harvester source sweep {run.source}` compares all" in last_line
    return [] if is_announced or not is_left else [f"SILENT: it lost {len(lost)}, and says {last_line}"]


def _given_away(endpoint: Endpoint, lost: frozenset[str]) -> str:
    """Return which of the lost records a run must know of, and how; empty when there is none."""
    if endpoint.is_short and lost & endpoint.named:
        return f"{len(lost & endpoint.named)} that ListIdentifiers names"
    if endpoint.has_true_count:
        return f"{len(lost)}, and a count tells of them"
    behind = lost & endpoint.behind_the_break
    return f"{len(behind)} where its list breaks off" if behind else ""


def _of_the_requests(harvest: Harvested, site: Site) -> list[str]:
    endpoint = site.source
    if not endpoint.is_healthy:  # type: ignore[attr-defined]
        return []
    faults = [] if harvest.says_whole else [f"it is healthy, and the run says: {harvest.run.reasons}"]
    # Each of a few windows has a last page of its own, and its ends are compared.
    most = endpoint.pages + (16 if endpoint.traits.way == "years" else 8)  # type: ignore[attr-defined]
    if len(site.asked) > most:
        faults.append(f"it is healthy, and was asked {len(site.asked)} times for {endpoint.pages} pages")  # type: ignore[attr-defined]
    return faults


def _of_the_sweep(before: Harvested, after: Harvested, endpoint: Endpoint) -> list[str]:
    lost, faults = _lost(after, endpoint), []
    if any("fault of this program" in reason for reason in after.run.reasons):
        faults.append(f"the sweep broke: {after.run.reasons}")
    if after.says_whole and lost & endpoint.named:
        faults.append(f"SILENT: the sweep lost {len(lost & endpoint.named)}")
    if endpoint.traits.single == "found" and before.run.outcome in _ENDED:
        if lost & endpoint.named:
            faults.append(f"the sweep did not fetch {len(lost & endpoint.named)}")
        if deleted := lost - _lost(before, endpoint):
            faults.append(f"the sweep deleted {len(deleted)} that are there")
    return faults


def test_no_endpoint_loses_anything_in_silence() -> None:
    """A random sample, named by its seed; with ENDPOINTS=all the whole product."""
    failed, counts = {}, Counter[str]()
    chosen = drawn(_SEED, None if _COUNT == "all" else int(_COUNT))
    for start in range(0, len(chosen), _PORTION):
        with _house() as house:
            for number, traits in enumerate(chosen[start : start + _PORTION]):
                if faults := verdict(house, opened(traits), f"endpoint{number}", counts):
                    failed[str(traits)] = faults
    assert failed == {}, f"ENDPOINTS_SEED={_SEED}"


def test_clean_list_of_a_hundred_pages_costs_at_most_eight_requests_more(house: Instance) -> None:
    site = opened(Traits(page_size=3), 300)
    harvest = harvested(house, site, "clean", (), is_direct=True)
    assert harvest.run.counts["received"] == 300
    assert len(site.asked) <= 108


@each_row("number, most", [(3, 4), (6, 6)])
def test_clean_lists_of_several_sets_cost_no_more_than_one(house: Instance, number: int, most: int) -> None:
    """A run reads four answers of ListIdentifiers in all; where there are more lists, one of each."""
    site = opened(Traits(page_size=3, names_page_size=10), 300)
    sets = tuple(f"s{index}" for index in range(number))
    for place, record in enumerate(tuple(site.source.held.values())):
        site.source.held[record.identifier] = record._replace(sets=(sets[place % number],))
    harvest = harvested(house, site, f"clean{number}", (_way(sets=sets),), is_direct=True)
    assert (harvest.run.counts["received"], harvest.run.outcome) == (300, RunOutcome.SUCCEEDED)
    asked = Counter(request.verb for request in site.asked)
    assert asked["ListIdentifiers"] <= most
    assert len(site.asked) <= asked["ListRecords"] + 3 + most
    *_, last = house.inbox.events(harvest.run.number)
    assert ("four answers" if number <= most == 4 else "one answer of ListIdentifiers for each list") in last.text


def test_names_of_several_lists_that_come_in_four_answers_are_all_compared(house: Instance) -> None:
    site = opened(Traits("five", "nothing", names_page_size=COUNT), COUNT)
    sets = ("a", "b:c")
    for place, record in enumerate(tuple(site.source.held.values())):
        site.source.held[record.identifier] = record._replace(sets=(sets[place % 2],))
    harvest = harvested(house, site, "several", (_way(sets=sets),), is_direct=True)
    assert _lost(harvest, site.source) == frozenset()  # type: ignore[arg-type]
    assert harvest.says_whole
