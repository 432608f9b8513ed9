"""What goes wrong at a source: nothing is lost, nothing wrong is held as good, and what is not shown is not claimed."""

import socket

import pytest

from gateway.core.model import RunOutcome
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, LIST, document, element

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times

DAY2, FEBRUARY = "2013-01-02T00:00:00Z", "2013-02-01T00:00:00Z"


def _quarantine(house):
    return {record.identifier.rpartition("/")[2]: record.reason for record in house.store.quarantined("fake")}


def test_a_wrong_digest_is_never_held_as_good_and_asked_for_again(site, run, titles, house):
    site.lists("12")
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


def test_a_duplicate_stands_in_for_what_cannot_be_had(site, run, titles):
    site.offer("resourcelist")
    duplicates = site.link("duplicate", "worse", pri="2") + site.link("duplicate", "mirror", pri="1")
    duplicates += '<rs:ln rel="duplicate" href="gsiftp://e.org/1"/>'
    site.put(LIST, "resourcelist", site.metadata("1") and site.entry("1", links=duplicates), at=AT)
    site.files["/mirror"] = site.files.pop("/1")
    assert run().status is Status.SUCCEEDED
    assert titles() == {"1": "Work 1"}
    assert site.times("/worse") == 0


def test_a_missing_resource_is_told_and_asked_for_again(site, run, titles, house):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", *map(site.metadata, "12"), at=AT)
    lost = site.files.pop("/2")
    ran = run()
    assert ran.status is Status.WITH_ERRORS
    assert "HTTP status 404 (Not Found)" in _quarantine(house)["2"]
    assert "could not be used are requested again: 1." in ran.run.reasons[0]
    site.files["/2"] = lost
    site.put(LIST, "resourcelist", site.entry("1"), site.entry("2"), at=FEBRUARY)
    assert run().status is Status.SUCCEEDED
    assert len(titles()) == 2


def test_what_is_deleted_before_it_could_be_used_leaves_quarantine(site, run, house):
    site.lists("1")
    del site.files["/1"]
    assert run().status is Status.WITH_ERRORS
    site.changes(site.change("1", DAY2, "deleted"))
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert _quarantine(house) == {}


def test_a_missing_part_of_a_list_is_told_and_the_position_waits(site, run, titles):
    site.lists("")
    site.put("a.xml", "resourcelist", site.metadata("1"), at=AT)
    site.put(LIST, "resourcelist", site.part("a.xml"), site.part("b.xml"), root="sitemapindex", at=AT)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert ran.run.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS
    assert any("/b.xml answers with HTTP status 404" in reason for reason in ran.run.reasons)
    assert titles() == {"1": "Work 1"}
    site.put("b.xml", "resourcelist", site.metadata("2"), at=AT)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert titles() == {"1": "Work 1", "2": "Work 2"}
    assert site.times("/1") == 1


def test_an_index_that_names_itself_ends(site, run, titles):
    site.offer("resourcelist")
    site.put("b.xml", "resourcelist", site.part(LIST), site.part("c.xml"), root="sitemapindex", at=AT)
    site.put("c.xml", "resourcelist", site.metadata("1"), at=AT)
    site.put(LIST, "resourcelist", site.part("b.xml"), root="sitemapindex", at=AT)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert any("is named by a list below it" in reason for reason in ran.run.reasons)
    assert titles() == {"1": "Work 1"}


def test_what_no_list_tells_is_said_until_a_resource_list_tells_it(site, run, titles):
    site.lists("1")
    site.changes(site.change("2", "2013-02-02T00:00:00Z", "created"), from_=FEBRUARY)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert "Changes before 2013-02-01T00:00:00Z may be missing: the Change Lists begin there" in ran.run.reasons[0]
    assert sorted(titles()) == ["1", "2"]
    site.asked.clear()
    assert (run().run.is_complete, site.times("/1")) == (False, 0)
    site.put(LIST, "resourcelist", *map(site.metadata, "123"), at=FEBRUARY)
    assert run().run.is_complete
    assert sorted(titles()) == ["1", "2", "3"]
    site.asked.clear()
    assert (run().run.is_complete, site.times(f"/{LIST}")) == (True, 0)


def test_a_list_that_grows_while_it_is_read_loses_nothing(site, run, titles):
    site.lists("")
    site.put("a.xml", "resourcelist", site.metadata("1"), at="2013-01-01T00:00:00Z")
    site.put("b.xml", "resourcelist", site.metadata("2"), at="2013-01-01T00:05:00Z")
    site.put(LIST, "resourcelist", site.part("a.xml"), site.part("b.xml"), root="sitemapindex")

    def grow(path):
        if path == "/b.xml":
            site.changes(site.change("0", "2013-01-01T00:03:00Z", "created"))

    site.before = grow
    assert run().status is Status.SUCCEEDED
    assert sorted(titles()) == ["0", "1", "2"]


def test_of_changes_that_are_told_last_first_the_last_counts(site, run, titles):
    site.lists("12")
    early, late = (f"2013-01-02T0{hour}:00:00Z" for hour in (1, 2))
    told = (("1", late, "deleted"), ("2", late, "created"), ("1", early), ("2", early, "deleted"))
    site.changes(*(site.change(*change) for change in told))
    del site.files["/1"]
    assert run().status is Status.SUCCEEDED
    assert titles() == {"2": "Work 2"}


def test_very_many_failures_let_the_position_wait(site, run):
    site.lists(f"{number:03}" for number in range(205))
    held = dict(site.files)
    for number in range(205):
        del site.files[f"/{number:03}"]
    ran = run()
    assert any("could not be used: 205. All resources are requested again" in reason for reason in ran.run.reasons)
    site.files = held
    ran = run()
    assert (ran.status, ran.run.counts["published"]) == (Status.SUCCEEDED, 205)


def test_what_is_no_source_is_reported(site, run):
    led_nowhere = document("changelist", element("ln", rel="up", href="http://127.0.0.1:1/"))
    for documents, words in (
        ({}, "its links, /.well-known/resourcesync and robots.txt do not lead to one"),
        ({"/": document("framework-notification")}, "has the capability 'framework-notification'"),
        ({"/": document("capabilitylist")}, "names none of resourcelist"),
        ({"/": led_nowhere}, "names no Resource"),
        ({"/": b"<html/>", "/robots.txt": b"Sitemap: /x.xml", "/x.xml": b"<a/>"}, "its root is 'a'"),
    ):
        site.files = dict(documents)
        ran = run("/")
        assert ran.status in (Status.FAILED, Status.WITH_ERRORS)
        assert words in " ".join(ran.run.reasons)


def test_a_list_that_the_server_cannot_bring_now_ends_the_run(site, run):
    site.offer("resourcelist")
    site.files[f"/{LIST}"] = (503, {}, b"later")
    assert run().status is Status.TRY_LATER
    site.files[f"/{LIST}"] = (500, {}, b"ill")
    assert "the server is failing" in run().run.reasons[0]


def test_a_resource_at_an_address_that_is_not_reached_leaves_the_others_alone(site, run, titles, house):
    site.lists("1")
    with socket.socket() as taken:  # a port of loopback where nobody listens, and nobody else can begin to
        taken.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}/closed"
        addresses = ("http://10.0.0.1/private", "gsiftp://e.org/1", closed)
        elsewhere = (f"<url><loc>{address}</loc></url>" for address in addresses)
        site.put(LIST, "resourcelist", *elsewhere, site.entry("1"), at=AT)
        ran = run()
    assert (ran.status, ran.run.counts["quarantined"]) == (Status.WITH_ERRORS, 3)
    assert titles() == {"1": "Work 1"}
    assert "is at 10.0.0.1" in _quarantine(house)["private"]
    assert "its scheme is 'gsiftp'" in _quarantine(house)["1"]


def test_what_is_asked_for_again_has_its_content_and_what_has_changed_of_it(site, run, published):
    """Its own entry alone was remembered: what only the entries of its content said of its files was lost."""
    site.lists("m")
    site.files |= {"/1.pdf": b"%PDF 1", "/2.pdf": b"%PDF 2"}
    described = {"links": site.link("describedby", "m"), "type": "application/pdf"}
    site.put(LIST, "resourcelist", site.entry("m"), *(site.entry(f"{n}.pdf", **described) for n in "12"), at=AT)
    good, site.files["/m"] = site.files["/m"], (404, {}, b"no")
    assert run().status is Status.WITH_ERRORS
    site.files["/2.pdf"] = b"%PDF 2 changed"
    site.changes(site.entry("2.pdf", change="updated", datetime="2013-01-03T00:00:00Z", **described))
    assert run().status is Status.WITH_ERRORS
    site.files["/m"] = good
    assert run().status is Status.SUCCEEDED
    (didl,) = published("oai_didl").values()
    assert ("/1.pdf" in didl, "/2.pdf" in didl) == (True, True)
    assert (">6 bytes<" in didl, ">14 bytes<" in didl) == (True, True)


BUSY = (503, {"Retry-After": "100000"}, b"later")


@pytest.mark.parametrize("answer", [BUSY, (500, {}, b"ill"), (429, {}, b"less")])
def test_one_resource_that_always_fails_is_set_aside_and_the_rest_goes_on(site, run, titles, answer):
    site.lists("123456")
    good, site.files["/2"] = site.files["/2"], answer
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert sorted(titles()) == ["1", "3", "4", "5", "6"]
    assert any("requested again: 1" in reason for reason in ran.run.reasons)
    assert any(reason.startswith(f"{site.url}/2") for reason in ran.run.reasons)
    site.changes(site.change("7", "2013-01-02T00:00:00Z", "created"))
    site.asked.clear()
    run()
    assert site.asked[-2:] == ["/7", "/2"]  # behind what is new
    site.files["/2"] = good
    assert run().status is Status.SUCCEEDED
    assert sorted(titles()) == ["1", "2", "3", "4", "5", "6", "7"]


def test_one_list_of_an_index_that_always_fails_does_not_hide_the_others(site, run, titles):
    site.offer("resourcelist")
    site.put(LIST, "resourcelist", *(site.part(f"part{number}.xml") for number in "123"), root="sitemapindex", at=AT)
    for number in "123":
        site.put(f"part{number}.xml", "resourcelist", site.metadata(number), at=AT)
    good, site.files["/part2.xml"] = site.files["/part2.xml"], BUSY
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert any("part2.xml" in reason for reason in ran.run.reasons)
    assert sorted(titles()) == ["1", "3"]
    site.files["/part2.xml"] = good
    assert run().status is Status.SUCCEEDED
    assert sorted(titles()) == ["1", "2", "3"]


def test_a_source_that_answers_nothing_any_more_ends_the_run(site, run, titles):
    names = [f"{number:03}" for number in range(300)]
    site.lists(names)
    site.files |= {f"/{name}": BUSY for name in names[5:]}
    ran = run()
    assert (ran.run.outcome, ran.run.is_complete) == (RunOutcome.TRY_LATER, False)
    assert "The last 200 requests" in ran.run.reasons[0]
    assert sorted(titles()) == names[:5]
    assert len(site.asked) < 215
