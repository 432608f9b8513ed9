"""Change Lists that do not cover the time from the last position until now: the Resource List says what they miss."""

import pytest

from gateway.core.model import RunOutcome
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, CHANGES, LIST

pytestmark = pytest.mark.slow  # it asks servers

HOUR, DAY2, DAY3 = "2013-01-01T01:00:00Z", "2013-01-02T00:00:00Z", "2013-01-03T00:00:00Z"


@pytest.fixture
def harvested(site, run):
    """Let a source of two resources be harvested; its Change List is open and empty."""
    site.lists("12")
    assert run().run.is_complete
    return site


def _grow(site, at):
    """Add a resource that only the Resource List names, now of the time `at`."""
    entries = [site.entry("1"), site.entry("2"), site.metadata("3")]
    site.put(LIST, "resourcelist", *entries, **({"at": at} if at else {}))
    site.asked.clear()


@pytest.mark.parametrize(
    ("ends", "at"),
    [
        ({"from_": AT, "until": AT}, DAY2),
        ({"from_": AT, "until": HOUR}, ""),
        ({"until": HOUR}, DAY2),
        ({}, DAY2),
        ({}, ""),
        ({"from_": "no time"}, DAY2),
    ],
    ids=["closed", "closed later", "closed without beginning", "without beginning", "of no time", "wrong beginning"],
)
def test_a_newer_resource_list_is_read_when_the_change_list_does_not_cover_the_time(harvested, run, titles, ends, at):
    harvested.put(CHANGES, "changelist", **ends)
    _grow(harvested, at)
    ran = run()
    assert (ran.status, ran.run.counts["received"]) == (Status.SUCCEEDED, 1)
    assert sorted(titles()) == ["1", "2", "3"]
    assert harvested.times("/1") == harvested.times("/2") == 0
    assert run().run.is_complete


def test_an_index_whose_lists_are_all_closed_does_not_cover_the_time(harvested, run, titles):
    harvested.put("day1.xml", "changelist", from_=AT, until=HOUR)
    for known in ({"from_": AT, "until": HOUR}, {}):  # the index says it, or only the list itself
        harvested.changes(harvested.part("day1.xml", **known), root="sitemapindex")
        _grow(harvested, DAY2 if known else DAY3)
        assert run().run.is_complete
        assert harvested.times(f"/{LIST}") > 0
    assert sorted(titles()) == ["1", "2", "3"]


@pytest.mark.parametrize("has_beginning", [True, False])
def test_an_open_list_that_reaches_back_covers_the_time(harvested, run, titles, has_beginning):
    old = harvested.entry("1", change="created", datetime="2012-12-31T00:00:00Z")
    entries = old, harvested.change("4", HOUR, "created")
    harvested.put(CHANGES, "changelist", *entries, **({"from_": AT} if has_beginning else {}))
    _grow(harvested, DAY2)
    assert (run().run.is_complete, harvested.times(f"/{LIST}")) == (True, 0)
    assert sorted(titles()) == ["1", "2", "4"]


@pytest.mark.parametrize("bad", [b"<html><body>maintenance</body></html>", (500, {}, b"no")])
def test_an_unreadable_change_list_is_set_aside_and_the_resource_list_read(harvested, run, titles, audited, bad):
    harvested.files[f"/{CHANGES}"] = bad
    for _ in range(2):
        _grow(harvested, DAY2)
        ran = run()
        assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
        assert ran.run.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS
        assert f"/{CHANGES}" in ran.run.reasons[0]
        assert sorted(titles()) == ["1", "2", "3"]
    assert [(finding.what, CHANGES in finding.why) for finding in audited()] == [("doubt", True)]
    harvested.changes()
    assert run().run.is_complete
