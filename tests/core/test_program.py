"""What both programs have in common: who is told what, and by which words."""

import click
import pytest
from click.testing import CliRunner

from gateway.core.errors import ConfigurationError
from gateway.core.program import Program, program_options, say
from tests.rows import each_row


@click.group(cls=Program)
@program_options
def program():
    """Do nothing."""


@program.command()
@click.argument("what")
def end(what):
    """End in some way."""
    say("A sentence.")
    raise {
        "wrong": ConfigurationError("The setting is wrong."),
        "full": OSError(28, "No space left on device"),
        "lost": FileNotFoundError(2, "No such file or directory", "/a/file"),
        "gone": BrokenPipeError(32, "Broken pipe"),
        "stopped": KeyboardInterrupt(),
        "bytes": UnicodeEncodeError("utf-8", "a\udcffb\x1b", 1, 2, "surrogates not allowed"),
    }[what]


def _ended(*words):
    result = CliRunner().invoke(program, words)
    return result.exit_code, result.stderr


@each_row(
    "what, status, words",
    [
        ("wrong", 2, "Error: The setting is wrong.\n"),
        ("full", 1, "Error: The output cannot be written or read: No space left on device.\n"),
        ("lost", 1, "Error: /a/file cannot be written or read: No such file or directory.\n"),
        ("gone", 141, ""),
        ("stopped", 130, "Stopped.\n"),
        ("bytes", 2, r"Error: 'a\udcffb\x1b' has bytes that are no UTF-8. Write it in UTF-8." + "\n"),
    ],
)
def test_whatever_ends_a_command_has_a_status_and_a_sentence(what, status, words):
    assert _ended("end", what) == (status, f"A sentence.\n{words}")


def test_quiet_leaves_the_error_alone():
    assert _ended("--quiet", "end", "wrong") == (2, "Error: The setting is wrong.\n")


@pytest.mark.parametrize("what", ["wrong", "full"])
def test_verbose_tells_where_an_error_came_from(what):
    status, words = _ended("--verbose", "end", what)
    assert status == _ended("end", what)[0]
    assert "Traceback" in words
