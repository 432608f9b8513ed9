"""The entry of a BibTeX file, with its abbreviations (`@string`) replaced. Pure, and linear in the length."""

import re
from typing import Final

LONGEST: Final = 1_000_000  # characters of a file, and of a text with its abbreviations
_DEEPEST: Final = 100  # braces
_BEGIN = re.compile(r"@\s*+([A-Za-z]++)\s*+([{(])")
_KEY = re.compile(r"\s*+([^,{}=]*+),")
_FIELD = re.compile(r"\s*+([A-Za-z][\w.+:/-]*+)\s*+=\s*+", re.ASCII)
_WORD = re.compile(r"[^\s{}\"#,()=%]++")
_BETWEEN = re.compile(r"\s*+([#,})])\s*+")
_BRACES = re.compile(r"\\.|[{}\")]", re.DOTALL)
_CLOSING = {"{": "}", "(": ")", '"': '"'}


def entry_of(text: str) -> dict[str, str] | None:
    """Return the only entry of a file: its fields in lower case as TeX, its type and key (`ENTRYTYPE`, `ID`).

    Return None if the file is something else, is damaged or has several entries.
    """
    if len(text) > LONGEST or text.lstrip("\ufeff \t\r\n")[:1] not in ("@", "%"):
        return None
    known, entries, place = dict[str, str](), list[dict[str, str]](), 0
    try:
        while match := _BEGIN.search(text, place):
            kind, place = match[1].lower(), match.end()
            if kind in ("comment", "preamble"):
                place = _end(text, place, _CLOSING[match[2]])
                continue
            key = None if kind == "string" else _KEY.match(text, place)
            fields, place = _fields(text, key.end() if key else place, known)
            if kind == "string":
                known |= fields
            else:
                entries.append({"ENTRYTYPE": kind, "ID": key[1].strip() if key else "", **fields})
    except ValueError:
        return None
    return entries[0] if len(entries) == 1 else None


def _fields(text: str, place: int, known: dict[str, str]) -> tuple[dict[str, str], int]:
    """Return the fields of an entry, of which the first of each name counts, and the place behind it."""
    fields: dict[str, str] = {}
    while match := _FIELD.match(text, place):
        value, place = _value(text, match.end(), known)
        fields.setdefault(match[1].lower(), value)
        if (between := _BETWEEN.match(text, place)) and between[1] == ",":  # it may have been forgotten
            place = between.end()
    if (between := _BETWEEN.match(text, place)) is None or between[1] not in "})":
        raise ValueError(place)
    return fields, between.end()


def _value(text: str, place: int, known: dict[str, str]) -> tuple[str, int]:
    """Return a text, of which `#` joins the parts, and the place behind it."""
    parts, size = list[str](), 0
    while size <= LONGEST:
        if (sign := text[place : place + 1]) in ("{", '"'):
            end = _end(text, place + 1, _CLOSING[sign])
            parts.append(text[place + 1 : end - 1])
        elif match := _WORD.match(text, place):
            parts.append(known.get(match[0].lower(), match[0]))
            end = match.end()
        else:
            break
        if (between := _BETWEEN.match(text, end)) is None or between[1] != "#":
            return "".join(parts), end
        place, size = between.end(), size + len(parts[-1])
    raise ValueError(place)


def _end(text: str, place: int, sign: str) -> int:
    """Return the place behind the sign that ends a text; it is not inside braces."""
    depth = 0
    for match in _BRACES.finditer(text, place):
        if depth == 0 and match[0] == sign:
            return match.end()
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not 0 <= depth <= _DEEPEST:
            break
    raise ValueError(place)
