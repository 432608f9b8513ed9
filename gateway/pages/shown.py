"""How values are shown to people: numbers, sizes, dates, identifiers, and texts of records. Pure."""

import re
import unicodedata
from datetime import UTC, datetime
from html import unescape
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from gateway.core.bibliography.texts import folded

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_THOUSAND = 1000
_UTC_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(Z)?)?)?)?")

# Controls, and characters that change the direction of what follows them: they could make a text look like another.
_UNSEEN = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# The same, and characters without a width, for reviewers: they see what a text hides.
_HIDDEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
# The only markup that titles and abstracts of records keep.
_TAG = re.compile(r"<(/?)(i|b|em|strong|sub|sup)\s*>", re.IGNORECASE)
_BREAK = re.compile(r"([/:._-])(?=[^/:._-])")


def plain(text: str) -> str:
    """Return a text of a record without controls, with entities resolved once and white space folded."""
    return folded(text)


def bare(text: str) -> str:
    """Return a text of a record without markup, for titles of windows and for machines."""
    return " ".join(_TAG.sub("", untexed(plain(text))).split())


def revealed(text: str) -> str:
    """Return a text unchanged, but controls and characters that change its direction are shown, as `[U+202E]`."""
    return " ".join(_HIDDEN.sub(lambda hidden: f"[U+{ord(hidden[0]):04X}]", text).split())


def revealed_lines(text: str) -> str:
    """Return a text as `revealed` does, but with its lines and its white space."""
    return _HIDDEN.sub(lambda hidden: f"[U+{ord(hidden[0]):04X}]", text.replace("\r\n", "\n"))


def bare_revealed(text: str) -> str:
    """Return a text of a record as `bare` does, for reviewers: what would be removed from it is shown."""
    return " ".join(_TAG.sub("", untexed(revealed(unescape(text)))).split())


def marked(text: str) -> Markup:
    """Return a text of a record as HTML: `i b em strong sub sup` are kept and closed, all else is shown as text."""
    parts: list[Markup] = []
    open_tags: list[str] = []
    text, place = untexed(plain(text)), 0
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        parts.append(escape(text[place : tag.start()]))
        place = tag.end()
        if tag[1] and name not in open_tags:
            continue
        if not tag[1]:
            open_tags.append(name)
            parts.append(Markup(f"<{name}>"))  # noqa: S704 - the name is one of six
            continue
        while open_tags:
            closed = open_tags.pop()
            parts.append(Markup(f"</{closed}>"))  # noqa: S704 - the same
            if closed == name:
                break
    parts.append(escape(text[place:]))
    parts += [Markup(f"</{name}>") for name in reversed(open_tags)]  # noqa: S704 - the same
    return Markup("").join(parts)


def breakable(text: str) -> Markup:
    """Return an identifier or address as HTML that may be broken behind its punctuation."""
    parts = _BREAK.split(_UNSEEN.sub("", text))
    return Markup("").join(escape(part) + (Markup("<wbr>") if place % 2 else "") for place, part in enumerate(parts))


def number(value: int) -> str:
    """Return a number with its thousands separated."""
    return f"{value:,}"


def percent(part: int, whole: int) -> str:
    """Return a share in per cent; it is 0 or 100 only if it is exactly that."""
    if not whole:
        return "0 %"
    least, most = int(part > 0), 100 - int(part < whole)
    return f"{min(max(round(100 * part / whole), least), most)} %"


def size(length: int) -> str:
    """Return a number of bytes with a decimal unit."""
    amount, unit = float(length), 0
    while amount >= _THOUSAND - 0.5 and unit + 1 < len(_UNITS):
        amount, unit = amount / _THOUSAND, unit + 1
    return f"{amount:.1f} {_UNITS[unit]}" if unit and amount < 10 else f"{amount:,.0f} {_UNITS[unit]}"  # noqa: PLR2004


def date(text: str) -> str:
    """Return a date of ISO 8601 in words, `3 May 2025` or `May 2025`; another text unchanged."""
    match = _UTC_DATE.fullmatch(text.strip())
    if not match:
        return text
    year, month, day = match[1], match[2], match[3]
    if month is None:
        return year
    if not 1 <= int(month) <= len(_MONTHS):
        return text
    return " ".join(filter(None, (day and str(int(day)), _MONTHS[int(month) - 1], year)))


def moment(text: str) -> str:
    """Return a UTCdatetime in words, with its time: `3 May 2025, 12:30 UTC`."""
    match = _UTC_DATE.fullmatch(text.strip())
    return f"{date(text)}, {match[4]}:{match[5]} UTC" if match and match[4] and match[6] else date(text)


def moment_of(seconds: int) -> str:
    """Return a time in seconds since 1970 in words."""
    return moment(datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, cut between words, with an ellipsis if it was longer."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    at = cut.rfind(" ")
    return (cut[:at] if at > most // 2 else cut).rstrip(" ,;:.") + "…"


def host(url: str) -> str:
    """Return the host of an address; a text without one unchanged."""
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return url


def clock(words: str) -> str:
    """Return the time of day in what `moment` returns."""
    return words.partition(", ")[2]


def day(words: str) -> str:
    """Return the date in what `moment` returns."""
    return words.partition(", ")[0]


def day_of(seconds: int) -> str:
    """Return the day of a time in seconds since 1970, in short, for the labels of charts: `3 May`."""
    at = datetime.fromtimestamp(seconds, UTC)
    return f"{at.day} {_MONTHS[at.month - 1][:3]}"


def is_web(text: str) -> bool:
    """Return whether a text is an address that a browser opens."""
    return text.lower().startswith(("http://", "https://"))


# --- Shows the little TeX that titles and abstracts contain ----------------------------------------------------------

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
