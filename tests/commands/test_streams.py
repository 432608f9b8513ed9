"""Every command ends by itself, with a status of the table, whatever becomes of stdout and stderr."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gateway.statuses import Status
from tests.commands.calls import CALLS, line
from tests.conftest import ROOT
from tests.rows import each_row

# What stdout and stderr are: read to the end, closed, without a reader, or on a full device.
FOR_DATA = (("closed", "kept"), ("gone", "kept"), ("gone", "gone"), ("full", "kept"))
FOR_WORDS = (("closed", "closed"), ("kept", "gone"), ("gone", "gone"), ("kept", "full"))
_FAILURES = ("Traceback", "Exception ignored", "Fatal Python")


@pytest.fixture(scope="session")
def run():
    """Return a function that runs cases, and returns how each ended."""
    command = [sys.executable, "-m", "tests.commands.forked"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:

        def run(cases):
            process.stdin.write(f"{json.dumps(cases)}\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield run
        process.stdin.close()


def _case(command, fresh, oai, streams, *more):
    out, err = streams
    return {"words": line(command, (*CALLS[command][0], *more), fresh(), oai), "out": out, "err": err}


def _wrong(result, *, writes):
    """Return what is wrong with the end of a command."""
    if result["status"] is None:
        return "it hangs"
    if result["status"] not in set(Status):
        return f"it ended with {result['status']}"
    if any(failure in text for text in result["texts"] for failure in _FAILURES):
        return f"it failed: {result['texts']}"
    wanted = {"gone": Status.READER_GONE, "full": Status.FAILED}.get(result["out"])
    return f"it ended with {result['status']}" if writes and wanted not in (None, result["status"]) else ""


@pytest.mark.slow
@pytest.mark.share(one_in=4)
@pytest.mark.parametrize(("data", "words"), list(zip(FOR_DATA, FOR_WORDS, strict=True)))
def test_every_command_ends_whatever_becomes_of_its_streams(data, words, fresh, site, run):
    """`harvester run laro 2>&1 | head -1` hung for ever once the reader had gone."""
    wrong = {}
    for command in CALLS:
        for result in run([_case(command, fresh, site.oai, data, "--json"), _case(command, fresh, site.oai, words)]):
            if message := _wrong(result, writes="--json" in result["words"]):
                wrong[(*result["words"][3:], result["out"], result["err"])] = message
    assert wrong == {}


@pytest.mark.slow
@each_row("words", [["gateway", "--help"], ["harvester", "run", "--help"], ["harvester", "--version"]])
def test_help_ends_too(words, run):
    cases = [{"words": words, "out": out, "err": err} for out, err in FOR_DATA]
    assert [wrong for result in run(cases) if (wrong := _wrong(result, writes=True))] == []
