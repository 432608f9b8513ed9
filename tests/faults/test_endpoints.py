"""Endpoints made by combination: each harvest ends complete, or says that it is not; the sweep behind it finds all.

`endpoints.py` says what is combined, and what each endpoint gives away.
"""

import os
from collections import Counter
from typing import Any

import pytest

from gateway.core.model import RunOutcome
from harvester.harvest.instance import Instance
from tests.faults.conftest import _house
from tests.faults.endpoints import Endpoint, Traits, drawn, opened
from tests.faults.harvest import Harvested, harvested, missing, swept
from tests.faults.site import Site
from tests.faults.source import DAY
from tests.faults.table import Promise, Quirk
from tests.rows import each_row
from tests.seeds import SEED

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]  # it harvests dozens of repositories

# ENDPOINTS: how many are tried, or `all` (462, some minutes).
_COUNT = os.environ.get("ENDPOINTS", "10")
_MOST_SETS = 250  # answers of ListSets, which a harvest can do without
_PORTION = 20  # endpoints for one instance
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
    "ListIdentifiers broke off at the same place": Traits(
        "the second half", "nothing", "noRecordsMatch", "short, then noRecordsMatch", dates="refused"
    ),
    "a page that led to itself, with a size of all records so far, was taken for the last": Traits(
        "all but ten", "so far", "itself", "one page of the whole", page_size=7, dates="ignored", way="years"
    ),
    "names in one full answer were taken for all where the list broke off": Traits(
        "a window", "nothing", "white space", "one page of the whole", dates="ignored", way="set"
    ),
    "as many names, whatever the dates, were taken for the end where a token was not understood": Traits(
        "the last page", "the truth", "white space", "one page of the whole", page_size=25, dates="ignored",
        way="later", spelling="an attribute",
    ),
    "as many names in one answer were taken for all where a token was not understood": Traits(
        "the last page", "the truth", "white space", "one page of the whole", page_size=25, dates="refused",
        way="later", spelling="next",
    ),
    "fewer names than announced, dated with the day of the harvest, were taken for changes": Traits(
        "the last page", "the page", "no element", "short, with the size of the truth", page_size=7, granularity=DAY,
        way="later",
    ),
    "later names were counted with those that were announced of earlier dates": Traits(
        "one", "nothing", "an empty list", "short, with the size of the truth", "unknown", page_size=7,
        granularity=DAY, way="later", twins="of one date",
    ),
    "records that could not be fetched were counted as living ones beside their tombstones": Traits(
        "one", "the truth", "white space", "short, without an element", "HTTP 500", page_size=7, way="later", window=30
    ),
    "a record that was named as deleted and as living was taken for deleted": Traits(
        "one", "the page", "an empty list", single="unknown", page_size=60, way="years", twins="stale"
    ),
    "names behind a token that was not understood were not doubted": Traits(
        "all but ten", "nothing", names="whole, with its size", page_size=25, names_page_size=10, dates="ignored",
        way="later", spelling="an attribute",
    ),
    "a sweep took names in lists by date for all, where a token was not understood": Traits(
        "a short page", "the truth", "itself", "short, then noRecordsMatch", "HTTP 500", way="years",
        spelling="an attribute", twins="stale",
    ),
}  # fmt: skip
# What each of these once lost in silence, a harvest fetches.
_MENDED = {
    "names that are cut were taken for the end of a list that broke off": Traits(
        "a window", "nothing", "itself", "one page of the whole", way="set"
    ),
    "a page in the middle was short": Traits("a short page", "nothing"),
    "both lists lacked the same records of a page": Traits("a short page", "nothing", names="short"),
    "a page was short, and there were no names": Traits("a short page", "nothing", names="badVerb"),
    "a page in the middle was short, the newest first": Traits("a short page", "nothing", is_backwards=True),
    "both lists ended after half of the records": Traits(size="nothing", window=30),
    "both lists ended after half of the records, the newest first": Traits(
        size="nothing", window=30, is_backwards=True
    ),
    "a token was an attribute": Traits(size="nothing", spelling="an attribute"),
    "a token was an attribute, and there were no names": Traits(
        size="nothing", names="badVerb", spelling="an attribute"
    ),
    "a token had another name": Traits(size="nothing", spelling="next", is_backwards=True),
    "a record was living and deleted on one day": Traits(granularity=DAY, twins="of one date"),
    "a tombstone stood beside its living record": Traits(size="the truth", twins="stale"),
    "only the tombstone of a living record came": Traits(
        "a short page", "nothing", "no element", names_page_size=10, is_backwards=True, way="set", twins="of one date"
    ),
    "a tombstone came after what GetRecord had brought": Traits(
        "the second half", "the truth", "no element", names_page_size=60, is_backwards=True, window=30,
        twins="of one date",
    ),
    "a window was cut, and a token was an attribute": Traits(
        "the second half", "first the truth", names="whole, with its size", granularity=DAY, way="years",
        spelling="an attribute",
    ),
    "the size of all so far was taken for that of a window": Traits(
        size="so far", page_size=25, way="years", window=30
    ),
    "the size of one page was taken for that of a window": Traits(size="the page", way="years", window=30),
    "a record that GetRecord brought for a tombstone was taken for one outside of the window": Traits(
        "a short page", "the truth", "noRecordsMatch", "short, then noRecordsMatch", granularity=DAY,
        is_backwards=True, way="years", spelling="next", twins="stale",
    ),
    "tombstones of a year stood beside living records of other years": Traits(way="years", twins="stale"),
    "the last part was empty, and a page before it was short": Traits(
        "a short page", "so far", "HTTP 204", "short", names_page_size=10, twins="stale"
    ),
    "the list of sets had no end": Traits(optional="endless"),
}  # fmt: skip


@each_row("symptom", _REMARKABLE)
def test_endpoint_that_once_lost_records_in_silence_loses_none(house: Instance, symptom: str) -> None:
    name, counts = f"remarkable{list(_REMARKABLE).index(symptom)}", Counter[str]()
    assert verdict(house, opened(_REMARKABLE[symptom]), name, counts) == []
    assert counts == {"honest": 1}


@each_row("symptom", _MENDED)
def test_endpoint_that_once_lost_records_in_silence_is_harvested_whole(house: Instance, symptom: str) -> None:
    name, counts = f"mended{list(_MENDED).index(symptom)}", Counter[str]()
    assert verdict(house, opened(_MENDED[symptom]), name, counts) == []
    assert counts == {"complete": 1}


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
    harvest = harvested(house, site, name, way, is_direct=True)
    counts["complete" if harvest.says_whole else "honest"] += 1
    *_, last = house.inbox.events(harvest.run.number)
    faults = [*_of_the_run(harvest, endpoint, last.text, counts), *_of_the_requests(harvest, site)]
    sets = sum(asked.verb == "ListSets" for asked in site.asked)
    if site.is_run_away_from or sets > _MOST_SETS:
        faults.append(f"it would have gone on for ever: {len(site.asked)} requests, {sets} of ListSets")
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
    is_said = (
        "Nothing is missing" not in last_line and f"`harvester source sweep {run.source}` compares all" in last_line
    )
    return [] if is_said or not is_left else [f"SILENT: it lost {len(lost)}, and says {last_line}"]


def _given_away(endpoint: Endpoint, lost: frozenset[str]) -> str:
    """Return which of the lost records a run must know of, and how; empty when there is none."""
    if endpoint.is_short and lost & endpoint.named:
        return f"{len(lost & endpoint.named)} that ListIdentifiers names"
    if endpoint.has_true_count and (lost := lost - endpoint.denied):
        return f"{len(lost)}, and a count tells of them"
    if lost & endpoint.told_otherwise:
        return f"{len(lost & endpoint.told_otherwise)} of which a token, a date or an entry tells"
    behind = lost & endpoint.behind_the_break
    return f"{len(behind)} where its list breaks off" if behind else ""


def _of_the_requests(harvest: Harvested, site: Site) -> list[str]:
    endpoint = site.source
    if not endpoint.is_healthy:  # type: ignore[attr-defined]
        return []
    faults = [] if harvest.says_whole else [f"it is healthy, and the run says: {harvest.run.reasons}"]
    # Each of a few windows has a last page of its own, and its ends are compared.
    most = endpoint.pages + (16 if endpoint.traits.way == "years" else 8)  # type: ignore[attr-defined]
    if sum(asked.verb != "ListSets" for asked in site.asked) > most:
        faults.append(f"it is healthy, and was asked {len(site.asked)} times for {endpoint.pages} pages")  # type: ignore[attr-defined]
    return faults


def _of_the_sweep(before: Harvested, after: Harvested, endpoint: Endpoint) -> list[str]:
    lost, faults = _lost(after, endpoint), []
    if any("fault of this program" in reason for reason in after.run.reasons):
        faults.append(f"the sweep broke: {after.run.reasons}")
    if after.says_whole and lost & endpoint.named:
        faults.append(f"SILENT: the sweep lost {len(lost & endpoint.named)}")
    if endpoint.traits.single == "found" and before.run.outcome in _ENDED:
        if lost & endpoint.named and not endpoint.is_unreadable:
            faults.append(f"the sweep did not fetch {len(lost & endpoint.named)}")
        if deleted := lost - _lost(before, endpoint):
            faults.append(f"the sweep deleted {len(deleted)} that are there")
    return faults


def test_no_endpoint_loses_anything_in_silence() -> None:
    """A random sample, named by its seed; with ENDPOINTS=all the whole product."""
    failed, counts = {}, Counter[str]()
    chosen = drawn(SEED, None if _COUNT == "all" else int(_COUNT))
    for start in range(0, len(chosen), _PORTION):
        with _house() as house:
            for number, traits in enumerate(chosen[start : start + _PORTION]):
                if faults := verdict(house, opened(traits), f"endpoint{number}", counts):
                    failed[str(traits)] = faults
    assert failed == {}
