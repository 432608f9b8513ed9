"""One check: a name, the expectation with its section of the standard, and a function that yields faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from gateway.core.errors import GatewayError
from harvester.validate.report import Evidence, Result, Verdict

# The first findings show what is wrong; more of the same kind add nothing.
_FINDINGS_SHOWN = 3


class Undecided(GatewayError):
    """A check cannot be decided; the sentence says why."""


class Shown(Protocol):
    """A request and its answer."""

    def evidence(self, finding: str = "") -> Evidence:
        """Return the request and the answer in one line each, with a finding."""
        ...


class Asked(Protocol):
    """The requests of a validation."""

    def begin_check(self) -> None:
        """Forget which answers the check before consulted."""
        ...

    @property
    def last_evidence(self) -> tuple[Evidence, ...]:
        """The answer that the check consulted last, if any."""
        ...


class Facts(Protocol):
    """What checks are about: facts, requested when a check first needs them."""

    @property
    def conversation(self) -> Asked:
        """The requests."""
        ...


FactsT = TypeVar("FactsT", bound=Facts)


class Finding(NamedTuple):
    """A fault: the exchange that shows it, and a sentence."""

    exchange: Shown
    sentence: str


Findings: TypeAlias = Iterator[Finding]


@dataclass(frozen=True, slots=True)
class Check(Generic[FactsT]):
    """One check. `function` yields findings (none: passed) or raises Undecided (skipped). `fault` is their verdict."""

    name: str
    section: str
    expects: str
    function: Callable[[FactsT], Findings]
    fault: Verdict = Verdict.FAIL

    def run(self, facts: FactsT) -> Result:
        """Return the result of the check, with at most three findings as evidence. Never raise Undecided."""
        facts.conversation.begin_check()
        findings, reason = self._findings(facts)
        verdict = self.fault if findings else Verdict.SKIPPED if reason else Verdict.PASS
        evidence = tuple(finding.exchange.evidence(finding.sentence) for finding in findings)
        return Result(
            self.name,
            self.section,
            self.expects,
            verdict,
            evidence or facts.conversation.last_evidence,
            reason if verdict is Verdict.SKIPPED else "",
        )

    def _findings(self, facts: FactsT) -> tuple[list[Finding], str]:
        findings: list[Finding] = []
        try:
            findings.extend(islice(self.function(facts), _FINDINGS_SHOWN))
        except Undecided as reason:
            return findings, str(reason)
        return findings, ""
