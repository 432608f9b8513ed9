"""A source is synchronised: everything first, then what has changed, and nothing twice or never."""

from __future__ import annotations

import pytest

from gateway.model import Cursor, RunOutcome
from harvester.harvest.run_options import RunOptions
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import DC, document, element

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


LIST, CHANGES = "resourcelist.xml", "changelist.xml"
AT = "2013-01-01T00:00:00Z"


def test_everything_in_the_list_is_held_and_proven(site, run, titles, house):
    site.offer("resourcelist")
    entries = [site.metadata(f"{number}.xml") for number in range(25)]
    site.put(LIST, "resourcelist", *entries, at="2013-01-03T09:00:00Z")
    ran = run()
    assert (ran.status, ran.run.outcome, ran.run.is_complete) == (Status.SUCCEEDED, RunOutcome.SUCCEEDED, True)
    assert ran.run.counts["received"] == ran.run.counts["published"] == 25
    assert titles() == {f"{number}.xml": f"Work {number}.xml" for number in range(25)}
    assert run().run.counts["received"] == 0


def test_changes_are_fetched_from_the_time_of_the_list_on(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put(
        LIST, "resourcelist", site.metadata("1"), site.metadata("2"), site.metadata("3"), at="2013-01-03T09:00:00Z"
    )
    site.put(CHANGES, "changelist", from_="2013-01-03T00:00:00Z")
    assert run().status is Status.SUCCEEDED
    site.asked.clear()
    site.metadata("2", "Changed")
    old = site.entry("1", change="updated", datetime="2013-01-03T08:00:00Z")
    changed = site.entry("2", change="updated", datetime="2013-01-03T10:00:00Z")
    created = site.metadata("4") and site.entry("4", change="created", datetime="2013-01-03T10:30:00.5Z")
    deleted = site.url_element("3", change="deleted", datetime="2013-01-03T11:00:00Z")
    site.put(CHANGES, "changelist", old, changed, created, deleted, from_="2013-01-03T00:00:00Z")
    ran = run()
    assert ran.status is Status.SUCCEEDED
    assert titles() == {"1": "Work 1", "2": "Changed", "3": "", "4": "Work 4"}
    assert (ran.run.counts["received"], ran.run.counts["deleted"]) == (3, 1)
    assert site.times("/1") == site.times("/3") == site.times(f"/{LIST}") == 0
    site.asked.clear()
    assert run().run.counts["received"] == 0
    assert site.times("/2") == site.times("/4") == 0


def test_an_interrupted_baseline_goes_on_and_loses_nothing_that_changed_meanwhile(site, run, titles):
    site.offer("resourcelist", "changelist")
    entries = [site.metadata(f"{number:02}") for number in range(30)]
    site.put(LIST, "resourcelist", *entries, at="2013-01-03T09:00:00Z")
    site.put(CHANGES, "changelist", from_="2013-01-03T09:00:00Z")
    ran = run(run_options=RunOptions(max_records=10))
    assert (ran.run.counts["received"], ran.run.is_complete) == (10, False)
    site.metadata("05", "Changed")
    changed = site.entry("05", change="updated", datetime="2013-01-03T10:00:00Z")
    created = site.metadata("005") and site.entry("005", change="created", datetime="2013-01-03T10:00:00Z")
    site.put(CHANGES, "changelist", changed, created, from_="2013-01-03T09:00:00Z")
    site.asked.clear()
    ran = run()
    assert (ran.status, ran.run.counts["received"]) == (Status.SUCCEEDED, 20)
    assert site.times("/00") == site.times("/09") == 0
    assert run().run.counts["received"] == 2
    assert titles()["05"] == "Changed"
    assert len(titles()) == 31


def test_what_was_fetched_before_the_server_fell_ill_is_kept(site, run, titles):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", *(site.metadata(f"{number:02}") for number in range(30)), at="2013-01-03T09:00:00Z")
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
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at="2013-01-03T09:00:00Z")
    old = site.metadata("1", "Old") and site.entry("1", change="updated", datetime="2013-01-03T10:00:00Z")
    new = site.metadata("1", "New") and site.entry("1", change="updated", datetime="2013-01-03T11:00:00Z")
    site.put(CHANGES, "changelist", old, new, from_="2013-01-03T09:00:00Z")
    assert run().run.counts["received"] == 1
    assert titles() == {"1": "New"}
    assert site.times("/1") == 1
    deleted = site.url_element("1", change="deleted", datetime="2013-01-03T12:00:00Z")
    again = site.metadata("1", "Again") and site.entry("1", change="created", datetime="2013-01-03T13:00:00Z")
    site.put(CHANGES, "changelist", old, new, deleted, again, from_="2013-01-03T09:00:00Z")
    assert run().run.counts["received"] == 1
    assert titles() == {"1": "Again"}


def test_what_happened_in_the_moment_of_the_position_is_not_lost_and_not_fetched_twice(site, run):
    site.offer("resourcelist", "changelist")
    moment = {"change": "created", "datetime": "2013-01-03T10:00:00Z"}
    site.put(LIST, "resourcelist", at="2013-01-03T09:00:00Z")
    first = site.metadata("1") and site.entry("1", **moment)
    site.put(CHANGES, "changelist", first, from_="2013-01-03T09:00:00Z")
    assert run().run.counts["received"] == 1
    second = site.metadata("2") and site.entry("2", **moment)
    site.put(CHANGES, "changelist", first, second, from_="2013-01-03T09:00:00Z")
    assert run().run.counts["received"] == 1
    assert (site.times("/1"), site.times("/2")) == (1, 1)


@pytest.mark.slow
def test_a_source_that_tells_days_only_brings_each_change_once(site, run):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", at="2013-01-01")
    attributes = {"change": "created", "datetime": "2013-01-02"}
    changes = [site.metadata(f"{number}") and site.entry(f"{number}", **attributes) for number in range(1500)]
    site.put(CHANGES, "changelist", *changes[:1400], from_="2013-01-01")
    assert run().run.counts["received"] == 1400
    site.put(CHANGES, "changelist", *changes, from_="2013-01-01")
    assert run().run.counts["received"] == 100
    assert run().run.counts["received"] == 0


def test_closed_lists_are_not_read_again_and_open_ones_are(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at="2013-01-01T00:00:00Z")

    def change(name, moment):
        return site.metadata(name) and site.entry(name, change="created", datetime=moment)

    def part(name, **attributes):
        return f"<sitemap><loc>{site.url}/{name}</loc>{element('md', **attributes)}</sitemap>"

    day1, day2, day3 = (f"2013-01-0{day}T00:00:00Z" for day in (1, 2, 3))
    site.put("day1.xml", "changelist", change("2", "2013-01-01T12:00:00Z"), from_=day1, until=day2)
    site.put("day2.xml", "changelist", change("3", "2013-01-02T12:00:00Z"), from_=day2)
    parts = [part("day2.xml", from_=day2), part("day1.xml", from_=day1, until=day2)]
    site.put(CHANGES, "changelist", *parts, root="sitemapindex", from_=day1)
    assert run().run.counts["received"] == 3
    site.put("day2.xml", "changelist", change("4", "2013-01-02T13:00:00Z"), from_=day2, until=day3)
    site.put("day3.xml", "changelist", from_=day3)
    parts = [part("day1.xml", from_=day1, until=day2), part("day2.xml", from_=day2, until=day3), part("day3.xml")]
    site.put(CHANGES, "changelist", *parts, root="sitemapindex", from_=day1)
    site.asked.clear()
    assert run().run.counts["received"] == 1
    assert (site.times("/day1.xml"), site.times("/day2.xml")) == (0, 1)
    site.asked.clear()
    assert run().run.counts["received"] == 0
    assert (site.times("/day2.xml"), site.times("/day3.xml")) == (0, 1)
    assert len(titles()) == 4


@pytest.mark.parametrize("is_linked", [True, False])
def test_changes_that_are_not_told_any_more_are_found_in_the_archives(site, run, titles, is_linked):
    """The list links to its archive, or the Capability List names it."""
    site.offer("resourcelist", "changelist", *([] if is_linked else ["changelist-archive"]))
    _archived(site, AT, run, is_linked=is_linked)
    site.asked.clear()
    assert run().run.counts["received"] == 2
    assert site.times(f"/{LIST}") == 0
    assert list(titles()) == ["1", "2", "3"]


def test_archives_that_do_not_reach_back_are_not_believed(site, run, titles):
    site.offer("resourcelist", "changelist")
    _archived(site, "2013-01-01T06:00:00Z", run, is_linked=True)
    entries = [site.entry("1"), site.entry("2"), site.entry("3"), site.metadata("4")]
    site.put(LIST, "resourcelist", *entries, at="2013-01-02T00:00:00Z")
    assert run().run.is_complete
    assert list(titles()) == ["1", "2", "3", "4"]


def _archived(site, begins, run, *, is_linked):
    """Harvest one record; then let two changes be told, the earlier one in an archive."""
    site.put(LIST, "resourcelist", site.metadata("1"), at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    assert run().run.is_complete
    old = site.metadata("2") and site.entry("2", change="created", datetime="2013-01-01T12:00:00Z")
    site.put("old.xml", "changelist", old, from_=begins, until="2013-01-02T00:00:00Z")
    archived = site.url_element("old.xml", from_=begins, until="2013-01-02T00:00:00Z")
    site.put("changelist-archive.xml", "changelist-archive", archived)
    new = site.metadata("3") and site.entry("3", change="created", datetime="2013-01-02T12:00:00Z")
    link = site.link("archives", "changelist-archive.xml") if is_linked else ""
    site.put(CHANGES, "changelist", link, new, from_="2013-01-02T00:00:00Z")


def test_where_changes_are_lost_all_is_compared_and_only_what_differs_is_fetched(site, run, titles, house):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", *map(site.metadata, "123"), at="2013-01-01T00:00:00Z")
    site.put(CHANGES, "changelist", from_="2013-01-01T00:00:00Z")
    run()
    entries = [site.entry("1"), site.metadata("2", "Changed"), site.metadata("4")]
    site.put(LIST, "resourcelist", *entries, at="2013-02-01T00:00:00Z")
    site.put(CHANGES, "changelist", from_="2013-02-01T00:00:00Z")
    site.asked.clear()
    ran = run()
    assert (site.times("/1"), ran.run.counts["received"]) == (0, 2)
    assert titles() == {"1": "Work 1", "2": "Changed", "3": "Work 3", "4": "Work 4"}
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert "do not name 1 of the stored items. To delete them, run `harvester source sweep fake`." in ran.run.reasons[0]
    assert any(
        "are not listed; all resources are compared" in event.text for event in house.inbox.events(ran.run.number)
    )


def test_a_source_without_change_lists_is_compared_when_its_list_is_new(site, run, titles):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", *map(site.metadata, "12"), at="2013-01-01T00:00:00Z")
    run()
    site.asked.clear()
    run()
    assert site.times("/1") == 0
    entries = [site.entry("1"), site.metadata("2", "Changed"), site.metadata("3")]
    site.put(LIST, "resourcelist", *entries, at="2013-02-01T00:00:00Z")
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


def test_each_set_of_resources_keeps_its_own_position(site, run, titles):
    caps = [site.url_element(f"caps{letter}.xml", capability="capabilitylist") for letter in "ab"]
    site.put(".well-known/resourcesync", "description", *caps)
    for letter in "ab":
        site.put(f"caps{letter}.xml", "capabilitylist", site.url_element(f"{letter}.xml", capability="resourcelist"))
        site.put(f"{letter}.xml", "resourcelist", site.metadata(f"{letter}1"), at="2013-01-01T00:00:00Z")
    assert run(sets=(f"{site.url}/capsb.xml",)).run.counts["received"] == 1
    assert run().run.counts["received"] == 2
    site.put("b.xml", "resourcelist", site.entry("b1"), site.metadata("b2"), at="2013-02-01T00:00:00Z")
    assert run().run.counts["received"] == 1
    assert list(titles()) == ["b1", "a1", "b2"]
    assert run(sets=("http://e.org/none",)).run.outcome is RunOutcome.FAILED


def test_resources_in_other_encodings_are_kept_as_they_came_and_read(site, run, titles, house):
    site.offer("resourcelist")
    text = DC.format("Müller").replace("<oai_dc", '<?xml version="1.0" encoding="ISO-8859-1"?><oai_dc', 1)
    site.files["/1"] = text.encode("latin-1")
    site.files["/2"] = b"\xef\xbb\xbf" + DC.format("Märk").encode()
    site.put(LIST, "resourcelist", site.entry("1"), site.entry("2"), at="2013-01-01T00:00:00Z")
    assert run().status is Status.SUCCEEDED
    assert titles() == {"1": "Müller", "2": "Märk"}
    (page,) = [inbox_page.page for inbox_page in house.inbox.pages("fake", 0) if inbox_page.slices]
    assert text.encode("latin-1") in page.body
    assert f"{site.url}/1 200".encode() in page.body


def test_a_source_cannot_be_asked_for_dates(site, run):
    ran = run(run_options=RunOptions(from_="2013-01-01"))
    assert "cannot be harvested by date" in ran.run.reasons[0]
    assert "cannot be harvested by date" in run(until="2013-01-01").run.reasons[0]


@pytest.mark.parametrize("state", ["{", "[]", '{"version": 2}', '{"version": 1, "sets": {"u": {"position": 1}}}'])
def test_a_state_that_cannot_be_read_means_from_the_start(site, run, house, state):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at="2013-01-01T00:00:00Z")
    house.inbox.put_cursor(Cursor("fake", "oai_dc", "", state))
    ran = run()
    assert ran.run.counts["received"] == 1
    assert any("starts again" in event.text for event in house.inbox.events(ran.run.number))


def test_a_collection_is_a_set(site, run, titles):
    site.offer("resourcelist")
    link = element("ln", rel="collection", href="http://example.com/reports")
    entries = (site.metadata("1") and site.entry("1", links=link), site.metadata("2"))
    site.put(LIST, "resourcelist", *entries, at=AT)
    assert run().status is Status.SUCCEEDED
    assert titles(set_spec="source:fake:http:~2F~2Fexample.com~2Freports") == {"1": "Work 1"}


def test_what_one_set_of_resources_does_not_name_the_lists_of_another_one_may(site, run, titles):
    """It was told as held and named by no list, by every run of a source with several sets."""
    described = (site.url_element(f"caps{number}.xml", capability="capabilitylist") for number in "12")
    site.put(".well-known/resourcesync", "description", *described)

    def listed(second):
        for number in "12":
            site.put(f"list{number}.xml", "resourcelist", site.metadata(number), at=f"2013-01-03T00:00:{second}Z")
            named = site.url_element(f"list{number}.xml", capability="resourcelist")
            site.put(f"caps{number}.xml", "capabilitylist", named)

    for second in ("01", "02"):
        listed(second)
        assert run().status is Status.SUCCEEDED
    site.put("list2.xml", "resourcelist", at="2013-01-03T00:00:03Z")
    ran = run()
    assert "The lists do not name 1 of the stored items" in " ".join(ran.run.reasons)


def test_content_that_changed_metadata_does_not_describe_any_more_is_no_file_of_it(site, run, published):
    site.offer("resourcelist", "changelist")
    site.files |= {"/1.pdf": b"%PDF 1", "/2.pdf": b"%PDF 2"}
    before = site.metadata("m") and site.entry("m", links=site.link("describes", "1.pdf"))
    site.put(LIST, "resourcelist", before, site.entry("1.pdf"), at=AT)
    attributes = {"change": "updated", "datetime": "2013-01-03T00:00:00Z"}
    after = site.metadata("m", "Changed") and site.entry("m", links=site.link("describes", "2.pdf"), **attributes)
    site.put(CHANGES, "changelist", after, site.entry("2.pdf", **attributes), from_=AT)
    assert run().status is Status.SUCCEEDED
    (didl,) = published("oai_didl").values()
    assert ("/2.pdf" in didl, "/1.pdf" in didl) == (True, False)
