"""The states of runs, sources, searches, takedowns and tombstones in words, for pages, commands and JSON."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from gateway.core.model import Lack, LackCount, Outcome, Run, RunOutcome, Source, Tried, Unused, UnusedElement
from gateway.core.secret_arguments import without_secrets
from gateway.core.words import table
from gateway.core.xmltext import utc_datetime

Shape: TypeAlias = Literal["good", "neutral", "caution", "bad"]
ATTENTION = ("caution", "bad")  # the shapes of states at which a person should look
DIED = "died"
NEVER = "never run"
BEFORE = "received_before"  # in the counts of a run: what earlier runs of its lists received
COMPARED = "compared_"  # before one of the values of `compared`, in the counts of a run: so many names were compared
_MOST_ELEMENTS = 12  # in one sentence
_MOST_REASONS = 3  # in one sentence; `harvester log` has all
PROCESS_ENDED = "Its process has ended."  # the only reason of a run whose process was killed
_ENDED = (PROCESS_ENDED, "Its process died. Its committed pages are stored, and the next run continued from there.")
_GOES_ON = "The next run continues from there."
_SEE = "`harvester log {}` shows all runs."
_REMAINS = "The record remains as a tombstone, so that harvesters learn of it."
_OF_RECORDS = ("harvest", "retry", "sweep")  # stages that get records


class State(NamedTuple):
    """What is known of a thing: a name from a closed list, a shape, a headline, sentences, and what to do.

    The sentence and the next step may be empty. The name is stable, and the words are for people.
    """

    name: str
    shape: Shape
    headline: str
    sentence: str = ""
    next_step: str = ""

    @property
    def words(self) -> str:
        """Return everything as one line of text."""
        return " ".join(filter(None, (f"{self.headline}.", self.sentence, self.next_step)))

    def facts(self) -> dict[str, Any]:
        """Return the state for JSON."""
        return self._asdict()


def of_run(run: Run, *, has_died: bool = False) -> State:
    """Return how a run stands. `has_died`: it is marked as running, and no process works on its source."""
    if has_died or is_ended(run):
        return State(DIED, "caution", "Interrupted", PROCESS_ENDED, _GOES_ON)
    if run.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS and run.stage not in _OF_RECORDS:
        why = without_secrets(" ".join(run.reasons[:_MOST_REASONS]))
        return State(run.outcome.value, "caution", "Ended with errors", why, _SEE.format(run.source))
    name, (shape, headline, next_step) = run.outcome.value, _RUNS[run.outcome]
    kind = compared(run) if run.is_complete else ""
    shown = "No gap found" if kind in _COMPARED else "Complete"
    if run.outcome is RunOutcome.SUCCEEDED and run.is_complete:
        name, shape, headline, next_step = shown.lower().replace(" ", "-"), "good", shown, ""
    elif run.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS and run.counts.get("missing"):
        headline = "Records are missing"
    elif run.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS and run.counts.get("quarantined"):
        headline = "Some records refused" if run.is_complete else "Some records refused, others may be missing"
    elif run.outcome is RunOutcome.SUCCEEDED_WITH_ERRORS and run.is_complete:
        headline = f"{shown}, with doubts"
    received = run.counts.get("received", 0) + run.counts.get(BEFORE, 0)
    names = _COMPARED.get(kind, "").format(names_compared(run.counts.get(f"{COMPARED}{kind}", 0), received))
    why = without_secrets(" ".join(filter(None, (*run.reasons[:_MOST_REASONS], names))))
    return State(name, shape, headline, why, next_step.format(run.source))


def is_ended(run: Run) -> bool:
    """Return whether the process of a run was killed, and a later one has noted that."""
    return len(run.reasons) == 1 and run.reasons[0] in _ENDED


def compared(run: Run) -> str:
    """Return how much of the names that the source lists was compared with the records of a run; empty: not known."""
    return next((name.removeprefix(COMPARED) for name in run.counts if name.startswith(COMPARED)), "")


def of_source(source: Source, last: Run | None, *, has_died: bool = False) -> State:
    """Return how a source stands, by its last harvest; `last` is None if there was none."""
    if source.is_removed:
        return State("removed", "neutral", "Removed", "Its records are tombstones.")
    if last is None:
        return State(NEVER, "caution", "Never harvested", "", f"Start `harvester run {source.name}`.")
    return of_run(last, has_died=has_died)


def of_lacks(counts: Iterable[LackCount]) -> tuple[str, ...]:
    """Return what the records of items lack, a sentence for each format and each lack."""
    return tuple(
        f"Items {_LACKS[count.lack]}, harvested as {count.metadata_prefix}: {count.items}, such as {count.example}."
        for count in counts
    )


def of_unused(unused: Iterable[Unused]) -> tuple[str, ...]:
    """Return which elements of records no reader uses, a sentence for each format in which there are such records."""
    return tuple(
        f"Items with elements that no reader uses, harvested as {format_.metadata_prefix}: {format_.items} of "
        f"{format_.of} looked at, such as {format_.elements[0].example}: {_elements(format_.elements)}."
        for format_ in unused
        if format_.elements
    )


def facts_of_lacks(lacks: Sequence[LackCount], unused: Iterable[Unused]) -> dict[str, Any]:
    """Return for JSON what the records of a source lack, and which elements of them no reader uses."""
    return {
        "lacking": [{**lack.facts(), "sentence": said} for lack, said in zip(lacks, of_lacks(lacks), strict=True)],
        "unused": [{**found.facts(), "sentence": " ".join(of_unused((found,)))} for found in unused],
    }


def _elements(elements: Sequence[UnusedElement]) -> str:
    named = ", ".join(f"{element.path} ({element.records})" for element in elements[:_MOST_ELEMENTS])
    others = len(elements) - _MOST_ELEMENTS
    return f"{named}, and {others} more" if others > 0 else named


def has_no_title(counts: Iterable[LackCount], living: int) -> bool:
    """Return whether all living items of a source lack a title; so its format is probably not understood."""
    return sum(count.items for count in counts if count.lack is Lack.TITLE) >= living > 0


def of_search(search: Tried | None) -> State:
    """Return how the search for a file of a work stands; None: there was none."""
    if search is None:
        return State("not-searched", "neutral", "Not searched", "Nobody knows yet whether there is a file.")
    if not search.searched_at:
        return State("unknown", "caution", "The searches for files cannot be read")
    day = utc_datetime(search.searched_at)[:10]
    again = f"The next search is after {utc_datetime(search.next_at)[:10]}." if search.next_at else ""
    searched = f"The search was on {day}."
    if number := search.waiting or search.refused:
        files = "A file was found" if number == 1 else f"{number} files were found"
        if search.waiting:
            return State("waits", "caution", f"{files}, and a decision is missing", searched, again)
        return State("refused", "neutral", f"{files}, but not accepted as this work", searched, again)
    if search.outcome in (Outcome.SUCCESS, Outcome.ALREADY_HELD):
        sentence = f"{searched} Accepted files, and those that the record names, are published with it."
        return State("found", "neutral", "A file was found", sentence, again)
    return State("none", "neutral", "No file was found", f"{searched} {SENTENCES[search.outcome]}", again)


def of_tombstone(source: Source | None) -> State:
    """Return why a record is deleted; the source is None if it is unknown here."""
    if source is not None and source.is_removed:
        return State("source-removed", "neutral", "Its source was removed here", _REMAINS)
    return State("gone", "neutral", "The source deleted it, or does not list it any more", _REMAINS)


def of_takedown(*, is_removed: bool, is_done: bool, hits: int) -> State:
    """Return how a takedown stands. `hits` counts the items, files and addresses that it has withdrawn."""
    if is_removed:
        headline = "Removed" if is_done else "Removed, still withheld"
        return State("removed" if is_done else "being-removed", "neutral", headline)
    if not is_done:
        return State("under-way", "caution", "Under way")
    if not hits:
        sentence = "Nothing here matches it. What arrives later and matches is withheld."
        return State("without-effect", "caution", "Hides nothing", sentence, "Check its spelling.")
    return State("withdrawn", "good", "Withdrawn")


_LACKS: Mapping[Lack, str] = {
    Lack.TITLE: "without a title",
    Lack.DATE: "without a date",
    Lack.AUTHOR: "without an author",
    Lack.READER: "in a format without a reader here, so that only well-known elements count",
    Lack.WORK: "that describe no work; `gateway rebuild --withdraw-non-works` makes tombstones of them",
}
# The outcomes of runs: shape, headline, and what to do; `of_run` says more of some.
_RUNS: Mapping[RunOutcome, tuple[Shape, str, str]] = {
    RunOutcome.RUNNING: ("neutral", "Running", ""),
    RunOutcome.SUCCEEDED: ("caution", "Not shown to be complete", ""),
    RunOutcome.SUCCEEDED_WITH_ERRORS: ("caution", "Records may be missing", _SEE),
    RunOutcome.STOPPED: ("neutral", "Stopped before the end", _GOES_ON),
    RunOutcome.TRY_LATER: ("caution", "Not available for now", _GOES_ON),
    RunOutcome.REFUSED: ("bad", "Refused by the source", _SEE),
    RunOutcome.FAILED: ("bad", "Failed", _SEE),
    RunOutcome.MISCONFIGURED: ("bad", "The configuration is wrong", _SEE),
}
# What was compared by a run that found no gap, and is not shown to be complete.
_COMPARED: Mapping[str, str] = {
    "nothing": "Nothing was compared with names of the source.",
    "part": "{}.",
    "names": "All names were compared; no number and no date shows that these are all.",
}
# The outcomes of searches and of files, as sentences.
SENTENCES: dict[Outcome, str] = {
    Outcome(name): sentence for name, sentence in table(__file__, "states")["sentences"].items()
}
# The meaning of outcomes of a step, if it differs from that of a search or a copy.
_OF_STEPS: Mapping[Outcome, str] = {
    Outcome.SUCCESS: "It names where a file may be.",
    Outcome.NOT_OA: "No open copy is known there.",
}


def names_compared(names: int, received: int) -> str:
    """Return how many of the received records were compared by name; a list may name more than have come."""
    return f"{names}{f' of {received}' if names < received else ''} names were compared"


def of_step(outcome: Outcome) -> str:
    """Return the outcome of a step of a search as a sentence: a step only names addresses where a file may be."""
    return _OF_STEPS.get(outcome, SENTENCES[outcome])
