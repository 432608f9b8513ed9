"""Eight hosts harvested at once, stopped and killed: each source ends as if it had been alone and undisturbed."""

from __future__ import annotations

import signal
import time

import pytest

from gateway.store.opening import open_inbox, open_store

pytestmark = pytest.mark.slow

# Eight ways to write one loopback address: to the harvester they are eight hosts.
HOSTS = ("127.0.0.1", "localhost", "127.1", "127.0.1", "2130706433", "0x7f.1", "0177.1", "0x7f000001")


@pytest.fixture
def started(instance, repository, harvester):
    """Return a function that starts a run of all eight, with processes that publish, and waits for so many pages."""
    repository.fill(400)
    repository.before = lambda _: time.sleep(0.02)
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
    repository.before = lambda _: time.sleep(0.5)  # none of them is at its end for many seconds
    process = started(16)
    for _ in range(signals):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    process.communicate(timeout=120)
    findings, items, ended = _state(instance)
    assert (process.returncode, findings, ended) == (130, (), {"stopped"})
    assert 0 < sum(items) < 400 * len(HOSTS)


@pytest.mark.slow
@pytest.mark.unmeasured
def test_killed_again_and_again_they_all_come_to_their_end(instance, started, repository, harvester):
    for pages in (30, 60, 90):
        process = started(pages)
        process.kill()
        process.communicate()
    process = started(1)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert out.count('"is_complete": true') == len(HOSTS)
    assert _state(instance) == ((), [400] * len(HOSTS), {"succeeded"})
    # At most the page in flight of each was asked for again by each kill.
    assert len(repository.lists()) <= (40 + 3) * len(HOSTS)
