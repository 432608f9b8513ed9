"""A citation in three common manners: author and year (APA), numbered (Vancouver), full names (Chicago). Pure.

They are short templates of our own. Where the record lacks a part, the citation lacks it too. The formats of reference
managers follow. RIS has a tag and a value in each line, so no value has a line end. In BibTeX, braces, backslashes and
line ends of a record cannot end a field or begin another entry.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from gateway.core.bibliography.dates import date_parts
from gateway.core.bibliography.people import PARTICLES
from gateway.core.normal_forms import normalized
from gateway.pages.reference import Author, Reference
from gateway.pages.shown import bare

_MOST_AUTHORS = 20  # of APA; the others name fewer
_SHOWN_AUTHORS = 6
_SHOWN_OF_MORE = 3  # of Chicago (18th edition, 13.107): of more than six authors, the first three
_GIVEN = re.compile(r"(-?)([^\W\d_])[^\s.\-]*")
_SCRIPTS_WITH_INITIALS = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "GEORGIAN"})


class Citation(NamedTuple):
    """A citation in one manner; `style` is the key of its name on the pages."""

    style: str
    text: str


def citations(reference: Reference, url: str) -> tuple[Citation, ...]:
    """Return the citations of a work; `url` is used if it has no DOI."""
    link = reference.doi_url or url
    return (
        Citation("apa", _apa(reference, link)),
        Citation("vancouver", _vancouver(reference, link)),
        Citation("chicago", _chicago(reference, link)),
    )


def _apa(reference: Reference, link: str) -> str:
    names = [_apa_name(author) for author in reference.authors]
    if len(names) > _MOST_AUTHORS:
        names = [*names[: _MOST_AUTHORS - 1], "\u2026 " + names[-1]]
    authors = _listed(names, ", & ")
    year = f"({reference.year or 'n.d.'})"
    place = _join(", ", _container(reference), _volume(reference), reference.pages)
    return _sentences(
        _join(" ", _sentences(authors), year) if authors else "",
        bare(reference.title),
        "" if authors else year,
        place or reference.publisher,
        link,
    )


def _vancouver(reference: Reference, link: str) -> str:
    names = [_vancouver_name(author) for author in reference.authors]
    if len(names) > _SHOWN_AUTHORS:
        names = [*names[:_SHOWN_AUTHORS], "et al"]
    year = str(reference.year) if reference.year else ""
    place = _join(":", _join(";", year, _volume(reference)), reference.pages)
    return _sentences(
        ", ".join(names), bare(reference.title), _container(reference) or reference.publisher, place, link
    )


def _chicago(reference: Reference, link: str) -> str:
    names = [author.family_first for author in reference.authors[:1]]
    names += [_given_first(author) for author in reference.authors[1:]]
    if len(names) > _SHOWN_AUTHORS:
        authors = ", ".join([*names[:_SHOWN_OF_MORE], "et al."])
    elif len(names) == 2 and not reference.authors[0].family:  # noqa: PLR2004 - nothing is inverted, so no comma
        authors = " and ".join(names)
    else:
        authors = _listed(names, ", and ")
    title = bare(reference.title).rstrip(".")
    title = f"\u201c{title}{'' if title.endswith(('?', '!')) else '.'}\u201d" if title else ""
    number = f"no. {reference.issue}" if reference.issue else ""
    year = f"({reference.year})" if reference.year else ""
    place = _join(" ", _container(reference) or reference.publisher, _join(", ", reference.volume, number), year)
    return _sentences(authors, title, _join(": ", place, reference.pages), link)


def _container(reference: Reference) -> str:
    return reference.journal or reference.place


def _volume(reference: Reference) -> str:
    return reference.volume + (f"({reference.issue})" if reference.volume and reference.issue else "")


def _apa_name(author: Author) -> str:
    if not author.family:
        return author.name
    return _join(", ", author.family, _initials(author.given, ".", " ", "-"), author.suffix)


def _vancouver_name(author: Author) -> str:
    if not author.family:
        return author.name
    return _join(" ", author.family, _initials(author.given, "", "", ""), author.suffix.rstrip("."))


def _given_first(author: Author) -> str:
    if not author.family:
        return author.name
    return _join(", ", _join(" ", author.given, author.family), author.suffix)


def _initials(given: str, stop: str, space: str, hyphen: str) -> str:
    """Return the initials of given names, with signs behind, between, and for a hyphen between them.

    Names in scripts without initials, such as Chinese or Arabic, stay whole.
    """
    made, is_behind_particle = "", False
    for match in _GIVEN.finditer(normalized("NFC", given)):
        if unicodedata.name(match[2], "").partition(" ")[0] not in _SCRIPTS_WITH_INITIALS:
            return given
        if match[0] in PARTICLES:
            made += f" {match[0]}"
            is_behind_particle = True
            continue
        between = " " if is_behind_particle else hyphen if match[1] else space
        is_behind_particle = False
        made += (between if made else "") + match[2].upper() + stop
    return made.lstrip() or given


def _listed(names: Sequence[str], last: str) -> str:
    if len(names) <= 1:
        return "".join(names)
    if "\u2026" in names[-1]:
        return ", ".join(names)
    return ", ".join(names[:-1]) + last + names[-1]


def _join(between: str, *parts: str) -> str:
    return between.join(filter(None, parts))


def _sentences(*parts: str) -> str:
    """Return the parts one after the other, each ended by a full stop unless it has an end; an address has none."""
    ended = [
        part if part.startswith("http") or part.rstrip("\u201d").endswith((".", "?", "!")) else f"{part}."
        for part in filter(None, parts)
    ]
    return " ".join(ended)


# --- The formats of reference managers: CSL JSON, RIS and BibTeX -----------------------------------------------------

CSL_JSON_TYPE = "application/vnd.citationstyles.csl+json"
RIS_TYPE = "application/x-research-info-systems; charset=UTF-8"
BIBTEX_TYPE = "application/x-bibtex; charset=UTF-8"
_PUBLISHERS = {"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"}  # of BibTeX
_NO_WORD = re.compile(r"[^a-z0-9]+")
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def csl_json(reference: Reference, url: str, identifier: str) -> str:
    """Return a list with one item; `identifier` is its id."""
    issued = [int(part) for part in date_parts(reference.date)] or ([reference.year] if reference.year else [])
    entry = {
        "id": identifier,
        "type": reference.kind.csl,
        "title": bare(reference.title),
        "author": [_csl_name(author) for author in reference.authors],
        "issued": {"date-parts": [issued]} if issued else None,
        "container-title": reference.journal,
        "volume": reference.volume,
        "issue": reference.issue,
        "page": "-".join(filter(None, (reference.first_page, reference.last_page))),
        "publisher": reference.publisher,
        "ISSN": reference.issn,
        "ISBN": reference.isbn,
        "language": reference.language_tag,
        "DOI": reference.doi,
        "URL": url,
        "abstract": bare(reference.abstracts[0].text) if reference.abstracts else "",
    }
    return json.dumps([{name: value for name, value in entry.items() if value}], ensure_ascii=False, indent=1) + "\n"


def _csl_name(author: Author) -> dict[str, str]:
    if author.family:
        suffix = {"suffix": author.suffix} if author.suffix else {}
        return {"family": author.family, "given": author.given, **suffix}
    return {"literal": author.name}


def ris(reference: Reference, url: str) -> str:
    """Return one record."""
    fields = [("TY", reference.kind.ris), ("TI", bare(reference.title))]
    fields += [("AU", author.family_first) for author in reference.authors]
    fields += [
        ("PY", str(reference.year) if reference.year else ""),
        ("DA", "/".join(date_parts(reference.date))),
        ("JO" if reference.kind.ris == "JOUR" else "T2", reference.journal),
        ("VL", reference.volume),
        ("IS", reference.issue),
        ("SP", reference.first_page),
        ("EP", reference.last_page),
        ("PB", reference.publisher),
        ("SN", reference.issn or reference.isbn),
        ("LA", reference.language),
        ("DO", reference.doi),
        ("UR", url),
        ("AB", bare(reference.abstracts[0].text) if reference.abstracts else ""),
    ]
    fields += [("KW", bare(subject.text)) for subject in reference.subjects]
    lines = [f"{tag}  - {' '.join(value.split())}" for tag, value in fields if value]
    return "\r\n".join((*lines, "ER  - ", ""))


def bibtex(reference: Reference, url: str) -> str:
    """Return one entry; its key is made of the first author, the year and the first word of the title."""
    month, kind = date_parts(reference.date)[1:2], reference.kind.bibtex
    fields = {
        "title": f"{{{_field(bare(reference.title))}}}" if reference.title else "",
        "author": " and ".join(map(_bibtex_name, reference.authors)),
        "year": str(reference.year) if reference.year else "",
        "month": month[0].lstrip("0") if month else "",
        "booktitle" if kind in ("inproceedings", "incollection") else "journal": _field(reference.journal),
        "volume": _field(reference.volume),
        "number": _field(reference.issue),
        "pages": "--".join(filter(None, (_field(reference.first_page), _field(reference.last_page)))),
        _PUBLISHERS.get(kind, "publisher"): _field(reference.publisher),
        "issn": _field(reference.issn),
        "isbn": _field(reference.isbn),
        "doi": _verbatim(reference.doi),
        "url": _verbatim(reference.doi_url or url),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join((f"@{reference.kind.bibtex}{{{key_of(reference)},", *lines, "}", ""))


def key_of(reference: Reference) -> str:
    """Return the key of a work in ASCII: `okafor2025thermal`."""
    first = reference.authors[0] if reference.authors else None
    author = _word((first.family or first.name.split()[-1]) if first else "")
    words = [word for word in map(_word, bare(reference.title).split()) if len(word) > 3]  # noqa: PLR2004
    return f"{author or 'work'}{reference.year or ''}{words[0] if words else ''}"[:60]


def _bibtex_name(author: Author) -> str:
    """Return a name: family, suffix, given. One without parts, or with `and`, is in braces, so that it is one name."""
    if not author.family:
        return f"{{{_field(author.name)}}}"
    return ", ".join(map(_part, filter(None, (author.family, author.suffix, author.given))))


def _part(text: str) -> str:
    return f"{{{_field(text)}}}" if " and " in text.lower() else _field(text)


def _word(text: str) -> str:
    ascii_only = normalized("NFKD", text).encode("ascii", "ignore").decode()
    return _NO_WORD.sub("", ascii_only.lower())


def _field(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def _verbatim(text: str) -> str:
    """Return an address, which BibTeX does not read as TeX; braces and what could be one are percent-encoded."""
    return re.sub(r"[{}\\\s]", lambda match: f"%{ord(match[0]):02X}", text)
