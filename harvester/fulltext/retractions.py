"""Retractions of works in the statements of services and titles, as sentences for people. Pure."""

from __future__ import annotations

import re

# The types of updates in Crossref (crossref.org/documentation/crossmark) that retract a work, and their sentences; all
# others (correction, erratum, addendum, clarification, corrigendum, new_edition, new_version) do not.
UPDATES = {
    "retraction": "The work is retracted",
    "partial_retraction": "A part of the work is retracted",
    "withdrawal": "The work is withdrawn",
    "removal": "The work was removed by its publisher",
    "expression_of_concern": "An expression of concern was published about the work",
}
# Updates that are the work itself again.
NEW_VERSIONS = frozenset(("new_version", "new_edition"))

# Publishers write it before the title: `RETRACTED ARTICLE: …`, `WITHDRAWN: …`. An article on retraction has no colon.
_TITLE = re.compile(
    r"(?i)[\s\[(]{0,3}(?:(?:article|chapter|paper) )?"
    r"(?:retracted|withdrawn|removed)(?: (?:article|chapter|paper))?[\])]?\s?:"
    r"|\[(?:retracted|withdrawn|removed)[\])]"
)


def by_update(update: str, service: str, notice: str = "", day: str = "") -> str:
    """Return the sentence for an update of one of these types, with the service, the notice and the day."""
    when = f" of {day}" if day else ""
    return f"{UPDATES[update]}: {service} names {notice or 'a notice'}{when}."


def by_mark(service: str) -> str:
    """Return the sentence for a work that a service calls retracted, without a notice."""
    return f"{UPDATES['retraction']}: {service} marks it so."


def by_title(title: str, teller: str) -> str:
    """Return the sentence for a title that states a retraction; empty for any other title."""
    return f"{UPDATES['retraction']}: {teller} gives a title that says so." if _TITLE.match(title) else ""
