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
_FORMULA = re.compile(r"\$([^$\s\\{}]{0,40}(?:[_^](?:\{[^$\\{}_^]{1,12}\}|[^$\s\\{}_^])[^$\s\\{}_^]{0,40}){1,8})\$")
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]+)\}|(.))")
_SHORT = re.compile(r"\$([^$\\\s]{1,3})\$")
_MARKS = {"_": "sub", "^": "sup"}


def _script(match: re.Match[str]) -> str:
    """Return a script as an element. Without braces it is one sign, as TeX has it: of `H_2O` only the 2."""
    mark = _MARKS[match[1]]
    return f"<{mark}>{match[2] or match[3]}</{mark}>"


def untexed(text: str) -> str:
    """Return a text in which simple TeX is characters, and simple scripts are the elements `sub` and `sup`."""
    if "\\" not in text and "$" not in text:
        return text
    text = _ACCENT.sub(lambda match: unicodedata.normalize("NFC", match[2] + _ACCENTS[match[1]]), text)
    text = _SYMBOL.sub(lambda match: _SYMBOLS.get(match[1], match[0]), text)
    text = _FORMULA.sub(lambda match: _SCRIPT.sub(_script, match[1]), text)
    return _SHORT.sub(r"\1", text)
