"""Checks and their results.

A check is a rule and a function that yields faults. A rule is a row of `rules.toml`: name, section of the standard,
expectation, and verdict of a fault. Checks of every part of one kind, such as all headers, have a function that returns
what is wrong with one part. A result is one of a closed list of verdicts, with evidence; the report has a result per
check.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar, TypeVarTuple

from gateway.core.errors import GatewayError
from gateway.core.words import table
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


PartsT = TypeVarTuple("PartsT")  # the values of a part
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


class Rule(NamedTuple):
    """A row of `rules.toml`. `section` is the source of `expects`, and `fault` the verdict when it is broken."""

    name: str
    section: str
    expects: str
    fault: Verdict = Verdict.FAIL


def rules(module: str, standard: str) -> dict[str, Rule]:
    """Return the rules in `rules.toml` next to a module, by name. A section that begins with § is one of `standard`."""
    return {
        name: Rule(name, f"{standard} {section}" if section.startswith("§") else section, expects, *map(Verdict, fault))
        for name, (section, expects, *fault) in table(module, "rules").items()
    }


class Checks(list[Check[FactsT]]):
    """The checks of a module, in the order in which they are declared. `rules` has the words of each."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        super().__init__()
        self._rules = rules

    def add(self, name: str) -> Callable[[FunctionT], FunctionT]:
        """Declare the decorated function as the check of a rule."""
        rule = self._rules[name]

        def declared(function: FunctionT) -> FunctionT:
            self.append(Check(*rule[:3], function, rule.fault))
            return function

        return declared

    def each(self, parts: Callable[[FactsT], Iterable[tuple[Shown, *PartsT]]]) -> "Rows[FactsT, *PartsT]":
        """Return the table of the checks of every part. `parts` yields the exchange and the values of each part."""
        return Rows(self, parts)


# What is wrong with a part: a sentence, several, or nothing.
Wrong: TypeAlias = str | bool | Iterable[str] | None


def sentences_of(wrong: Wrong) -> Iterable[str]:
    """Return the sentences about what is wrong, if anything is."""
    return (wrong,) if wrong and isinstance(wrong, str) else () if isinstance(wrong, str | bool) else wrong or ()


@dataclass(frozen=True, slots=True)
class Rows(Generic[FactsT, *PartsT]):
    """Checks of every part of one kind, in the list `checks`."""

    checks: Checks[FactsT]
    parts: Callable[[FactsT], Iterable[tuple[Shown, *PartsT]]]

    def __call__(self, name: str) -> Callable[[Callable[[*PartsT], Wrong]], None]:
        """Declare the check of a rule. The next function takes the values of a part, and returns what is wrong."""

        def declared(wrong_in: Callable[[*PartsT], Wrong]) -> None:
            def check(facts: FactsT) -> Findings:
                for exchange, *values in self.parts(facts):
                    wrong = wrong_in(*values)  # type: ignore[arg-type]  # a starred target is a list
                    yield from (Finding(exchange, sentence) for sentence in sentences_of(wrong))

            self.checks.add(name)(check)

        return declared
