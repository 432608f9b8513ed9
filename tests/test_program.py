"""What both programs have in common: who is told what, and by which words."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

import click
import pytest
from click.testing import CliRunner

from gateway.errors import ConfigurationError, StoreBusy, StoreDamaged
from gateway.program import Program, program_options, say, status_of_error
from gateway.statuses import MEANINGS, Status
from tests.commands.calls import PROGRAMS
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


def test_a_text_that_came_from_no_argument_is_a_fault_of_the_program():
    """An argument has only surrogates that stand for bytes."""
    with pytest.raises(UnicodeEncodeError):
        _raised(UnicodeEncodeError("utf-8", "a\ud800", 1, 2, "surrogates not allowed"))


def _raised(error):
    @click.group(cls=Program)
    def other():
        """Do nothing."""

    @other.command()
    def fail():
        raise error

    other.main(["fail"], standalone_mode=False)


def test_quiet_leaves_the_error_alone():
    assert _ended("--quiet", "end", "wrong") == (2, "Error: The setting is wrong.\n")


@pytest.mark.parametrize("what", ["wrong", "full"])
def test_verbose_tells_where_an_error_came_from(what):
    status, words = _ended("--verbose", "end", what)
    assert status == _ended("end", what)[0]
    assert "Traceback" in words


@pytest.mark.parametrize("words", [("-q", "-v"), ("-v", "-q")])
def test_one_cannot_be_quiet_and_verbose(words):
    assert _ended(*words, "end", "wrong")[0] == 2


def test_statuses_of_errors():
    assert status_of_error(ConfigurationError("no")) is Status.USAGE
    assert status_of_error(StoreBusy("busy")) is Status.TRY_LATER
    assert status_of_error(StoreDamaged("damaged")) is Status.FAILED
    assert set(MEANINGS) == set(Status)


@pytest.mark.slow
@each_row("name", PROGRAMS)
def test_a_program_is_a_module_too(name):
    done = subprocess.run([sys.executable, "-m", name, "--version"], capture_output=True, text=True, check=True)
    assert "version" in done.stdout


@pytest.mark.slow
@each_row("shell, name", product(["bash", "zsh", "fish"], PROGRAMS))
def test_a_shell_completes_commands(name, shell):
    """As the README tells it."""
    surroundings = {**os.environ, f"_{name.upper()}_COMPLETE": f"{shell}_source"}
    command = os.path.join(os.path.dirname(sys.executable), name)  # noqa: PTH118, PTH120 - a text is wanted
    done = subprocess.run([command], env=surroundings, capture_output=True, text=True, check=True)
    assert name in done.stdout
