"""Checks and their results.

A check is a name, the expectation with its section of the standard, and a function that yields faults; it is declared
above its function. A result is one of a closed list of verdicts, with evidence; the report has a result per check.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from gateway.core.errors import GatewayError
from harvester.runtime.exit_status import Status, worst

# The first findings show what is wrong; more of the same kind add nothing.
_FINDINGS_SHOWN = 3


class Verdict(StrEnum):
    """How a check ended: a closed list."""

    PASS = "pass"  # noqa: S105  (a verdict, not a password)
    FAIL = "fail"  # the standard requires otherwise
    WARNING = "warning"  # the standard, its guidelines or common practice advise otherwise
    SKIPPED = "skipped"  # could not be decided; the reason says why


class Evidence(NamedTuple):
    """One request and its answer, in one line each; `finding` says what is wrong (empty: nothing)."""

    asked: str
    came: str
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one check. `section` is the source of `expects`; `reason` belongs to a skipped check."""

    check: str
    section: str
    expects: str
    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""


_STATUS_BY_VERDICT = {
    Verdict.PASS: Status.SUCCEEDED,
    Verdict.FAIL: Status.FAILED,
    Verdict.WARNING: Status.WITH_ERRORS,
    Verdict.SKIPPED: Status.SUCCEEDED,
}
_MARKS = {Verdict.PASS: "ok", Verdict.FAIL: "FAIL", Verdict.WARNING: "warn", Verdict.SKIPPED: "skip"}


@dataclass(frozen=True, slots=True)
class Report:
    """All results in the order of the checks, the number of requests, and the duration in seconds."""

    base_url: str
    results: tuple[Result, ...]
    requests: int
    seconds: float

    @property
    def counts(self) -> dict[str, int]:
        """The number of checks per verdict, 0 included."""
        verdicts = Counter(result.verdict for result in self.results)
        return {verdict.value: verdicts[verdict] for verdict in Verdict}

    @property
    def exit_code(self) -> int:
        """The exit status: 1 when a check failed, 3 when there are only warnings, else 0."""
        return int(worst(_STATUS_BY_VERDICT[result.verdict] for result in self.results))

    def as_data(self) -> dict[str, object]:
        """Return the report as data for JSON; JSON.md describes it."""
        return {
            "base_url": self.base_url,
            "counts": self.counts,
            "requests": self.requests,
            "seconds": round(self.seconds, 3),
            "results": [
                asdict(result) | {"evidence": [evidence._asdict() for evidence in result.evidence]}
                for result in self.results
            ],
        }

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report for people: every check, with evidence for failures and warnings."""
        for result in self.results:
            yield f"{_MARKS[result.verdict]:4}  {result.check:32} {result.expects} ({result.section})"
            if result.reason:
                yield f"      skipped: {result.reason}"
            if result.verdict in (Verdict.FAIL, Verdict.WARNING):
                for shown in result.evidence:
                    yield f"      {shown.finding}"
                    yield f"        asked {shown.asked}"
                    yield f"        came  {shown.came}"
        yield ""
        yield self.summary

    @property
    def summary(self) -> str:
        """The last line: the counts of verdicts and requests, and the duration."""
        counts = self.counts
        verdict = "does not conform" if counts[Verdict.FAIL] else "conforms"
        return (
            f"{self.base_url} {verdict}: {counts[Verdict.PASS]} passed, {counts[Verdict.FAIL]} failed, "
            f"{counts[Verdict.WARNING]} with a warning, {counts[Verdict.SKIPPED]} skipped; "
            f"{self.requests} requests in {self.seconds:.1f} s."
        )


class Undecided(GatewayError):
    """A check cannot be decided; the sentence says why."""


class Shown(Protocol):
    """A request and its answer."""

    def evidence(self, finding: str = "") -> Evidence:
        """Return the request and the answer in one line each, with a finding."""


FactsT = TypeVar("FactsT")  # what checks are about, requested when a check first needs it


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

    def run(self, facts: FactsT, consulted: list[Shown]) -> Result:
        """Return the result of the check, with at most three findings as evidence. Never raise Undecided.

        The facts add every answer that the check asks for to `consulted`; without a finding, the last one is evidence.
        """
        consulted.clear()
        findings: list[Finding] = []
        reason = ""
        try:
            findings.extend(islice(self.function(facts), _FINDINGS_SHOWN))
        except Undecided as error:
            reason = str(error) * (not findings)
        verdict = self.fault if findings else Verdict.SKIPPED if reason else Verdict.PASS
        evidence = tuple(finding.exchange.evidence(finding.sentence) for finding in findings)
        evidence = evidence or tuple(shown.evidence() for shown in consulted[-1:])
        return Result(self.name, self.section, self.expects, verdict, evidence, reason)


FunctionT = TypeVar("FunctionT", bound=Callable[..., Findings])


class Checks(list[Check[FactsT]]):
    """The checks of a module, as they are declared. A section that begins with § is one of `standard`."""

    def __init__(self, standard: str) -> None:
        super().__init__()
        self._standard = standard

    def add(
        self, name: str, section: str, expects: str, fault: Verdict = Verdict.FAIL
    ) -> Callable[[FunctionT], FunctionT]:
        """Declare the decorated function as a check."""
        source = f"{self._standard} {section}" if section.startswith("§") else section

        def declared(function: FunctionT) -> FunctionT:
            self.append(Check(name, source, expects, function, fault))
            return function

        return declared
