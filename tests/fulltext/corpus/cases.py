"""What a kind of file is: a record, a file that is offered as its full text, and what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gateway.core.model import DocumentKind
from tests.fulltext.corpus.words import Subject


class Case(NamedTuple):
    """A file and the work that it is offered for. `name` is the last part of its address.

    `title` is what the record says where that is not what is printed; `type` the type of the record, `pages` how many
    pages Crossref knows of.
    """

    subject: Subject
    file: bytes
    name: str = "download.pdf"
    title: str = ""
    type: str = "article"
    pages: str = ""
    abstract: str = ""


class Kind(NamedTuple):
    """One kind of file, and what is right. `kind` and `version` are empty where both are open."""

    name: str
    is_right: bool
    make: Callable[[Subject], Case]
    kind: DocumentKind | None = None
    version: str = ""


KINDS: list[Kind] = []
_Maker = Callable[[Subject], Case]


def right(kind: DocumentKind | None = DocumentKind.ARTICLE, version: str = "") -> Callable[..., _Maker]:
    """Name a kind of file that is the work: a rule accepts it."""
    return _kind(True, kind, version)


def wrong(kind: DocumentKind | None = None) -> Callable[..., _Maker]:
    """Name a kind of file that is not the work, or not alone: no rule accepts it."""
    return _kind(False, kind, "")


def _kind(is_right: bool, kind: DocumentKind | None, version: str) -> Callable[..., _Maker]:
    def named(make: _Maker, name: str = "") -> _Maker:
        KINDS.append(Kind((name or make.__name__).replace("_", " ").strip(), is_right, make, kind, version))
        return make

    return named
