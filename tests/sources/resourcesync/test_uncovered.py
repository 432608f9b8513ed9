"""Change Lists that do not cover the time from the last position until now: the Resource List says what they miss."""

from __future__ import annotations

import pytest

from gateway.model import RunOutcome
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import element

pytestmark = pytest.mark.slow  # it asks servers

LIST, CHANGES = "resourcelist.xml", "changelist.xml"
AT, HOUR, DAY2, DAY3 = "2013-01-01T00:00:00Z", "2013-01-01T01:00:00Z", "2013-01-02T00:00:00Z", "2013-01-03T00:00:00Z"


def _part(site, name, **attributes):
    return f"<sitemap><loc>{site.url}/{name}</loc>{element('md', **attributes)}</sitemap>"


@pytest.fixture
def harvested(site, run):
    """Let a source of two resources be harvested; its Change List is open and empty."""
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), site.metadata("2"), at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    assert run().run.is_complete
    return site


def _grow(site, at):
    """Add a resource that only the Resource List names, now of the time `at`."""
    entries = [site.entry("1"), site.entry("2"), site.metadata("3")]
    site.put(LIST, "resourcelist", *entries, **({"at": at} if at else {}))
    site.asked.clear()


@pytest.mark.parametrize(
    "ends",
    [{"from_": AT, "until": AT}, {"from_": AT, "until": HOUR}, {"until": HOUR}, {}, {"from_": "no time"}],
    ids=["closed", "closed later", "closed without beginning", "without beginning", "with a wrong beginning"],
)
@pytest.mark.parametrize("at", [DAY2, ""])
def test_a_newer_resource_list_is_read_when_the_change_list_does_not_cover_the_time(harvested, run, titles, ends, at):
    site = harvested
    site.put(CHANGES, "changelist", **ends)
    _grow(site, at)
    ran = run()
    assert (ran.status, ran.run.counts["received"]) == (Status.SUCCEEDED, 1)
    assert sorted(titles()) == ["1", "2", "3"]
    assert site.times("/1") == site.times("/2") == 0
    assert run().run.is_complete


def test_an_index_whose_lists_are_all_closed_does_not_cover_the_time(harvested, run, titles):
    site = harvested
    site.put("day1.xml", "changelist", from_=AT, until=HOUR)
    for known in ({"from_": AT, "until": HOUR}, {}):  # the index says it, or only the list itself
        site.put(CHANGES, "changelist", _part(site, "day1.xml", **known), root="sitemapindex", from_=AT)
        _grow(site, DAY2 if known else DAY3)
        assert run().run.is_complete
        assert site.times(f"/{LIST}") > 0
    assert sorted(titles()) == ["1", "2", "3"]


def test_an_older_resource_list_is_not_compared(harvested, run):
    site = harvested
    site.put(CHANGES, "changelist", from_=AT, until=DAY2)
    _grow(site, HOUR)
    assert (run().run.is_complete, site.times(f"/{LIST}"), site.times("/3")) == (True, 1, 0)


@pytest.mark.parametrize("has_beginning", [True, False])
def test_an_open_list_that_reaches_back_covers_the_time(harvested, run, titles, has_beginning):
    site = harvested
    old = site.entry("1", change="created", datetime="2012-12-31T00:00:00Z")
    new = site.metadata("4") and site.entry("4", change="created", datetime=HOUR)
    site.put(CHANGES, "changelist", old, new, **({"from_": AT} if has_beginning else {}))
    _grow(site, DAY2)
    assert (run().run.is_complete, site.times(f"/{LIST}")) == (True, 0)
    assert sorted(titles()) == ["1", "2", "4"]


def test_a_list_without_beginning_that_left_out_a_change_does_not_cover_it(harvested, run, titles):
    site = harvested
    new = site.metadata("4") and site.entry("4", change="created", datetime=DAY3)
    site.put(CHANGES, "changelist", new)
    entries = [site.entry("1"), site.entry("2"), site.metadata("3")]
    site.put(LIST, "resourcelist", *entries, at=DAY2)  # older than the change that is listed
    assert run().run.is_complete
    assert sorted(titles()) == ["1", "2", "3", "4"]


def test_a_closed_list_that_its_server_says_is_unchanged_does_not_cover_the_time(harvested, run, titles):
    site = harvested
    site.put(CHANGES, "changelist", from_=AT, until=HOUR)
    site.files[f"/{CHANGES}"] = (200, {"ETag": '"a"'}, site.files[f"/{CHANGES}"])
    assert run().run.is_complete
    _grow(site, DAY2)
    assert run().run.is_complete
    assert sorted(titles()) == ["1", "2", "3"]


@pytest.mark.parametrize("bad", [b"<html><body>maintenance</body></html>", (404, {}, b"no"), (500, {}, b"no")])
def test_an_unreadable_change_list_is_set_aside_and_the_resource_list_read(harvested, run, titles, bad):
    site = harvested
    site.files[f"/{CHANGES}"] = bad
    for _ in range(2):
        _grow(site, DAY2)
        ran = run()
        assert (ran.status, ran.run.outcome, ran.run.is_complete) == (
            Status.WITH_ERRORS,
            RunOutcome.SUCCEEDED_WITH_ERRORS,
            False,
        )
        assert f"/{CHANGES}" in ran.run.reasons[0]
        assert sorted(titles()) == ["1", "2", "3"]
    site.put(CHANGES, "changelist", from_=AT)
    assert run().run.is_complete


def test_the_first_harvest_needs_no_readable_change_list(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at=AT)
    site.files[f"/{CHANGES}"] = b"<html/>"
    ran = run()
    assert (ran.status, f"/{CHANGES}" in ran.run.reasons[0]) == (Status.WITH_ERRORS, True)
    assert list(titles()) == ["1"]


def test_without_any_readable_list_the_run_fails(harvested, run):
    site = harvested
    site.files[f"/{CHANGES}"] = site.files[f"/{LIST}"] = b"<html/>"
    assert run().run.outcome is RunOutcome.FAILED


def test_an_unreadable_resource_list_is_a_doubt_when_the_change_list_is_closed(harvested, run, titles):
    site = harvested
    new = site.metadata("4") and site.entry("4", change="created", datetime=HOUR)
    site.put(CHANGES, "changelist", new, from_=AT, until=HOUR)
    site.files[f"/{LIST}"] = b"<html/>"
    ran = run()
    assert (ran.status, f"/{LIST}" in ran.run.reasons[0]) == (Status.WITH_ERRORS, True)
    assert sorted(titles()) == ["1", "2", "4"]


def test_an_unreadable_change_list_is_a_finding_of_an_audit(harvested, audited):
    harvested.files[f"/{CHANGES}"] = b"<html/>"
    assert [(finding.what, CHANGES in finding.why) for finding in audited()] == [("doubt", True)]


@pytest.mark.parametrize("bad", [None, b"<html/>"])
def test_a_change_dump_that_does_not_cover_the_time_is_no_proof(site, run, titles, bad):
    site.offer("resourcelist", "changedump")
    site.put(LIST, "resourcelist", site.metadata("1"), site.metadata("2"), at=AT)
    site.put("changedump.xml", "changedump", from_=AT)
    assert run().run.is_complete
    site.put("changedump.xml", "changedump", from_=AT, until=AT)
    if bad:
        site.files["/changedump.xml"] = bad
    _grow(site, DAY2)
    assert run().run.is_complete
    assert sorted(titles()) == ["1", "2", "3"]


def test_a_change_dump_is_not_compared_with_an_older_resource_list(site, run):
    site.offer("resourcelist", "changedump")
    site.put(LIST, "resourcelist", site.metadata("1"), site.metadata("2"), at=AT)
    site.put("changedump.xml", "changedump", from_=AT, until=AT)
    assert run().run.is_complete
    site.asked.clear()
    assert (run().run.is_complete, site.times(f"/{LIST}")) == (True, 1)
