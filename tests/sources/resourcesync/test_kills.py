"""Killed anywhere, again and again, a synchronisation loses nothing, repeats little, and tells the truth at the end."""

import subprocess
import sys

import pytest

from tests.sources.resourcesync.test_dumps import Packed

pytestmark = pytest.mark.slow

AT = "2013-01-01T00:00:00Z"
RECORDS = 40


def _source(site, *, has_dump):
    site.offer("resourcelist", "changelist", *(["resourcedump"] if has_dump else []))
    site.put("resourcelist.xml", "resourcelist", *(site.metadata(f"{number:02}") for number in range(RECORDS)), at=AT)
    packages = [Packed(site, f"{number}.zip") for number in range(2)]
    for number in range(RECORDS):
        packages[number % 2].add(f"{number:02}", f"Work {number:02}")
    site.put("resourcedump.xml", "resourcedump", *(package.put("resourcedump", at=AT) for package in packages), at=AT)
    site.put("changelist.xml", "changelist", from_=AT)


def _change(site):
    """Change, create and delete a few."""
    changed = [
        site.metadata(f"{number:02}", "Changed")
        and site.entry(f"{number:02}", change="updated", datetime=_moment(number))
        for number in range(20)
    ]
    created = site.metadata("99") and site.entry("99", change="created", datetime=_moment(30))
    deleted = site.url_element("39", change="deleted", datetime=_moment(31))
    site.put("changelist.xml", "changelist", *changed, created, deleted, from_=AT)
    del site.files["/39"]


def _moment(minute):
    return f"2013-01-02T00:{minute:02}:00Z"


@pytest.fixture
def killed_at(house, site):
    """Return a function that runs the harvester, kills it at its nth request, and tells whether it was alive."""

    def killed_at(number):
        asked = len(site.asked)
        process = subprocess.Popen(
            [sys.executable, "-m", "harvester", "--instance", str(house.folder), "run", "fake"],
            stderr=subprocess.DEVNULL,
        )

        def kill(_path):
            if len(site.asked) - asked == number:
                process.kill()

        site.before = kill
        process.wait()
        site.before = lambda _path: None
        return process.returncode < 0

    return killed_at


@pytest.mark.unmeasured
@pytest.mark.share(one_in=2)
@pytest.mark.parametrize("has_dump", [False, True])
def test_killed_anywhere_nothing_is_lost(site, house, run, titles, killed_at, has_dump):
    _source(site, has_dump=has_dump)
    house.sources.file.write_text(f'[fake]\nurl = "{site.url}/caps.xml"\nkind = "resourcesync"\n')
    assert killed_at(2)
    assert sum(killed_at(number) for number in (3, 5, 17, 30))
    run("/caps.xml")
    _change(site)
    assert sum(killed_at(number) for number in (1, 7, 16))
    run("/caps.xml")
    last = run("/caps.xml")
    assert last.run.is_complete
    wanted = {f"{number:02}": "Changed" if number < 20 else f"Work {number:02}" for number in range(RECORDS)}
    assert titles() == wanted | {"99": "Work 99", "39": ""}
    assert last.run.counts["received"] == 0
    assert [
        past_run.outcome.value for past_run in house.inbox.runs("fake", 100) if past_run.outcome.value == "running"
    ] == []
