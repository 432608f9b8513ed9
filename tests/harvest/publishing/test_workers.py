"""The relay: pages are handed out in order, written in order, and nobody waits for one that has died."""

from multiprocessing import Pipe

import pytest

from gateway.core.errors import StoreError
from gateway.core.model import RawPage, Slice
from gateway.publish.publish import Counts
from harvester.harvest.publishing.process import GO, READY, Job, Jobs, Relay
from tests.opening import open_inbox


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
