"""Every command ends with a status of the table whatever becomes of its streams, and says as much as it is told to."""

import os
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gateway.core.statuses import Status
from tests.commands.calls import CALLS, PROGRAMS, line
from tests.live import COMMANDS, unmeasured

# All commands end in the same way; these write from the main thread, from others, one object, and many.
SAMPLE = ("gateway check", "harvester records", "harvester run", "harvester discover")
_FAILURES = ("Traceback", "Exception ignored", "Fatal Python")


def _ended(words: list[str], out: str, err: str) -> tuple[int, str]:
    """Run a command line with streams of these kinds; return its status, and what it wrote."""
    streams, closed = list[Any](), ""
    with ExitStack() as opened:
        for number, kind in ((1, out), (2, err)):
            if kind == "gone":
                reading, writing = os.pipe()
                os.close(reading)
                streams.append(opened.enter_context(os.fdopen(writing, "wb", 0)))
            elif kind == "full":
                streams.append(opened.enter_context(Path("/dev/full").open("wb", 0)))
            else:
                streams.append(subprocess.PIPE)
            closed += f" {number}>&-" * (kind == "closed")
        program, *rest = words
        ended = subprocess.run(
            ["/bin/sh", "-c", f'exec "$@"{closed}', "sh", str(COMMANDS / program), *rest],
            stdout=streams[0], stderr=streams[1], stdin=subprocess.DEVNULL, env=unmeasured(os.environ), timeout=240,
            check=False, text=True,
        )  # fmt: skip
    return ended.returncode, f"{ended.stdout}{ended.stderr}"


@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.share(one_in=2)
@pytest.mark.parametrize(
    ("out", "err"), [("closed", "closed"), ("gone", "kept"), ("gone", "gone"), ("full", "kept"), ("kept", "full")]
)
def test_a_command_ends_whatever_becomes_of_its_streams(out, err, fresh, site):
    """`harvester run laro 2>&1 | head -1` hung for ever once the reader had gone."""
    tmp = fresh()
    for command in SAMPLE:
        status, written = _ended(line(command, (*CALLS[command][0], "--json"), tmp, site.oai), out, err)
        assert status in set(Status), (command, written)
        assert not [failure for failure in _FAILURES if failure in written], (command, written)
        if wanted := {"gone": Status.READER_GONE, "full": Status.FAILED}.get(out):
            assert status == wanted, (command, written)


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
