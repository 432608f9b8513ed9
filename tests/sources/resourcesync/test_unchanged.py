"""A list that its server says has not changed is not read again, and nothing is lost by that."""

from __future__ import annotations

import pytest

from harvester.runtime.exit_status import Status

pytestmark = pytest.mark.slow

AT = "2013-01-03T00:00:00Z"
LIST, CHANGES = "/resourcelist.xml", "/changelist.xml"


def tag(site, path, etag):
    """Let a document have an ETag."""
    site.files[path] = (200, {"ETag": etag}, site.files[path])


@pytest.fixture
def harvested(site, run):
    """Let a source with a Change List be harvested; `site.put` puts the next one there."""
    site.offer("resourcelist", "changelist")
    site.put("resourcelist.xml", "resourcelist", site.metadata("1"), at=AT)
    site.put("changelist.xml", "changelist", from_=AT)
    tag(site, CHANGES, '"a"')
    assert run().status is Status.SUCCEEDED
    return site


def test_a_change_list_is_read_when_it_has_changed(harvested, run, titles):
    site = harvested
    for _ in range(2):
        ran = run()
        assert (ran.status, ran.run.is_complete, ran.run.counts["received"]) == (Status.SUCCEEDED, True, 0)
    assert site.unchanged == [CHANGES, CHANGES]
    created = site.metadata("2") and site.entry("2", change="created", datetime="2013-01-03T01:00:00Z")
    site.put("changelist.xml", "changelist", created, from_=AT)
    tag(site, CHANGES, '"b"')
    assert run().run.counts["received"] == 1
    assert titles() == {"1": "Work 1", "2": "Work 2"}


def test_what_could_not_be_used_is_asked_for_though_the_list_is_the_same(harvested, run, titles):
    site = harvested
    created = site.entry("2", change="created", datetime="2013-01-03T01:00:00Z", length="3", hash="")
    site.put("changelist.xml", "changelist", created, from_=AT)
    tag(site, CHANGES, '"b"')
    assert run().status is Status.WITH_ERRORS
    site.metadata("2", "xx")
    site.files["/2"] = b"<a/>"[:3]
    assert run().status is Status.WITH_ERRORS
    assert site.unchanged == [CHANGES]
    assert site.times("/2") == 2


def test_an_only_resource_list_is_read_when_it_has_changed(site, run, titles):
    site.offer("resourcelist")
    site.put("resourcelist.xml", "resourcelist", site.metadata("1"), site.metadata("2"), at=AT)
    tag(site, LIST, '"a"')
    assert run().status is Status.SUCCEEDED
    assert run().run.is_complete
    assert site.unchanged == [LIST]
    site.put("resourcelist.xml", "resourcelist", site.metadata("1", "New"), at="2013-01-04T00:00:00Z")
    tag(site, LIST, '"b"')
    ran = run()
    assert (titles()["1"], ran.run.is_complete) == ("New", False)  # the other one is not listed any more
    assert site.times("/1") == 2


def test_a_list_that_does_not_say_of_when_it_is_is_always_read(site, run):
    site.files["/sitemap.xml"] = (
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{site.url}/1</loc></url></urlset>'.encode()
    )
    tag(site, "/sitemap.xml", '"a"')
    site.metadata("1")
    assert [run("/sitemap.xml").status for _ in range(2)] == [Status.SUCCEEDED] * 2
    assert site.unchanged == []
    assert site.times("/1") == 2
