"""The first signal asks, the second insists."""

import os
import signal

import pytest

from harvester.runtime.interrupts import Stop, StopAsked, TimeIsOver, listening


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_second_insists(number, capfd):
    with listening(Stop()) as stop:
        assert not stop.is_asked
        os.kill(os.getpid(), number)
        assert stop.is_asked
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert "once more to stop at once" in capfd.readouterr().err


def test_a_pause_ends_when_asked():
    stop = Stop()
    stop.pause(0)
    stop.ask()
    with pytest.raises(StopAsked):
        stop.pause(3600)
    stop.insist()
    with pytest.raises(KeyboardInterrupt):
        stop.pause(3600)


def test_who_insists_breaks_off_what_lasts_and_nothing_that_is_over():
    stop, broken = Stop(), []
    with stop.breaking(lambda: broken.append("over")):
        pass
    with stop.breaking(lambda: broken.append("lasting")):
        stop.insist()
    assert broken == ["lasting"]
    assert (stop.is_asked, stop.is_insisted) == (True, True)


def test_the_time_that_was_given_ends():
    now = [100.0]
    stop = Stop(30, lambda: now[0])
    stop.pause(0)
    assert not stop.is_time_over
    with pytest.raises(TimeIsOver, match="31 seconds"):
        stop.pause(31)
    now[0] = 130.0
    assert (stop.is_time_over, stop.is_asked) == (True, False)
