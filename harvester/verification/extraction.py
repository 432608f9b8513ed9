"""The text of a PDF, read in a child process that can be killed: whatever the file does, this process goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from typing import NamedTuple

from gateway import sandbox
from gateway.errors import ConfigurationError
from gateway.model import Outcome
from harvester.verification import reading

SECONDS = 30.0
ENOUGH_WORDS = 100  # with fewer the other engine is asked too, and then a person with eyes is needed
_ENGINES = tuple(reading.ENGINES)

_STATUSES = {
    reading.BROKEN: Outcome.BROKEN_PDF,
    reading.ENCRYPTED: Outcome.ENCRYPTED_PDF,
    reading.NO_MEMORY: Outcome.PARSE_MEMORY,
    -signal.SIGXCPU: Outcome.PARSE_TIMEOUT,
    -signal.SIGKILL: Outcome.PARSE_TIMEOUT,
    # Libraries in C end like this when they get no memory.
    -signal.SIGABRT: Outcome.PARSE_MEMORY,
    -signal.SIGTRAP: Outcome.PARSE_MEMORY,
    -signal.SIGILL: Outcome.PARSE_MEMORY,
}


class Extracted(NamedTuple):
    """What was read. `first` is the text of the first two pages; `outcome` is SUCCESS when there is enough of it.

    `front` is the text of page 1 alone. Of the first 20 pages `counts` has the number of words, `sizes` (width, height)
    in points: 0 where the engine does not know it.
    """

    outcome: Outcome
    pages: int = 0
    first: str = ""
    rest: str = ""
    engine: str = ""
    front: str = ""
    counts: tuple[int, ...] = ()
    sizes: tuple[tuple[float, float], ...] = ()

    @property
    def text(self) -> str:
        """The whole text."""
        return f"{self.first}\n{self.rest}"

    @property
    def word_count(self) -> int:
        """How many words the text has; where no spaces divide them, as in Japanese, two characters count as one."""
        return max(len(self.text.split()), sum(ord(each) > 0x2E80 for each in self.text) // 2)  # noqa: PLR2004 - CJK


def extract(data: bytes, seconds: float = SECONDS) -> Extracted:
    """Return the text of a PDF: by the fast engine first, by the other one when that yields little or fails.

    Raise ConfigurationError when the child cannot start: that says nothing of the file.
    """
    best: Extracted | None = None
    for engine in _ENGINES:
        found = _extracted(engine, data, seconds)
        if found.outcome is Outcome.ENCRYPTED_PDF:
            return found
        best = found if best is None or found.word_count > best.word_count else best
        if best.outcome is Outcome.SUCCESS:
            break
    assert best is not None
    return best


def _extracted(engine: str, data: bytes, seconds: float) -> Extracted:
    status, answer = _child(engine, data, seconds)
    if status and status not in _STATUSES and not answer:
        raise ConfigurationError(
            f"The process that reads PDF files cannot start (status {status}). `gateway check` tries its sandbox."
        )
    if status:
        return Extracted(_STATUSES.get(status, Outcome.BROKEN_PDF), engine=engine)
    told = json.loads(answer)
    sizes = tuple((width, height) for width, height in told["sizes"])
    found = Extracted(
        Outcome.SUCCESS, told["pages"], told["first"], told["rest"], engine, told["front"], tuple(told["counts"]), sizes
    )
    if not found.pages:
        return found._replace(outcome=Outcome.BROKEN_PDF)
    return found if found.word_count >= ENOUGH_WORDS else found._replace(outcome=Outcome.NO_TEXT)


_at_work: set[subprocess.Popen[bytes]] = set()


def break_off() -> None:
    """Kill every child that is at work, from another thread. The thread that waits for one gets a KeyboardInterrupt."""
    while _at_work:
        with suppress(KeyError):  # it has just ended
            _kill(_at_work.pop())


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def _child(engine: str, data: bytes, seconds: float) -> tuple[int, bytes]:
    """Run a child on these bytes; return how it ended and what it said: nothing when it did not come to the bytes.

    It has a process group of its own, an empty environment, and the working directory `/`.
    """
    line = sandbox.command(reading.__name__, engine)
    with subprocess.Popen(  # noqa: S603 - the line is ours; the bytes are no argument
        line,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={},
        cwd="/",
    ) as child:
        _at_work.add(child)
        try:
            answer, _ = child.communicate(data, seconds)
        except subprocess.TimeoutExpired:
            _kill(child)
            answer, _ = child.communicate()
        except BaseException:  # a signal: the child must not go on alone
            _kill(child)
            raise
        finally:  # however it ended: its number may soon be that of another process
            is_broken_off = child not in _at_work
            _at_work.discard(child)
        if is_broken_off:
            raise KeyboardInterrupt
        return child.returncode, answer
