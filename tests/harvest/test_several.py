"""Eight hosts harvested at once, and stopped: what each source had sent is stored, and its run has ended."""

from __future__ import annotations

import signal
import time
from threading import Event

import pytest

from gateway.store.opening import open_inbox, open_store

pytestmark = pytest.mark.slow

# Eight ways to write one loopback address: to the harvester they are eight hosts.
HOSTS = ("127.0.0.1", "localhost", "127.1", "127.0.1", "2130706433", "0x7f.1", "0177.1", "0x7f000001")


@pytest.fixture
def started(instance, repository, harvester):
    """Return a function that starts a run of all eight, with processes that publish, and waits for so many pages."""
    repository.fill(400)
    (instance / "config.toml").write_text("publish_processes = 1\nfetch_backoff_seconds = 0.01\n")
    tables = [
        f'[host-{place}]\nurl = "{repository.url.replace("127.0.0.1", host)}"\n' for place, host in enumerate(HOSTS)
    ]
    (instance / "sources.toml").write_text("\n".join(tables))

    def started(pages):
        wanted = len(repository.lists()) + pages
        process = harvester("run", "--all", "--json")
        while len(repository.lists()) < wanted:
            assert process.poll() is None
            time.sleep(0.01)
        return process

    return started


def _state(instance):
    """Return what is wrong with the store, the items of each source, and how its last run ended."""
    store, inbox = open_store(instance), open_inbox(instance)
    names = [f"host-{place}" for place in range(len(HOSTS))]
    try:
        ended = {run.outcome.value for run in inbox.runs(None, len(HOSTS))}
        return store.check(), [store.counts(name)["items"] for name in names], ended
    finally:
        inbox.close()
        store.close()


@pytest.mark.parametrize("signals", [1, 2])
def test_signals_stop_all_of_them_and_everything_is_written_down(instance, started, repository, signals):
    release = Event()
    repository.before = lambda _: len(repository.lists()) >= 16 and release.wait(240)
    process = started(16)
    while not sum(_state(instance)[1]):  # something is published
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    while "once more to stop at once" not in process.stderr.readline():
        assert process.poll() is None
    if signals == 2:
        process.send_signal(signal.SIGINT)
    release.set()
    process.communicate(timeout=240)
    findings, items, ended = _state(instance)
    if signals == 2:  # what is broken off has some seconds to write its end; the next run closes what had not
        ended -= {"running"}
    assert (process.returncode, findings, ended) == (130, (), {"stopped"})
    assert 0 < sum(items) < 400 * len(HOSTS)
