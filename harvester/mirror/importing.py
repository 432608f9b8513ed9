"""A baseline that came on a disk: a package becomes the first state of a mirror, which goes on from its date."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gateway.model import RawPage, Slice
from harvester.dump import as_received
from harvester.mirror.guarding import Guard
from harvester.mirror.keeping import Keeping
from harvester.mirror.package import Package, delivered
from harvester.mirror.receipt import Change
from harvester.mirror.running import Run, received_from
from harvester.wire.dates import moment_of
from harvester.wire.list_state import ListState, text_of

_DAY_SECONDS = 86_400


@dataclass(slots=True)
class Importing(Run):
    """A run that reads a package."""

    package: Package
    guard: Guard

    def whole(self, date: str = "") -> None:
        """Take every object of the package that is not held in a newer state; what it lacks is told as missing.

        Then the mirror goes on from `date`, else from the date of the package or when its first answer was given,
        whichever is earlier, else from its newest record.
        """
        newest = ""
        with self.noted():
            for count, (document, page, found) in enumerate(self.package.records(), 1):
                if self.stop.is_asked:
                    return
                newest = max(newest, found.datestamp)
                if found.problem:
                    self.unusable(found)
                    continue
                self._take(document, page, found)
                self.progress.show("imported", count, None)
            self.receipt.doubts.extend(self.package.left_out)
            self.receipt.doubts.extend(f"{name} holds no records." for name in self.package.unread())
            if not newest:
                self.receipt.doubts.append(f"No records of {self.place.order.metadata_prefix} are in the package.")
            made = (moment_of(self.package.date), self.package.answered)
            if not self.has_damage:  # else the provider is asked for everything
                self._go_on_from(moment_of(date) or min(filter(None, made), default=moment_of(newest)))

    def _take(self, document: Path, page: RawPage, found: Slice) -> None:
        """Bring an object to what a record says, with the files that came with it."""
        received = received_from(page, found)
        received = replace(received, document=as_received(received.document))
        keeping = self.sound(found.identifier, partial(self.object, received))
        if keeping is None:
            self.place.mark(found.identifier, is_whole=False)
            return
        if (is_known := _is_known_better(keeping)) or self.is_settled(keeping):
            self.receipt.objects[Change.UNCHANGED] += is_known
            return
        if not self.guard.lets(keeping):
            return
        for want in keeping.pending(self.now()):
            file = self.package.find(want, document)
            keeping.note(delivered(want, file, keeping.aside(want)))
        self.commit(keeping)
        if found.is_deleted:  # a person has let it pass that waited
            self.place.waiting.discard(found.identifier)

    def _go_on_from(self, moment: int | None) -> None:
        """Let the next run ask for what has changed since the day of the package, unless it knows better already."""
        if moment is None:
            return
        moment = min(moment, self.now())  # what was dated by a wrong clock
        for set_spec in self.place.order.sets or ("",):
            self.place.states.setdefault(set_spec, text_of(ListState(complete=moment - moment % _DAY_SECONDS)))
        self.place.save()


def _is_known_better(keeping: Keeping) -> bool:
    """Tell whether a newer state is held, or the same in a document that can be read where this one cannot."""
    before, now = keeping.before, keeping.now
    if before is None:
        return False
    is_other_format = before.datestamp == now.datestamp and bool(now.problem) and not before.problem
    return before.datestamp > now.datestamp or is_other_format
