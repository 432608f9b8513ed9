"""Processes that kill themselves at a step that a test names: before a statement that they send to SQLite.

    python -m tests.killing 17 takedowns.json --instance i takedown add 10.1234/x

is `harvester`, killed before the 17th statement after that file is there (`.`: from the beginning). A machine that is
busy changes nothing about it.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

from tests import live

ROOT = Path(__file__).resolve().parent.parent


def kill_before(statement: int, after: Path = ROOT) -> None:
    """Let this process kill itself before so many statements from now on, counted once a file is there.

    Processes that it forks go on.
    """
    process, numbers, connect = os.getpid(), count(1), sqlite3.connect

    def trace(_statement: str) -> None:
        if os.getpid() == process and after.exists() and next(numbers) == statement:
            os.kill(process, signal.SIGKILL)

    def traced(*arguments: Any, **more: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **more)
        connection.set_trace_callback(trace)
        return connection

    sqlite3.connect = traced  # type: ignore[assignment]


def is_killed(folder: Path, statement: int, *words: str, after: str | Path = ".") -> bool:
    """Run `harvester` on an instance with a kill before a statement; return whether it came to that."""
    line = [sys.executable, "-m", "tests.killing", str(statement), str(after), "--instance", str(folder), *words]
    # It is the first of a group, as with a service manager; what it has started goes with it.
    with subprocess.Popen(
        line,
        cwd=ROOT,
        env=live.unmeasured(os.environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        _, said = process.communicate()
    assert "Traceback" not in said, said
    return process.returncode == -signal.SIGKILL


if __name__ == "__main__":
    kill_before(int(sys.argv[1]), Path(sys.argv[2]))
    from harvester.cli import main

    main(sys.argv[3:])
