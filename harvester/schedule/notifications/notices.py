"""Notices: the reasons why a source needs a person, read from the stored runs and records, and when they are sent.

The reasons are a closed list. At most one notice is sent per source and day, and one more when nothing is wrong any
more.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from gateway.core.model import RunOutcome
from gateway.core.states import of_run
from harvester.fulltext.substance import sentence
from harvester.harvest.clock import wrong_clock
from harvester.harvest.facts import alarms_of
from harvester.harvest.instance import Instance
from harvester.harvest.list_progress import waiting_in_words
from harvester.harvest.repository_identity import accepting, differences, is_waiting, known_identity


class Need(StrEnum):
    """The kind of a concern."""

    FAILING = "failing"  # several runs in a row
    DELETIONS = "deletions_wait"
    IDENTITY = "identity_changed"
    DOUBTFUL = "files_doubtful"
    SUBSTANCE = "substance_falls"
    CLOCK = "clock_wrong"


class Concern(NamedTuple):
    """One concern that needs a person, and a sentence with what to do."""

    need: Need
    sentence: str


# Outcomes of failed runs.
FAILED = frozenset((RunOutcome.FAILED, RunOutcome.TRY_LATER, RunOutcome.REFUSED, RunOutcome.MISCONFIGURED))
# Outcomes that show whether the source is available.
TELLING = FAILED | {RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS}
_MOST_ALARMS = 5  # in one notice
MOST_STOPPED = 100  # stopped runs that are skipped

# Stages whose failures count separately: a harvest does not repair a failing sweep.
STAGES = {
    "harvest": "runs",
    "sweep": "sweeps",
    "recheck": "rechecks",
    "discovery": "searches",
    "offer": "rounds of offers",
}


def concerns_of(instance: Instance, source: str) -> tuple[Concern, ...]:
    """Return the present concerns of a source. Raise StoreError."""
    kinds = (_failing, _deletions, _identity, _substance)
    return (*(concern for kind in kinds for concern in kind(instance, source)), *_clock(instance))


def _failing(instance: Instance, source: str) -> Iterator[Concern]:
    most = instance.settings.number("notify_after_failures")
    for stage, words in STAGES.items() if most else ():
        # A stopped run, or one in progress, shows neither a failure nor a success.
        ended = [run for run in instance.inbox.runs(source, most + MOST_STOPPED, stage) if run.outcome in TELLING]
        if len(ended) >= most and all(run.outcome in FAILED for run in ended[:most]):
            yield Concern(Need.FAILING, f"The last {most} {words} failed. {of_run(ended[0]).words}")


def _deletions(instance: Instance, source: str) -> Iterator[Concern]:
    if words := waiting_in_words(instance, source):
        yield Concern(Need.DELETIONS, words)


def _identity(instance: Instance, source: str) -> Iterator[Concern]:
    known = known_identity(instance.inbox, source)
    if known is not None and is_waiting(known):
        changes = (
            "; ".join(difference.sentence for difference in differences(known))
            or "Most of its records are unknown here"
        )
        yield Concern(Need.IDENTITY, f"{changes}. {accepting(source)}")


def _substance(instance: Instance, source: str) -> Iterator[Concern]:
    if alarms := [alarm for alarm in alarms_of(instance, (source,)) if alarm.is_open]:
        words = " ".join(map(sentence, alarms[:_MOST_ALARMS]))
        more = f" And {len(alarms) - _MOST_ALARMS} more." if len(alarms) > _MOST_ALARMS else ""
        yield Concern(Need.SUBSTANCE, f"{words}{more} `harvester alarms {source}` shows the evidence.")


def _clock(instance: Instance) -> Iterator[Concern]:
    if problem := instance.store.clock_problem() or wrong_clock(instance):
        yield Concern(Need.CLOCK, problem)


DAY_SECONDS = 86_400

# Subjects of notices; of several concerns the first in this order counts.
_SUBJECTS: Mapping[Need, str] = {
    Need.CLOCK: "the clock is wrong",
    Need.IDENTITY: "is another repository, or says so",
    Need.DELETIONS: "deletions wait for a decision",
    Need.FAILING: "runs fail",
    Need.DOUBTFUL: "files are doubtful",
    Need.SUBSTANCE: "fewer full texts are found",
}


class SentNotice(NamedTuple):
    """The last notice about a source: its second since 1970, and its concerns; none: nothing is wrong."""

    at: int
    needs: tuple[str, ...]


class Notice(NamedTuple):
    """One notice about `subject`: a source, or the folder of a mirror."""

    subject: str
    concerns: tuple[Concern, ...]

    @property
    def is_well(self) -> bool:
        """Return whether nothing is wrong any more."""
        return not self.concerns

    @property
    def title(self) -> str:
        """The notice in one line."""
        if self.is_well:
            return f"{self.subject} needs no action any more"
        needs = {concern.need for concern in self.concerns}
        first, *others = (words for need, words in _SUBJECTS.items() if need in needs)
        return f"{self.subject}: {first}{f', and {len(others)} more' if others else ''}"

    @property
    def text(self) -> str:
        """The whole text of the notice."""
        if self.is_well:
            return f"{self.subject} needs no action any more."
        return "\n\n".join(concern.sentence for concern in self.concerns)


def due(subject: str, concerns: Sequence[Concern], last: SentNotice | None, now: int) -> Notice | None:
    """Return the notice that is due at the second `now`; None: none is due."""
    if not concerns:
        return Notice(subject, ()) if last and last.needs else None
    # A wrong clock may have dated the last notice in the future.
    is_silent = last is not None and 0 <= now - last.at < DAY_SECONDS
    return None if is_silent else Notice(subject, tuple(concerns))


def after(notice: Notice, last: SentNotice | None, now: int) -> SentNotice:
    """Return what must be stored after a notice was sent."""
    if notice.is_well:
        return SentNotice(last.at if last else now, ())
    return SentNotice(now, tuple(concern.need.value for concern in notice.concerns))
