"""A baseline that came on a disk: a package becomes the first state of a mirror, which goes on from its date."""

from __future__ import annotations

from dataclasses import dataclass

from harvester.mirror.package import Package, delivered
from harvester.mirror.receipt import Change
from harvester.mirror.running import Run, received_from
from harvester.mirror.verifying import Fate
from harvester.wire.dates import moment_of
from harvester.wire.list_state import ListState, text_of

_DAY_SECONDS = 86_400


@dataclass(slots=True)
class Importing(Run):
    """A run that reads a package."""

    package: Package

    def whole(self, date: str = "") -> None:
        """Take every object of the package that is not held in a newer state; what it lacks is told as missing.

        Then the mirror goes on from `date`, else from the date of the package, else from its newest record.
        """
        newest = ""
        with self.noted():
            for count, (document, page, found) in enumerate(self.package.records(), 1):
                if self.stop.is_asked:
                    return
                newest = max(newest, found.datestamp)
                if found.problem:
                    self.receipt.count(Change.UNUSABLE)
                    self.receipt.miss(found.identifier, Fate.UNREADABLE, found.problem)
                    continue
                keeping = self.object(received_from(page, found))
                is_older = keeping.before is not None and keeping.before.datestamp > found.datestamp
                if is_older or self.is_settled(keeping):
                    self.receipt.objects[Change.UNCHANGED] += is_older
                    continue
                for want in keeping.pending(self.now()):
                    file = self.package.find(want, document)
                    keeping.note(delivered(want, file, keeping.aside(want)))
                self.commit(keeping)
                self.progress.show("imported", count, None)
            self._go_on_from(date or self.package.date or newest)

    def _go_on_from(self, date: str) -> None:
        """Let the next run ask for what has changed since the day of the package, unless it knows better already."""
        moment = moment_of(date)
        if moment is None:
            return
        for set_spec in self.place.order.sets or ("",):
            self.place.states.setdefault(set_spec, text_of(ListState(complete=moment - moment % _DAY_SECONDS)))
        self.place.save()
