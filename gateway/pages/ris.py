"""A work as RIS: a tag and a value in each line, so no value has a line end. Pure."""

from __future__ import annotations

from gateway.core.bibliography.dates import date_parts
from gateway.pages.reference import Reference
from gateway.pages.shown import bare

CONTENT_TYPE = "application/x-research-info-systems; charset=UTF-8"


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
