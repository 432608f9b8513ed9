"""A source is synchronised: everything first, then what has changed, and nothing twice or never."""

from hashlib import md5

import pytest

from gateway.core.model import Cursor, RunOutcome
from harvester.harvest.list_progress import waiting_deletions
from harvester.harvest.run_lifecycle import RunOptions
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, CHANGES, DC, LIST

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times

NINE, TEN, ELEVEN, NOON = (f"2013-01-03T{hour:02}:00:00Z" for hour in (9, 10, 11, 12))
DAY2, DAY3, FEBRUARY = (f"2013-{day}T00:00:00Z" for day in ("01-02", "01-03", "02-01"))


def test_changes_are_fetched_from_the_time_of_the_list_on(site, run, titles):
    site.lists("123", NINE)
    assert run().status is Status.SUCCEEDED
    site.asked.clear()
    old = site.entry("1", change="updated", datetime="2013-01-03T08:00:00Z")
    changed, deleted = site.change("2", TEN, title="Changed"), site.change("3", ELEVEN, "deleted")
    created = site.change("4", "2013-01-03T10:30:00.5Z", "created")
    site.changes(old, changed, created, deleted, from_="2013-01-03T00:00:00Z")
    ran = run()
    assert ran.status is Status.SUCCEEDED
    assert titles() == {"1": "Work 1", "2": "Changed", "3": "", "4": "Work 4"}
    assert (ran.run.counts["received"], ran.run.counts["deleted"]) == (3, 1)
    assert site.times("/1") == site.times("/3") == site.times(f"/{LIST}") == 0
    site.asked.clear()
    assert run().run.counts["received"] == 0
    assert site.times("/2") == site.times("/4") == 0


def test_an_interrupted_baseline_goes_on_and_loses_nothing_that_changed_meanwhile(site, run, titles):
    site.lists((f"{number:02}" for number in range(30)), NINE)
    ran = run(run_options=RunOptions(max_records=10))
    assert (ran.run.counts["received"], ran.run.is_complete) == (10, False)
    site.changes(site.change("05", TEN, title="Changed"), site.change("005", TEN, "created"), from_=NINE)
    site.asked.clear()
    ran = run()
    assert (ran.status, ran.run.counts["received"]) == (Status.SUCCEEDED, 20)
    assert site.times("/00") == site.times("/09") == 0
    assert run().run.counts["received"] == 2
    assert (titles()["05"], len(titles())) == ("Changed", 31)


def test_a_resource_that_changed_several_times_is_fetched_once(site, run, titles):
    site.lists("1", NINE)
    changes = [site.change("1", TEN, title="Old"), site.change("1", ELEVEN, title="New")]
    site.changes(*changes, from_=NINE)
    assert run().run.counts["received"] == 1
    assert titles() == {"1": "New"}
    assert site.times("/1") == 1
    again = site.change("1", "2013-01-03T13:00:00Z", "created", "Again")
    site.changes(*changes, site.change("1", NOON, "deleted"), again, from_=NINE)
    assert run().run.counts["received"] == 1
    assert titles() == {"1": "Again"}


def test_what_happened_in_the_moment_of_the_position_is_not_lost_and_not_fetched_twice(site, run):
    site.lists("", NINE)
    first = site.change("1", TEN, "created")
    for changes in ([first], [first, site.change("2", TEN, "created")]):
        site.changes(*changes, from_=NINE)
        assert run().run.counts["received"] == 1
    assert (site.times("/1"), site.times("/2")) == (1, 1)


def _archived(site, begins, run, *, is_linked):
    """Harvest one record; then let two changes be told, the earlier one in an archive."""
    site.lists("1")
    site.offer("resourcelist", "changelist", *([] if is_linked else ["changelist-archive"]))
    assert run().run.is_complete
    site.put("old.xml", "changelist", site.change("2", "2013-01-01T12:00:00Z", "created"), from_=begins, until=DAY2)
    site.put("changelist-archive.xml", "changelist-archive", site.url_element("old.xml", from_=begins, until=DAY2))
    link = site.link("archives", "changelist-archive.xml") if is_linked else ""
    site.changes(link, site.change("3", "2013-01-02T12:00:00Z", "created"), from_=DAY2)


@pytest.mark.parametrize("is_linked", [True, False])
def test_changes_that_are_not_told_any_more_are_found_in_the_archives(site, run, titles, is_linked):
    """The list links to its archive, or the Capability List names it."""
    _archived(site, AT, run, is_linked=is_linked)
    site.asked.clear()
    assert run().run.counts["received"] == 2
    assert site.times(f"/{LIST}") == 0
    assert list(titles()) == ["1", "2", "3"]


def test_where_changes_are_lost_all_is_compared_and_only_what_differs_is_fetched(site, run, titles, house):
    site.lists("123")
    run()
    entries = [site.entry("1"), site.metadata("2", "Changed"), site.metadata("4")]
    site.put(LIST, "resourcelist", *entries, at=FEBRUARY)
    site.changes(from_=FEBRUARY)
    site.asked.clear()
    ran = run()
    assert (site.times("/1"), ran.run.counts["received"]) == (0, 2)
    assert titles() == {"1": "Work 1", "2": "Changed", "3": "Work 3", "4": "Work 4"}
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert "do not name 1 of the stored items. To delete them, run `harvester source sweep fake`." in ran.run.reasons[0]
    told = [event.text for event in house.inbox.events(ran.run.number)]
    assert any("are not listed; all resources are compared" in text for text in told)


def test_a_source_without_change_lists_is_compared_when_its_list_is_new(site, run, titles):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", *map(site.metadata, "12"), at=AT)
    run()
    site.asked.clear()
    run()
    assert site.times("/1") == 0
    site.put(LIST, "resourcelist", site.entry("1"), site.metadata("2", "Changed"), site.metadata("3"), at=FEBRUARY)
    assert run().status is Status.SUCCEEDED
    assert (site.times("/1"), site.times("/2"), site.times("/3")) == (0, 1, 1)
    assert titles() == {"1": "Work 1", "2": "Changed", "3": "Work 3"}
    assert run(run_options=RunOptions(is_full=True)).run.counts["unchanged"] == 3


def _sets(site, *names):
    """Let the source have sets of resources with a Resource List each, `a.xml` for the set a."""
    described = (site.url_element(f"caps{name}.xml", capability="capabilitylist") for name in names)
    site.put(".well-known/resourcesync", "description", *described)
    for name in names:
        site.put(f"caps{name}.xml", "capabilitylist", site.url_element(f"{name}.xml", capability="resourcelist"))


def test_each_set_of_resources_keeps_its_own_position(site, run, titles):
    _sets(site, *"ab")
    for letter in "ab":
        site.put(f"{letter}.xml", "resourcelist", site.metadata(f"{letter}1"), at=AT)
    assert run(sets=(f"{site.url}/capsb.xml",)).run.counts["received"] == 1
    assert run().run.counts["received"] == 2
    site.put("b.xml", "resourcelist", site.entry("b1"), site.metadata("b2"), at=FEBRUARY)
    assert run().run.counts["received"] == 1
    assert list(titles()) == ["b1", "a1", "b2"]
    assert run(sets=("http://e.org/none",)).run.outcome is RunOutcome.FAILED


def test_resources_in_other_encodings_are_kept_as_they_came_and_read(site, run, titles, house):
    site.offer("resourcelist")
    text = DC.format("Müller").replace("<oai_dc", '<?xml version="1.0" encoding="ISO-8859-1"?><oai_dc', 1)
    site.files |= {"/1": text.encode("latin-1"), "/2": b"\xef\xbb\xbf" + DC.format("Märk").encode()}
    site.put(LIST, "resourcelist", site.entry("1"), site.entry("2"), at=AT)
    assert run().status is Status.SUCCEEDED
    assert titles() == {"1": "Müller", "2": "Märk"}
    (page,) = [inbox_page.page for inbox_page in house.inbox.pages("fake", 0) if inbox_page.slices]
    assert text.encode("latin-1") in page.body
    assert f"{site.url}/1 200".encode() in page.body


def test_a_source_cannot_be_asked_for_dates(site, run):
    ran = run(run_options=RunOptions(from_="2013-01-01"))
    assert "cannot be harvested by date" in ran.run.reasons[0]
    assert "cannot be harvested by date" in run(until="2013-01-01").run.reasons[0]


def test_a_state_that_cannot_be_read_means_from_the_start(site, run, house):
    site.lists("1")
    for state in ("{", "[]", '{"version": 2}', '{"version": 1, "sets": {"u": {"position": 1}}}'):
        house.inbox.put_cursor(Cursor("fake", "oai_dc", "", state))
        ran = run()
        assert ran.run.is_complete
        assert any("starts again" in event.text for event in house.inbox.events(ran.run.number))


@pytest.mark.parametrize("relation", ["http://www.openarchives.org/rs/terms/patch", "patch"])
def test_a_resource_that_changes_by_a_patch_is_fetched_whole(site, run, titles, relation):
    """A Change List may name a patch beside a resource (Z39.99 §14.4): the resource is fetched, the patch is not."""
    site.lists("1")
    assert run().status is Status.SUCCEEDED
    new = DC.format("New").encode()
    site.files |= {"/1": new, "/1.diff": b"@@ -1 +1 @@\n-something else\n+new\n"}
    link, digest = site.link(relation, "1.diff", type="text/x-diff"), f"md5:{md5(new).hexdigest()}"
    site.changes(site.url_element("1", DAY3, link, change="updated", hash=digest))
    site.asked.clear()
    assert run().status is Status.SUCCEEDED
    assert titles() == {"1": "New"}
    assert [path for path in site.asked if path in ("/1", "/1.diff")] == ["/1"]


def test_deletions_beyond_the_share_wait_until_a_person_says_so(site, run, titles, house):
    names = [f"{number:02}" for number in range(40)]
    site.lists(names)
    assert run().status is Status.SUCCEEDED
    site.changes(*(site.change(name, DAY2, "deleted") for name in names))
    ran = run()
    assert (ran.status, ran.run.counts["held_back"], ran.run.is_complete) == (Status.WITH_ERRORS, 35, False)
    assert sum(map(bool, titles().values())) == waiting_deletions(house, "fake") == 35
    assert run(run_options=RunOptions(is_sure=True)).status is Status.SUCCEEDED
    assert not any(titles().values())


# --- a list that its server says has not changed ------------------------------------------------------------------


def _tag(site, name, etag):
    """Let a document have an ETag."""
    site.files[f"/{name}"] = (200, {"ETag": etag}, site.files[f"/{name}"])


def test_a_change_list_is_read_when_it_has_changed(site, run, titles):
    site.lists("1")
    _tag(site, CHANGES, '"a"')
    for received in (1, 0, 0):
        ran = run()
        assert (ran.status, ran.run.is_complete, ran.run.counts["received"]) == (Status.SUCCEEDED, True, received)
    assert site.unchanged == [f"/{CHANGES}"] * 2
    site.changes(site.change("2", DAY3, "created"))
    _tag(site, CHANGES, '"b"')
    assert run().run.counts["received"] == 1
    assert titles() == {"1": "Work 1", "2": "Work 2"}


HOUR = "2013-01-01T01:00:00Z"


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
