"""Recognizes licences in all spellings (address, abbreviation, sentence), and gives each one name. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple


class _Spelling(NamedTuple):
    pattern: re.Pattern[str]
    name: str


def _spelled(pattern: str, name: str) -> _Spelling:
    return _Spelling(re.compile(pattern), name)


# The order matters: narrower conditions are first, because `by` is a part of all of them. Texts are compared in lower
# case without spaces, hyphens and underscores. `publisher-specific` permits reading, and no more is known.
_CC = r"creativecommons(?:\.org/licenses/|licen[cs]e)?"
_SPELLINGS = (
    _spelled(r"metadata", ""),  # of the record, and not of the file
    _spelled(
        r"not(?:an?|any|the|in|is|under|by|(?:licen[cs]|releas|publish|cover)ed|available)*(?:creativecommons|publicdomain)",
        "",
    ),
    _spelled(_CC + r"(?:by|attribution)(?:nc|noncommercial)(?:nd|noderiv)", "cc-by-nc-nd"),
    _spelled(_CC + r"(?:by|attribution)(?:nc|noncommercial)(?:sa|sharealike)", "cc-by-nc-sa"),
    _spelled(_CC + r"(?:by|attribution)(?:nd|noderiv)(?:nc|noncommercial)", "cc-by-nc-nd"),
    _spelled(_CC + r"(?:by|attribution)(?:nd|noderiv)", "cc-by-nd"),
    _spelled(_CC + r"(?:by|attribution)(?:sa|sharealike)", "cc-by-sa"),
    _spelled(_CC + r"(?:by|attribution)(?:nc|noncommercial)", "cc-by-nc"),
    _spelled(_CC + r"(?:by|attribution)", "cc-by"),
    _spelled(r"creativecommons(?:0|zero)|publicdomain/zero", "cc0"),
    _spelled(r"^pd$|publicdomain", "pd"),
    _spelled(r"publisherspecific|openaccess/userlicense|authorchoice|nonexclusivedistrib", "publisher-specific"),
    _spelled(r"^(?:otheroa|unspecifiedoa|impliedoa)$|semantics/openaccess", "other-oa"),
)
_NOISE = re.compile(r"[\s_-]+")
_ABBREVIATED = re.compile(r"\bcc(?=[\s_-]*(?:by|attribution|0|zero))")

# The complete name of a licence of Creative Commons: its conditions and its version. Licences of a country are other
# licences, and do not match. Version 1.0 has other addresses.
_WHOLE = re.compile(
    r"(?:cc|creativecommons)(?:by|attribution)(?P<nc>nc|noncommercial)?(?:(?P<sa>sa|sharealike)|(?P<nd>nd|noderiv(?:ative)?s))?"
    r"v?(?P<version>2\.0|2\.5|3\.0|4\.0)(?:international|unported|generic)?(?:(?:public)?licen[cs]e)?(?:\(cc[^)]*\))?\.?"
)
_ZERO = "https://creativecommons.org/publicdomain/zero/1.0/"  # there is no other version

OPEN = frozenset(("cc0", "pd", "cc-by", "cc-by-sa", "cc-by-nc", "cc-by-nd", "cc-by-nc-sa", "cc-by-nc-nd"))


def license_of(text: str) -> str:
    """Return our name of the licence in a text (such as `cc-by`), or an empty string if there is no known one."""
    squashed = _NOISE.sub("", _ABBREVIATED.sub("creativecommons", text.lower()))
    return next((name for pattern, name in _SPELLINGS if pattern.search(squashed)), "")


def is_open(name: str) -> bool:
    """Return whether a licence permits everybody to redistribute the work unchanged; `name` is that of `license_of`."""
    return name in OPEN


def license_uri(text: str) -> str:
    """Return the address of the licence in a text, or an empty string if the text does not name its version."""
    if text.strip().lower().startswith(("http://", "https://")):
        return text.split(maxsplit=1)[0]
    if license_of(text) == "cc0":
        return _ZERO
    whole = _WHOLE.fullmatch(_NOISE.sub("", text.lower()))
    if whole is None:
        return ""
    conditions = "-".join(["by", *(condition for condition in ("nc", "sa", "nd") if whole[condition])])
    return f"https://creativecommons.org/licenses/{conditions}/{whole['version']}/"
