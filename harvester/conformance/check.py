"""One check: a name, what the standard expects and where, and a function that yields what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeAlias

from harvester.conformance.conversation import Exchange, Undecided
from harvester.conformance.report import Evidence, Result, Verdict
from harvester.conformance.repository import Repository

# So many findings show what is wrong; the hundredth of the same kind shows nothing more.
_FINDINGS_SHOWN = 3


class Finding(NamedTuple):
    """Something wrong: the exchange that shows it, and a sentence."""

    exchange: Exchange
    sentence: str


Findings: TypeAlias = Iterator[Finding]


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `function` yields findings (none: passed) or raises Undecided (skipped); `fault` is their verdict."""

    name: str
    section: str
    expects: str
    function: Callable[[Repository], Findings]
    fault: Verdict = Verdict.FAIL

    def run(self, repository: Repository) -> Result:
        """Return what the check found."""
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
