"""Shows the little TeX that titles and abstracts contain: accents, Greek letters, common signs, simple scripts. Pure.

Other TeX stays as it is: half a formula in readable form would be another formula.
"""

from __future__ import annotations

import re
import unicodedata

_GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
_SIGNS = {
    "times": "MULTIPLICATION SIGN",
    "pm": "PLUS-MINUS SIGN",
    "leq": "LESS-THAN OR EQUAL TO",
    "geq": "GREATER-THAN OR EQUAL TO",
    "approx": "ALMOST EQUAL TO",
    "sim": "TILDE OPERATOR",
    "infty": "INFINITY",
    "to": "RIGHTWARDS ARROW",
    "circ": "DEGREE SIGN",
}


def _letter(name: str, case: str) -> str:
    return unicodedata.lookup(f"GREEK {case} LETTER {'LAMDA' if name == 'lambda' else name.upper()}")


_SYMBOLS = (
    {name: _letter(name, "SMALL") for name in _GREEK}
    | {name.capitalize(): _letter(name, "CAPITAL") for name in _GREEK}
    | {name: unicodedata.lookup(sign) for name, sign in _SIGNS.items()}
)
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307"}
_ACCENT = re.compile(r"""\\(['`^"~=.])\{?([A-Za-z])\}?""")
_SYMBOL = re.compile(r"\\([A-Za-z]{2,7})(?![A-Za-z])")
_SCRIPT = re.compile(r"\$([^$\s]{0,20}?)([_^])\{?([A-Za-z0-9+-]{1,6})\}?\$")
_SHORT = re.compile(r"\$([^$\\\s]{1,3})\$")


def untexed(text: str) -> str:
    """Return a text in which simple TeX is characters, and simple scripts are the elements `sub` and `sup`."""
    if "\\" not in text and "$" not in text:
        return text
    text = _ACCENT.sub(lambda match: unicodedata.normalize("NFC", match[2] + _ACCENTS[match[1]]), text)
    text = _SYMBOL.sub(lambda match: _SYMBOLS.get(match[1], match[0]), text)
    marks = {"_": "sub", "^": "sup"}
    text = _SCRIPT.sub(lambda match: f"{match[1]}<{marks[match[2]]}>{match[3]}</{marks[match[2]]}>", text)
    return _SHORT.sub(r"\1", text)
