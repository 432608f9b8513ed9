"""What of a source needs a person: a closed list, and how each is seen in what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from gateway.model import RunOutcome
from harvester.clock import wrong_clock
from harvester.identity import accepting, differences, is_waiting, known_identity
from harvester.instance import Instance
from harvester.waiting import waiting_in_words


class Need(StrEnum):
    """Why a person is needed."""

    FAILING = "failing"  # several runs in a row
    DELETIONS = "deletions_wait"
    IDENTITY = "identity_changed"
    DOUBTFUL = "files_doubtful"
    CLOCK = "clock_wrong"


class Concern(NamedTuple):
    """One thing that needs a person, in a sentence that says what to do."""

    need: Need
    sentence: str


# How runs end that failed.
FAILED = frozenset((RunOutcome.FAILED, RunOutcome.TRY_LATER, RunOutcome.REFUSED, RunOutcome.MISCONFIGURED))
# How runs end that say whether the source is well.
TELLING = FAILED | {RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS}
MOST_STOPPED = 100  # runs beside them that are passed over

# The stages of which each is to be well by itself: a sweep that fails is not mended by a harvest.
_STAGES = {"harvest": "runs", "sweep": "sweeps", "discovery": "searches"}


def concerns_of(instance: Instance, source: str) -> tuple[Concern, ...]:
    """Return what of a source needs a person now."""
    return (*_failing(instance, source), *_deletions(instance, source), *_identity(instance, source), *_clock(instance))


def _failing(instance: Instance, source: str) -> Iterator[Concern]:
    most = instance.settings.number("notify_after_failures")
    for stage, words in _STAGES.items() if most else ():
        # A run that was stopped, or is under way, says neither that the source fails nor that it is well.
        ended = [each for each in instance.inbox.runs(source, most + MOST_STOPPED, stage) if each.outcome in TELLING]
        if len(ended) >= most and all(each.outcome in FAILED for each in ended[:most]):
            reasons = " ".join(ended[0].reasons[:3])
            yield Concern(
                Need.FAILING, f"The last {most} {words} failed. {reasons} `harvester log {source}` shows all runs."
            )


def _deletions(instance: Instance, source: str) -> Iterator[Concern]:
    if words := waiting_in_words(instance, source):
        yield Concern(Need.DELETIONS, words)


def _identity(instance: Instance, source: str) -> Iterator[Concern]:
    known = known_identity(instance.inbox, source)
    if known is not None and is_waiting(known):
        changes = "; ".join(each.sentence for each in differences(known)) or "Most of its records are unknown here"
        yield Concern(Need.IDENTITY, f"{changes}. {accepting(source)}")


def _clock(instance: Instance) -> Iterator[Concern]:
    if problem := instance.store.clock_problem() or wrong_clock(instance):
        yield Concern(Need.CLOCK, problem)
