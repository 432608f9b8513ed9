"""What a publisher lets authors and their institutions do with which version: the values of SHERPA/RoMEO. Pure.

A colour says that some version may go somewhere at once; what may be done with *this* file only the permissions tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

VERSIONS = ("submitted", "accepted", "published")

# Places that are an institution's repository, or that it may choose to be. A website is none: some publishers permit
# theirs at once and repositories after a year.
INSTITUTIONAL = frozenset(
    (
        "institutional_repository",
        "non_commercial_institutional_repository",
        "non_commercial_repository",
        "any_repository",
    )
)
# The publisher's own place: no copy of ours stands there.
_THEIR_OWN = frozenset(("this_journal",))
_FUNDERS = "when_required_by"  # `when_required_by_funder`, `…_institution`, `…_law`: for some authors only


class Colour(StrEnum):
    """The colours of RoMEO: green both prints, blue the postprint, yellow the preprint, white neither, gray unknown."""

    GREEN = "green"
    BLUE = "blue"
    YELLOW = "yellow"
    WHITE = "white"
    GRAY = "gray"


class Permission(NamedTuple):
    """One way to archive. `locations` of version 2; none told (version 2.9) means anywhere.

    `embargo_months` is None when a restriction is told that is no number of months.
    """

    versions: tuple[str, ...]
    locations: tuple[str, ...] = ()
    embargo_months: int | None = 0
    has_fee: bool = False
    prerequisites: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    licenses: tuple[str, ...] = ()

    @property
    def is_for_everybody(self) -> bool:
        """Tell whether neither money nor a funder's wish is asked for."""
        return not self.has_fee and not any(each.startswith(_FUNDERS) for each in self.prerequisites)

    @property
    def is_for_repositories(self) -> bool:
        """Tell whether an institution's repository is among the places."""
        return not self.locations or bool(INSTITUTIONAL & set(self.locations))


class Policy(NamedTuple):
    """What is known of a journal or a publisher. `publishers` are more than one where the answer was ambiguous."""

    colour: Colour
    title: str = ""
    publishers: tuple[str, ...] = ()
    issns: tuple[str, ...] = ()
    permissions: tuple[Permission, ...] = ()
    conditions: tuple[str, ...] = ()
    address: str = ""

    def for_version(self, version: str) -> tuple[Permission, ...]:
        """Return the permissions under which an institutional repository may have this version, soonest first."""
        fitting = [
            each
            for each in self.permissions
            if version in each.versions and each.is_for_everybody and each.is_for_repositories
        ]
        return tuple(sorted(fitting, key=lambda each: (each.embargo_months is None, each.embargo_months or 0)))


def colour_of(permissions: Iterable[Permission]) -> Colour:
    """Return the colour that RoMEO gave such permissions: what is free, for everybody, and at once.

    An embargo, even of a month, made a postprint `restricted` and left it out of the colour.
    """
    free = {
        version
        for each in permissions
        if each.is_for_everybody
        and each.embargo_months == 0
        and not (each.locations and set(each.locations) <= _THEIR_OWN)
        for version in each.versions
    }
    if free & {"accepted", "published"}:
        return Colour.GREEN if "submitted" in free else Colour.BLUE
    return Colour.YELLOW if free else Colour.WHITE
