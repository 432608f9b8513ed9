"""Reads all other formats: by the name of the root, else Dublin Core elements anywhere, else well-known children.

A format without its namespace is read by its own reader. Else the Dublin Core elements count that are not in a list of
references. Else only the direct children of the root count, or of the only element in it, and those of a list such as
`authors`: names such as `title` are also those of parts, and of what a work cites.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

from gateway.core.bibliography.people import is_name, parts_of_list
from gateway.core.model import Statement, Work
from gateway.core.xmlio import Element, children, name_of, renamed, text_of
from gateway.core.xmltext import DCTERMS, XML
from gateway.formats import MetadataFormat, qualified_dc, readers_by_root
from gateway.formats._statements import work_of
from gateway.formats._tables import TABLES

_NAMES: Mapping[str, str] = TABLES["fallback"]
_DUBLIN_CORE = ("dc", "qualifieddc", "qdc", "dcterms")  # roots, where all elements are in no namespace
_MOST = 500  # statements: a payload may be a whole book


def read(root: Element, content: bytes) -> Work:
    """Return the Work of any payload; it has no statements if no element of it is known."""
    for format_ in readers_by_root(name_of(root)[1]):
        if (work := format_.read(root, content)) is not None and work.statements:
            return work
    namespace, name = name_of(root)
    same = renamed(root, "", DCTERMS) if not namespace and name in _DUBLIN_CORE else root
    stated = tuple(dict.fromkeys(_suggested(root)))[:_MOST]
    if (work := qualified_dc.read(same, content)) is not None:
        has_title = work.texts("title") or all(statement.element != "title" for statement in stated)
        return work if has_title else work._replace(statements=(*stated, *work.statements), bibliography=None)
    parts = list(islice(children(root), 2))
    if len(parts) == 1 and len(parts[0]):  # a wrapper
        return read(parts[0], b"")
    return work_of(stated)


def _suggested(root: Element) -> Iterator[Statement]:
    for child in _listed(root):
        name = _NAMES.get(name_of(child)[1].lower())
        inner = child.find("{*}name") if name == "creator" else None  # next to an affiliation
        element = child if inner is None else inner
        if name and next(children(element), None) is None and (text := text_of(element)):
            language = element.get(f"{{{XML}}}lang", "")
            yield from (Statement(name, part, language) for part in _parts(name, text))


def _listed(root: Element) -> Iterator[Element]:
    """Yield the children, and those of a list of them: `authors/author`."""
    for child in children(root):
        name = name_of(child)[1].lower()
        is_list = name not in _NAMES and name.removesuffix("s") in _NAMES
        yield from children(child) if is_list else (child,)


def _parts(name: str, text: str) -> list[str]:
    """Return the parts of a list (Autoload, Listing 6); for people, without the affiliations after their names."""
    if name not in ("creator", "subject"):
        return [text]
    parts = parts_of_list(text)
    return (
        [part.partition(" (")[0] for part in parts if is_name(part)] if name == "creator" and len(parts) > 1 else parts
    )


FORMAT = MetadataFormat(namespaces=(), rank=0, read=read)
