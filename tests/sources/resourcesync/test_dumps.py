"""Dumps: a baseline and changes in packages, verified; what a package does not bring is fetched, or told."""

import zipfile
from hashlib import md5
from io import BytesIO

import pytest

from harvester.harvest.run_lifecycle import RunOptions
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, DC, LIST, document

pytestmark = pytest.mark.slow  # it asks servers, hundreds of times

DUMP, CHANGE_DUMP = "resourcedump.xml", "changedump.xml"
NOON, DAY2, NOON2, DAY3 = (f"2013-01-{moment}:00:00Z" for moment in ("01T12", "02T00", "02T12", "03T00"))


class Packed:
    """A package in the making."""

    def __init__(self, site, name):
        self.site, self.name, self.entries, self.files = site, name, [], {}

    def add(self, name, title="", body=None, **attributes):
        """Add a record; `body` is what lies in the package instead of what its entry tells of."""
        content = DC.format(title or f"Work {name}").encode()
        facts = {"path": f"/r/{name}", "hash": f"md5:{md5(content).hexdigest()}", "length": str(len(content))}
        self.entries.append(self.site.url_element(name, AT, **facts | attributes))
        self.files[f"r/{name}"] = content if body is None else body
        return self

    def put(self, capability, **attributes):
        """Put it there, and return its entry for the dump."""
        stream = BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr("manifest.xml", document(f"{capability}-manifest", *self.entries, **attributes))
            for name, body in self.files.items():
                package.writestr(name, body)
        self.site.files[f"/{self.name}"] = stream.getvalue()
        return self.site.entry(self.name, type="application/zip", **attributes)


def _dump(site, *packages, with_changes=False):
    """Put a Resource Dump there, and an empty Change List where one is offered."""
    site.put(DUMP, "resourcedump", *(package.put("resourcedump", at=AT) for package in packages), at=AT)
    if with_changes:
        site.offer("resourcedump", "changelist")
        site.changes()


def _packed(site, name, records):
    package = Packed(site, name)
    for record in records:
        package.add(record)
    return package


def test_a_dump_is_a_baseline_of_which_nothing_is_fetched_one_by_one(site, run, titles):
    site.offer("resourcedump", "resourcelist", "changelist")
    _dump(site, _packed(site, "1.zip", (f"{number:03}" for number in range(600))), _packed(site, "2.zip", "x"))
    site.changes(site.change("000", DAY2, "deleted"))
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert ran.run.counts["received"] == 602
    assert site.times(f"/{LIST}") == site.times("/001") == 0
    assert (len(titles()), titles()["000"]) == (601, "")
    site.asked.clear()
    assert run().run.counts["received"] == 0
    assert site.times("/1.zip") == 0


def test_an_interrupted_dump_goes_on_where_it_was(site, run, titles):
    _dump(site, *(_packed(site, f"{name}.zip", (f"{name}1", f"{name}2")) for name in "abc"), with_changes=True)
    assert run(run_options=RunOptions(max_records=3)).run.counts["received"] == 4
    site.changes(site.change("a1", NOON, title="Changed"))
    site.asked.clear()
    assert run().status is Status.SUCCEEDED
    assert site.times("/a.zip") == 0
    assert (titles()["a1"], len(titles())) == ("Changed", 6)


def test_what_is_wrong_in_a_package_is_fetched_from_the_web(site, run, titles, house):
    package = Packed(site, "1.zip").add("1").add("2", body=b"damaged").add("3", path="/../3").add("4", path="")
    del package.files["r/1"]
    _dump(site, package.add("5", body=b"evil"), with_changes=True)
    for name in "1234":
        site.metadata(name)
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert list(titles()) == ["1", "2", "3", "4"]
    (bad,) = [entry for entry in house.store.quarantined("fake") if entry.identifier.endswith("/5")]
    assert bad.reason.startswith("In its package: Its md5 is")
    assert "On the web:" in bad.reason


def test_a_package_that_is_not_what_the_source_says_is_not_used(site, run, titles):
    site.lists("123")
    site.offer("resourcedump", "resourcelist", "changelist")
    _dump(site, *(_packed(site, f"{name}.zip", name) for name in "123"))
    site.files["/1.zip"] = site.files["/1.zip"].replace(b"manifest", b"manifold")
    site.files["/2.zip"] = site.files["/2.zip"][:-40]
    del site.files["/3.zip"]
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.SUCCEEDED, True)
    assert titles() == {name: f"Work {name}" for name in "123"}


def test_without_a_resource_list_a_damaged_package_is_told_and_asked_for_again(site, run, titles):
    site.offer("resourcedump", "changedump")
    _dump(site, _packed(site, "1.zip", "1"), _packed(site, "2.zip", "2"))
    whole = site.files["/2.zip"]
    site.files["/2.zip"] = whole[:-10]
    ran = run()
    assert (ran.status, ran.run.is_complete) == (Status.WITH_ERRORS, False)
    assert "/2.zip: The package is not what the source states." in ran.run.reasons[0]
    site.files["/2.zip"] = whole
    _changes(site)
    assert run().run.is_complete
    assert site.times("/1.zip") == 1
    assert titles() == {"1": "Work 1", "2": "Work 2"}


def _changes(site, *packages, from_=AT):
    site.put(CHANGE_DUMP, "changedump", *packages, from_=from_)


def test_changes_come_in_packages_each_once(site, run, titles):
    site.offer("resourcedump", "changedump")
    _dump(site, _packed(site, "1.zip", "12"))
    _changes(site)
    assert run().run.is_complete
    day1 = Packed(site, "day1.zip").add("1", "Changed", change="updated", datetime=NOON)
    day1.entries.append(site.change("2", "2013-01-01T13:00:00Z", "deleted"))
    closed = day1.put("changedump", from_=AT, until=DAY2)
    _changes(site, closed)
    ran = run()
    assert (ran.status, ran.run.is_complete, ran.run.counts["received"]) == (Status.SUCCEEDED, True, 2)
    assert titles() == {"1": "Changed", "2": ""}
    day2 = Packed(site, "day2.zip").add("3", change="created", datetime=NOON2)
    _changes(site, closed, day2.put("changedump", from_=DAY2))
    site.asked.clear()
    assert run().run.counts["received"] == 1
    assert site.times("/day1.zip") == 0
    assert run().run.counts["received"] == 0
    day2.add("4", change="created", datetime="2013-01-02T13:00:00Z")
    _changes(site, closed, day2.put("changedump", from_=DAY2, until=DAY3))
    assert run().run.counts["received"] == 1
    assert sorted(titles()) == ["1", "2", "3", "4"]


def test_a_later_package_does_not_hide_that_an_earlier_one_is_missing(site, run, titles):
    site.offer("resourcedump", "changedump")
    _dump(site, _packed(site, "1.zip", "1"))
    day1 = Packed(site, "day1.zip").add("2", change="created", datetime=NOON)
    day2 = Packed(site, "day2.zip").add("3", change="created", datetime=NOON2)
    _changes(site, day1.put("changedump", from_=AT, until=DAY2), day2.put("changedump", from_=DAY2))
    held = site.files.pop("/day1.zip")
    assert not run().run.is_complete
    assert list(titles()) == ["1"]
    site.files["/day1.zip"] = held
    assert run().run.is_complete
    assert sorted(titles()) == ["1", "2", "3"]
