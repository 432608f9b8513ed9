"""The relay: pages are handed out in order, written in order, and nobody waits for one that has died."""

from __future__ import annotations

from multiprocessing import Pipe
from threading import Thread

import pytest

from gateway.errors import ConfigurationError, StoreBusy, StoreError
from gateway.model import RawPage, Slice
from gateway.publish import Counts
from gateway.store.opening import open_inbox
from harvester.harvest.publishing import workers as relay
from harvester.harvest.publishing.workers import GO, READY, Job, Jobs, Relay
from tests import live


@pytest.fixture
def inbox(tmp_path):
    inbox = open_inbox(tmp_path, create=True)
    yield inbox
    inbox.close()


@pytest.fixture
def ends():
    """Return two runners' pipes: our ends, and theirs."""
    pairs = [Pipe() for _ in range(2)]
    yield [ours for ours, _ in pairs], [theirs for _, theirs in pairs]
    for pair in pairs:
        for end in pair:
            end.close()


def _receive(inbox, *sizes):
    slices = Slice("1", "2020-01-01", (), False, 0, 0)
    page = RawPage("laro", "ListRecords", "http://a.org", 0, 200, (), b"", "oai_dc")
    return [inbox.receive(page, [slices] * size, None) for size in sizes]


def test_small_pages_are_published_together_and_large_ones_alone(inbox):
    numbers = _receive(inbox, 200, 200, 200, 900, 0, 100)
    jobs = Jobs(inbox, "laro", 0)
    assert [jobs.next() for _ in range(4)] == [
        Job(0, (numbers[0], numbers[1])),
        Job(numbers[1], (numbers[2],)),
        Job(numbers[2], (numbers[3],)),
        Job(numbers[3], (numbers[5],)),
    ]
    assert jobs.next() is None
    more = _receive(inbox, 1)
    assert jobs.next() == Job(numbers[5], tuple(more))


def test_the_turn_goes_from_one_to_the_next_in_the_order_of_the_pages(inbox, ends):
    ours, theirs = ends
    _receive(inbox, 500, 500)
    runners = Relay(ours)
    runners.hand_out(Jobs(inbox, "laro", 0))
    assert [their.recv() for their in theirs] == [Job(0, (1,)), Job(1, (2,))]
    theirs[1].send(READY)
    assert runners.receive(ours[1]) is None
    assert not theirs[1].poll()  # the first is not ready yet
    theirs[0].send(READY)
    assert runners.receive(ours[0]) is None
    assert theirs[0].recv() == GO
    assert not theirs[1].poll()
    theirs[0].send(Counts(pages=1))
    assert runners.receive(ours[0]) == Counts(pages=1)
    assert theirs[1].recv() == GO
    assert not runners.is_idle
    theirs[1].send(Counts(pages=1))
    runners.receive(ours[1])
    assert runners.is_idle


def test_a_runner_that_dies_is_reported(ends):
    ours, theirs = ends
    theirs[0].close()
    with pytest.raises(StoreError, match="has died; what it had not written"):
        Relay(ours).receive(ours[0])


def test_an_error_of_ours_comes_through_as_what_it_is(ends):
    ours, theirs = ends

    def publish(_before, _numbers, _turn):
        raise StoreBusy("It is busy.")

    ours[0].send(Job(0, (1,)))
    relay.run(theirs[0], publish)
    with pytest.raises(StoreBusy, match="It is busy"):
        Relay(ours).receive(ours[0])


def test_a_runner_waits_for_its_turn_and_leaves_when_nobody_speaks_any_more(ends):
    ours, theirs = ends
    done = []

    def publish(before, numbers, turn):
        turn()
        done.append((before, numbers))
        return Counts(pages=len(numbers))

    def running():
        with pytest.raises(EOFError):
            relay.run(theirs[0], publish)

    thread = Thread(target=running)
    thread.start()
    ours[0].send(Job(3, (4, 5)))
    assert ours[0].recv() == READY
    assert done == []
    ours[0].send(GO)
    assert ours[0].recv() == Counts(pages=2)
    assert done == [(3, (4, 5))]
    ours[0].close()
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.slow
def test_a_runner_says_what_is_wrong_in_sources_toml_and_shows_no_traceback(tmp_path, capfd):
    folder = live.instance(tmp_path / "instance", {})
    (folder / "sources.toml").write_text("[x]\nurl = 1\n")
    with relay.runners(1, str(folder), "x") as runners:
        (pipe,) = relay.spoken(runners, seconds=240)
        with pytest.raises(ConfigurationError, match="source 'x': url must be text"):
            runners.receive(pipe)
    assert "Traceback" not in capfd.readouterr().err
