"""Runs command lines as processes with standard streams that are wrong, quickly: everything is imported once.

`python -m tests.commands.forked` reads lists of cases from stdin, one a line, as JSON. It forks for each case, and
writes how each ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module
from select import select
from time import monotonic
from typing import Any

from gateway.cli import main as gateway
from harvester.cli import COMMANDS
from harvester.cli import main as harvester

PROGRAMS = {"gateway": gateway, "harvester": harvester}
PATIENCE_SECONDS = 240.0
STDIN = b"correct horse battery staple\n"  # for commands that read a password


def _stream(kind: str) -> tuple[int, int]:
    """Return a descriptor for a stream of this kind, and one to read from it; -1: none."""
    if kind == "full":
        return os.open("/dev/full", os.O_WRONLY), -1
    if kind == "closed":
        return -1, -1
    reading, writing = os.pipe()
    if kind == "gone":
        os.close(reading)
        return writing, -1
    return writing, reading


def _become(words: list[str], out: int, err: int) -> None:
    """Go on as the program, with these streams. Its stdin has one line; ours has the cases, which are not for it."""
    os.setsid()
    line, writing = os.pipe()
    os.write(writing, STDIN)
    os.close(writing)
    for number, descriptor in ((0, line), (1, out), (2, err)):
        if descriptor < 0:
            os.close(number)
        else:
            os.dup2(descriptor, number)
    os.closerange(3, 64)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - until the process ends
    if out < 0:
        sys.stdout = None
    if err < 0:
        sys.stderr = None
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = words
    PROGRAMS[words[0]]()


def _read(descriptors: list[int], end: float) -> list[str]:
    """Return what came from each descriptor until all are closed, or the time is over."""
    received = dict.fromkeys(descriptors, b"")
    left = {descriptor for descriptor in descriptors if descriptor >= 0}
    while left and monotonic() < end:
        for descriptor in select(list(left), [], [], 0.1)[0]:
            if part := os.read(descriptor, 65536):
                received[descriptor] += part
            else:
                left.remove(descriptor)
                os.close(descriptor)
    return [received[descriptor].decode("utf-8", "replace") for descriptor in descriptors]


def _ended(case: dict[str, Any]) -> dict[str, Any] | None:
    """Run one case, and return how it ended; None in the process that is the program."""
    out, read_out = _stream(str(case["out"]))
    err, read_err = _stream(str(case["err"]))
    process = os.fork()
    if not process:
        _become(list(case["words"]), out, err)
        return None
    for descriptor in {out, err} - {-1}:
        os.close(descriptor)
    end = monotonic() + PATIENCE_SECONDS
    texts = _read([read_out, read_err] if read_out != read_err else [read_out], end)
    status = None
    while status is None and monotonic() < end:
        ended, raw = os.waitpid(process, os.WNOHANG)
        status = os.waitstatus_to_exitcode(raw) if ended else select([], [], [], 0.01) and None
    if status is None:
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
    return {**case, "status": status, "texts": texts}


def main() -> None:
    """Run the cases of each line."""
    for row in COMMANDS.values():
        import_module(row.place.partition(":")[0])
    for line in sys.stdin:
        results = []
        for case in json.loads(line):
            result = _ended(case)
            if result is None:
                return
            results.append(result)
        print(json.dumps(results), flush=True)


if __name__ == "__main__":
    main()
