"""The worker pool: so many jobs at once, so many of one key, a resource for each; no fault of one job stops another."""

import threading
from itertools import count

import pytest

from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.interrupts import Stop
from harvester.runtime.worker_pool import Job, WorkerPool, without_resource

PATIENCE = 60.0  # a busy machine is no defect


def _failure(name, error):
    return f"{name}: {error!r}"


def _pool(threads=8, stop=None):
    return WorkerPool(threads, stop or Stop(), failed=_failure, grace_seconds=PATIENCE)


def test_jobs_of_several_hosts_are_done_at_once():
    meeting = threading.Barrier(3, timeout=PATIENCE)
    with _pool() as pool:
        for name in "abc":
            pool.add(Job(name, f"{name}.example.org", without_resource(meeting.wait)))
        assert sorted(name for name, _ in pool.results()) == ["a", "b", "c"]
    assert not meeting.broken


def test_jobs_of_one_host_are_done_one_after_the_other():
    at_work, most, order = [], [], []

    def work(name):
        at_work.append(name)
        threading.Event().wait(0.01)  # another that began meanwhile would be counted
        most.append(len(at_work))
        order.append(name)
        at_work.remove(name)

    with _pool() as pool:
        for name in "abc":
            pool.add(Job(name, "one.example.org", without_resource(work, name)))
        assert [name for name, _ in pool.results()] == order == ["a", "b", "c"]
    assert max(most) == 1


def test_no_more_threads_than_were_asked_for():
    at_work, most = [], []
    meeting, first_two = threading.Barrier(2, timeout=PATIENCE), iter(range(2))

    def work():
        at_work.append(1)
        if next(first_two, None) is not None:
            meeting.wait()
        threading.Event().wait(0.01)  # others that began meanwhile would be counted
        most.append(len(at_work))
        at_work.pop()

    with _pool(threads=2) as pool:
        for name in "abcdef":
            pool.add(Job(name, name, without_resource(work)))
        assert len(list(pool.results())) == 6
    assert max(most) == 2


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


def test_a_turn_waits_no_longer_than_it_may():
    end = threading.Event()
    with _pool() as pool:
        assert list(pool.turn()) == []
        pool.add(Job("slow", "a", lambda _: end.wait(PATIENCE)))
        assert list(pool.turn(0.01)) == []
        assert pool.has("slow")
        end.set()
        assert list(pool.turn(PATIENCE)) == [("slow", True)]
        assert pool.is_idle


def test_a_host_is_a_name_whatever_its_port():
    def host(url):
        return SourceEntry("fake", url).host

    assert host("https://Repo.Example.ORG.:8443/oai") == host("http://repo.example.org/other") == "repo.example.org"


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


class _Open:
    """A context that gives a resource, and counts how often it was entered."""

    def __init__(self):
        self.entered = 0

    def __call__(self):
        self.entered += 1
        return self

    def __enter__(self):
        return lambda _request: None

    def __exit__(self, *_error):
        return None


def _per_key(threads=4, per_key=2, stop=None):
    opened = _Open()
    return WorkerPool(threads, stop or Stop(), opened, per_key=per_key), opened


def _results(pool, jobs):
    for job in jobs:
        pool.add(job)
    return [result for _, result in pool.results()]


def test_every_job_is_done_and_so_many_resources_of_a_key_are_opened_as_are_lent_at_once():
    pool, opened = _per_key()
    with pool:
        jobs = [Job(str(number), key, lambda _, pair=(key, number): pair) for key in "abc" for number in range(5)]  # type: ignore[misc]
        assert sorted(_results(pool, jobs)) == [(key, number) for key in "abc" for number in range(5)]
        assert _results(pool, jobs[:1]) == [("a", 0)]
    assert opened.entered <= 6


def test_keys_are_worked_on_at_once_and_one_key_by_as_many_as_it_may():
    """Both keys wait for each other; three jobs of one key would wait for ever if more than two began."""
    both = threading.Barrier(4, timeout=240)
    pool, _ = _per_key()
    with pool:
        jobs = [Job("meeting", key, lambda _: both.wait()) for key in "ab" for _ in range(2)]
        assert len(_results(pool, jobs)) == 4


def test_the_job_that_waits_longest_begins_first_whatever_its_key():
    pool, order, gate = WorkerPool(1, Stop()), [], threading.Event()
    with pool:
        pool.add(Job("first", "z", without_resource(gate.wait, PATIENCE)))
        for name in ("b1", "a1", "b2", "a2"):
            pool.add(Job(name, name[0], without_resource(order.append, name)))
        assert len(pool) == 5
        gate.set()
        assert [name for name, _ in pool.results()] == ["first", "b1", "a1", "b2", "a2"]
        assert len(pool) == 0
    assert order == ["b1", "a1", "b2", "a2"]


def test_asked_to_stop_no_further_job_of_a_key_begins():
    stop, begun = Stop(), count()

    def work(_resource):
        stop.ask()
        return next(begun)

    pool, _ = _per_key(per_key=1, stop=stop)
    with pool:
        assert _results(pool, [Job("again", "a", work)] * 3) == [0]


def test_an_error_of_a_job_is_raised_when_the_others_have_ended_and_only_once():
    ended = threading.Event()

    def bad(_resource):
        raise LookupError("bad")

    pool, _ = _per_key()
    with pool:
        with pytest.raises(LookupError, match="bad"):
            _results(pool, [Job("bad", "a", bad), Job("good", "b", lambda _: ended.set())])
        assert list(pool.results()) == []


def test_an_error_while_a_resource_is_opened_is_that_of_its_job():
    def opened():
        raise OSError("no more sockets")

    with WorkerPool(1, Stop(), opened, failed=_failure) as pool:
        assert _results(pool, [Job("a", "a", lambda _: "never")]) == ["a: OSError('no more sockets')"]


def test_without_grace_what_was_broken_off_is_waited_for():
    stop, begun, ended = Stop(), threading.Event(), threading.Event()

    def slow(_resource):
        with stop.breaking(ended.set):
            begun.set()
            assert ended.wait(PATIENCE)
        ended.clear()

    def interrupted():
        with WorkerPool(1, stop) as pool:
            pool.add(Job("slow", "a", slow))
            begun.wait(PATIENCE)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert begun.is_set()
    assert not ended.is_set()


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
