"""Whether a record still tells of the work that its files were found for, or of another one by now. Pure."""

from __future__ import annotations

from typing import NamedTuple

from gateway.model import Work
from harvester.verification.judging import agree
from harvester.wire.identifiers import identifiers_of


class Identity(NamedTuple):
    """By what a work was known when what was found for it was decided on: the DOIs that are its own, and titles."""

    dois: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()

    def is_another(self, now: Identity) -> bool:
        """Tell whether no DOI is the same, where both have some, or no title is near to any."""
        if self.dois and now.dois and not set(self.dois) & set(now.dois):
            return True
        return bool(self.titles and now.titles) and not any(agree(self.titles, title) for title in now.titles)


def identity_of(work: Work) -> Identity:
    """Return by what a work is known."""
    dois = tuple(each.value for each in identifiers_of(work).found if each.scheme == "doi" and each.is_certain)
    return Identity(dois, tuple(each.text for each in work.statements if each.element == "title"))
