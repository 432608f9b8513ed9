"""The rules, and what was found: for every rule whether it applied, and its first faults.

A rule is a row of `rules.toml`: name, section of the standard, expectation, and verdict of a fault. Thus a million
entries need one pass.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gateway.core.words import table
from harvester.validate.check import Result, Shown, Verdict

_FINDINGS_SHOWN = 3  # the first findings show what is wrong
_NOTHING = "Nothing that was read is of this kind."


class Rule(NamedTuple):
    """One rule. `section` is the source of `expects`, and `fault` the verdict when it is broken."""

    name: str
    section: str
    expects: str
    fault: Verdict = Verdict.FAIL


RULES = tuple(
    Rule(name, f"Z39.99 {section}" if section.startswith("§") else section, expects, *map(Verdict, fault))
    for name, (section, expects, *fault) in table(__file__, "rules").items()
)


class Judged:
    """The verdicts of all rules. A rule that never applied is skipped."""

    def __init__(self) -> None:
        self._applied: dict[str, Shown] = {}
        self._faults: dict[str, list[tuple[Shown, str]]] = {}
        self._counts: dict[str, int] = {}
        self._reasons: dict[str, str] = {}

    def applied(self, shown: Shown, rules: Iterable[str]) -> None:
        """Store that an answer has what these rules are about."""
        for rule in rules:
            self._applied.setdefault(rule, shown)

    def fault(self, rule: str, shown: Shown, sentence: str) -> None:
        """Store a fault, and the answer that has it."""
        count = self._counts[rule] = self._counts.get(rule, 0) + 1
        if count <= _FINDINGS_SHOWN:
            self._faults.setdefault(rule, []).append((shown, sentence))

    def faults(self, shown: Shown, rule: str, sentences: Iterable[str]) -> None:
        """Store that a rule applied, and all its faults."""
        self._applied.setdefault(rule, shown)
        for sentence in sentences:
            self.fault(rule, shown, sentence)

    def skip(self, rule: str, reason: str) -> None:
        """Store why a rule cannot be decided."""
        self._reasons.setdefault(rule, reason)

    def results(self, reason: str = "") -> Iterator[Result]:
        """Yield the results of all rules. `reason` says why not everything was read; empty: all was."""
        for name, section, expects, fault in RULES:
            if faults := self._faults.get(name):
                more = self._counts[name] - len(faults)
                evidence = [shown.evidence(sentence) for shown, sentence in faults]
                if more:
                    last = evidence[-1]
                    evidence[-1] = last._replace(finding=f"{last.finding} There are {more} more of these.")
                yield Result(name, section, expects, fault, tuple(evidence))
            elif name in self._applied:
                yield Result(name, section, expects, Verdict.PASS, (self._applied[name].evidence(),))
            else:
                why = self._reasons.get(name) or reason or _NOTHING
                yield Result(name, section, expects, Verdict.SKIPPED, (), why)
