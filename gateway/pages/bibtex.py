"""A work as BibTeX. Braces, backslashes and line ends of a record cannot end a field or begin another entry. Pure."""

from __future__ import annotations

import re

from gateway.core.bibliography.dates import date_parts
from gateway.core.normal_forms import normalized
from gateway.pages.reference import Author, Reference
from gateway.pages.shown import bare

CONTENT_TYPE = "application/x-bibtex; charset=UTF-8"
_NO_WORD = re.compile(r"[^a-z0-9]+")
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def bibtex(reference: Reference, url: str) -> str:
    """Return one entry; its key is made of the first author, the year and the first word of the title."""
    month = date_parts(reference.date)[1:2]
    fields = {
        "title": f"{{{_field(bare(reference.title))}}}" if reference.title else "",
        "author": " and ".join(map(_name, reference.authors)),
        "year": str(reference.year) if reference.year else "",
        "month": month[0].lstrip("0") if month else "",
        _container(reference): _field(reference.journal),
        "volume": _field(reference.volume),
        "number": _field(reference.issue),
        "pages": "--".join(filter(None, (_field(reference.first_page), _field(reference.last_page)))),
        _publisher(reference): _field(reference.publisher),
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


def _name(author: Author) -> str:
    """Return a name: family, suffix, given. One without parts, or with `and`, is in braces, so that it is one name."""
    if not author.family:
        return f"{{{_field(author.name)}}}"
    return ", ".join(map(_part, filter(None, (author.family, author.suffix, author.given))))


def _part(text: str) -> str:
    return f"{{{_field(text)}}}" if " and " in text.lower() else _field(text)


def _container(reference: Reference) -> str:
    return "booktitle" if reference.kind.bibtex in ("inproceedings", "incollection") else "journal"


def _publisher(reference: Reference) -> str:
    names = {"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"}
    return names.get(reference.kind.bibtex, "publisher")


def _word(text: str) -> str:
    ascii_only = normalized("NFKD", text).encode("ascii", "ignore").decode()
    return _NO_WORD.sub("", ascii_only.lower())


def _field(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def _verbatim(text: str) -> str:
    """Return an address, which BibTeX does not read as TeX; braces and what could be one are percent-encoded."""
    return re.sub(r"[{}\\\s]", lambda match: f"%{ord(match[0]):02X}", text)
