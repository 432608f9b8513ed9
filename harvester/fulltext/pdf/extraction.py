"""The text of a PDF, read in a child process that can be killed, so that no file can stop this process."""

import json
import re
import signal
from collections import Counter
from typing import NamedTuple
from unicodedata import category

from gateway.core import children, sandbox
from gateway.core.errors import ConfigurationError
from gateway.core.model import Outcome
from harvester.fulltext.pdf import reader

SECONDS = 30.0
ENOUGH_WORDS = 100  # with fewer the other engine is tried, too; after that a person must look
_ENGINES = tuple(reader.ENGINES)
_MOST_SIGNS = 100_000  # of a text
_NAMELESS = re.compile(r"\(cid:\d{1,6}\)")  # a letter whose name is not known
_CONTROL, _CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]"), 5
_OF_TABLES = str.maketrans("", "", " \t\r\n\f.,_-\u2013\u2026\u00b7()[]%+=/")
_WITHOUT_SPACES = re.compile("[\u2e81-\U0010ffff]+")  # letters of scripts without spaces

_STATUSES = {
    reader.BROKEN: Outcome.BROKEN_PDF,
    reader.ENCRYPTED: Outcome.ENCRYPTED_PDF,
    reader.NO_MEMORY: Outcome.PARSE_MEMORY,
    -signal.SIGXCPU: Outcome.PARSE_TIMEOUT,
    -signal.SIGKILL: Outcome.PARSE_TIMEOUT,
    # Libraries in C end with these signals if they get no memory.
    -signal.SIGABRT: Outcome.PARSE_MEMORY,
    -signal.SIGTRAP: Outcome.PARSE_MEMORY,
    -signal.SIGILL: Outcome.PARSE_MEMORY,
}


class Extracted(NamedTuple):
    """The text of a file. `first` is the text of the first two pages; `outcome` is SUCCESS if there is enough text.

    `front` is the text of page 1 alone.
    """

    outcome: Outcome
    pages: int = 0
    first: str = ""
    rest: str = ""
    engine: str = ""
    front: str = ""

    @property
    def text(self) -> str:
        """The whole text."""
        return f"{self.first}\n{self.rest}"

    @property
    def word_count(self) -> int:
        """The number of words; without spaces, as in Japanese, two characters count as one."""
        text = self.text
        return max(len(text.split()), sum(map(len, _WITHOUT_SPACES.findall(text))) // 2)


def extract(data: bytes, seconds: float = SECONDS) -> Extracted:
    """Return the text of a PDF: from the fast engine, or from the other one if that fails or finds little text.

    Raise ConfigurationError if the child cannot start: this is not an error of the file.
    """
    best: Extracted | None = None
    for engine in _ENGINES:
        answer = _extracted(engine, data, seconds)
        if answer.outcome is Outcome.ENCRYPTED_PDF:
            return answer
        if best is None or answer.outcome is Outcome.SUCCESS or answer.word_count > best.word_count:
            best = answer
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
    extracted = Extracted(Outcome.SUCCESS, engine=engine, **json.loads(answer))
    if not extracted.pages:
        return extracted._replace(outcome=Outcome.BROKEN_PDF)
    is_text = extracted.word_count >= ENOUGH_WORDS and _is_readable(extracted.text)
    return extracted if is_text else extracted._replace(outcome=Outcome.NO_TEXT)


def _is_readable(text: str) -> bool:
    """Return whether a text has more letters than other signs; a font that does not say its letters gives others.

    Digits do not count, nor do the dots of tables of contents and what else stands in tables. Nor has it controls for a
    fifth of its signs: others of these would be letters by chance.
    """
    signs = _NAMELESS.sub("\x00", text[:_MOST_SIGNS])
    if _CONTROLS * len(_CONTROL.findall(signs)) > len(signs):
        return False
    kinds = Counter(map(category, signs.translate(_OF_TABLES)))
    letters = sum(number for kind, number in kinds.items() if kind[0] in "LM")
    return letters >= sum(number for kind, number in kinds.items() if kind[0] in "CPS")


_at_work: children.Running = set()


def break_off() -> None:
    """Kill every running child, from another thread. The thread that waits for one gets a KeyboardInterrupt."""
    children.break_off(_at_work)


def _child(engine: str, data: bytes, seconds: float) -> tuple[int, bytes]:
    """Run a child on these bytes; return how it ended and its output: empty if it did not reach the bytes."""
    return children.ask(sandbox.command(reader.__name__, engine), data, seconds, _at_work)[:2]
