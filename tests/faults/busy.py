"""A busy repository: about a tenth of its records changes, goes or comes while its lists are walked.

    order of its lists -> how a token goes on -> how many it announces -> what becomes of deleted records

Every combination of these is one kind of repository.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from tests.faults.site import Asked, Said, Serve, Stage
from tests.faults.source import Record, Source, Token


class Kind(NamedTuple):
    """One kind of repository.

    `by_name`: its lists are in the order of identifiers, not of dates. `has_offsets`: a token says how many records to
    leave out. `tells`: it announces completeListSize. `forgets`: a deleted record is gone without a word.
    """

    by_name: bool
    has_offsets: bool
    tells: bool
    forgets: bool

    def __str__(self) -> str:
        return "-".join(
            (
                "names" if self.by_name else "dates",
                "offsets" if self.has_offsets else "keys",
                "sized" if self.tells else "unsized",
                "forgets" if self.forgets else "deletes",
            )
        )


KINDS = tuple(Kind(*flags) for flags in product((False, True), repeat=4))


@dataclass
class Busy(Source):
    """A source of one kind."""

    kind: Kind = KINDS[0]
    is_steady: bool = False

    def __post_init__(self) -> None:
        self.tells = self.kind.tells

    def selected(self, wanted: Mapping[str, str]) -> list[Record]:
        """Return what a list of these arguments has, in the order of its kind."""
        selection = super().selected(wanted)
        return sorted(selection, key=lambda record: record.identifier) if self.kind.by_name else selection

    def _rest(self, selection: list[Record], at: Token) -> list[Record]:
        if self.kind.has_offsets:
            return selection[at.cursor :]
        if self.kind.by_name:
            return [record for record in selection if record.identifier > at.identifier]
        return super()._rest(selection, at)


class Business:
    """Changes a source before each request, by the dice, so that a tenth of it changes while one list is walked."""

    def __init__(self, dice: random.Random, share: float = 0.1) -> None:
        """Take the dice, and the share that changes while one list is walked."""
        self.dice, self.share = dice, share
        self.is_on = True
        self.changes = 0

    def __call__(self, asked: Asked, serve: Serve, stage: Stage) -> Said:
        source = stage.source
        assert isinstance(source, Busy)
        if self.is_on and asked.verb in ("ListRecords", "ListIdentifiers", "GetRecord"):
            stage.clock.now += 2
            pages = len(source.held) / source.page_size
            most = self.share * len(source.held) / pages
            if asked.verb == "GetRecord":
                most /= source.page_size
            for _ in range(int(most) + (self.dice.random() < most % 1)):
                self.changes += 1
                self._change(source)
        return serve(asked)

    def _change(self, source: Busy) -> None:
        one = self.dice.choice([record for record in source.held.values() if not record.is_deleted])
        what = self.dice.choice(("change", "change", "change", "delete", "come", "return"))
        gone = [record for record in source.held.values() if record.is_deleted]
        if what == "return" and gone:
            source.put(self.dice.choice(gone)._replace(sets=("a", "b:c"), is_deleted=False))
        elif what == "come":
            source.put(Record(f"oai:faults:{self.dice.randrange(100000):05}new", f"New {self.changes}", "", ("a",)))
        elif what in ("change", "return"):
            source.put(one._replace(title=f"Changed {self.changes}"))
        elif source.kind.forgets:
            del source.held[one.identifier]
        else:
            source.put(one._replace(is_deleted=True))
