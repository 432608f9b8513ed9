"""The permissions of publishers by version, as Open Policy Finder (Sherpa Romeo) states them: values. Pure.

A colour says that some version may be deposited somewhere at once. Only the permissions apply to one file.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from gateway.core.words import any_of, table

VERSIONS = ("submitted", "accepted", "published")

# Places that include the repository of an institution. A website does not count: some publishers permit it at once, but
# repositories only after a year.
INSTITUTIONAL = frozenset(
    (
        "institutional_repository",
        "non_commercial_institutional_repository",
        "non_commercial_repository",
        "any_repository",
    )
)
# The publisher's own place, which has no copy of ours.
_THEIR_OWN = frozenset(("this_journal",))
_FUNDERS = "when_required_by"  # `when_required_by_funder`, `…_institution`, `…_law`: for some authors only


class Colour(StrEnum):
    """The colours of RoMEO: green both prints, blue the postprint, yellow the preprint, white neither, gray unknown."""

    GREEN = "green"
    BLUE = "blue"
    YELLOW = "yellow"
    WHITE = "white"
    GRAY = "gray"


# Conditions that every record of ours fulfils: it names the source and links to the publisher by its identifier.
_FULFILLED = re.compile(rf"(?i)^(?:upon publication )?(?:{any_of(table(__file__, 'licenses')['fulfilled'])})\.?$")
_MONTHS_OF_A_YEAR = 12


class Permission(NamedTuple):
    """One permission to archive. No `locations` means: anywhere.

    `embargo_months` is None if the embargo is not a number of months.
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
        """Return whether it requires neither a fee nor a demand of a funder, an institution or a law."""
        return not self.has_fee and not any(prerequisite.startswith(_FUNDERS) for prerequisite in self.prerequisites)

    @property
    def is_for_repositories(self) -> bool:
        """Return whether the repository of an institution is among the places."""
        return not self.locations or bool(INSTITUTIONAL & set(self.locations))

    def doubt(self, published: str, month: str) -> str:
        """Return why a rule cannot rely on the permission in a month (`2026-11`), or an empty string if it can.

        `published` is the year of publication, or empty if it is not known. Because only the year is known, an embargo
        begins at the end of that year.
        """
        months = self.embargo_months
        if months is None:
            return "The embargo is not a number of months."
        if self.prerequisites:
            return f"It is permitted only {self.prerequisites[0].replace('_', ' ')}."
        if unmet := [condition for condition in self.conditions if not _FULFILLED.match(condition)]:
            return f"A person must see whether this is kept: {unmet[0].rstrip('.')}."
        if months and not published:
            return f"When the embargo of {months} months ends is not known."
        if months and _count_of_months(month) <= _count_of_months(f"{published}-12") + months:
            return f"The embargo of {months} months is not over for certain."
        return ""


class Policy(NamedTuple):
    """The policy of a journal or a publisher. There are several `publishers` if the answer was ambiguous."""

    colour: Colour
    title: str = ""
    publishers: tuple[str, ...] = ()
    issns: tuple[str, ...] = ()
    permissions: tuple[Permission, ...] = ()
    conditions: tuple[str, ...] = ()
    address: str = ""

    def for_version(self, version: str) -> tuple[Permission, ...]:
        """Return the permissions of this version in every institutional repository, the shortest embargo first."""
        fitting = [
            permission
            for permission in self.permissions
            if version in permission.versions and permission.is_for_everybody and permission.is_for_repositories
        ]
        return tuple(
            sorted(fitting, key=lambda permission: (permission.embargo_months is None, permission.embargo_months or 0))
        )


def colour_of(permissions: Iterable[Permission]) -> Colour:
    """Return the RoMEO colour of permissions: by the versions that are free, for everybody, and at once.

    In RoMEO, an embargo, even of a month, made a postprint `restricted`, so it did not count for the colour.
    """
    free = {
        version
        for permission in permissions
        if permission.is_for_everybody
        and permission.embargo_months == 0
        and not (permission.locations and set(permission.locations) <= _THEIR_OWN)
        for version in permission.versions
    }
    if free & {"accepted", "published"}:
        return Colour.GREEN if "submitted" in free else Colour.BLUE
    return Colour.YELLOW if free else Colour.WHITE


def _count_of_months(month: str) -> int:
    year, _, number = month.partition("-")
    return int(year) * _MONTHS_OF_A_YEAR + int(number)
