"""One check: a name, the expectation with its section of the standard, and a function that yields faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeAlias

from harvester.validate.client import Exchange, Undecided
from harvester.validate.report import Evidence, Result, Verdict
from harvester.validate.repository import Repository

# The first findings show what is wrong; more of the same kind add nothing.
_FINDINGS_SHOWN = 3


class Finding(NamedTuple):
    """A fault: the exchange that shows it, and a sentence."""

    exchange: Exchange
    sentence: str


Findings: TypeAlias = Iterator[Finding]


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `function` yields findings (none: passed) or raises Undecided (skipped). `fault` is their verdict."""

    name: str
    section: str
    expects: str
    function: Callable[[Repository], Findings]
    fault: Verdict = Verdict.FAIL

    def run(self, repository: Repository) -> Result:
        """Return the result of the check, with at most three findings as evidence. Never raise Undecided."""
        repository.conversation.consulted.clear()
        findings, reason = self._findings(repository)
        verdict = self.fault if findings else Verdict.SKIPPED if reason else Verdict.PASS
        evidence = tuple(finding.exchange.evidence(finding.sentence) for finding in findings)
        return Result(
            self.name,
            self.section,
            self.expects,
            verdict,
            evidence or _last(repository.conversation.consulted),
            reason if verdict is Verdict.SKIPPED else "",
        )

    def _findings(self, repository: Repository) -> tuple[list[Finding], str]:
        findings: list[Finding] = []
        try:
            findings.extend(islice(self.function(repository), _FINDINGS_SHOWN))
        except Undecided as reason:
            return findings, str(reason)
        return findings, ""


def _last(exchanges: list[Exchange]) -> tuple[Evidence, ...]:
    return tuple(exchange.evidence() for exchange in exchanges[-1:])
