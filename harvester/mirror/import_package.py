"""A baseline that came on a disk: a package becomes the first state of a mirror, which goes on from its date."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gateway.core.model import RawPage, Slice
from harvester.dump.dump import as_received
from harvester.http.dates import moment_of
from harvester.mirror.object_versions import PendingVersion
from harvester.mirror.package import Package, delivered
from harvester.mirror.provider_guard import Guard
from harvester.mirror.receipt import Change
from harvester.mirror.run import Run, received_from
from harvester.sources.oai_pmh.list_state import ListState, Position, text_of

_DAY_SECONDS = 86_400


@dataclass(slots=True)
class ImportRun(Run):
    """A run that reads a package."""

    package: Package
    guard: Guard

    def whole(self, date: str = "") -> None:
        """Import each object of the package, unless a newer state is stored. Missing files are reported.

        The next run harvests from `date`. Without it, it harvests from the date of the package or of its first answer,
        the earlier of them, or from its newest record. Raise the errors of `recorded`.
        """
        newest = ""
        with self.recorded():
            for count, (document, page, slice_) in enumerate(self.package.records(), 1):
                if self.stop.is_asked:
                    return
                newest = max(newest, slice_.datestamp)
                if slice_.problem:
                    self.unusable(slice_)
                    continue
                self._take(document, page, slice_)
                self.progress.show("imported", count, None)
            passed_over = [*self.package.left_out, *self.package.passed_over()]
            self.receipt.doubts.extend(passed_over)
            self.receipt.doubts.extend(f"{name} holds no records." for name in self.package.unread())
            if not newest:
                self.receipt.doubts.append(f"No records of {self.place.order.metadata_prefix} are in the package.")
            made = (moment_of(self.package.date), self.package.answered)
            if not (self.has_damage or passed_over):  # else the next run harvests everything
                self._go_on_from(moment_of(date) or min(filter(None, made), default=moment_of(newest)))

    def _take(self, document: Path, page: RawPage, slice_: Slice) -> None:
        """Import one record with its files."""
        received = received_from(page, slice_)
        received = replace(received, document=as_received(received.document))
        pending = self.sound(slice_.identifier, partial(self.object, received))
        if pending is None:
            self.place.failed.mark(slice_.identifier, is_whole=False)
            return
        if (is_known := _is_known_better(pending)) or self.is_settled(pending):
            self.receipt.objects[Change.UNCHANGED] += is_known
            return
        if not self.guard.allows(pending):
            return
        for planned in pending.to_fetch(self.now()):
            file = self.package.find(planned, document)
            pending.note(delivered(planned, file, pending.aside(planned)))
        self.commit(pending)
        if slice_.is_deleted:  # a person has confirmed a waiting deletion
            self.place.waiting.discard(slice_.identifier)

    def _go_on_from(self, moment: int | None) -> None:
        """Set the cursors without a value to the day of the package, so that the next run harvests later changes."""
        if moment is None:
            return
        moment = min(moment, self.now())  # a wrong clock may have dated it
        for set_spec in self.place.order.sets or ("",):
            self.place.states.setdefault(
                set_spec, text_of(ListState(Position(complete=moment - moment % _DAY_SECONDS)))
            )
        self.place.save()


def _is_known_better(pending: PendingVersion) -> bool:
    """Return whether a newer state is stored, or the same state in a readable document where this one is unreadable."""
    before, now = pending.before, pending.now
    if before is None:
        return False
    is_other_format = before.datestamp == now.datestamp and bool(now.problem) and not before.problem
    return before.datestamp > now.datestamp or is_other_format
