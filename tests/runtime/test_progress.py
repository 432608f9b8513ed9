"""What people see while a command works."""

import io
import re

import pytest

from harvester.runtime.progress import Bars, Lines, progress


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
