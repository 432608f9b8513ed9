"""What goes wrong at a source: nothing is lost, nothing wrong is held as good, and what is not shown is not claimed."""

from __future__ import annotations

import json
import socket

import pytest

from gateway.model import Cursor, RawPage, RunOutcome, Slice, Source
from harvester.outcomes import Status
from tests.resourcesync.site import DC, document, element

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times


LIST, CHANGES = "resourcelist.xml", "changelist.xml"
AT = "2013-01-01T00:00:00Z"


def _part(site, name, **said):
    return f"<sitemap><loc>{site.url}/{name}</loc>{element('md', **said)}</sitemap>"


def _quarantine(house):
    return {each.identifier.rpartition("/")[2]: each.reason for each in house.store.quarantined("fake")}


def test_a_wrong_digest_is_never_held_as_good_and_asked_for_again(site, run, titles, house):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), site.metadata("2"), at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    good = site.files["/2"]
    site.files["/2"] = good.replace(b"Work", b"Evil")
    ran = run()
    assert (ran.status, ran.run.is_complete, ran.run.counts["quarantined"]) == (Status.WITH_ERRORS, False, 1)
    assert titles() == {"1": "Work 1"}
    assert "as the source says" in _quarantine(house)["2"]
    assert run().status is Status.WITH_ERRORS
    site.files["/2"] = good
    ran = run()
    assert (ran.status, ran.run.is_complete, ran.run.counts["received"]) == (Status.SUCCEEDED, True, 1)
    assert titles() == {"1": "Work 1", "2": "Work 2"}
    assert _quarantine(house) == {}
    assert run().run.counts["received"] == 0


def test_a_length_that_is_wrong_is_a_fault_where_there_is_no_digest(site, run, house):
    site.offer("resourcelist")
    site.metadata("1")
    site.put(LIST, "resourcelist", site.url_element("1", length="5", type="text/xml"), at=AT)
    assert run().status is Status.WITH_ERRORS
    assert "not 5 as the source says" in _quarantine(house)["1"]


def test_what_was_good_stays_when_a_later_version_is_wrong(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    run()
    changed = site.metadata("1", "Changed") and site.entry("1", change="updated", datetime="2013-01-02T00:00:00Z")
    site.put(CHANGES, "changelist", changed, from_=AT)
    site.files["/1"] += b"<!-- damaged -->"
    assert run().status is Status.WITH_ERRORS
    assert titles() == {"1": "Work 1"}


def test_a_duplicate_stands_in_for_what_cannot_be_had(site, run, titles):
    site.offer("resourcelist")
    duplicates = (
        site.link("duplicate", "worse", pri="2")
        + site.link("duplicate", "mirror", pri="1")
        + '<rs:ln rel="duplicate" href="gsiftp://e.org/1"/>'
    )
    entry = site.metadata("1") and site.entry("1", links=duplicates)
    site.put(LIST, "resourcelist", entry, at=AT)
    site.files["/mirror"] = site.files.pop("/1")
    assert run().status is Status.SUCCEEDED
    assert titles() == {"1": "Work 1"}
    assert site.times("/worse") == 0


def test_a_missing_resource_is_told_and_asked_for_again(site, run, titles, house):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", site.metadata("1"), site.metadata("2"), at=AT)
    lost = site.files.pop("/2")
    ran = run()
    assert ran.status is Status.WITH_ERRORS
    assert "HTTP status 404 (Not Found)" in _quarantine(house)["2"]
    assert "could not be used are asked for again: 1." in ran.run.reasons[0]
    site.files["/2"] = lost
    site.put(LIST, "resourcelist", site.entry("1"), site.entry("2"), at="2013-02-01T00:00:00Z")
    assert run().status is Status.SUCCEEDED
    assert len(titles()) == 2


def test_what_is_deleted_before_it_could_be_used_leaves_quarantine(site, run, house):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    del site.files["/1"]
    assert run().status is Status.WITH_ERRORS
    deleted = site.url_element("1", change="deleted", datetime="2013-01-02T00:00:00Z")
    site.put(CHANGES, "changelist", deleted, from_=AT)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert _quarantine(house) == {}


def test_a_missing_part_of_a_list_is_told_and_the_position_waits(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put("a.xml", "resourcelist", site.metadata("1"), at=AT)
    site.put(LIST, "resourcelist", _part(site, "a.xml"), _part(site, "b.xml"), root="sitemapindex", at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    ran = run()
    assert (ran.status, ran.run.outcome, ran.run.is_complete) == (
        Status.WITH_ERRORS,
        RunOutcome.SUCCEEDED_WITH_ERRORS,
        False,
    )
    assert any("/b.xml answers with HTTP status 404" in each for each in ran.run.reasons)
    assert titles() == {"1": "Work 1"}
    site.put("b.xml", "resourcelist", site.metadata("2"), at=AT)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert titles() == {"1": "Work 1", "2": "Work 2"}
    assert site.times("/1") == 1


def test_a_list_that_breaks_off_is_told_and_what_came_before_is_held(site, run, titles):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", site.metadata("1"), site.metadata("2"), at=AT)
    site.files[f"/{LIST}"] = site.files[f"/{LIST}"][:-30]
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert titles() == {"1": "Work 1"}


def test_an_index_that_names_itself_ends(site, run, titles):
    site.offer("resourcelist")
    site.put("b.xml", "resourcelist", _part(site, LIST), _part(site, "c.xml"), root="sitemapindex", at=AT)
    site.put("c.xml", "resourcelist", site.metadata("1"), at=AT)
    site.put(LIST, "resourcelist", _part(site, "b.xml"), root="sitemapindex", at=AT)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert any("is named by a list below it" in each for each in ran.run.reasons)
    assert titles() == {"1": "Work 1"}


def test_an_index_that_says_it_is_a_list_is_read_as_an_index(site, run, titles):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", site.url_element("a.xml", capability="resourcelist"), at=AT)
    site.put("a.xml", "resourcelist", site.metadata("1"), at=AT)
    assert run().status is Status.SUCCEEDED
    assert titles() == {"1": "Work 1"}


def test_a_change_list_older_than_the_baseline_brings_nothing(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at="2013-03-01T00:00:00Z")
    old = site.url_element("1", change="deleted", datetime="2013-02-01T00:00:00Z")
    site.put(CHANGES, "changelist", old, from_=AT, until="2013-02-28T00:00:00Z")
    assert run().status is Status.SUCCEEDED
    assert run().run.counts["received"] == 0
    assert titles() == {"1": "Work 1"}


def test_a_change_list_that_begins_behind_the_baseline_is_told_once(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at=AT)
    created = site.metadata("2") and site.entry("2", change="created", datetime="2013-02-02T00:00:00Z")
    site.put(CHANGES, "changelist", created, from_="2013-02-01T00:00:00Z")
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert "begin behind 2013-01-01T00:00:00Z: what changed until then is told nowhere." in ran.run.reasons[0]
    assert len(titles()) == 2
    assert run().run.is_complete


def test_a_list_that_grows_while_it_is_read_loses_nothing(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put("a.xml", "resourcelist", site.metadata("1"), at="2013-01-01T00:00:00Z")
    site.put("b.xml", "resourcelist", site.metadata("2"), at="2013-01-01T00:05:00Z")
    site.put(LIST, "resourcelist", _part(site, "a.xml"), _part(site, "b.xml"), root="sitemapindex")
    site.put(CHANGES, "changelist", from_=AT)

    def grow(path):
        if path == "/b.xml":
            created = site.metadata("0") and site.entry("0", change="created", datetime="2013-01-01T00:03:00Z")
            site.put(CHANGES, "changelist", created, from_=AT)

    site.before = grow
    assert run().status is Status.SUCCEEDED
    assert sorted(titles()) == ["0", "1", "2"]


def test_changes_without_any_time_are_all_looked_at(site, run, titles):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at=AT)
    created = site.metadata("2") and site.entry("2", "", change="created")
    site.put(CHANGES, "changelist", created, from_=AT)
    assert run().status is Status.SUCCEEDED
    assert run().run.counts["unchanged"] == 1
    assert len(titles()) == 2


@pytest.mark.slow
def test_very_many_failures_let_the_position_wait(site, run):
    site.offer("resourcelist", "changelist")
    entries = [site.metadata(f"{number:03}") for number in range(205)]
    site.put(LIST, "resourcelist", *entries, at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    held = dict(site.files)
    for number in range(205):
        del site.files[f"/{number:03}"]
    ran = run()
    assert any("could not be used: 205; all are asked for again" in each for each in ran.run.reasons)
    site.files = held
    ran = run()
    assert (ran.status, ran.run.counts["published"]) == (Status.SUCCEEDED, 205)


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ({}, "neither its links, /.well-known/resourcesync nor robots.txt lead to one"),
        ({"/": document("framework-notification")}, "is of the kind 'framework-notification'"),
        ({"/": document("capabilitylist")}, "names none of resourcelist"),
        ({"/": document("changelist", element("ln", rel="up", href="http://127.0.0.1:1/"))}, "names no Resource List"),
        ({"/": b"<html/>", "/robots.txt": b"Sitemap: /x.xml", "/x.xml": b"<a/>"}, "its root is 'a'"),
    ],
)
def test_what_is_no_source_is_told(site, run, documents, words):
    site.files |= documents
    ran = run("/")
    assert ran.status in (Status.FAILED, Status.WITH_ERRORS)
    assert words in " ".join(ran.run.reasons)


def test_a_state_that_was_edited_is_no_reason_to_stop(site, run, house):
    site.offer("resourcelist", "changelist")
    site.put(LIST, "resourcelist", site.metadata("1"), at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    run()
    state = {"version": 1, "sets": {f"{site.url}/caps.xml": {"position": AT, "failed": ["{", "[[]]"]}}}
    house.inbox.put_cursor(Cursor("fake", "oai_dc", "", json.dumps(state)))
    assert run().run.is_complete


def test_a_list_that_the_server_cannot_bring_now_ends_the_run(site, run):
    site.offer("resourcelist")
    site.files[f"/{LIST}"] = (503, {}, b"later")
    ran = run()
    assert ran.status is Status.TRY_LATER
    site.files[f"/{LIST}"] = (500, {}, b"ill")
    assert "the server is ill" in run().run.reasons[0]


def test_sources_that_had_other_contents_before_are_harvested_as_they_are(site, run, house, titles):
    site.offer("resourcelist", "changelist")
    uri = f"{site.url}/1"
    body = DC.format("From elsewhere").encode() + b"<about>"
    page = RawPage("fake", "ListRecords", site.url, 0, 200, (), body, "oai_dc")
    cut = Slice(uri, "2013-01-01", (), False, 0, len(body) - 7, ((len(body) - 7, len(body)),))
    house.store.add_source(Source("fake", site.url))
    house.inbox.receive(page, (cut,), None)
    site.put(LIST, "resourcelist", site.metadata("2"), at=AT)
    changed = site.url_element("1", change="updated", datetime="2013-01-02T00:00:00Z")
    gone = site.url_element("9", change="deleted", datetime="2013-01-02T00:00:00Z")
    site.metadata("1", "Changed")
    site.put(CHANGES, "changelist", from_=AT)
    assert run().status is Status.WITH_ERRORS  # it is held, and not listed
    site.put(CHANGES, "changelist", changed, gone, from_=AT)
    assert run().status is Status.SUCCEEDED
    assert titles() == {"1": "Changed", "2": "Work 2"}


def test_a_resource_at_an_address_that_is_not_reached_leaves_the_others_alone(site, run, titles, house):
    site.offer("resourcelist", "changelist")
    elsewhere = "<url><loc>http://10.0.0.1/private</loc></url><url><loc>gsiftp://e.org/1</loc></url>"
    closed = f"<url><loc>http://127.0.0.1:{_closed_port()}/closed</loc></url>"
    site.put(LIST, "resourcelist", elsewhere, closed, site.metadata("1"), at=AT)
    site.put(CHANGES, "changelist", from_=AT)
    ran = run()
    assert (ran.status, ran.run.counts["quarantined"]) == (Status.WITH_ERRORS, 3)
    assert titles() == {"1": "Work 1"}
    assert "is at 10.0.0.1" in _quarantine(house)["private"]
    assert "its scheme is 'gsiftp'" in _quarantine(house)["1"]


def test_parts_of_lists_and_packages_at_such_addresses_are_told(site, run, titles):
    site.offer("resourcelist", "resourcedump")
    site.put("resourcedump.xml", "resourcedump", "<url><loc>http://10.0.0.1/a.zip</loc></url>", at=AT)
    part = "<sitemap><loc>http://10.0.0.1/a.xml</loc></sitemap>"
    site.put(LIST, "resourcelist", part, _part(site, "b.xml"), root="sitemapindex", at=AT)
    site.put("b.xml", "resourcelist", site.metadata("1"), at=AT)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert titles() == {"1": "Work 1"}


def _closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
