"""Facts about the checked repository. Each is requested when a check first needs it.

A missing fact raises Undecided: so one fault fails one check, and the others say why they were skipped.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from gateway.core.xmlio import Element
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from harvester.validate.answer import Header, oai, record_header, text, texts
from harvester.validate.check import Undecided, rules
from harvester.validate.client import Conversation, Exchange, Limits, encoded

RULES = rules(__file__, "OAI-PMH 2.0")
GRANULARITIES = {"YYYY-MM-DD": True, "YYYY-MM-DDThh:mm:ssZ": False}  # value: whether it is the day


class ListedFormat(NamedTuple):
    """One `<metadataFormat>`, with its texts unchanged."""

    prefix: str
    schema: str
    namespace: str


@dataclass(frozen=True, slots=True)
class Walk:
    """A list, followed by its tokens. `broken` is the answer that ended it early; `repeated`: a token occurred twice.

    `is_complete`: the whole list was received. Otherwise it is a sample or broken. Properties raise
    Undecided when an answer cannot be read.
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
        """Pairs of page and record, for all pages."""
        return ((page, record) for page in self.pages for record in page.read().records)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens that are not empty, in order."""
        tokens = (page.read().token for page in self.pages)
        return tuple(token.text for token in tokens if token is not None and token.text)

    @property
    def received(self) -> int:
        """The number of received entries."""
        return sum(page.read().size for page in self.pages)


class Repository:
    """The repository at one base URL. Properties send requests and may raise Undecided."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self._walks: dict[str, Walk] = {}

    @property
    def base_url(self) -> str:
        """The base URL that is checked."""
        return self.conversation.base_url

    @property
    def limits(self) -> Limits:
        """The limits of the validation."""
        return self.conversation.limits

    def ask(self, verb: str, **arguments: str) -> Exchange:
        """Return the exchange of a legal request by GET; `from_` is the argument `from`."""
        return self.conversation.ask(encoded({"verb": verb, **arguments}))

    def ask_again(self, verb: str, **arguments: str) -> Exchange:
        """Send the same request again and return the new exchange."""
        return self.conversation.ask(encoded({"verb": verb, **arguments}), again=True)

    # -- Identify ------------------------------------------------------------------------------------------------

    @property
    def identify(self) -> Element:
        """The content of Identify."""
        return self.ask("Identify").content("Identify")

    @property
    def is_day_granular(self) -> bool:
        """Return whether the granularity is the day.

        Raise Undecided when Identify does not state exactly one legal granularity.
        """
        granularities = texts(self.identify, "granularity")
        if len(granularities) != 1 or granularities[0] not in GRANULARITIES:
            raise Undecided("Identify does not state exactly one legal granularity.")
        return GRANULARITIES[granularities[0]]

    @property
    def earliest(self) -> tuple[str, int]:
        """The earliestDatestamp, as text and in seconds since 1970.

        Raise Undecided when Identify does not state a legal one.
        """
        earliest = text(self.identify, "earliestDatestamp")
        second = second_of(earliest)
        if second is None:
            raise Undecided("Identify does not state a legal earliestDatestamp.")
        return earliest, second

    def stamp(self, second: int) -> str:
        """Return a second as a datestamp of the repository's granularity.

        Raise Undecided, as `is_day_granular` does.
        """
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
        """ListRecords of all records in oai_dc, or its first pages."""
        return self.walk("ListRecords", metadataPrefix="oai_dc")

    @property
    def identifiers(self) -> Walk:
        """ListIdentifiers of all records in oai_dc, or its first pages."""
        return self.walk("ListIdentifiers", metadataPrefix="oai_dc")

    @property
    def samples(self) -> Iterator[tuple[ListedFormat, Exchange, Element]]:
        """Records that are not deleted: those of `records`, and those in the first answer of each other format."""
        others = [listed for listed in self.formats if listed.prefix != "oai_dc"][: self.limits.formats]
        for listed in self.formats:
            if listed.prefix == "oai_dc":
                yield from ((listed, page, record) for page, record in self.records.records)
            elif listed in others:
                page = self.ask("ListRecords", metadataPrefix=listed.prefix)
                yield from ((listed, page, record) for record in (page.answer.records if page.answer else ()))

    @cached_property
    def example(self) -> Header:
        """A record that is not deleted, if possible with another time than midnight, to distinguish days from seconds.

        Raise Undecided when ListRecords has no usable one.
        """
        live = [
            header
            for header in self.records.headers
            if not header.is_deleted and second_of(header.datestamp) is not None
        ]
        if not live:
            raise Undecided("ListRecords has no usable record that is not deleted.")
        return next((header for header in live if not header.datestamp.endswith("T00:00:00Z")), live[0])

    @property
    def deleted_example(self) -> Header:
        """A deleted record. Raise Undecided when none was seen."""
        for header in self.records.headers:
            if header.is_deleted:
                return header
        raise Undecided("No deleted record was seen.")

    def has_changed(self, header: Header) -> bool:
        """Return whether a missing record has another datestamp by now, which explains why it is missing."""
        exchange = self.ask_again("GetRecord", identifier=header.identifier, metadataPrefix="oai_dc")
        records = exchange.read().records
        return not records or record_header(records[0]).datestamp != header.datestamp

    # -- lists ---------------------------------------------------------------------------------------------------

    def walk(self, verb: str, **arguments: str) -> Walk:
        """Return a list, followed by its tokens up to the limit of pages. Raise Undecided when there is no list."""
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
        """The lists of records, headers and sets that are available."""
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
    formats = exchange.content("ListMetadataFormats").findall(oai("metadataFormat"))
    return tuple(ListedFormat(*(text(element, name) for name in _FORMAT_PARTS)) for element in formats)


_FORMAT_PARTS = ("metadataPrefix", "schema", "metadataNamespace")


def stamp(second: int, *, is_day: bool) -> str:
    """Return a second since 1970 as a datestamp (UTC), with the granularity of the day or the second."""
    return utc_datetime(second)[:10] if is_day else utc_datetime(second)


@lru_cache(maxsize=10_000)
def second_of(datestamp: str) -> int | None:
    """Return a legal datestamp in seconds since 1970; None for anything else."""
    try:
        return parse_utc_datetime(datestamp)[0]
    except ValueError:
        return None
