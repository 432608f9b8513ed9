"""The steps of the search for full text: one file each, which exports `STEP`. This module has the types that they use.

A step gets the known facts about a work, and `fetch`; it never uses the network itself. Its results are claims until
the bytes are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gateway.core.model import Candidate, Match, Outcome, Work
from gateway.fulltext.licenses import is_open
from gateway.fulltext.policies import Policy
from harvester.fulltext.access_rights import open_from_record
from harvester.fulltext.identifiers import BESIDE, Identifier, Identifiers, identifiers_of
from harvester.fulltext.known_copies import VERSIONS, Copy, Description, Related
from harvester.fulltext.match_work import is_misspelt
from harvester.fulltext.pdf.trusted_descriptions import confirms
from harvester.http.messages import Fetch

_MAY_BE_THE_WORK = frozenset((Outcome.SUCCESS, Outcome.LOW_SCORE, Outcome.NO_TEXT))


@dataclass(frozen=True, slots=True)
class Known:
    """The known facts about a work. `settings` are those that begin with `discover_`, by their names without it.

    `candidates` are the checked copies, and those that were accepted before. `matches` are DOIs found by title, author
    and year; `refused` are DOIs that a person has rejected. `withheld` are pages whose files are under an embargo,
    without their scheme.
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
        """Return whether no file may be the work, or one of those that may be has no stated open licence."""
        files = [one for one in self.candidates if one.outcome in _MAY_BE_THE_WORK and not one.is_auxiliary]
        return not files or not all(is_open(file.license) for file in files)

    @property
    def doi(self) -> str:
        """The DOI, or an empty string."""
        return self.identifiers.value("doi")

    @property
    def versions(self) -> tuple[Related, ...]:
        """Other versions of the work, from descriptions of its own DOI.

        The description of a DOI that is only related counts if it has a title of the record.
        """
        own = {
            identifier.value: identifier.found_in not in BESIDE
            for identifier in self.identifiers.entries
            if identifier.scheme == "doi"
        }
        of_own = (
            description
            for description in self.described
            if description.doi in own and (own[description.doi] or confirms(self.work, description))
        )
        return tuple(
            dict.fromkeys(
                related for description in of_own for related in description.related if related.relation in VERSIONS
            )
        )

    @property
    def own_identifiers(self) -> Identifiers:
        """The identifiers that identify a file, with those of other versions of the work.

        A DOI that was only matched by title is not among them, and neither are its versions.
        """
        matched = {match_.doi for match_ in self.matches}
        own = tuple(identifier for identifier in self.identifiers.entries if identifier.value not in matched)
        if self.doi in matched:
            return Identifiers(own)
        return Identifiers(
            own + tuple(Identifier(version.scheme, version.value, version.relation) for version in self.versions)
        )

    @property
    def own_described(self) -> tuple[Description, ...]:
        """The descriptions by which a file is identified.

        A DOI that was only matched may be that of another work if the titles differ in a letter: `Plato` and `Pluto`.
        Then the title of its description identifies no file.
        """
        matched = {match_.doi for match_ in self.matches}
        return tuple(
            described._replace(title="", other_titles=())
            if described.doi in matched and is_misspelt(self.work, described)
            else described
            for described in self.described
        )

    @property
    def email(self) -> str:
        """The email address for services; empty: none."""
        return self.settings.get("email", "")

    def with_(self, step_result: StepResult) -> Known:
        """Return the facts with the result of a step added."""
        pages = tuple(copy for copy in step_result.copies if copy.is_page and copy not in self.pages)
        return replace(
            self,
            identifiers=step_result.identifiers or self.identifiers,
            described=self.described + ((step_result.description,) if step_result.description else ()),
            pages=self.pages + pages,
            policy=step_result.policy or self.policy,
            matches=self.matches + ((step_result.match,) if step_result.match else ()),
        )


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step. `outcome` is SUCCESS when it names a copy; `note` is a sentence for people."""

    outcome: Outcome
    copies: tuple[Copy, ...] = ()
    description: Description | None = None
    policy: Policy | None = None
    identifiers: Identifiers | None = None  # all of them, when the step corrects them
    note: str = ""
    host: str = ""  # the host of its end, if not that of its last request
    match: Match | None = None  # the match behind the DOI in `identifiers`


@dataclass(frozen=True, slots=True)
class Step:
    """One step. Steps run in the order of `cost`, the least first; `needs` names a setting that it requires.

    `is_for_files`: it does not run once the work is found, unless it `finds_supplements` and `discover_supplements` is
    set. `is_first`: it runs before the first copy is fetched. Before every other step for files, all known copies are
    checked.
    """

    name: str
    cost: int
    sentence: str
    wants: Callable[[Known], bool]
    find: Callable[[Known, Fetch], StepResult]
    needs: str = ""
    is_for_files: bool = True
    is_first: bool = False
    finds_supplements: bool = False


def known_of(work: Work, settings: Mapping[str, str]) -> Known:
    """Return the facts about a work from its record alone."""
    page = Copy(work.landing_page, is_page=True, evidence="record", open_from=open_from_record(work))
    pages = (page,) if work.landing_page else ()
    return Known(work, identifiers_of(work), settings, pages=pages)
