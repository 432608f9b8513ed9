"""Recognizes licences in all spellings (address, abbreviation, sentence), and gives each one name. Pure."""

import re

from gateway.core.words import table

_SPELLINGS = tuple((name, re.compile(pattern)) for name, pattern in table(__file__, "licenses")["spellings"])
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
    return next((name for name, pattern in _SPELLINGS if pattern.search(squashed)), "")


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
