"""The recorded pages, each with its address and the right answer, found by people who looked at it."""

from pathlib import Path
from typing import NamedTuple

from gateway.core.model import Outcome


class Recorded(NamedTuple):
    """A page, its address, and the right answer: the address of its PDF, or none where it offers none."""

    file: str
    url: str
    pdf: str = ""
    outcome: Outcome | None = None


def _read(line: str) -> Recorded:
    file, url, right = line.split(" ")
    if right == "captcha":
        return Recorded(file, url, outcome=Outcome.BLOCKED_CAPTCHA)
    return Recorded(file, url, right.removeprefix("none"))


_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
PAGES = tuple(_read(line) for line in _LINES if not line.startswith("#"))
