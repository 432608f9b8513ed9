"""Steps of the search for full text: one file each, which exports `STEP`. Here is what they all speak of.

A step is handed what is known of a work and `fetch`, and never reaches for the network itself. What it finds is a
claim: only the bytes behind it decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gateway.model import Outcome, Work
from harvester.wire.copies import Copy, Description
from harvester.wire.http import Fetch
from harvester.wire.identifiers import Identifiers, identifiers_of
from harvester.wire.policies import Policy


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a work so far. `settings` are those that begin with `discover_`, by their names without it."""

    work: Work
    identifiers: Identifiers
    settings: Mapping[str, str] = field(default_factory=dict)
    described: tuple[Description, ...] = ()
    pages: tuple[Copy, ...] = ()
    policy: Policy | None = None

    @property
    def doi(self) -> str:
        """The DOI, or an empty string."""
        return self.identifiers.value("doi")

    @property
    def email(self) -> str:
        """Who asks."""
        return self.settings.get("email", "")

    def with_(self, found: Found) -> Known:
        """Return what is known when a step has found something more."""
        pages = tuple(copy for copy in found.copies if copy.is_page and copy not in self.pages)
        return replace(
            self,
            identifiers=found.identifiers or self.identifiers,
            described=self.described + ((found.description,) if found.description else ()),
            pages=self.pages + pages,
            policy=found.policy or self.policy,
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What a step found. `outcome` is SUCCESS when there was something to be told; `note` says what a person asks."""

    outcome: Outcome
    copies: tuple[Copy, ...] = ()
    description: Description | None = None
    policy: Policy | None = None
    identifiers: Identifiers | None = None  # all of them, when the step corrects them
    note: str = ""
    host: str = ""  # where it ended, when that is not whom it asked last


@dataclass(frozen=True, slots=True)
class Step:
    """One step. Those of least `cost` go first; `needs` names a setting without which it is switched off.

    `is_for_files`: once the work is found it is not taken any more.
    """

    name: str
    cost: int
    sentence: str
    wants: Callable[[Known], bool]
    find: Callable[[Known, Fetch], Found]
    needs: str = ""
    is_for_files: bool = True


def known_of(work: Work, settings: Mapping[str, str]) -> Known:
    """Return what is known of a work from its record alone."""
    pages = (Copy(work.landing_page, is_page=True, evidence="record"),) if work.landing_page else ()
    return Known(work, identifiers_of(work), settings, pages=pages)
