"""A source is found from any starting point, described, recognised, swept and audited, as the commands do it."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from gateway.core.model import ItemChange, Publication
from harvester.cli import main
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, CHANGES, LIST

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times

WELL_KNOWN, FEBRUARY = ".well-known/resourcesync", "2013-02-01T00:00:00Z"


@pytest.fixture
def full(site):
    """Put a whole source there: description, Capability List, an index of one Resource List, Change List."""
    site.offer("resourcelist", "changelist")
    up = site.link("up", "caps.xml")
    site.put("part.xml", "resourcelist", up + site.link("index", LIST), site.metadata("1"), at=AT)
    site.put(LIST, "resourcelist", up, site.part("part.xml"), root="sitemapindex", at=AT)
    site.changes(up, site.metadata("2") and site.entry("2", change="created"))
    return site


@pytest.fixture
def command(house):
    """Return a function that runs `harvester` in this process, and returns (exit status, data, words)."""

    def command(*arguments):
        result = CliRunner().invoke(main, ["--instance", str(house.folder), *arguments, "--json"])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()], result.stderr

    return command


@pytest.fixture
def harvested(full, command):
    """Let the whole source be added and harvested."""
    assert command("source", "add", "fake", full.url, "--kind", "resourcesync")[0] == 0
    assert command("run", "fake")[0] == 0
    return full


def test_every_starting_point_leads_to_the_same(full, run, titles):
    full.files["/"] = b"<html>A welcome</html>"
    full.files["/linked"] = b'<html><link rel="resourcesync" href="/caps.xml">'
    full.files["/headed"] = (200, {"Link": '</caps.xml>; rel="resourcesync"'}, b"%PDF")
    full.files["/a/b"] = (403, {}, b"no")
    documents = [f"/{WELL_KNOWN}", "/caps.xml", f"/{LIST}", "/part.xml", f"/{CHANGES}"]
    for path in ["", "/", "/linked", "/headed", "/a/b", *documents]:
        assert run(path).run.is_complete, path
        assert titles() == {"1": "Work 1", "2": "Work 2"}
    del full.files[f"/{WELL_KNOWN}"]
    full.files["/robots.txt"] = f"User-agent: *\nSitemap: {full.url}/{LIST}\n".encode()
    full.metadata("3")
    full.changes(full.entry("3", change="created"))
    assert run().run.is_complete
    assert "3" in titles()


def test_a_part_of_a_list_leads_to_the_whole_of_it(full, run, titles):
    del full.files["/caps.xml"]
    del full.files[f"/{WELL_KNOWN}"]
    full.put("part2.xml", "resourcelist", full.link("index", LIST), full.metadata("3"), at=AT)
    full.put(LIST, "resourcelist", full.part("part.xml"), full.part("part2.xml"), root="sitemapindex", at=AT)
    assert run("/part2.xml").run.is_complete
    assert titles() == {"1": "Work 1", "3": "Work 3"}


def test_commands_add_describe_run_and_recognise_it(full, command):
    status, (facts,), _ = command("source", "add", "fake", f"{full.url}/caps.xml", "--kind", "resourcesync")
    assert (status, facts["deleted_record"], facts["notes"]) == (0, "transient", [])
    status, (facts,), _ = command("run", "fake")
    assert (status, facts["counts"]["published"]) == (0, 2)
    status, (facts,), _ = command("source", "check", f"{full.url}/")
    assert status == 0
    assert "with a Resource List, a Change List." in json.dumps(facts)


def test_a_web_site_with_or_without_a_plain_sitemap_is_no_source(site, command):
    site.files["/x"] = b"<html/>"
    site.files["/robots.txt"] = b"Sitemap: /sitemap.xml"
    site.files["/sitemap.xml"] = b"<urlset><url><loc>http://e.org/</loc></url></urlset>"
    for path in ("/x", "/"):
        assert "resourcesync" not in json.dumps(command("source", "check", site.url + path)[1])
    url = f"{site.url}/sitemap.xml"
    for arguments in (("check", url), ("add", "other", url), ("add", "other", url, "--kind", "resourcesync")):
        status, _, words = command("source", *arguments)
        assert status
        assert "--kind" not in words
        assert any(text in words for text in ("is the sitemap of a web site", "Correct the url of the source")), words
    command("source", "add", "other", url, "--kind", "resourcesync", "--no-check")
    status, (facts,), _ = command("run", "other")
    assert (status, facts["is_complete"]) == (1, False)
    assert "is the sitemap of a web site" in facts["reasons"][0]


def test_a_sweep_deletes_what_the_lists_do_not_name_and_the_source_does_not_have(full, command, titles):
    full.put("part.xml", "resourcelist", *map(full.metadata, "1345"), at=AT)
    command("source", "add", "fake", full.url, "--kind", "resourcesync")
    assert command("run", "fake")[0] == 0
    full.put("part.xml", "resourcelist", full.entry("1"), full.entry("5"), at=AT)
    del full.files["/3"]
    status, _, words = command("source", "sweep", "fake", "--yes")
    assert status == 0, words
    assert {name for name, title in titles().items() if not title} == {"3"}
    full.put("part.xml", "resourcelist", *map(full.metadata, "1345"), at=AT)
    assert command("source", "sweep", "fake", "--yes")[0] == 0
    assert all(titles().values())


def test_a_sweep_without_a_whole_list_deletes_nothing(harvested, command, titles):
    harvested.put(LIST, "resourcelist", harvested.part("none.xml"), root="sitemapindex", at=AT)
    assert command("source", "sweep", "fake", "--yes")[0] == 3
    harvested.put("caps.xml", "capabilitylist", harvested.url_element(CHANGES, capability="changelist"))
    assert command("source", "sweep", "fake", "--yes")[0] == 3
    harvested.offer("resourcelist", "changelist")
    harvested.put(LIST, "resourcelist", harvested.entry("1"), at=AT)
    harvested.changes(from_=FEBRUARY)
    del harvested.files["/2"]
    assert command("source", "sweep", "fake", "--yes")[0] == 3
    assert all(titles().values())


def test_an_audit_tells_what_is_missing_changed_extra_and_corrupt(full, command):
    latin = b'<?xml version="1.0" encoding="iso-8859-1"?><a xmlns="urn:x"><title>\xfc</title></a>'
    full.files |= {"/latin": latin, "/latin2": latin}
    dated = [full.metadata(name) and full.url_element(name, AT) for name in "67"]
    entries = [*map(full.metadata, "1345"), *dated, full.entry("latin"), full.entry("latin2")]
    full.put("part.xml", "resourcelist", *entries, at=AT)
    command("source", "add", "fake", full.url, "--kind", "resourcesync")
    assert command("run", "fake")[0] == 0
    status, rows, words = command("source", "audit", "fake")
    assert (status, rows) == (0, [])
    assert "fake: the held resources agree with the lists." in words
    full.asked.clear()
    full.files["/latin2"] += b"<!-- changed -->"
    entries = [full.metadata("1", "Changed"), full.entry("4"), full.metadata("8"), full.url_element("6", "2013-05-01")]
    entries += [full.url_element("7", AT), full.entry("latin"), full.entry("latin2")]
    full.changes(full.entry("2", change="created"), full.change("5", "2013-01-03T00:00:00Z", "deleted"))
    full.put("part.xml", "resourcelist", *entries, at=AT)
    status, rows, words = command("source", "audit", "fake")
    found = {"missing": {"8"}, "changed": {"1", "6", "latin2"}, "extra": {"3", "5"}}
    pairs = {(what, name) for what, names in found.items() for name in names}
    assert {(row["what"], row["identifier"].rpartition("/")[2]) for row in rows} == pairs
    assert status == 3
    assert "fake: 3 changed, 2 extra, 1 missing." in words
    assert full.times("/1") == full.times("/8") == 0


def test_an_audit_finds_what_is_damaged_here(harvested, command, house):
    (page,) = [inbox_page for inbox_page in house.inbox.pages("fake", 0) if inbox_page.slices]
    damaged = replace(page.page, body=page.page.body.replace(b"Work 1", b"Work x"))
    number = house.inbox.receive(damaged, page.slices, None)
    uri = f"{harvested.url}/1"
    state = house.store.states("fake", (uri,))[uri]
    payloads = tuple(payload._replace(page=number) for payload in state.payloads)
    change = ItemChange(state.upstream, state.identifier, False, (), payloads, ())
    house.store.publish(house.store.intend(), Publication("fake", (change,)))
    (row,) = command("source", "audit", "fake")[1]
    assert (row["what"], row["identifier"]) == ("corrupt", uri)


def test_an_audit_calls_nothing_extra_that_it_could_not_look_for(harvested, command):
    harvested.changes(harvested.change("2", "2013-01-03T00:00:00Z", "deleted"))
    harvested.put(LIST, "resourcelist", harvested.part("none.xml"), root="sitemapindex", at=AT)
    status, rows, words = command("source", "audit", "fake")
    assert [(row["what"], row["identifier"]) for row in rows] == [("doubt", ""), ("extra", f"{harvested.url}/2")]
    assert "404" in rows[0]["why"]
    harvested.offer("resourcedump")
    status, rows, words = command("source", "audit", "fake")
    why = f"{harvested.url}/caps.xml names no Resource List."
    assert (status, [row["why"] for row in rows]) == (3, [why]), words


def test_of_two_lists_of_one_kind_it_is_told_that_one_is_not_read(full, run, command, titles):
    full.put("more.xml", "resourcelist", full.metadata("3"), at=AT)
    lists = (full.url_element(name, capability="resourcelist") for name in (LIST, LIST, "more.xml"))
    full.put("caps.xml", "capabilitylist", *lists)
    ran = run("/caps.xml")
    assert (ran.status, ran.run.is_complete, titles()) == (Status.WITH_ERRORS, False, {"1": "Work 1"})
    assert f"names a second resourcelist, {full.url}/more.xml" in " ".join(ran.run.reasons)
    assert command("source", "sweep", "fake")[0] == 3


def test_a_source_that_tells_of_changes_alone_is_not_recognised_and_says_why(full, command):
    """Its entry was written, and the first run said that it cannot be harvested."""
    full.put("caps.xml", "capabilitylist", full.url_element(CHANGES, capability="changelist"))
    status, rows, words = command("source", "check", f"{full.url}/caps.xml", "--add", "fake")
    why = f"{full.url}/caps.xml names no Resource List and no Resource Dump, so a first harvest is impossible."
    assert (status, rows, why in words) == (1, [], True)
    assert command("source", "add", "fake", full.url, "--kind", "resourcesync")[0] == 0
    status, _, words = command("run", "fake")
    assert (status, why in words) == (1, True)
