"""A recheck that is asked to stop, or killed, loses nothing, and goes on the next time."""

import signal
import subprocess
from threading import Event
from time import sleep

import pytest

from tests.live import command, environment
from tests.mirror.conftest import NO_PAUSES
from tests.mirror.provider import Item

pytestmark = pytest.mark.slow  # it asks servers

ONE_AT_ONCE = {"mirror_host_connections": 1}
DAY = 86_400
ONE, TWO = ({name: f"{name} {text}".encode() for name in ("a", "b", "c")} for text in ("one", "two"))


_PATIENCE = 240  # seconds; a busy machine is no defect


def _until(condition):
    """Wait until something is so."""
    for _ in range(_PATIENCE * 100):
        if condition():
            return
        sleep(0.01)
    pytest.fail("It never was so.")


@pytest.fixture
def killed_at(provider, mirror):
    """Return a function that kills a recheck when it asks for a file, and a condition holds."""

    def killed(name, condition):
        reached, left = Event(), Event()

        def hangs(_handler):
            reached.set()
            left.wait(_PATIENCE)
            return False

        provider.faults[name] = hangs
        line = command("harvester", mirror.folder.parent / "nowhere", "mirror", "recheck", str(mirror.folder))
        given = {**ONE_AT_ONCE, "fetch_delay_seconds": 0}
        with subprocess.Popen(line, env={**environment(given), **NO_PAUSES}, stderr=subprocess.PIPE) as process:
            assert reached.wait(_PATIENCE)
            _until(condition)
            process.kill()
            left.set()
        provider.faults.clear()

    return killed


@pytest.fixture
def stops(provider, send_signal):
    """Return a function that lets SIGTERM come while a file is asked for, once; the answer comes when it is noted."""

    def stopping(name):
        def fault(_handler):
            del provider.faults[name]
            send_signal(signal.SIGTERM)
            return False

        provider.faults[name] = fault

    return stopping


def test_what_came_before_it_was_asked_to_stop_is_held_and_the_rest_is_due(provider, mirror, recheck, stops):
    provider.items["oai:p:0"] = Item(ONE.copy(), says=())
    mirror.run()
    recheck("--all", "--every", "30d")
    provider.items["oai:p:0"].files.update(TWO)
    stops("oai:p:0/a")
    provider.sent.clear()
    receipt = recheck(status=130, later=31 * DAY, **ONE_AT_ONCE)
    assert "run the same command again" in mirror.stderr
    assert (receipt["outcome"], provider.asked) == ("stopped", ["oai:p:0/a"])
    assert mirror.held()["oai:p:0"] == {**ONE, "a": TWO["a"]}
    assert recheck(later=31 * DAY + 1)["is_whole"]
    assert sorted(provider.sent) == ["oai:p:0/a", "oai:p:0/b", "oai:p:0/c"]
    assert mirror.held() == provider.expected()
    recheck(later=31 * DAY + 2)
    assert provider.asked == []


def test_a_round_over_everything_goes_on_where_it_was_stopped(provider, mirror, recheck, stops):
    provider.has_validators = False
    for number in range(6):
        provider.items[f"oai:p:{number}"] = Item({"a": b"%d" % number}, says=())
    mirror.run()
    provider.sent.clear()
    stops("oai:p:2/a")
    recheck(status=130, **ONE_AT_ONCE)
    assert len(provider.sent) == 3
    assert recheck()["objects"] == {"unchanged": 3}
    assert "is continued" in mirror.stderr
    assert len(provider.sent) == 6
    assert recheck()["objects"] == {"unchanged": 6}


def test_a_recheck_that_is_killed_goes_on(provider, mirror, recheck, fill, killed_at):
    """What its memory had not kept is asked for once more, and nothing of it is sent."""
    fill(8, says=())
    mirror.run()
    for number in range(8):
        provider.items[f"oai:p:{number}"].files["a.txt"] = b"other %d" % number
    killed_at("oai:p:7/b.txt", lambda: mirror_is_locked(mirror, recheck))
    assert recheck()["is_whole"]
    assert mirror.held() == provider.expected()
    assert mirror.version("oai:p:0") == 2
    assert list((mirror.folder / "aside").iterdir()) == []
    provider.sent.clear()
    recheck()
    assert provider.sent == []


def mirror_is_locked(mirror, recheck):
    """Tell whether neither a recheck nor a run may work on the mirror now."""
    asked = mirror.provider.asked[:]
    outcomes = []
    for tried in (recheck, mirror.run):
        tried(status=6)
        outcomes.append("Another process works on" in mirror.stderr)
    mirror.provider.asked[:] = asked
    return all(outcomes)
