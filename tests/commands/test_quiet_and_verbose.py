"""What is said of a run under `--quiet` and `--verbose`, and when SIGTERM comes before anything is said."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from gateway.statuses import Status
from tests.commands.calls import PROGRAMS


@pytest.mark.slow
def test_quiet_harvests_without_a_word_and_tells_failures(fresh, site):
    tmp = fresh()
    result = CliRunner().invoke(PROGRAMS["harvester"], ["--instance", str(tmp / "instance"), "--quiet", "run", "fake"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    site.before = lambda handler: handler.send_error(404) or True
    result = CliRunner().invoke(PROGRAMS["harvester"], ["--instance", str(tmp / "instance"), "-q", "run", "fake"])
    assert result.exit_code
    assert "404" in result.stderr


@pytest.mark.slow
def test_verbose_tells_every_request(fresh, site):
    result = CliRunner().invoke(PROGRAMS["harvester"], ["--instance", str(fresh() / "instance"), "-v", "run", "fake"])
    assert result.exit_code == 0
    assert f"GET {site.oai}?verb=Identify: 200, " in result.stderr


@pytest.mark.slow
def test_sigterm_while_a_program_starts_or_asks_is_no_failure(fresh):
    """A question on the terminal ended with `Aborted!` and 1."""
    command = [sys.executable, "-m", "harvester", "--instance", str(fresh() / "instance"), "source", "remove", "fake"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.stderr.read(1) not in ("]", ""):  # the end of the question, or of the process
            pass
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=240)
    assert process.returncode == Status.STOPPED
