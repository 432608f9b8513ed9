"""How often the rules that accept files are right, as far as people have judged a random sample of them. Pure."""

from collections import defaultdict
from collections.abc import Iterable
from hashlib import blake2b
from heapq import nsmallest
from math import sqrt
from typing import NamedTuple

from gateway.core.model import AcceptRule, Judged, Judgement, SampledFile
from gateway.fulltext.decisions import BY_LICENSE, BY_POLICY

SIZE = 50  # files of each rule and month: the interval is then at most 14 points wide on each side
_YEAR_SECONDS = 365 * 86_400
_QUANTILE = 1.96  # of the standard normal distribution, for an interval of 95 %

# How the reasons of the decisions of each rule begin.
BEGINNINGS = {AcceptRule.LICENSE: BY_LICENSE, AcceptRule.POLICY: BY_POLICY}


class Precision(NamedTuple):
    """How many of the judged files a rule accepted rightly, with the 95 % interval of its precision (Wilson).

    `judged` counts the files that are right or wrong. `least` and `most` are None if there is none.
    """

    rule: AcceptRule
    right: int
    judged: int
    unsure: int
    least: float | None
    most: float | None

    @property
    def words(self) -> str:
        """The figures in words, such as `47 of 50 right, 84\u201398 %`."""
        if self.least is None or self.most is None:
            figures = "nothing judged yet"
        else:
            figures = f"{self.right} of {self.judged} right, {self.least * 100:.0f}\u2013{self.most * 100:.0f} %"
        return f"{figures}; {self.unsure} unsure" if self.unsure else figures


def interval(right: int, judged: int) -> tuple[float, float]:
    """Return the 95 % interval of a share after Wilson (1927), which is sound for few files and for shares near 1."""
    share, square = right / judged, _QUANTILE**2
    middle = share + square / (2 * judged)
    half = _QUANTILE * sqrt(share * (1 - share) / judged + square / (4 * judged**2))
    whole = 1 + square / judged
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def since(at: int) -> int:
    """Return the second from which on judgements count at the second `at`: those of a year."""
    return at - _YEAR_SECONDS


def precisions_of(judgements: Iterable[Judgement]) -> tuple[Precision, ...]:
    """Return the precision of every rule. A file counts once; if people disagree on it, it counts as wrong."""
    files: dict[tuple[AcceptRule, SampledFile], set[Judged]] = defaultdict(set)
    for judgement in judgements:
        files[judgement.rule, judgement.file].add(judgement.judged)
    return tuple(_precision(rule, [words for (of, _), words in files.items() if of is rule]) for rule in AcceptRule)


def _precision(rule: AcceptRule, files: Iterable[set[Judged]]) -> Precision:
    kinds = [_together(words) for words in files]
    right, wrong, unsure = map(kinds.count, (Judged.RIGHT, Judged.WRONG, Judged.UNSURE))
    least, most = interval(right, right + wrong) if right + wrong else (None, None)
    return Precision(rule, right, right + wrong, unsure, least, most)


def _together(words: set[Judged]) -> Judged:
    """Return what people say together: `unsure` yields to the others, and `right` to `wrong`."""
    return next(judged for judged in (Judged.WRONG, Judged.RIGHT, Judged.UNSURE) if judged in words)


def sample_of(files: Iterable[SampledFile], rule: AcceptRule, month: str, size: int = SIZE) -> tuple[SampledFile, ...]:
    """Return a random sample of files, in a random order.

    Rule and month (`2026-11`) are the seed: the same files give the same sample. A file that is added later is as
    likely to be in the next sample as the others.
    """
    return tuple(nsmallest(size, files, key=lambda file: _draw(file, rule, month)))


def mixed(files: Iterable[SampledFile], month: str) -> tuple[SampledFile, ...]:
    """Return the files of the samples of all rules in one random order, which says nothing about the rules."""
    return tuple(sorted(set(files), key=lambda file: _draw(file, "", month)))


def _draw(file: SampledFile, rule: str, month: str) -> bytes:
    parts = "\n".join((rule, month, *file))
    return blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).digest()
