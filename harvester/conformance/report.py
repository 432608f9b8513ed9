"""What a validation found: a closed list of verdicts, a result per check with its evidence, and the report of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import NamedTuple

from harvester.outcomes import Status


class Verdict(StrEnum):
    """How a check ended: a closed list."""

    PASS = "pass"  # noqa: S105  (a verdict, not a password)
    FAIL = "fail"  # the standard demands otherwise
    WARNING = "warning"  # the standard, its guidelines or the practice of the field advise otherwise
    SKIPPED = "skipped"  # could not be decided here; the reason says why


class Evidence(NamedTuple):
    """What was asked, and what came, in one line each; `finding` says what is wrong with it (empty: nothing)."""

    asked: str
    came: str
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What one check found. `section` names the text that `expects` comes from; `reason` belongs to a skipped check."""

    check: str
    section: str
    expects: str
    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""


_MARKS = {Verdict.PASS: "ok", Verdict.FAIL: "FAIL", Verdict.WARNING: "warn", Verdict.SKIPPED: "skip"}


@dataclass(frozen=True, slots=True)
class Report:
    """All results, in the order of the checks, and what they cost. `seconds` is how long it took."""

    base_url: str
    results: tuple[Result, ...]
    requests: int
    seconds: float

    @property
    def counts(self) -> dict[str, int]:
        """How many checks ended in each verdict; every verdict is there."""
        found = Counter(result.verdict for result in self.results)
        return {verdict.value: found[verdict] for verdict in Verdict}

    @property
    def exit_code(self) -> int:
        """The exit status: 1 when a check failed, 3 when there are only warnings, else 0 (see `harvester.outcomes`)."""
        counts = self.counts
        if counts[Verdict.FAIL]:
            return int(Status.FAILED)
        return int(Status.WITH_ERRORS if counts[Verdict.WARNING] else Status.SUCCEEDED)

    def as_data(self) -> dict[str, object]:
        """Return everything as data for JSON."""
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
        """Yield the report for people, a line at a time: every check, evidence under those that did not pass."""
        for result in self.results:
            yield f"{_MARKS[result.verdict]:4}  {result.check:32} {result.expects} ({result.section})"
            if result.reason:
                yield f"      skipped: {result.reason}"
            if result.verdict in (Verdict.FAIL, Verdict.WARNING):
                yield from _evidence_lines(result.evidence)
        yield ""
        yield self.summary

    @property
    def summary(self) -> str:
        """The last line: what came of it, and what it cost."""
        counts = self.counts
        verdict = "does not conform" if counts[Verdict.FAIL] else "conforms"
        return (
            f"{self.base_url} {verdict}: {counts[Verdict.PASS]} passed, {counts[Verdict.FAIL]} failed, "
            f"{counts[Verdict.WARNING]} with a warning, {counts[Verdict.SKIPPED]} skipped; "
            f"{self.requests} requests in {self.seconds:.1f} s."
        )


def _evidence_lines(evidence: tuple[Evidence, ...]) -> Iterator[str]:
    for item in evidence:
        yield f"      {item.finding}"
        yield f"        asked {item.asked}"
        yield f"        came  {item.came}"
