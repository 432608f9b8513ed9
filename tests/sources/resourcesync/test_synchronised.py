"""A source is synchronised: everything first, then what has changed, and nothing twice or never."""

from __future__ import annotations

from hashlib import md5

import pytest

from gateway.model import Cursor, RunOutcome
from harvester.harvest.run_options import RunOptions
from harvester.harvest.waiting_deletions import waiting_deletions
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, CHANGES, DC, LIST, document, element

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times

NINE, TEN, ELEVEN, NOON = (f"2013-01-03T{hour:02}:00:00Z" for hour in (9, 10, 11, 12))
DAY2, DAY3, FEBRUARY = (f"2013-{day}T00:00:00Z" for day in ("01-02", "01-03", "02-01"))


def test_everything_in_the_list_is_held_and_proven(site, run, titles):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", *(site.metadata(f"{number}.xml") for number in range(25)), at=NINE)
    ran = run()
    assert (ran.status, ran.run.outcome, ran.run.is_complete) == (Status.SUCCEEDED, RunOutcome.SUCCEEDED, True)
    assert ran.run.counts["received"] == ran.run.counts["published"] == 25
    assert titles() == {f"{number}.xml": f"Work {number}.xml" for number in range(25)}
    assert run().run.counts["received"] == 0


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


def test_what_was_fetched_before_the_server_fell_ill_is_kept(site, run, titles):
    site.lists((f"{number:02}" for number in range(30)), NINE)
    whole = dict(site.files)

    def falls_ill(path: str) -> None:
        if path == "/05":
            site.files |= dict.fromkeys(site.files, (500, {}, b"ill"))

    site.before = falls_ill
    ran = run()
    site.before = lambda _path: None
    assert ran.status is Status.TRY_LATER
    assert "the server is failing" in ran.run.reasons[0]
    site.files = whole
    assert run().status is Status.SUCCEEDED
    assert sorted(titles()) == [f"{number:02}" for number in range(30)]


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


def test_a_source_that_tells_days_only_brings_each_change_once(site, run):
    site.lists("", "2013-01-01")
    changes = [site.change(f"{number}", "2013-01-02", "created") for number in range(1100)]
    for told, received in ((1000, 1000), (1100, 100), (1100, 0)):
        site.changes(*changes[:told], from_="2013-01-01")
        assert run().run.counts["received"] == received


def test_closed_lists_are_not_read_again_and_open_ones_are(site, run, titles):
    site.lists("1")

    def put(name, when, **attributes):
        changes = [site.change(*when, "created")] if when else []
        site.put(name, "changelist", *changes, **attributes)

    put("day1.xml", ("2", "2013-01-01T12:00:00Z"), from_=AT, until=DAY2)
    put("day2.xml", ("3", "2013-01-02T12:00:00Z"), from_=DAY2)
    day1 = site.part("day1.xml", from_=AT, until=DAY2)
    site.changes(site.part("day2.xml", from_=DAY2), day1, root="sitemapindex")
    assert run().run.counts["received"] == 3
    put("day2.xml", ("4", "2013-01-02T13:00:00Z"), from_=DAY2, until=DAY3)
    put("day3.xml", None, from_=DAY3)
    site.changes(day1, site.part("day2.xml", from_=DAY2, until=DAY3), site.part("day3.xml"), root="sitemapindex")
    site.asked.clear()
    assert run().run.counts["received"] == 1
    assert (site.times("/day1.xml"), site.times("/day2.xml")) == (0, 1)
    site.asked.clear()
    assert run().run.counts["received"] == 0
    assert (site.times("/day2.xml"), site.times("/day3.xml")) == (0, 1)
    assert len(titles()) == 4


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


def test_archives_that_do_not_reach_back_are_not_believed(site, run, titles):
    _archived(site, "2013-01-01T06:00:00Z", run, is_linked=True)
    site.put(LIST, "resourcelist", *map(site.entry, "123"), site.metadata("4"), at=DAY2)
    assert run().run.is_complete
    assert list(titles()) == ["1", "2", "3", "4"]


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


def test_what_nothing_is_said_of_is_fetched_whenever_the_list_is_read(site, run):
    for name in "12":
        site.metadata(name)
    site.files["/list.xml"] = document("", site.url_element("1"), site.url_element("2", "2013-01-02"))
    assert run("/list.xml").run.counts["received"] == 2
    site.asked.clear()
    ran = run("/list.xml")
    assert (site.times("/1"), site.times("/2")) == (1, 0)
    assert ran.run.counts["unchanged"] == 1


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


def test_what_one_set_of_resources_does_not_name_the_lists_of_another_one_may(site, run):
    """It was told as held and named by no list, by every run of a source with several sets."""
    _sets(site, *"12")
    for second in ("01", "02"):
        for number in "12":
            site.put(f"{number}.xml", "resourcelist", site.metadata(number), at=f"2013-01-03T00:00:{second}Z")
        assert run().status is Status.SUCCEEDED
    site.put("2.xml", "resourcelist", at="2013-01-03T00:00:03Z")
    assert "The lists do not name 1 of the stored items" in " ".join(run().run.reasons)


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


def test_a_collection_is_a_set(site, run, titles):
    site.offer("resourcelist")
    link = element("ln", rel="collection", href="http://example.com/reports")
    entries = (site.metadata("1") and site.entry("1", links=link), site.metadata("2"))
    site.put(LIST, "resourcelist", *entries, at=AT)
    assert run().status is Status.SUCCEEDED
    assert titles(set_spec="source:fake:http:~2F~2Fexample.com~2Freports") == {"1": "Work 1"}


def test_content_that_changed_metadata_does_not_describe_any_more_is_no_file_of_it(site, run, published):
    site.lists("m")
    site.files |= {"/1.pdf": b"%PDF 1", "/2.pdf": b"%PDF 2"}
    before = site.entry("m", links=site.link("describes", "1.pdf"))
    site.put(LIST, "resourcelist", before, site.entry("1.pdf"), at=AT)
    after = site.change("m", DAY3, title="Changed", links=site.link("describes", "2.pdf"))
    site.changes(after, site.entry("2.pdf", change="updated", datetime=DAY3))
    assert run().status is Status.SUCCEEDED
    (didl,) = published("oai_didl").values()
    assert ("/2.pdf" in didl, "/1.pdf" in didl) == (True, False)


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


def test_what_could_not_be_used_is_asked_for_though_the_list_is_the_same(site, run):
    site.lists("1")
    run()
    site.changes(site.entry("2", change="created", datetime=DAY3, length="3", hash=""))
    _tag(site, CHANGES, '"b"')
    assert run().status is Status.WITH_ERRORS
    site.files["/2"] = b"<a/>"[:3]
    assert run().status is Status.WITH_ERRORS
    assert site.unchanged == [f"/{CHANGES}"]
    assert site.times("/2") == 2


def test_an_only_resource_list_is_read_when_it_has_changed(site, run, titles):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", *map(site.metadata, "12"), at=AT)
    _tag(site, LIST, '"a"')
    assert run().status is Status.SUCCEEDED
    assert run().run.is_complete
    assert site.unchanged == [f"/{LIST}"]
    site.put(LIST, "resourcelist", site.metadata("1", "New"), at=DAY2)
    _tag(site, LIST, '"b"')
    ran = run()
    assert (titles()["1"], ran.run.is_complete) == ("New", False)  # the other one is not listed any more
    assert site.times("/1") == 2


def test_a_list_that_does_not_say_of_when_it_is_is_always_read(site, run):
    site.metadata("1")
    site.files["/sitemap.xml"] = document("", site.url_element("1"))
    _tag(site, "sitemap.xml", '"a"')
    assert [run("/sitemap.xml").status for _ in range(2)] == [Status.SUCCEEDED] * 2
    assert site.unchanged == []
    assert site.times("/1") == 2
