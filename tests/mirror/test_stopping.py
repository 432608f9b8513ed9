"""A mirror that is asked to stop, or whose provider is ill, says so and goes on the next time."""

from __future__ import annotations

from itertools import count
from threading import Barrier, Event

import pytest

from harvester.mirror.lanes import Job, Lanes
from harvester.stopping import Stop
from tests.mirror.provider import Item


class _Open:
    """A context that gives a fetch, and counts how often it was entered."""

    def __init__(self):
        self.entered = 0

    def __call__(self):
        self.entered += 1
        return self

    def __enter__(self):
        return lambda _request: None

    def __exit__(self, *_error):
        return None


def _lanes(threads=4, per_host=2, stop=None):
    opened = _Open()
    return Lanes(threads, per_host, opened, stop or Stop()), opened


def test_every_job_is_done_and_a_fetcher_is_opened_for_each_lane():
    lanes, opened = _lanes()
    with lanes:
        jobs = [Job(host, lambda _, each=(host, n): each) for host in "abc" for n in range(5)]
        assert sorted(lanes.results(jobs)) == [(host, n) for host in "abc" for n in range(5)]
        assert sorted(lanes.results(jobs[:1])) == [("a", 0)]
    assert opened.entered <= 6


def test_hosts_are_asked_at_once_and_one_host_by_as_many_as_it_may():
    """Both hosts wait for each other; three jobs of one host would wait for ever if more than two began."""
    both = Barrier(4, timeout=60)
    lanes, _ = _lanes()
    with lanes:
        jobs = [Job(host, lambda _: both.wait()) for host in "ab" for _ in range(2)]
        assert len(list(lanes.results(jobs))) == 4


def test_asked_to_stop_no_further_job_begins():
    stop, begun = Stop(), count()

    def work(_fetch):
        stop.ask()
        return next(begun)

    lanes, _ = _lanes(per_host=1, stop=stop)
    with lanes:
        assert list(lanes.results([Job("a", work)] * 3)) == [0]


def test_an_error_of_ours_leaves_when_the_others_have_ended():
    ended = Event()

    def bad(_fetch):
        raise LookupError("bad")

    lanes, _ = _lanes()
    with pytest.raises(LookupError, match="bad"), lanes:
        list(lanes.results([Job("a", bad), Job("b", lambda _: ended.set())]))


@pytest.mark.slow
def test_a_provider_that_is_ill_is_told_and_asked_again_the_next_time(mirror, provider, fill):
    fill(3)
    provider.page_size = 2
    whole = provider.answer
    provider.answer = lambda arguments: "<html>ill</html>" if "resumptionToken" in arguments else whole(arguments)
    receipt = mirror.run(status=3)
    assert (receipt["objects"], receipt["is_whole"]) == ({"created": 2}, False)
    assert "In doubt: The source announced 3 records and sent 2." in mirror.said
    provider.answer = whole
    assert mirror.run()["objects"]["created"] == 1
    assert mirror.held() == provider.expected()


def test_a_provider_that_does_not_answer_is_told_and_the_receipt_is_kept(mirror, provider, fill):
    provider.answer = lambda _: "<html>ill</html>"
    assert mirror.run(status=1)["outcome"] == "failed"
    assert "the same command goes on" in mirror.said
    assert len(list((mirror.folder / "receipts").iterdir())) == 1


def test_a_record_that_cannot_be_used_is_told(mirror, provider, fill):
    fill(1)
    provider.items[""] = Item({"a.txt": b"1"})
    receipt = mirror.run(status=3)
    assert receipt["objects"] == {"created": 1, "unusable": 1}
    assert receipt["missing"][0]["fate"] == "unreadable"


def test_a_set_has_a_list_of_its_own(mirror, provider, fill):
    fill(1)
    mirror.run("--set", "b", "--set", "a")
    assert [each["set"] for each in provider.lists if each["verb"] == "ListRecords"] == ["a", "b"]
    assert mirror.run("--set", "a", "--set", "b")["sets"] == ["a", "b"]
