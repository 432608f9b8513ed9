"""Licences as the wild writes them, made one name each: addresses, abbreviations, sentences of a page. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple


class _Spelling(NamedTuple):
    pattern: re.Pattern[str]
    name: str


def _spelled(pattern: str, name: str) -> _Spelling:
    return _Spelling(re.compile(pattern), name)


# The order counts: the closer conditions stand first, since `by` is a part of all of them. Texts are compared in lower
# case without spaces, hyphens and underscores. `publisher-specific` may be read, and no more is known.
_CC = r"(?:\bcc|licenses/|creativecommonslicen[cs]e?|creativecommons)"
_SPELLINGS = (
    _spelled(_CC + r"(?:by|attribution)(?:nc|noncommercial)(?:nd|noderiv)", "cc-by-nc-nd"),
    _spelled(_CC + r"(?:by|attribution)(?:nc|noncommercial)(?:sa|sharealike)", "cc-by-nc-sa"),
    _spelled(_CC + r"(?:by|attribution)(?:nd|noderiv)(?:nc|noncommercial)", "cc-by-nc-nd"),
    _spelled(_CC + r"(?:by|attribution)(?:nd|noderiv)", "cc-by-nd"),
    _spelled(_CC + r"(?:by|attribution)(?:sa|sharealike)", "cc-by-sa"),
    _spelled(_CC + r"(?:by|attribution)(?:nc|noncommercial)", "cc-by-nc"),
    _spelled(_CC + r"(?:by|attribution)", "cc-by"),
    _spelled(r"\bcc0|publicdomain/zero|creativecommonszero", "cc0"),
    _spelled(r"notinthepublicdomain", ""),
    _spelled(r"^pd$|publicdomain", "pd"),
    _spelled(r"publisherspecific|openaccess/userlicense|authorchoice|nonexclusivedistrib", "publisher-specific"),
    _spelled(r"^(?:otheroa|unspecifiedoa|impliedoa)$|semantics/openaccess", "other-oa"),
)
_NOISE = re.compile(r"[\s_-]+")

OPEN = frozenset(("cc0", "pd", "cc-by", "cc-by-sa", "cc-by-nc", "cc-by-nd", "cc-by-nc-sa", "cc-by-nc-nd"))


def license_of(text: str) -> str:
    """Return the name of the licence that a text names, or an empty string when it names none that we know."""
    squashed = _NOISE.sub("", text.lower())
    return next((name for pattern, name in _SPELLINGS if pattern.search(squashed)), "")


def is_open(name: str) -> bool:
    """Tell whether a licence lets anybody hand the work on unchanged."""
    return name in OPEN
