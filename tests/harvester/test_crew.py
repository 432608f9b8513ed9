"""Several sources at once: never two of one host, and no fault of one stops another."""

import threading
import time

import pytest

from harvester.crew import Crew, Job, host_of
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop

PATIENCE = 5.0


def _told(name, error):
    return f"{name}: {error!r}"


def _crew(threads=8, stop=None):
    return Crew(threads, stop or Stop(), _told)


def test_jobs_of_several_hosts_are_done_at_once():
    meeting = threading.Barrier(3, timeout=PATIENCE)
    with _crew() as crew:
        for name in "abc":
            crew.add(Job(name, f"{name}.example.org", meeting.wait))
        assert sorted(name for name, _ in crew.results()) == ["a", "b", "c"]
    assert not meeting.broken


def test_jobs_of_one_host_are_done_one_after_the_other():
    at_work, most, order = [], [], []

    def work(name):
        at_work.append(name)
        most.append(len(at_work))
        time.sleep(0.01)
        order.append(name)
        at_work.remove(name)

    with _crew() as crew:
        for name in "abc":
            crew.add(Job(name, "one.example.org", lambda name=name: work(name)))
        assert [name for name, _ in crew.results()] == order == ["a", "b", "c"]
    assert max(most) == 1


def test_no_more_threads_than_were_asked_for():
    at_work, most = [], []

    def work():
        at_work.append(1)
        most.append(len(at_work))
        time.sleep(0.01)
        at_work.pop()

    with _crew(threads=2) as crew:
        for name in "abcdef":
            crew.add(Job(name, name, work))
        assert len(list(crew.results())) == 6
    assert max(most) == 2


@pytest.mark.parametrize("error", [ZeroDivisionError("no"), KeyboardInterrupt(), SystemExit(3)])
def test_what_ends_one_job_does_not_end_another(error):
    def fails():
        raise error

    with _crew() as crew:
        crew.add(Job("bad", "a", fails))
        crew.add(Job("next", "a", lambda: "done"))
        assert dict(crew.results()) == {"bad": f"bad: {error!r}", "next": "done"}


def test_who_asks_to_stop_ends_what_has_not_begun():
    stop = Stop()
    with _crew(stop=stop) as crew:
        crew.add(Job("first", "a", stop.ask))
        crew.add(Job("second", "a", lambda: "done"))
        assert list(crew.results()) == [("first", None)]
        assert crew.has("second")
    assert not crew.has("second")


def test_who_insists_breaks_off_what_is_at_work():
    stop, begun, broken = Stop(), threading.Event(), threading.Event()

    def hangs():
        with stop.breaking(broken.set):
            begun.set()
            assert broken.wait(PATIENCE)

    def interrupted():
        crew = _crew(stop=stop)
        with crew:
            crew.add(Job("hangs", "a", hangs))
            list(crew.turn(0.0))
            begun.wait(PATIENCE)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert broken.is_set()
    assert stop.is_insisted


def test_a_turn_waits_no_longer_than_it_may():
    end = threading.Event()
    with _crew() as crew:
        assert list(crew.turn()) == []
        crew.add(Job("slow", "a", lambda: end.wait(PATIENCE)))
        assert list(crew.turn(0.01)) == []
        assert crew.has("slow")
        end.set()
        assert list(crew.turn(PATIENCE)) == [("slow", True)]
        assert crew.is_idle


def test_a_host_is_a_name_whatever_its_port():
    def host(url):
        return host_of(SourceEntry("fake", url))

    assert host("https://Repo.Example.ORG.:8443/oai") == host("http://repo.example.org/other") == "repo.example.org"


def test_a_failure_that_cannot_be_reported_ends_the_crew():
    """Nothing came into the queue when reporting raised, and the command waited for ever."""

    def fails():
        raise ZeroDivisionError

    def cannot_say(_name, _error):
        raise BrokenPipeError

    with Crew(2, Stop(), cannot_say) as crew:
        crew.add(Job("bad", "a", fails))
        with pytest.raises(BrokenPipeError):
            list(crew.results())
