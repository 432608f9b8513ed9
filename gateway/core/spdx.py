"""Licences of Creative Commons as SPDX names them (SPDX License List 3.27, https://spdx.org/licenses/). Pure."""

import re

_BASE = "https://spdx.org/licenses/"
_LICENSE = re.compile(
    r"(?i)https?://(?:www\.)?creativecommons\.org/licenses/([a-z-]{2,8})/(\d\.\d)(?:/([a-z]{2,3}))?(?:[/#?]|$)"
)
_ZERO = re.compile(r"(?i)https?://(?:www\.)?creativecommons\.org/publicdomain/(zero|mark)/1\.0(?:[/#?]|$)")
_PUBLIC_DOMAIN = {"zero": "CC0-1.0", "mark": "CC-PDM-1.0"}
# The order of the conditions in SPDX is not that of the addresses of version 1.0.
_CONDITIONS = {
    "by": "BY", "by-sa": "BY-SA", "by-nc": "BY-NC", "by-nd": "BY-ND", "by-nc-sa": "BY-NC-SA", "by-nc-nd": "BY-NC-ND",
    "by-nd-nc": "BY-NC-ND",
}  # fmt: skip
_VERSIONS = ("1.0", "2.0", "2.5", "3.0", "4.0")
# The licences of single countries that SPDX lists; it has no name for the others.
_OF_COUNTRIES = frozenset((
    "CC-BY-2.5-AU", "CC-BY-3.0-AT", "CC-BY-3.0-AU", "CC-BY-3.0-DE", "CC-BY-3.0-IGO", "CC-BY-3.0-NL", "CC-BY-3.0-US",
    "CC-BY-NC-3.0-DE", "CC-BY-NC-ND-3.0-DE", "CC-BY-NC-ND-3.0-IGO", "CC-BY-NC-SA-2.0-DE", "CC-BY-NC-SA-2.0-FR",
    "CC-BY-NC-SA-2.0-UK", "CC-BY-NC-SA-3.0-DE", "CC-BY-NC-SA-3.0-IGO", "CC-BY-ND-3.0-DE", "CC-BY-SA-2.0-UK",
    "CC-BY-SA-2.1-JP", "CC-BY-SA-3.0-AT", "CC-BY-SA-3.0-DE", "CC-BY-SA-3.0-IGO",
))  # fmt: skip


def spdx_uri(url: str) -> str:
    """Return the SPDX URI of a Creative Commons licence at this address, or an empty string if SPDX lists none."""
    if match := _ZERO.match(url):
        return _BASE + _PUBLIC_DOMAIN[match[1].lower()]
    match = _LICENSE.match(url)
    conditions = _CONDITIONS.get(match[1].lower()) if match else None
    if match is None or conditions is None:
        return ""
    country = (match[3] or "").upper()
    name = f"CC-{conditions}-{match[2]}"
    if country and f"{name}-{country}" in _OF_COUNTRIES:
        return f"{_BASE}{name}-{country}"
    return "" if country or match[2] not in _VERSIONS else _BASE + name
