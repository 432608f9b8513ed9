"""Starts `harvester` again and again without importing it again, for tests that kill it hundreds of times.

Each line on its standard input is a command line; it answers with the number of the process that runs it, and, when
that has ended, with its exit status (negative: the signal that ended it). What stands before the command is its
surroundings: `NAME=value` for the environment, `room=BYTES` for the size that no file may grow beyond, `kill=NUMBER`
for the statement of SQL before which it is killed.
"""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import harvester.commands.run
import harvester.harvest.publishing.publication
import harvester.sources.oai_pmh  # noqa: F401 - the same
from harvester.cli import main
from tests.killing import kill_before

_COMMAND = "from tests.faults.launcher import launch; launch()"
_ROOT = Path(__file__).resolve().parents[2]


def launch() -> None:
    """Run what is asked for until nobody asks any more."""
    for line in sys.stdin:
        number = os.fork()
        if not number:
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(2, 1)
            words = line.split()
            command = words.index("--instance")
            for word in words[:command]:
                _surround(*word.split("=", 1))
            main(words[command:])
        print(number, flush=True)
        _, status = os.waitpid(number, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _surround(name: str, value: str) -> None:
    if name == "room":  # CPython ignores SIGXFSZ, so a write fails
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(value), resource.RLIM_INFINITY))
    elif name == "kill":
        kill_before(int(value))
    else:
        os.environ[name] = value


class Launcher:
    """The launcher, as the test sees it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Take a process that was started so."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout

    def start(self, *arguments: str) -> int:
        """Start `harvester` and return the number of its process."""
        self._input.write(" ".join(arguments) + "\n")
        self._input.flush()
        return int(self._output.readline())

    def wait(self) -> int:
        """Return how the process that was started last has ended."""
        return int(self._output.readline())

    def is_killed(self, statement: int, *arguments: str) -> bool:
        """Run `harvester` with a kill before a statement of SQL; tell whether it came to that."""
        self.start(f"kill={statement}", *arguments)
        return self.wait() == -signal.SIGKILL


@contextmanager
def launching(output: Path, surroundings: Mapping[str, str] | None = None) -> Iterator[Launcher]:
    """Have a launcher as long as the context lasts; what its children say is written to a file.

    `surroundings` is its environment; None: ours.
    """
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", _COMMAND]
    with (
        output.open("w") as stderr,
        subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=stderr, text=True, cwd=_ROOT, env=surroundings
        ) as process,
    ):
        yield Launcher(process)
