"""A repository in memory that answers as the standard says, but for the faults it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from gateway.core.errors import GatewayError
from gateway.core.model import Cursor
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from harvester.http.dates import SECONDS
from harvester.http.messages import Fetched, Request
from harvester.sources import Options, Step
from harvester.sources.oai_pmh import SOURCE
from tests.oai_pages import DC, OAI

NOW = parse_utc_datetime("2024-06-01T00:00:00Z")[0]
URL = "http://x.org/oai"
FORMAT = (
    "<metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema>"
    "<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace>"
)

Arguments = dict[str, str]
Answer = str | tuple[int, str] | GatewayError
Fault = Callable[["Repository", Arguments], Answer | None]


@dataclass
class Repository:
    """What it holds, by identifier the datestamp, in the order of its lists; what it was asked; what it does wrong.

    The first fault that returns something answers: text, status and text, or an error to raise.
    """

    records: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    page_size: int = 3
    size: Callable[[int], int | None] = lambda count: count
    is_ordered: bool = True
    earliest: str = "2020-01-01T00:00:00Z"
    asked: list[Arguments] = field(default_factory=list)

    def fill(self, count: int, first: str = "2024-01-01T00:00:00Z", step: int = 3600) -> Repository:
        """Add so many records, so many seconds apart."""
        start, _ = parse_utc_datetime(first)
        for number in range(count):
            self.records[f"oai:x:{number:03}"] = utc_datetime(start + number * step)
        return self

    def __call__(self, request: Request) -> Fetched:
        """Answer one request; a token is read as it was sent, so that its encoding can matter."""
        query = urlsplit(request.url).query
        arguments = dict(parse_qsl(query, keep_blank_values=True))
        self.asked.append(arguments)
        assert len(self.asked) < 5000, "It never ends."
        answer: Answer = next((faulty for fault in self.faults if (faulty := fault(self, arguments)) is not None), "")
        answer = answer or self.answer(arguments)
        if isinstance(answer, GatewayError):
            raise answer
        status, text = answer if isinstance(answer, tuple) else (200, answer)
        return Fetched(request.url, status, (("Content-Type", "text/xml"),), text.encode(), NOW)

    def answer(self, arguments: Arguments) -> str:
        """Answer as the standard says."""
        verb = arguments["verb"]
        if verb == "Identify":
            return envelope(
                "<Identify><repositoryName>X</repositoryName><protocolVersion>2.0</protocolVersion>"
                f"<earliestDatestamp>{self.earliest}</earliestDatestamp><granularity>{SECONDS}</granularity></Identify>"
            )
        if verb == "GetRecord":
            identifier = arguments["identifier"]
            if identifier not in self.records:
                return refused("idDoesNotExist")
            return envelope(f"<GetRecord>{self.entry(verb, identifier)}</GetRecord>")
        if verb == "ListSets":
            return refused("noSetHierarchy")
        if verb == "ListMetadataFormats":
            return envelope(f"<{verb}><metadataFormat>{FORMAT}</metadataFormat></{verb}>")
        return self.page(arguments)

    def selected(self, arguments: Arguments) -> list[str]:
        """Return what lies between the dates, in the order of the list."""
        from_, until = arguments.get("from", ""), arguments.get("until", "")
        identifiers = [
            identifier
            for identifier, stamp in self.records.items()
            if stamp[: len(from_)] >= from_ and (not until or stamp[: len(until)] <= until)
        ]
        return sorted(identifiers, key=lambda identifier: self.records[identifier]) if self.is_ordered else identifiers

    def page(self, arguments: Arguments) -> str:
        """Return one page of a list."""
        verb, start = arguments["verb"], 0
        if token := arguments.get("resumptionToken"):
            from_, until, at = unquote(token).split("/")
            arguments, start = {"from": from_, "until": until}, int(at)
        identifiers = self.selected(arguments)
        if not identifiers:
            return refused("noRecordsMatch")
        entries = "".join(self.entry(verb, identifier) for identifier in identifiers[start : start + self.page_size])
        following = start + self.page_size
        token = "/".join((arguments.get("from", ""), arguments.get("until", ""), str(following)))
        size = self.size(len(identifiers))
        given = "" if size is None else f' completeListSize="{size}" cursor="{start}"'
        ended = f"<resumptionToken{given}>{token if following < len(identifiers) else ''}</resumptionToken>"
        return envelope(f"<{verb}>{entries}{ended}</{verb}>")

    def entry(self, verb: str, identifier: str) -> str:
        """Return one record, or its header."""
        stamp = self.records[identifier]
        header = f"<header><identifier>{identifier}</identifier><datestamp>{stamp}</datestamp></header>"
        if verb == "ListIdentifiers":
            return header
        return f"<record>{header}<metadata>{DC.format(identifier)}</metadata></record>"

    def listed(self, verb: str = "ListRecords") -> list[Arguments]:
        """Return what it was asked of one verb, without the verb and the prefix."""
        return [
            {name: value for name, value in request.items() if name not in ("verb", "metadataPrefix")}
            for request in self.asked
            if request["verb"] == verb
        ]


def envelope(content: str) -> str:
    """Return an answer."""
    return f'<OAI-PMH xmlns="{OAI}"><responseDate>{utc_datetime(NOW)}</responseDate><request/>{content}</OAI-PMH>'


def refused(code: str) -> str:
    """Return an error of the protocol."""
    return envelope(f'<error code="{code}">no</error>')


def options(**values: Any) -> Options:
    """Return what the source is told."""
    return replace(Options("x", URL, 0, granularity=SECONDS), **values)


def walked(repository: Repository, state: str = "", **values: Any) -> list[Step]:
    """Walk a list to its end."""
    return list(SOURCE.changes(options(**values), Cursor("x", "oai_dc", "", state), repository))


def killed(repository: Repository) -> list[Step]:
    """Walk a list to its end, in a new process for every answer."""
    steps: list[Step] = []

    def arrived(_cursor: Cursor, since: int) -> Iterator[str]:
        return (slice_.identifier for step in steps if step.page.received_at >= since for slice_ in step.slices)

    state = ""
    while not steps or not steps[-1].is_last:
        run_options = options(arrived=arrived)
        steps.append(next(SOURCE.changes(run_options, Cursor("x", "oai_dc", "", state), repository)))
        state = steps[-1].cursor.state
        assert len(steps) < 2000
    return steps


def good(steps: list[Step]) -> list[str]:
    """Return the identifiers that came, in order."""
    return [slice_.identifier for step in steps for slice_ in step.slices if not slice_.problem]


def bad(steps: list[Step]) -> dict[str, str]:
    """Return the records that could not be fetched, and the reasons."""
    return {slice_.identifier: slice_.problem for step in steps for slice_ in step.slices if slice_.problem}


def notes(steps: list[Step]) -> str:
    """Return all that was told on the way."""
    return "\n".join(note for step in steps for note in step.notes)
