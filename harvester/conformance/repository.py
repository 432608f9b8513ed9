"""What is learnt of the repository while it is checked: each fact is asked for when a check first wants it.

A fact that cannot be had raises Undecided, so that one fault fails one check and the others say why they were skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from gateway.xmlio import Element
from gateway.xmltext import parse_utc_datetime, utc_datetime
from harvester.conformance.answer import Header, oai, record_header, text, texts
from harvester.conformance.conversation import Conversation, Exchange, Limits, Undecided, encoded

GRANULARITIES = {"YYYY-MM-DD": True, "YYYY-MM-DDThh:mm:ssZ": False}  # name: is it a day?


class ListedFormat(NamedTuple):
    """One `<metadataFormat>`, as it stands there."""

    prefix: str
    schema: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Walk:
    """A list followed from answer to answer. `broken` is the answer that broke it; `repeated` a token that came twice.

    `is_complete`: the whole list was received. Otherwise it is a sample, or broken.
    """

    verb: str
    pages: tuple[Exchange, ...]
    is_complete: bool
    broken: Exchange | None = None
    repeated: bool = False

    @property
    def headers(self) -> tuple[Header, ...]:
        """The headers of all pages."""
        return tuple(header for page in self.pages for header in page.read().headers)

    @property
    def records(self) -> Iterator[tuple[Exchange, Element]]:
        """The records of all pages, each with its page."""
        return ((page, record) for page in self.pages for record in page.read().records)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens that are not empty, in their order."""
        found = (page.read().token for page in self.pages)
        return tuple(token.text for token in found if token is not None and token.text)

    @property
    def received(self) -> int:
        """How many entries were received."""
        return sum(page.read().size for page in self.pages)


class Repository:
    """The repository behind one base URL, as far as it was asked."""

    def __init__(self, conversation: Conversation) -> None:
        """Take the conversation with it."""
        self.conversation = conversation
        self._walks: dict[str, Walk] = {}

    @property
    def base_url(self) -> str:
        """The base URL that is checked."""
        return self.conversation.base_url

    @property
    def limits(self) -> Limits:
        """What the validation may cost."""
        return self.conversation.limits

    def ask(self, verb: str, **arguments: str) -> Exchange:
        """Ask by GET what is legal to ask; `from_` is the argument from."""
        return self.conversation.ask(encoded({"verb": verb, **arguments}))

    def ask_again(self, verb: str, **arguments: str) -> Exchange:
        """Put the same question anew."""
        return self.conversation.ask(encoded({"verb": verb, **arguments}), again=True)

    # -- Identify ------------------------------------------------------------------------------------------------

    @property
    def identify(self) -> Element:
        """The content of Identify."""
        return self.ask("Identify").content("Identify")

    @property
    def is_day_granular(self) -> bool:
        """Whether the finest granularity is the day."""
        found = texts(self.identify, "granularity")
        if len(found) != 1 or found[0] not in GRANULARITIES:
            raise Undecided("Identify does not tell one legal granularity.")
        return GRANULARITIES[found[0]]

    @property
    def earliest(self) -> tuple[str, int]:
        """The earliestDatestamp, as it stands there and in seconds since 1970."""
        found = text(self.identify, "earliestDatestamp")
        second = second_of(found)
        if second is None:
            raise Undecided("Identify does not tell a legal earliestDatestamp.")
        return found, second

    def stamp(self, second: int) -> str:
        """Return a second as a datestamp of the repository's granularity."""
        return stamp(second, is_day=self.is_day_granular)

    # -- formats and sets ----------------------------------------------------------------------------------------

    @property
    def formats(self) -> tuple[ListedFormat, ...]:
        """The formats of the repository."""
        return listed_formats(self.ask("ListMetadataFormats"))

    @property
    def sets(self) -> tuple[str, ...]:
        """The specs of all sets; none when there is no set hierarchy. Raise Undecided when not all were listed."""
        walk = self.set_walk
        if walk is None:
            return ()
        if not walk.is_complete:
            raise Undecided("Not all sets were listed.")
        return tuple(text(element, "setSpec") for page in walk.pages for element in page.read().sets)

    @property
    def set_walk(self) -> Walk | None:
        """The list of sets; None when the answer is noSetHierarchy."""
        if "noSetHierarchy" in self.ask("ListSets").read().codes:
            return None
        return self.walk("ListSets")

    # -- records -------------------------------------------------------------------------------------------------

    @property
    def records(self) -> Walk:
        """ListRecords of everything in oai_dc, or the first pages of it."""
        return self.walk("ListRecords", metadataPrefix="oai_dc")

    @property
    def identifiers(self) -> Walk:
        """ListIdentifiers of everything in oai_dc, or the first pages of it."""
        return self.walk("ListIdentifiers", metadataPrefix="oai_dc")

    @property
    def samples(self) -> Iterator[tuple[ListedFormat, Exchange, Element]]:
        """Live records of the formats: those of `records`, and of each other format the first answer."""
        others = [listed for listed in self.formats if listed.prefix != "oai_dc"][: self.limits.formats]
        for listed in self.formats:
            if listed.prefix == "oai_dc":
                yield from ((listed, page, record) for page, record in self.records.records)
            elif listed in others:
                page = self.ask("ListRecords", metadataPrefix=listed.prefix)
                yield from ((listed, page, record) for record in (page.answer.records if page.answer else ()))

    @cached_property
    def example(self) -> Header:
        """A record that is not deleted; rather one that was not made at midnight, which tells days from seconds."""
        live = [
            header
            for header in self.records.headers
            if not header.is_deleted and second_of(header.datestamp) is not None
        ]
        if not live:
            raise Undecided("ListRecords shows no usable record that is not deleted.")
        return next((header for header in live if not header.datestamp.endswith("T00:00:00Z")), live[0])

    @property
    def deleted_example(self) -> Header:
        """A deleted record."""
        for header in self.records.headers:
            if header.is_deleted:
                return header
        raise Undecided("No deleted record was seen.")

    def has_changed(self, header: Header) -> bool:
        """Tell whether a record that is missed somewhere has another datestamp by now, so that nothing is wrong."""
        exchange = self.ask_again("GetRecord", identifier=header.identifier, metadataPrefix="oai_dc")
        records = exchange.read().records
        return not records or record_header(records[0]).datestamp != header.datestamp

    # -- lists ---------------------------------------------------------------------------------------------------

    def walk(self, verb: str, **arguments: str) -> Walk:
        """Follow a list by its tokens, at most as many pages as the limits say. Raise Undecided when it has none."""
        key = encoded({"verb": verb, **arguments})
        if key not in self._walks:
            self._walks[key] = self._walk(verb, self.ask(verb, **arguments))
        return self._walks[key]

    def _walk(self, verb: str, first: Exchange) -> Walk:
        first.content(verb)
        pages = [first]
        used: set[str] = set()
        while (token := pages[-1].read().token) is not None and token.text:
            if token.text in used:
                return Walk(verb, tuple(pages), is_complete=False, repeated=True)
            if len(pages) >= self.limits.pages:
                return Walk(verb, tuple(pages), is_complete=False)
            used.add(token.text)
            page = self.ask(verb, resumptionToken=token.text)
            if not page.holds(verb):
                return Walk(verb, tuple(pages), is_complete=False, broken=page)
            pages.append(page)
        return Walk(verb, tuple(pages), is_complete=True)

    @property
    def walks(self) -> tuple[Walk, ...]:
        """The lists of records, headers and sets, as far as they can be had."""
        return tuple(self._walkable())

    def _walkable(self) -> Iterator[Walk]:
        for verb, arguments in _LISTS:
            with suppress(Undecided):
                yield self.walk(verb, **arguments)


_EVERYTHING = {"metadataPrefix": "oai_dc"}
_LISTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("ListRecords", _EVERYTHING),
    ("ListIdentifiers", _EVERYTHING),
    ("ListSets", {}),
)


def listed_formats(exchange: Exchange) -> tuple[ListedFormat, ...]:
    """Return the formats that an answer lists. Raise Undecided when it lists none."""
    found = exchange.content("ListMetadataFormats").findall(oai("metadataFormat"))
    return tuple(ListedFormat(*(text(element, name) for name in _FORMAT_PARTS)) for element in found)


_FORMAT_PARTS = ("metadataPrefix", "schema", "metadataNamespace")


def stamp(second: int, *, is_day: bool) -> str:
    """Return a second as a datestamp: the day, or the second."""
    return utc_datetime(second)[:10] if is_day else utc_datetime(second)


@lru_cache(maxsize=10_000)
def second_of(datestamp: str) -> int | None:
    """Return a legal datestamp in seconds since 1970; None for anything else."""
    try:
        return parse_utc_datetime(datestamp)[0]
    except ValueError:
        return None
