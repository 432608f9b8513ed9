"""An entry of BibTeX as an item of CSL JSON: its names, dates and pages, and the commands of TeX in its texts. Pure."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from gateway.core.words import table

_TABLE = table(__file__, "bibtex")
_ACCENT = re.compile(r"\\([`'^\"~=.]|[Hbcdkruv](?![A-Za-z]))\s*+(?:\{\s*+\\?([A-Za-z])\s*+\}|\\?([A-Za-z]))")
_SIGN = re.compile(r"\\(?:([A-Za-z]++)(?:\s*+\{\}|\s++)?|(.))|[{}$]|~|---?|``|''", re.DOTALL)
_IN_NAMES = re.compile(r"\\.|[{}]|(?<=\s)and(?=\s)|[,\s~]", re.DOTALL | re.IGNORECASE)
_IN_ADDRESSES = re.compile(r"\\(?:url)?|[{}]")
_ADDRESSES = ("doi", "url", "eprint")


def text_of(tex: str) -> str:
    """Return a text of TeX without commands, braces and ties; accents become letters."""
    return " ".join(_SIGN.sub(_plain, _ACCENT.sub(_accented, tex)).split())


def _accented(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", (match[2] or match[3]) + str(_TABLE["accents"][match[1]]))


def _plain(match: re.Match[str]) -> str:
    if match[1]:
        return str(_TABLE["commands"].get(match[1], ""))
    return match[2] or str(_TABLE["signs"].get(match[0], ""))


def csl_of(entry: Mapping[str, str]) -> dict[str, Any]:
    """Return an entry, with its type as `ENTRYTYPE`, under the names of CSL JSON and schema.org."""
    texts = {name: text_of(value) for name, value in entry.items() if name not in _ADDRESSES}
    texts |= {name: _IN_ADDRESSES.sub("", entry.get(name, "")).strip() for name in _ADDRESSES}
    item: dict[str, Any] = {
        target: next(filter(None, (texts.get(name, "") for name in names)), "")
        for target, names in _TABLE["fields"].items()
    }
    year, month = texts.get("year", ""), texts.get("month", "")
    is_arxiv = "arxiv" in texts.get("archiveprefix", texts.get("eprinttype", "")).lower()
    return item | {
        "type": _TABLE["types"].get(entry["ENTRYTYPE"], entry["ENTRYTYPE"]),
        "title": ": ".join(filter(None, (item["title"], texts.get("subtitle", "")))),
        "author": _names(entry.get("author", "")),
        "editor": _names(entry.get("editor", "")),
        "datePublished": texts.get("date") or (f"{year}-{month:0>2}" if month.isdecimal() else f"{month} {year}"),
        "page": re.sub("\\s{0,3}[\u2013\u2014]\\s{0,3}", "-", item["page"]),
        "identifier": f"arXiv:{texts['eprint']}" if is_arxiv else "",
    }


def _names(tex: str) -> list[dict[str, str]]:
    """Return the names of a list with `and`: `First von Last`, `von Last, First` or `von Last, Jr, First`."""
    names: list[list[list[str]]] = [[[""]]]  # their parts between commas, of words
    place = depth = 0
    for match in _IN_NAMES.finditer(tex):
        sign, words = match[0], names[-1][-1]
        words[-1] += tex[place : match.start()]
        place = match.end()
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth or sign == "}" or sign[0] == "\\":
            words[-1] += sign
        elif sign == ",":
            names[-1].append([""])
        elif sign in "~ \t\r\n":
            words.append("")
        else:
            names.append([[""]])
    names[-1][-1][-1] += tex[place:]
    plain = ([[text for text in map(text_of, words) if text] for words in name] for name in names)
    return [_name(name) for name in plain if name[0]]


def _name(parts: list[list[str]]) -> dict[str, str]:
    if len(parts) > 1:
        return {"family": " ".join(parts[0]), "given": " ".join(parts[-1])}
    words = parts[0]
    last = next((place for place, word in enumerate(words[1:-1], 1) if word[0].islower()), len(words) - 1)
    family, given = " ".join(words[last:]), " ".join(words[:last])
    return {"family": family, "given": given} if given else {"literal": family}
