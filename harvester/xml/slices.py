"""Slices of the records in a page: header fields from the tree, offsets from the bytes. Pure.

The fast way searches for tags in the bytes, and proves by counting that each match is the right one. It gives up at the
first doubt. The slow way takes byte offsets from expat. It also handles comments, CDATA, prefixes, and payloads that
contain elements called record or metadata.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lxml import etree

from gateway.core.errors import AnswerTooLarge, NotXml
from gateway.core.model import Slice
from gateway.core.xmltext import OAI_PMH
from harvester.xml.namespaces import needed, own_prefixes
from harvester.xml.parsing import TAG, Broken, Element, outline, refuse_heavy, tag_end

LIST_VERBS = ("ListRecords", "ListIdentifiers", "GetRecord")
_SEVERAL = 2
_LEVELS = 5  # OAI-PMH, verb, record, metadata, payload

# The elements for one record. In ListIdentifiers of OAI-PMH 1.x it is the identifier alone.
_ENTRIES = dict.fromkeys(LIST_VERBS, ("record", "header")) | {"ListIdentifiers": ("record", "header", "identifier")}

NO_HEADER = "The record has no header."
NO_IDENTIFIER = "The record has no identifier."
NO_METADATA = "The record is not deleted and has no metadata."
NO_RECORD = "The header is not inside a record."
EMPTY_METADATA = "The record is not deleted and its metadata is empty."


_OUTLINED = 600  # bytes of memory for an element in the slow way


def cut(root: etree._Element, text: bytes, problems: Mapping[int, str]) -> tuple[Slice, ...]:
    """Return a Slice for every record (or header, in ListIdentifiers) of the page, in order.

    Offsets are in bytes. `problems` has a sentence for each unusable record, by number from 0. Raise NotXml when tree
    and bytes disagree, and AnswerTooLarge for too many namespaces.
    """
    if not problems:
        answer = _fast(root, text)
        if answer is not None:
            return answer
    refuse_heavy(text, _OUTLINED)
    return _slow(root, text, problems)


class Cutter:
    """Cuts the records of a plain ListRecords page one by one, while the page is parsed.

    Its methods return False when the page is unusual; then no slice can be trusted.
    """

    def __init__(self, text: bytes, verb: etree._Element) -> None:
        """Take the whole text, and the element of the verb after its start tag. Raise AnswerTooLarge as `cut` does."""
        self._finder = _Finder(text, {prefix or "": uri for prefix, uri in verb.nsmap.items()})
        self._text = text
        self._containers = self._abouts = 0
        self.slices: list[Slice] = []

    def take(self, record: etree._Element) -> bool:
        """Cut the next record. Return False when it is unusual."""
        elements = list(record.iter(_EVERY))
        letters = "".join([_LETTERS.get(element.tag, "x") for element in elements])
        containers, abouts = letters.count("m"), letters.count("a")
        is_whole = sum(map(len, elements)) == len(elements) - 1 + containers + abouts
        if record.prefix or not is_whole or _ENTRY.fullmatch(letters) is None:
            return False
        try:
            self.slices += _located(elements, letters, self._finder)
        except _Unusual:
            return False
        self._containers += containers
        self._abouts += abouts
        return True

    def is_proven(self) -> bool:
        """Return, after the last record, whether every tag in the bytes was interpreted correctly."""
        return _are_counted(self._text, self._containers, self._abouts)


# --- fast -----------------------------------------------------------------------------------------------------

_LIST_RECORDS = f"{{{OAI_PMH}}}ListRecords"
_EVERY = f"{{{OAI_PMH}}}*"

# One letter for each element of the protocol, so that the order of a whole page can be checked by one pattern.
_LETTERS = {
    f"{{{OAI_PMH}}}{name}": letter
    for letter, name in {
        "r": "record",
        "h": "header",
        "i": "identifier",
        "d": "datestamp",
        "s": "setSpec",
        "m": "metadata",
        "a": "about",
        "t": "resumptionToken",
    }.items()
}
_PAGE = re.compile(r"(?:rhids*(?:ma*)?)*t?")
_ENTRY = re.compile(r"rhid(s*)(m?)(a*)")
_GREATER = ord(">")
_MOST_NAMESPACES = 256  # declared around records; each is looked for in each of them
_MOST_TAGS = 1000  # of payloads, that are remembered


class _Unusual(Exception):
    """The page has something that the fast way does not handle."""


def _fast(root: etree._Element, text: bytes) -> tuple[Slice, ...] | None:
    """Return the slices of a plain ListRecords page, or None for an unusual page."""
    if root.prefix:
        return None
    verb = next((child for child in root if child.tag == _LIST_RECORDS), None)
    if verb is None or verb.prefix:
        return None
    elements = list(verb.iter(_EVERY))[1:]
    letters = "".join([_LETTERS.get(element.tag, "x") for element in elements])
    if _PAGE.fullmatch(letters) is None or not _is_proven(verb, elements, letters, text):
        return None
    finder = _Finder(text, {prefix or "": uri for prefix, uri in verb.nsmap.items()})
    try:
        return tuple(_located(elements, letters, finder))
    except _Unusual:
        return None


def _is_proven(verb: etree._Element, elements: list[etree._Element], letters: str, text: bytes) -> bool:
    """Return whether every `<metadata` and `<about` in the bytes is one of the protocol's, with one child.

    All records are children of the verb, so none of those counted is in a payload. The other children of the protocol's
    elements are the payloads: if each container has one, no identifier has a child. With a tag in a comment, in CDATA
    or in a payload, the bytes have more tags than the tree.
    """
    containers, abouts = letters.count("m"), letters.count("a")
    return (
        len(verb) == letters.count("r") + letters.count("t")
        and sum(map(len, elements)) == len(elements) - len(verb) + containers + abouts
        and _are_counted(text, containers, abouts)
    )


def _are_counted(text: bytes, containers: int, abouts: int) -> bool:
    return text.count(b"<metadata") == containers == text.count(b"</metadata") and (
        not abouts or text.count(b"<about") == abouts == text.count(b"</about")
    )


def _refuse_namespaces(scope: Mapping[str, str]) -> None:
    if len(scope) > _MOST_NAMESPACES:
        raise AnswerTooLarge(f"The answer declares {len(scope)} namespaces around its records.")


class _Finder:
    """Finds one container after the other, and remembers the declarations of each root tag."""

    def __init__(self, text: bytes, scope: Mapping[str, str]) -> None:
        self.text = text
        self.scope = scope
        self.at = 0  # where the last container ended
        self.missing: dict[bytes, dict[str, str]] = {}
        self.known: dict[str, str] = {}  # texts that many records share, each stored once
        _refuse_namespaces(scope)

    def same(self, text: str) -> str:
        """Return a text that many records share, always the same object."""
        if len(self.known) > _MOST_TAGS:
            self.known.clear()
        return self.known.setdefault(text, text)

    def inside(self, opening: bytes, closing: bytes, at: int) -> tuple[int, int]:
        """Return start and stop of the element in the next container.

        Raise _Unusual when the container's tag has attributes, or when it contains a comment, CDATA or an instruction.
        """
        text = self.text
        opened = text.find(opening, at)
        inner = opened + len(opening)
        start = text.find(b"<", inner)
        closed = text.find(closing, inner)
        stop = text.rfind(b">", inner, closed) + 1
        if text[inner] != _GREATER or start >= closed or text[start + 1] in b"!?" or text[stop - 2] in b"-?":
            raise _Unusual
        return start, stop

    def is_plain_record(self, at: int) -> bool:
        """Return whether the start tag of the record around the payload at `at` has no attributes."""
        start = self.text.rfind(b"<record", 0, at)
        return self.text[start + len(b"<record")] == _GREATER

    def needs(self, start: int, stop: int) -> tuple[tuple[str, str], ...]:
        """Return the declarations that the payload inherits. Raise _Unusual for a root tag that cannot be matched."""
        tag = self.text[start : self.text.find(b">", start) + 1]
        missing = self.missing.get(tag)
        if missing is None:
            if TAG.fullmatch(tag) is None:
                raise _Unusual
            own = own_prefixes(tag)
            missing = {prefix: uri for prefix, uri in self.scope.items() if prefix and prefix not in own}
            if len(self.missing) > _MOST_TAGS:
                self.missing.clear()
            self.missing[tag] = missing
        return needed(self.text[start:stop], frozenset(), missing, uses_default=False) if missing else ()


def _located(elements: list[etree._Element], letters: str, finder: _Finder) -> Iterator[Slice]:
    for match in _ENTRY.finditer(letters):
        first, containers = match.start(), elements[match.start(2) : match.end()]
        is_deleted = _is_deleted(elements[first + 1])
        identifier = (elements[first + 2].text or "").strip()
        if not identifier or any(container.prefix for container in containers):
            raise _Unusual
        place: tuple[int, int] = (0, 0)
        abouts: list[tuple[int, int]] = []
        needs: tuple[tuple[str, str], ...] = ()
        if match[2]:
            place = finder.inside(b"<metadata", b"</metadata", finder.at)
            needs = finder.needs(*place)
            finder.at = place[1]
        elif not is_deleted or match[3]:
            raise _Unusual
        if match[2] and not finder.is_plain_record(place[0]):
            raise _Unusual
        for _ in match[3]:
            abouts.append(finder.inside(b"<about", b"</about", finder.at))
            finder.at = abouts[-1][1]
            needs = (*needs, *(need for need in finder.needs(*abouts[-1]) if need not in needs))
        datestamp = finder.same((elements[first + 3].text or "").strip())
        named_sets = [text for element in elements[first + 4 : match.end(1)] if (text := (element.text or "").strip())]
        sets = tuple(map(finder.same, named_sets)) if named_sets else ()
        if is_deleted:
            yield Slice(identifier, datestamp, sets, is_deleted, 0, 0)
        else:
            yield Slice(identifier, datestamp, sets, is_deleted, *place, tuple(abouts), needs)


# --- slow -----------------------------------------------------------------------------------------------------


def _is_deleted(header: etree._Element) -> bool:
    return (header.get("status") or "").strip().lower() == "deleted"


class _Header(NamedTuple):
    identifier: str
    datestamp: str
    sets: tuple[str, ...]
    is_deleted: bool
    problem: str = ""


def local(element: etree._Element) -> str:
    """Return the local name of an element; empty for comments and instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def lists_of(root: etree._Element) -> list[etree._Element]:
    """Return the elements of an answer that contain its records; of several, those with text.

    metha writes an empty one for every verb that was not requested.
    """
    verbs = named(root, *LIST_VERBS)
    return verbs if len(verbs) < _SEVERAL else [verb for verb in verbs if text_of(verb)] or verbs


def named(parent: etree._Element, *names: str) -> list[etree._Element]:
    """Return the children with one of these local names, in any namespace."""
    return [child for child in parent if local(child) in names]


def text_of(element: etree._Element | None) -> str:
    """Return all text of an element, stripped; empty for None."""
    return "" if element is None else str(element.xpath("string()")).strip()


def _slow(root: etree._Element, text: bytes, problems: Mapping[int, str]) -> tuple[Slice, ...]:
    try:
        whole = outline(text, _LEVELS)
    except Broken as error:
        raise NotXml(f"The answer is not XML: {error}.") from error
    wanted = lists_of(root)
    verbs = [
        element
        for element in ((whole,) if whole.local in LIST_VERBS else whole.children)
        if element.local in LIST_VERBS
    ]
    pairs = zip(named(root, *LIST_VERBS), verbs, strict=False)  # if they differ, the records differ too
    trees = [(local(verb), entry) for verb in wanted for entry in named(verb, *_ENTRIES[local(verb)])]
    places = [
        entry
        for tree, verb in pairs
        if tree in wanted
        for entry in verb.children
        if entry.local in _ENTRIES[verb.local]
    ]
    if len(trees) != len(places):
        raise NotXml(f"The answer reads as {len(trees)} records in one way and as {len(places)} in another.")
    return tuple(
        _bare(_header_of(tree), "")
        if verb == "ListIdentifiers"
        else _bare(_header_of(tree), NO_RECORD)
        if local(tree) == "header"
        else _entry(tree, place, text, problems.get(number, ""))
        for number, ((verb, tree), place) in enumerate(zip(trees, places, strict=True))
    )


def _entry(tree: etree._Element, place: Element, text: bytes, problem: str) -> Slice:
    header = _header_of(tree)
    if header.is_deleted or problem:
        return _bare(header, problem)
    pairs = list(zip(named(tree, "metadata"), place.named("metadata"), strict=True))
    filled = [(container, spot) for container, spot in pairs if spot.children]
    if len(filled) != 1:
        return _bare(header, _why_unusable(len(pairs), len(filled)))
    container, spot = filled[0]
    root = _elements(container)[0]
    if len(spot.children) > 1:
        # Several payloads side by side (KB, jsru): they stay together in their metadata element.
        root, container = container, tree
    else:
        spot = spot.children[0]
    needs = _needs(root, container, text[spot.start : spot.stop])
    abouts = []
    for about, outer in zip(named(tree, "about"), place.named("about"), strict=True):
        for child, span in zip(_elements(about), outer.children, strict=True):
            needs += [need for need in _needs(child, about, text[span.start : span.stop]) if need not in needs]
        abouts += [(outer.children[0].start, outer.children[-1].stop)] if outer.children else []
    return Slice(
        header.identifier,
        header.datestamp,
        header.sets,
        False,
        spot.start,
        spot.stop,
        tuple(abouts),
        tuple(needs),
        header.problem,
    )


def _elements(parent: etree._Element) -> list[etree._Element]:
    return [child for child in parent if isinstance(child.tag, str)]


def _bare(header: _Header, problem: str) -> Slice:
    return Slice(
        header.identifier, header.datestamp, header.sets, header.is_deleted, 0, 0, problem=header.problem or problem
    )


def _why_unusable(containers: int, filled: int) -> str:
    if filled > 1:
        return f"The record has metadata {filled} times where OAI-PMH 2.0 §2.5 has it once."
    return EMPTY_METADATA if containers else NO_METADATA


def _header_of(entry: etree._Element) -> _Header:
    if local(entry) == "identifier":
        identifier = text_of(entry)
        return _Header(identifier, "", (), _is_deleted(entry), "" if identifier else NO_IDENTIFIER)
    headers = [entry] if local(entry) == "header" else named(entry, "header")
    return _header(headers[0]) if headers else _Header("", "", (), False, NO_HEADER)


def _header(element: etree._Element) -> _Header:
    identifier = next(filter(None, map(text_of, named(element, "identifier"))), "")
    datestamp = next(filter(None, map(text_of, named(element, "datestamp"))), "")
    sets = tuple(filter(None, map(text_of, named(element, "setSpec"))))
    return _Header(identifier, datestamp, sets, _is_deleted(element), "" if identifier else NO_IDENTIFIER)


def _needs(root: etree._Element, container: etree._Element, payload: bytes) -> list[tuple[str, str]]:
    scope = {prefix or "": uri for prefix, uri in container.nsmap.items()}
    _refuse_namespaces(scope)
    inherited = scope.get("", "")
    uses_default = bool(inherited) and any(not element.prefix for element in root.iter(f"{{{inherited}}}*"))
    return list(needed(payload, own_prefixes(payload[: tag_end(payload, 0)]), scope, uses_default=uses_default))
