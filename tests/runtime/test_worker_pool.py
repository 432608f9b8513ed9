"""The worker pool: so many jobs at once, so many of one key, a resource for each; no fault of one job stops another."""

import threading
from contextlib import nullcontext

import pytest

from harvester.runtime.interrupts import Stop
from harvester.runtime.worker_pool import Job, WorkerPool, without_resource

PATIENCE = 60.0  # a busy machine is no defect


def _failure(name, error):
    return f"{name}: {error!r}"


def _pool(threads=8, stop=None):
    return WorkerPool(threads, stop or Stop(), failed=_failure, grace_seconds=PATIENCE)


def test_jobs_of_one_host_are_done_one_after_the_other():
    """The second of two threads has work of another host that is younger than b and c, and not theirs."""
    begun, others = [], threading.Event()

    def work(name):
        begun.append(name)
        assert name != "a" or others.wait(PATIENCE)

    with _pool(2) as pool:
        for name in "abc":
            pool.add(Job(name, "one.example.org", without_resource(work, name)))
        pool.add(Job("other", "other.example.org", without_resource(lambda: (begun.append("other"), others.set()))))
        assert {name for name, _ in pool.results()} == {"a", "b", "c", "other"}
    assert begun.index("other") < begun.index("b")
    assert [name for name in begun if name != "other"] == ["a", "b", "c"]


@pytest.mark.parametrize("error", [ZeroDivisionError("no"), KeyboardInterrupt(), SystemExit(3)])
def test_what_ends_one_job_does_not_end_another(error):
    def fails():
        raise error

    with _pool() as pool:
        pool.add(Job("bad", "a", without_resource(fails)))
        pool.add(Job("next", "a", lambda _: "done"))
        assert dict(pool.results()) == {"bad": f"bad: {error!r}", "next": "done"}


def test_who_asks_to_stop_ends_what_has_not_begun():
    stop = Stop()
    with _pool(stop=stop) as pool:
        pool.add(Job("first", "a", without_resource(stop.ask)))
        pool.add(Job("second", "a", lambda _: "done"))
        assert list(pool.results()) == [("first", None)]
        assert pool.has("second")
    assert not pool.has("second")


def test_who_insists_breaks_off_what_is_at_work():
    stop, begun, broken = Stop(), threading.Event(), threading.Event()

    def hangs():
        with stop.breaking(broken.set):
            begun.set()
            assert broken.wait(PATIENCE)

    def interrupted():
        pool = _pool(stop=stop)
        with pool:
            pool.add(Job("hangs", "a", without_resource(hangs)))
            list(pool.turn(0.0))
            begun.wait(PATIENCE)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert broken.is_set()
    assert stop.is_insisted


def test_a_failure_that_cannot_be_reported_ends_the_pool():
    """Nothing came into the queue when reporting raised, and the command waited for ever."""

    def fails():
        raise ZeroDivisionError

    def cannot_say(_name, _error):
        raise BrokenPipeError

    with WorkerPool(2, Stop(), failed=cannot_say) as pool:
        pool.add(Job("bad", "a", without_resource(fails)))
        with pytest.raises(BrokenPipeError):
            list(pool.results())


# --- with resources ----------------------------------------------------------------------------------------------


def _results(pool, jobs):
    for job in jobs:
        pool.add(job)
    return [result for _, result in pool.results()]


def test_keys_are_worked_on_at_once_and_one_key_by_as_many_as_it_may():
    both = threading.Barrier(4, timeout=240)
    with WorkerPool(4, Stop(), nullcontext, per_key=2) as pool:
        jobs = [Job("meeting", key, lambda _: both.wait()) for key in "ab" for _ in range(2)]
        assert len(_results(pool, jobs)) == 4


def test_an_error_of_a_job_is_raised_when_the_others_have_ended_and_only_once():
    ended = threading.Event()

    def bad(_resource):
        raise LookupError("bad")

    with WorkerPool(4, Stop(), nullcontext, per_key=2) as pool:
        with pytest.raises(LookupError, match="bad"):
            _results(pool, [Job("bad", "a", bad), Job("good", "b", lambda _: ended.set())])
        assert list(pool.results()) == []


def test_results_are_waited_for_no_longer_when_somebody_asks_to_stop_before_a_job_begins():
    """A signal sets the flag while the main thread waits for a result: nothing will ever end then."""
    stop, has_begun, may_end = Stop(), threading.Event(), threading.Event()

    def work(_resource):
        has_begun.set()
        assert may_end.wait(PATIENCE)

    def ask_to_stop():
        assert has_begun.wait(PATIENCE)
        stop.ask()
        may_end.set()

    with WorkerPool(1, stop) as pool:
        pool.add(Job("first", "a", work))
        pool.add(Job("second", "a", lambda _: "never"))
        asking = threading.Timer(0.01, ask_to_stop)
        asking.start()
        assert [name for name, _ in pool.results()] == ["first"]
        asking.join()
