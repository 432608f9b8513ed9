"""The property graph as values: five kinds of nodes and five of relationships. Their fields are its schema. Pure.

The first field of a node is its identifier. The first two of a relationship are those of the nodes that it joins. An
empty text and None mean that a value is not known; it is left out. A wrong check digit counts as no identifier. UUIDs
are of version 5, so the same store gives the same graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

Date: TypeAlias = str  # `2026-12-31`


class Publication(NamedTuple):
    """A work that is published here: one living item. `id` is its OAI identifier."""

    id: str
    title: str = ""
    year: int | None = None
    type: str = ""
    language: str = ""
    doi: str = ""
    journal: str = ""
    source: str = ""
    datestamp: str = ""
    has_file: bool = False
    search_outcome: str = ""
    searched_at: str = ""
    open_from: Date = ""


class Author(NamedTuple):
    """An author: one person if there is an ORCID iD, else a name in one publication."""

    id: str
    name: str = ""
    orcid: str = ""


class Publisher(NamedTuple):
    """A publisher's journal, by its ISSN, with the policy that the last search knew; without an ISSN, a name.

    `colour` is that of RoMEO. An embargo of a version is in months; None: that version may not be deposited.
    """

    id: str
    name: str = ""
    issn: str = ""
    journal: str = ""
    colour: str = ""
    policy_url: str = ""
    submitted_embargo_months: int | None = None
    accepted_embargo_months: int | None = None
    published_embargo_months: int | None = None


class Subject(NamedTuple):
    """A subject; spellings that differ only in case, spaces, commas and full stops behind words are one."""

    id: str
    name: str = ""


class File(NamedTuple):
    """A file that a record names or a search checked for one publication. `id` is a UUID of version 5.

    `outcome` and `score` are those of the check, `verdict` is the decision in force.
    """

    id: str
    url: str = ""
    score: float | None = None
    outcome: str = ""
    verdict: str = ""
    is_published: bool = False
    version: str = ""
    license: str = ""
    media_type: str = ""
    size: int | None = None
    sha256: str = ""
    kind: str = ""
    found_by: str = ""
    host: str = ""
    open_from: Date = ""


class Wrote(NamedTuple):
    """An author of a publication; `position` counts from 1."""

    author: str
    publication: str
    position: int


class SameName(NamedTuple):
    """A candidate: another author of the same name, who may be the same person. The graph does not claim it.

    The authors of a name are a chain, so that a common name has as many relationships as authors.
    """

    author: str
    other: str
    name: str


class PublishedBy(NamedTuple):
    """The publisher of a publication, and the last days of the embargoes on its versions, by the policy."""

    publication: str
    publisher: str
    accepted_embargo_ends: Date = ""
    published_embargo_ends: Date = ""


class HasSubject(NamedTuple):
    """A subject of a publication: stated by its `record`, or by `crossref`."""

    publication: str
    subject: str
    stated_by: str


class HasFile(NamedTuple):
    """A file of a publication."""

    publication: str
    file: str


Node: TypeAlias = Publication | Author | Publisher | Subject | File
Edge: TypeAlias = Wrote | SameName | PublishedBy | HasSubject | HasFile

NODES: Mapping[str, type[Node]] = {
    "Publication": Publication,
    "Author": Author,
    "Publisher": Publisher,
    "Subject": Subject,
    "File": File,
}
# By type: the fields, and the labels of the two nodes.
EDGES: Mapping[str, tuple[type[Edge], str, str]] = {
    "WROTE": (Wrote, "Author", "Publication"),
    "SAME_NAME": (SameName, "Author", "Author"),
    "PUBLISHED_BY": (PublishedBy, "Publication", "Publisher"),
    "HAS_SUBJECT": (HasSubject, "Publication", "Subject"),
    "HAS_FILE": (HasFile, "Publication", "File"),
}


class Type(NamedTuple):
    """The type of a property as others name it: neo4j-admin, GraphML, LadybugDB."""

    neo4j: str
    graphml: str
    ladybug: str


_TYPES = {
    "str": Type("string", "string", "STRING"),
    "int": Type("long", "long", "INT64"),
    "int | None": Type("long", "long", "INT64"),
    "float | None": Type("double", "double", "DOUBLE"),
    "bool": Type("boolean", "boolean", "BOOL"),
    "Date": Type("date", "string", "DATE"),
}


def properties_of(kind: type[Node | Edge]) -> dict[str, Type]:
    """Return the fields of a kind with their types, in order, also those that identify."""
    hints = ((name, str(getattr(hint, "__forward_arg__", hint))) for name, hint in kind.__annotations__.items())
    return {name: _TYPES[hint] for name, hint in hints}
