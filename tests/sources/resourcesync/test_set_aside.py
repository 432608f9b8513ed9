"""What always fails at a source is set aside, whatever it is, and the rest is held: no single fault ends every run."""

import pytest

from gateway.core.model import RunOutcome
from harvester.runtime.exit_status import Status
from tests.sources.resourcesync.site import AT, LIST

pytestmark = pytest.mark.slow  # it asks servers

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
