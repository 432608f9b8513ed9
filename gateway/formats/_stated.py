"""Reads the facts that a document states about a file: its size, digests, date and licence. Pure.

Mirrors of our records verify files by them, and use them to find changed files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from gateway.core.digests import GATEWAY, Digest, digest, in_order, is_strong
from gateway.core.model import FileLink
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import DCTERMS, DIDL

_MOST_DIGESTS = 100  # stated for one file
_NUMBER = re.compile(r"[0-9]{1,15}")
_SIZE = re.compile(r"(?i)(\d{1,15})\s*(?:bytes?|octets?)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")


def stated(file: FileLink, describers: Iterable[Describer]) -> FileLink:
    """Return a file with the facts in the Descriptors of its DIDL Component, and of the Item around it.

    The nearest Descriptor counts; if it states several digests of one algorithm, all of them do.
    """
    digests: list[Digest] = []
    computed = ""
    for describer in describers:
        own = FileLink("")
        nearer = dict(digests)
        for statement in _statements(describer.element):
            namespace, local = name_of(statement)
            if namespace == DCTERMS and local in _TERMS:
                own = _TERMS[local](own, text_of(statement))
            elif "premis" in namespace:
                own = own if own.size is not None else own._replace(size=premis_size(statement))
                for algorithm, value, originator in premis_digests(statement):
                    if originator == GATEWAY:
                        computed = computed or (value if algorithm == "sha256" else "")
                    elif algorithm not in nearer:
                        digests.append((algorithm, value))
        file = _with(file, own, is_of_work=describer.is_of_work)
    return with_digests(file, digests, computed)


def with_digests(file: FileLink, digests: Iterable[Digest], computed: str = "") -> FileLink:
    """Return a file with the digests that its source states; these replace a SHA-256 that a gateway computed."""
    stated = in_order((*file.digests, *digests))
    sha256 = dict(stated).get("sha256", "") or ("" if is_strong(stated) else computed)
    return file._replace(sha256=sha256, digests=stated)


def premis_digests(holder: Element) -> Iterator[tuple[str, str, str]]:
    """Yield the digests in PREMIS below an element: algorithm, hexadecimal digits, originator."""
    for fixity in islice(holder.iter("{*}fixity"), _MOST_DIGESTS):
        parts = {name_of(child)[1]: text_of(child) for child in children(fixity)}
        for pair in digest(parts.get("messageDigestAlgorithm", ""), parts.get("messageDigest", "")):
            yield *pair, parts.get("messageDigestOriginator", "")


def premis_size(holder: Element) -> int | None:
    """Return the size in bytes in PREMIS below an element, or None."""
    sizes = (text_of(element) for element in holder.iter("{*}size") if "premis" in name_of(element)[0])
    return next((int(size) for size in sizes if _NUMBER.fullmatch(size)), None)


def _statements(holder: Element) -> Iterator[Element]:
    for statement in holder.iterfind(f"./{{{DIDL}}}Descriptor/{{{DIDL}}}Statement"):
        yield from children(statement)


def _with(file: FileLink, own: FileLink, *, is_of_work: bool) -> FileLink:
    file = file._replace(size=own.size if file.size is None else file.size)
    if is_of_work:
        return file
    return file._replace(modified=file.modified or own.modified, license=file.license or own.license)


def _sized(file: FileLink, text: str) -> FileLink:
    match = _SIZE.fullmatch(text)
    return file._replace(size=int(match[1])) if match else file


def dated(file: FileLink, text: str) -> FileLink:
    """Return a file with the date of its last change, when the text is one."""
    return file._replace(modified=text) if _DATE.fullmatch(text) else file


def _licensed(file: FileLink, text: str) -> FileLink:
    return file._replace(license=text) if text.startswith(("http://", "https://")) else file


_TERMS: Mapping[str, Callable[[FileLink, str], FileLink]] = {"extent": _sized, "modified": dated, "license": _licensed}

# --- Finds the elements of a DIDL that describe a Component ----------------------------------------------------------

_PARTS = ("Item", "Container", "Component")


class Describer(NamedTuple):
    """An element with Descriptors. If `is_of_work`, it describes the work; only size and digests are of the file."""

    element: Element
    is_of_work: bool = False


def describers(component: Element, alone: dict[Element, bool]) -> Iterator[Describer]:
    """Yield the elements that describe a Component, the nearest first.

    An Item within an Item describes the only Component in it; the outermost Item describes the work. `alone` is a
    cache: for each Item, whether it has no other Component or Item.
    """
    yield Describer(component)
    item = component.getparent()
    if item is None or name_of(item)[1] != "Item":
        return
    if item not in alone:
        alone[item] = sum(name_of(child)[1] in _PARTS for child in children(item)) == 1
    if alone[item]:
        above = item.getparent()
        yield Describer(item, is_of_work=above is None or name_of(above)[1] != "Item")
