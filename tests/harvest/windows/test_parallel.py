"""Walks side by side: a step at a time of each, committed before the next is asked for."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Barrier

import pytest

from harvester.harvest.windows.parallel import ParallelWindows

pytestmark = pytest.mark.slow


def _fetch(_request):
    """Stand for what fetches in the first lane."""


def _walked(walks, lanes=2, fetcher=None):
    """Walk everything; return what was taken, in order."""
    left, outcomes = list(walks), []

    def is_over(taken):
        outcomes.append((taken.window, taken.item, taken.error))
        return taken.item == "over"

    with ParallelWindows(lanes, _fetch, fetcher) as parallel:
        while left or not parallel.is_idle:
            while left and parallel.has_room:
                parallel.begin(*left.pop(0))
            parallel.take(is_over)
    return outcomes


def test_one_lane_walks_one_after_the_other():
    walks = [("a", lambda _: iter("12")), ("b", lambda _: iter("3"))]
    assert _walked(walks) == [
        ("a", "1", None),
        ("a", "2", None),
        ("a", None, None),
        ("b", "3", None),
        ("b", None, None),
    ]


def test_a_walk_goes_no_further_before_its_step_was_taken_and_not_when_it_is_over():
    pulled = []

    def walk(_fetch):
        for item in ("1", "over", "2"):
            pulled.append(item)
            yield item

    assert [item for _, item, _ in _walked([("a", walk)])] == ["1", "over"]
    assert pulled == ["1", "over"]


def test_every_lane_has_a_fetcher_of_its_own_that_is_closed_at_the_end():
    opened, closed, meeting = [], [], Barrier(3)

    @contextmanager
    def fetcher():
        opened.append(fetch := lambda _request: None)
        yield fetch
        closed.append(fetch)

    def walk(fetch):
        meeting.wait(240)
        yield fetch

    outcomes = _walked([(window, walk) for window in "abcdef"], lanes=3, fetcher=fetcher)
    used = {item for _, item, _ in outcomes if item}
    assert used == {_fetch, *opened}
    assert len(opened) == 2
    assert sorted(map(id, closed)) == sorted(map(id, opened))


def test_an_error_ends_its_own_walk():
    def walk(_fetch):
        yield "1"
        raise KeyboardInterrupt

    outcomes = _walked([("a", walk), ("b", lambda _: iter("2"))])
    assert [(what, item, type(error)) for what, item, error in outcomes] == [
        ("a", "1", type(None)),
        ("a", None, KeyboardInterrupt),
        ("b", "2", type(None)),
        ("b", None, type(None)),
    ]
