"""The first signal asks, the second insists; and what people see while a command works."""

import io
import os
import re
import signal

import pytest

from harvester.runtime.interrupts import Stop, StopAsked, TimeIsOver, listening
from harvester.runtime.progress import Bars, Lines, progress


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


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_log_gets_a_line_every_few_seconds_and_the_last_number():
    stream, clock = io.StringIO(), iter((0.0, 5.0, 11.0, 12.0))
    lines = Lines(stream, lambda: next(clock))
    for done in (500, 1000, 1500, 2000):
        lines.show("laro oai_dc", done, 2000)
    lines.close()
    assert stream.getvalue() == "laro oai_dc: 1,500 of 2,000 records\nlaro oai_dc: 2,000 of 2,000 records\n"


@pytest.mark.parametrize("made", [Lines, Bars])
def test_what_a_remote_text_holds_commands_no_terminal(made):
    stream = _Terminal()
    telling = made(stream)
    telling.say("The server says \x1b]0;mine\x07\x9b2J\r\nfake: The run ended: succeeded.")
    telling.close()
    assert "The server says  ]0;mine 2J fake: The run ended: succeeded." in " ".join(stream.getvalue().split("\n"))


def test_a_terminal_gets_bars():
    stream = _Terminal()
    with progress(stream) as telling:
        assert isinstance(telling, Bars)
        telling.show("laro oai_dc", 1, 2)
        telling.show("laro oai_dc", 2, 2)
        telling.say("[sic] A sentence.")
    assert "2 of 2 records" in stream.getvalue()
    assert "[sic] A sentence." in stream.getvalue()


@pytest.mark.parametrize("stream", [io.StringIO(), _Terminal()])
def test_what_lasts_for_ever_says_when_each_thing_happened(stream):
    with progress(stream, is_dated=True) as telling:
        telling.say("laro: It began.")
        telling.fail("laro: It broke\x1b[2J.")
    first, second = (line for line in stream.getvalue().splitlines() if "laro" in line)
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} INFO laro: It began.", first)
    assert second.endswith(r"ERROR laro: It broke\u001b[2J.")
