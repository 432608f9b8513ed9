"""One OAI-PMH answer, read: errors, content, headers, records, token. Pure; `gateway.core.xmlio` parses.

It reads right and wrong answers alike; the checks judge them.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

from gateway.core.xmlio import Element
from gateway.core.xmltext import OAI_PMH


def oai(name: str) -> str:
    """Return the qualified name of an element of the OAI-PMH namespace."""
    return f"{{{OAI_PMH}}}{name}"


def local_name(element: Element) -> str:
    """Return the name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def namespace(element: Element) -> str:
    """Return the namespace of an element, or an empty string."""
    return str(element.tag).rpartition("}")[0].removeprefix("{")


def elements(parent: Element) -> tuple[Element, ...]:
    """Return the child elements, without comments and processing instructions."""
    return tuple(child for child in parent if isinstance(child.tag, str))


def text(parent: Element, name: str) -> str:
    """Return the stripped text of the first OAI-PMH child of that name, or an empty string."""
    return (parent.findtext(oai(name)) or "").strip()


def texts(parent: Element, name: str) -> tuple[str, ...]:
    """Return the stripped texts of all OAI-PMH children of that name."""
    return tuple((child.text or "").strip() for child in parent.findall(oai(name)))


Canonical: TypeAlias = tuple[tuple[object, ...], ...]


def canonical(element: Element) -> Canonical:
    """Return the content of an element without its prefixes, indentation and order of attributes, for comparison."""
    return tuple(
        (
            part.tag,
            sorted(part.attrib.items()),
            (part.text or "").strip(),
            len(part),
            "" if part is element else (part.tail or "").strip(),
        )
        for part in element.iter()
        if isinstance(part.tag, str)
    )


class OaiProblem(NamedTuple):
    """One `<error>`."""

    code: str
    sentence: str


class Header(NamedTuple):
    """One `<header>`, with its texts unchanged."""

    identifier: str
    datestamp: str
    sets: tuple[str, ...]
    is_deleted: bool


class Token(NamedTuple):
    """One `<resumptionToken>` (OAI-PMH 2.0 §3.5); a missing attribute is None."""

    text: str
    cursor: str | None
    complete_list_size: str | None
    expiration_date: str | None


def header_of(element: Element) -> Header:
    """Return the values of a `<header>` (OAI-PMH 2.0 §2.5)."""
    return Header(
        text(element, "identifier"),
        text(element, "datestamp"),
        texts(element, "setSpec"),
        element.get("status") == "deleted",
    )


class Answer:
    """One answer, from the root element of its document."""

    def __init__(self, root: Element) -> None:
        self.root = root

    @cached_property
    def children(self) -> tuple[Element, ...]:
        """The elements below the root."""
        return elements(self.root)

    @cached_property
    def errors(self) -> tuple[OaiProblem, ...]:
        """The errors, in their order."""
        errors = self.root.findall(oai("error"))
        return tuple(OaiProblem(error.get("code", ""), (error.text or "").strip()) for error in errors)

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of the errors."""
        return frozenset(error.code for error in self.errors)

    @property
    def response_date(self) -> str:
        """The text of responseDate."""
        return text(self.root, "responseDate")

    @property
    def request(self) -> Element | None:
        """The request element."""
        return self.root.find(oai("request"))

    def content(self, verb: str) -> Element | None:
        """Return the element named after the verb."""
        return self.root.find(oai(verb))

    @cached_property
    def records(self) -> tuple[Element, ...]:
        """The `<record>` elements of ListRecords and GetRecord."""
        return tuple(record for verb in ("ListRecords", "GetRecord") for record in self._parts(verb, "record"))

    @cached_property
    def header_elements(self) -> tuple[Element, ...]:
        """The `<header>` elements, of records and of ListIdentifiers."""
        inside = (record.find(oai("header")) for record in self.records)
        return (*(header for header in inside if header is not None), *self._parts("ListIdentifiers", "header"))

    @cached_property
    def headers(self) -> tuple[Header, ...]:
        """The values of the headers."""
        return tuple(header_of(element) for element in self.header_elements)

    @cached_property
    def sets(self) -> tuple[Element, ...]:
        """The `<set>` elements of ListSets."""
        return tuple(self._parts("ListSets", "set"))

    @property
    def size(self) -> int:
        """The number of headers and sets in the answer."""
        return len(self.header_elements) + len(self.sets)

    @cached_property
    def token_elements(self) -> tuple[Element, ...]:
        """The `<resumptionToken>` elements."""
        return tuple(self.root.findall(f"*/{oai('resumptionToken')}"))

    @cached_property
    def token(self) -> Token | None:
        """The first resumptionToken, empty or not; None when there is no such element."""
        for element in self.token_elements:
            get = element.get
            return Token((element.text or "").strip(), get("cursor"), get("completeListSize"), get("expirationDate"))
        return None

    def _parts(self, verb: str, name: str) -> Iterator[Element]:
        content = self.content(verb)
        return iter(() if content is None else content.findall(oai(name)))


def record_header(record: Element) -> Header:
    """Return the header of a record; an empty one if it is missing."""
    element = record.find(oai("header"))
    return Header("", "", (), is_deleted=False) if element is None else header_of(element)


def payload(record: Element) -> Element | None:
    """Return the root of the metadata of a record, or None."""
    return next(iter(record.findall(f"{oai('metadata')}/*")), None)
