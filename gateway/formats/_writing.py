"""What the writers of optional formats share: the facts of a work to show and to cite, and elements of XML as text.

The facts come from the functions that pages and citations use, so that a work says the same in every format.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from gateway.core import bibliography
from gateway.core.addresses import address, is_address
from gateway.core.bibliography.dates import date_of, iso_of
from gateway.core.bibliography.identifiers import of_relation
from gateway.core.bibliography.people import authors_of
from gateway.core.bibliography.texts import title_of
from gateway.core.model import Agent, Bibliography, DateType, FileLink, Host, Identifier, Title, Work
from gateway.core.words import table
from gateway.core.xmltext import XSI, clean, escape, escape_attribute

TABLES = table(__file__, "writer_tables")
UNKNOWN = ":unav"  # DataCite 4.6, Appendix 3: a value that is not available
_LANGUAGE_TAG = re.compile(r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*")  # xs:language


class Facts(NamedTuple):
    """A work as it is shown and cited. `date` is as exact as ISO 8601 has it, `year` its year; empty and 0: unknown.

    `titles` are the titles besides `title`; `others` are the agents besides the authors.
    """

    known: Bibliography
    title: Title
    titles: tuple[Title, ...]
    authors: tuple[Agent, ...]
    others: tuple[Agent, ...]
    date: str
    year: int
    embargo_end: str
    identifiers: tuple[Identifier, ...]
    files: tuple[FileLink, ...]
    page: str
    license: str

    @property
    def host(self) -> Host:
        """Where it was published."""
        return self.known.host


@lru_cache(maxsize=1)  # every format is written of one work after the other
def facts_of(work: Work) -> Facts:
    """Return the facts of a work."""
    known = bibliography.of(work)
    title = title_of(known.titles, known.languages[0] if known.languages else "")
    text, year = date_of(known.dates)
    ends = (iso_of(date.text.rpartition("/")[2]) for date in known.dates if date.type is DateType.EMBARGO_END)
    return Facts(
        known,
        title,
        tuple(other for other in known.titles if other.text != title.text),
        authors_of(known.agents),
        tuple(dict.fromkeys(agent for agent in known.agents if not agent.is_author)),
        iso_of(text) or (str(year) if year else ""),
        year,
        next(filter(None, ends), ""),
        of_relation(known.identifiers),
        tuple(file._replace(url=address(file.url)) for file in work.files if is_address(file.url)),
        address(work.landing_page) if is_address(work.landing_page) else "",
        work.license,
    )


def tag(name: str, text: str, attributes: Mapping[str, str] | None = None) -> str:
    """Return an element with a text; an empty string without one. Attributes without a value are left out."""
    text = clean(text)
    return f"<{name}{_attributes(attributes)}>{escape(text)}</{name}>" if text.strip() else ""


def around(name: str, parts: Iterable[str], attributes: Mapping[str, str] | None = None) -> str:
    """Return an element with other elements in it; an empty string without any."""
    inside = "".join(parts)
    return f"<{name}{_attributes(attributes)}>{inside}</{name}>" if inside else ""


def empty(name: str, attributes: Mapping[str, str]) -> str:
    """Return an element with attributes only."""
    return f"<{name}{_attributes(attributes)}/>"


def document(
    name: str,
    namespaces: Mapping[str, str],
    schema: str,
    parts: Iterable[str],
    attributes: Mapping[str, str] | None = None,
) -> bytes:
    """Return a document that stands alone; its first namespace is the one of the schema."""
    declared = {f"xmlns{':' * bool(prefix)}{prefix}": uri for prefix, uri in (*namespaces.items(), ("xsi", XSI))}
    location = {"xsi:schemaLocation": f"{next(iter(namespaces.values()))} {schema}"}
    opening = f"<{name}{_attributes({**declared, **location, **(attributes or {})})}>"
    return "".join((opening, *parts, f"</{name}>")).encode()


def lang(language: str, name: str = "xml:lang") -> dict[str, str]:
    """Return the attribute for a language; none if it is no legal tag (BCP 47)."""
    return {name: language} if _LANGUAGE_TAG.fullmatch(language) else {}


def _attributes(attributes: Mapping[str, str] | None) -> str:
    pairs = ((name, clean(value)) for name, value in (attributes or {}).items())
    return "".join([f' {name}="{escape_attribute(value)}"' for name, value in pairs if value])
