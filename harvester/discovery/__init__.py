"""Steps of the search for full text: one file each, which exports `STEP`. Here is what they all speak of.

A step is handed what is known of a work and `fetch`, and never reaches for the network itself. What it finds is a
claim: only the bytes behind it decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gateway.model import Candidate, Match, Outcome, Work
from harvester.verification.judging import agree
from harvester.wire.access import open_from_record
from harvester.wire.copies import VERSIONS, Copy, Description, Related
from harvester.wire.http import Fetch
from harvester.wire.identifiers import BESIDE, Identifiers, identifiers_of
from harvester.wire.identifiers import Found as Identifier
from harvester.wire.licenses import is_open
from harvester.wire.policies import Policy

_MAY_BE_THE_WORK = frozenset((Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.NO_TEXT))


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a work so far. `settings` are those that begin with `discover_`, by their names without it.

    `candidates` are the copies that were looked at, and those that were accepted before;
    `matches` are the DOIs that were found by title, author and year; `refused` those that a person has rejected.
    `withheld` are pages whose files may not be had yet.
    """

    work: Work
    identifiers: Identifiers
    settings: Mapping[str, str] = field(default_factory=dict)
    described: tuple[Description, ...] = ()
    pages: tuple[Copy, ...] = ()
    policy: Policy | None = None
    candidates: tuple[Candidate, ...] = ()
    matches: tuple[Match, ...] = ()
    refused: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()

    @property
    def needs_policy(self) -> bool:
        """Tell whether there is a file that may be the work, and nobody stated an open licence for it."""
        return any(
            each.outcome in _MAY_BE_THE_WORK and not each.is_auxiliary and not is_open(each.license)
            for each in self.candidates
        )

    @property
    def doi(self) -> str:
        """The DOI, or an empty string."""
        return self.identifiers.value("doi")

    @property
    def versions(self) -> tuple[Related, ...]:
        """Other versions of the work, as those say who describe it under a DOI of its own.

        A DOI that only stands beside the work is believed where it is described by a title of the record.
        """
        own = {each.value: each.found_in not in BESIDE for each in self.identifiers.found if each.scheme == "doi"}
        titles = [each.text for each in self.work.statements if each.element == "title"]
        of_own = (each for each in self.described if each.doi in own and (own[each.doi] or agree(titles, each.title)))
        return tuple(
            dict.fromkeys(related for each in of_own for related in each.related if related.relation in VERSIONS)
        )

    @property
    def own_identifiers(self) -> Identifiers:
        """The identifiers that identify a file, those of other versions of the work too.

        One that was only matched proves nothing, nor do versions of its work: it needs the title.
        """
        matched = {each.doi for each in self.matches}
        own = tuple(each for each in self.identifiers.found if each.value not in matched)
        if self.doi in matched:
            return Identifiers(own)
        return Identifiers(own + tuple(Identifier(each.scheme, each.value, each.relation) for each in self.versions))

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
            matches=self.matches + ((found.match,) if found.match else ()),
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
    match: Match | None = None  # by which the DOI in `identifiers` was found


@dataclass(frozen=True, slots=True)
class Step:
    """One step. Those of least `cost` go first; `needs` names a setting without which it is switched off.

    `is_for_files`: once the work is found it is not taken any more. `is_first`: it is taken before the first copy is
    fetched; before every other step for files, all copies that are known are looked at.
    """

    name: str
    cost: int
    sentence: str
    wants: Callable[[Known], bool]
    find: Callable[[Known, Fetch], Found]
    needs: str = ""
    is_for_files: bool = True
    is_first: bool = False


def known_of(work: Work, settings: Mapping[str, str]) -> Known:
    """Return what is known of a work from its record alone."""
    page = Copy(work.landing_page, is_page=True, evidence="record", open_from=open_from_record(work))
    pages = (page,) if work.landing_page else ()
    return Known(work, identifiers_of(work), settings, pages=pages)
