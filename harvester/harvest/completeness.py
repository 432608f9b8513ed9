"""The proof of a run: the announced and the received records, and with what they were compared. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harvester.sources import Compared, Step

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
    names: int = 0  # records that were seen to be named, of `received`
    received: int = 0

    def end(self, step: Step, received: int) -> None:
        """Take the last step of a list or a window; `received` is the number of its records in this run."""
        if step.compared is not None and not step.cursor.window:
            self.compared = min(
                (comparison for comparison in (self.compared, step.compared) if comparison), key=_IN_ORDER.index
            )
        self.names, self.received = self.names + step.names, self.received + received
        announced = [size for size in step.announced if size is not None]
        self.is_announced = self.is_announced or bool(announced)
        earlier = max(0, step.received - received)
        self.announced += max(0, max(announced) - earlier) if announced else received

    @property
    def counts(self) -> dict[str, int]:
        """The counts for the run."""
        return {ANNOUNCED: self.announced} if self.is_announced else {}


def proved(source: str, counts: Mapping[str, int], proof: Proof, *, is_complete: bool) -> str:
    """Return the last sentences of a run: whether anything is missing, and the proof. They claim what was compared."""
    compared = f" {_compared(source, proof)}" if is_complete and proof.compared else ""
    return f"{_missing(counts, proof, is_complete=is_complete)}.{compared}"


def _missing(counts: Mapping[str, int], proof: Proof, *, is_complete: bool) -> str:
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
    what = "No record is missing" if counts.get("damaged_pages") else "Nothing is missing"
    if proof.compared in (Compared.PART, Compared.NOTHING):
        what = "No gap was found"
    but = " but what is in quarantine" if counts.get("quarantined") else ""
    since = " since the last harvest, by its dates" if proof.compared is Compared.CHANGES else ""
    without = f"; {left_out} resources that no metadata describes were left out" if left_out else ""
    names = (
        f"; {min(proof.names, proof.received)} of {proof.received} names were compared"
        if proof.compared is Compared.PART
        else ""
    )
    return f"{what}{but}{since}{without}{names}"


def _compared(source: str, proof: Proof) -> str:
    """Return with what the records were compared."""
    sweep = f"`harvester source sweep {source}` compares all"
    if proof.compared is Compared.WHOLE:
        return "The records were compared with all that ListIdentifiers names."
    if proof.compared is Compared.CHANGES:
        return f"The records were compared with what ListIdentifiers names of the dates asked for; {sweep}."
    if proof.compared is Compared.PART:
        counts = f"{proof.announced} records were announced" if proof.is_announced else "No number was announced"
        return f"{counts}; {sweep}."
    if proof.is_announced:
        return "The records were compared with the counts alone, because ListIdentifiers gives no names."
    return "Only the ends of its lists say so: it announces no counts, and ListIdentifiers gives no names."
