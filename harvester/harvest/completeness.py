"""The proof of a run: the announced and the received records, and with what they were compared. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harvester.sources import Compared, Step
from harvester.sources.comparison_limit import MOST_ANSWERS

ANNOUNCED = "announced"  # among the counts of a run

_IN_ORDER = tuple(Compared)  # the least first


@dataclass(slots=True)
class Proof:
    """The proof of the lists of a run that have ended.

    `compared` is the weakest comparison of any list. `announced` is the sum of their announced sizes; a list without
    one counts with its received records. If no list has one, there is no number.
    """

    compared: Compared | None = None
    announced: int = 0
    is_announced: bool = False
    lists: int = 1  # of the run
    has_windows: bool = False  # some lists were harvested in windows

    def end(self, step: Step, received: int) -> None:
        """Take the last step of a list or a window; `received` is the number of its records in this run."""
        if step.compared is not None and not step.cursor.window:
            self.compared = min(
                (comparison for comparison in (self.compared, step.compared) if comparison), key=_IN_ORDER.index
            )
        self.has_windows = self.has_windows or bool(step.cursor.window)
        announced = [size for size in step.announced if size is not None]
        self.is_announced = self.is_announced or bool(announced)
        earlier = max(0, step.received - received)
        self.announced += max(0, max(announced) - earlier) if announced else received

    @property
    def counts(self) -> dict[str, int]:
        """The counts for the run."""
        return {ANNOUNCED: self.announced} if self.is_announced else {}


def proved(source: str, counts: Mapping[str, int], proof: Proof, *, is_complete: bool) -> str:
    """Return the last sentences of a run: whether anything is missing, and the proof."""
    compared = f" {_compared(source, proof)}" if is_complete and proof.compared else ""
    return f"{_missing(counts, is_complete=is_complete)}.{compared}"


def _missing(counts: Mapping[str, int], *, is_complete: bool) -> str:
    if counts.get("missing"):
        return "What could not be fetched is missing"
    if counts.get("waiting"):
        return "Records whose deletions wait are still published"
    if counts.get("unlisted"):
        return "It is not shown that the stored records still exist"
    if not is_complete:
        return "It is not shown that nothing is missing"
    left_out = counts.get("left_out", 0)
    if left_out and not counts.get("received"):
        return f"It lists no metadata: {left_out} resources were left out, because no metadata describes them"
    what = "No record" if counts.get("damaged_pages") else "Nothing"
    but = " but what is in quarantine" if counts.get("quarantined") else ""
    without = f"; {left_out} resources that no metadata describes were left out" if left_out else ""
    return f"{what} is missing{but}{without}"


def _compared(source: str, proof: Proof) -> str:
    """Return with what the records were compared."""
    sweep = f"`harvester source sweep {source}` compares all"
    if proof.compared is Compared.WHOLE:
        return "The records were compared with all that ListIdentifiers names."
    if proof.compared is Compared.CHANGES:
        return f"The records were compared with what ListIdentifiers names of the dates asked for; {sweep}."
    counts = "the counts, and with " if proof.is_announced else ""
    if proof.compared is Compared.PART:
        few = "at most four answers of ListIdentifiers"
        answers = few if proof.lists <= MOST_ANSWERS else "one answer of ListIdentifiers for each list"
        ends = ", and with what it names at the end of each window" if proof.has_windows else ""
        return f"The records were compared with {counts}{answers}{ends}; {sweep}."
    if counts:
        return "The records were compared with the counts alone, because ListIdentifiers gives no names."
    return "Only the ends of its lists say so: it announces no counts, and ListIdentifiers gives no names."
