"""A well-behaved OAI-PMH 2.0 repository in memory: what the faults distort, and what a harvest is compared with.

Its lists are walked by (datestamp, identifier), so a record that changes while it is harvested is never skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import gmtime, strftime
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr
from zlib import crc32

DAY, SECONDS = "YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ"
LISTS = ("ListRecords", "ListIdentifiers")
# For each verb, the arguments that it must and may have (OAI-PMH 2.0 §4).
ARGUMENTS = {
    "Identify": (set(), set()),
    "ListMetadataFormats": (set(), {"identifier"}),
    "ListSets": (set(), set()),
    "GetRecord": ({"identifier", "metadataPrefix"}, set()),
    "ListIdentifiers": ({"metadataPrefix"}, {"from", "until", "set"}),
    "ListRecords": ({"metadataPrefix"}, {"from", "until", "set"}),
}
_LIST_ARGUMENTS = ("metadataPrefix", "from", "until", "set")
_ENVELOPE = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\
 xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
<responseDate>{now}</responseDate>
<request{attributes}>{base_url}</request>
{body}
</OAI-PMH>
"""
_IDENTIFY = """<Identify><repositoryName>Faults</repositoryName><baseURL>{base_url}</baseURL>
<protocolVersion>2.0</protocolVersion><adminEmail>faults@example.org</adminEmail>
<earliestDatestamp>{earliest}</earliestDatestamp><deletedRecord>persistent</deletedRecord>
<granularity>{granularity}</granularity></Identify>"""
_FORMATS = """<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix>\
<schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema>\
<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat>\
</ListMetadataFormats>"""
_METADATA = """<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"\
 xmlns:dc="http://purl.org/dc/elements/1.1/" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/\
 http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
<dc:title>{title}</dc:title>
<dc:creator>Fault, A.</dc:creator></oai_dc:dc></metadata>"""


class Record(NamedTuple):
    """One record of the repository."""

    identifier: str
    title: str
    datestamp: str
    sets: tuple[str, ...] = ()
    is_deleted: bool = False


class Token(NamedTuple):
    """A resumptionToken: what was asked, the last record that was sent, how many were, and how many there are."""

    verb: str
    metadata_prefix: str
    from_: str
    until: str
    set_spec: str
    stamp: str = ""
    identifier: str = ""
    cursor: int = 0
    size: int = 0

    @property
    def text(self) -> str:
        """The token as it is sent; a changed one is noticed."""
        text = "|".join(map(str, self))
        return f"{text}|{crc32(text.encode())}"

    @property
    def wanted(self) -> dict[str, str]:
        """The arguments that the list began with."""
        return {name: value for name, value in zip(_LIST_ARGUMENTS, self[1:5], strict=True) if value}

    @classmethod
    def read(cls, text: str) -> Token:
        """Read a token. Raise Refused for one that is not ours."""
        content, _, mark = text.rpartition("|")
        if mark != str(crc32(content.encode())):
            raise Refused("badResumptionToken", "This token is not ours.")
        *values, cursor, size = content.split("|")
        return cls(*values, cursor=int(cursor), size=int(size))  # type: ignore[arg-type, misc]


class Refused(Exception):
    """An OAI-PMH error: its code and its sentence."""


def moment(seconds: float) -> str:
    """Return seconds since 1970 as a UTCdatetime."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))


def records(count: int) -> Iterable[Record]:
    """Return so many records of three years, two of each moment; every seventh is deleted, every second in set `a`."""
    first = datetime(2021, 2, 3, 4, 5, 6, tzinfo=UTC)
    for number in range(count):
        at = first + timedelta(days=1000 * (number // 2) / count)
        sets = ("a",) if number % 2 else ("b:c",)
        title = f"Work {number}: caf\u00e9\xa0& <tea>"
        yield Record(f"oai:faults:{number:05}", title, moment(at.timestamp()), sets, number % 7 == 6)


@dataclass
class Source:
    """The records by identifier, and how they are served. `now` tells the seconds of its clock."""

    held: dict[str, Record]
    now: Callable[[], float]
    page_size: int = 10
    granularity: str = SECONDS
    base_url: str = "http://faults.example.org/oai"
    tells: bool = True  # completeListSize and cursor
    is_steady: bool = True  # a list keeps the size that it began with
    sets: Mapping[str, str] = field(
        default_factory=lambda: {"a": "Set A", "b": "Set B", "b:c": "Set C", "nothing": "A set without records"}
    )

    def put(self, record: Record) -> None:
        """Add a record or change it; its datestamp is now."""
        self.held[record.identifier] = record._replace(datestamp=moment(self.now()))

    def stamp(self, record: Record) -> str:
        """Return the datestamp of a record in the granularity of the source."""
        return record.datestamp[: len(self.granularity)]

    def selected(self, wanted: Mapping[str, str]) -> list[Record]:
        """Return what a list of these arguments has, oldest first."""
        first, last, spec = wanted.get("from", ""), wanted.get("until", "9999-99-99T99:99:99Z"), wanted.get("set")
        selection = [
            record
            for record in self.held.values()
            if first <= self.stamp(record)[: len(first) or None]
            and self.stamp(record)[: len(last)] <= last
            and (spec is None or any(f"{held}:".startswith(f"{spec}:") for held in record.sets))
        ]
        return sorted(selection, key=lambda record: (self.stamp(record), record.identifier))

    def answer(self, arguments: list[tuple[str, str]]) -> str:
        """Return the whole answer to a request, errors included."""
        try:
            body = self._body(arguments)
            attributes = "".join(f" {name}={quoteattr(value)}" for name, value in arguments)
        except Refused as refused:
            body, attributes = error(*refused.args), ""
        now = moment(self.now())
        return _ENVELOPE.format(now=now, attributes=attributes, base_url=escape(self.base_url), body=body)

    def _body(self, arguments: list[tuple[str, str]]) -> str:
        given = dict(arguments)
        verb = given.pop("verb", "")
        if verb not in ARGUMENTS or [name for name, _ in arguments].count("verb") > 1:
            raise Refused("badVerb", "See OAI-PMH 2.0 §4.")
        required, optional = ARGUMENTS[verb]
        is_resumed = set(given) == {"resumptionToken"} and verb in (*LISTS, "ListSets")
        is_legal = is_resumed or required <= set(given) <= required | optional
        if not is_legal or len(arguments) != len(given) + 1:
            raise Refused("badArgument", f"{verb} takes {sorted(required | optional)}.")
        return getattr(self, _WRITERS[verb])(verb, given)

    def _identify(self, _verb: str, _given: Mapping[str, str]) -> str:
        earliest = min(map(self.stamp, self.held.values()))
        return _IDENTIFY.format(base_url=escape(self.base_url), earliest=earliest, granularity=self.granularity)

    def _list_metadata_formats(self, _verb: str, given: Mapping[str, str]) -> str:
        if "identifier" in given:
            self._record(given["identifier"])
        return _FORMATS

    def _list_sets(self, _verb: str, given: Mapping[str, str]) -> str:
        if given:
            raise Refused("badResumptionToken", "The sets come in one answer.")
        entries = (
            f"<set><setSpec>{escape(spec)}</setSpec><setName>{name}</setName></set>" for spec, name in self.sets.items()
        )
        return f"<ListSets>{''.join(entries)}</ListSets>"

    def _get_record(self, _verb: str, given: Mapping[str, str]) -> str:
        if given["metadataPrefix"] != "oai_dc":
            raise Refused("cannotDisseminateFormat", "There is only oai_dc.")
        return f"<GetRecord>{self._written(self._record(given['identifier']))}</GetRecord>"

    def _record(self, identifier: str) -> Record:
        if identifier not in self.held:
            raise Refused("idDoesNotExist", "There is no such item.")
        return self.held[identifier]

    def _list(self, verb: str, given: Mapping[str, str]) -> str:
        at = self._begun(verb, given)
        selection = self.selected(at.wanted)
        rest = self._rest(selection, at)
        if not rest:
            raise Refused("noRecordsMatch", "Nothing matches.")
        shown, is_last = rest[: self.page_size], len(rest) <= self.page_size
        write = self._written if verb == "ListRecords" else self._header
        size = at.size if at.size and self.is_steady else len(selection)
        following = at._replace(
            stamp=self.stamp(shown[-1]), identifier=shown[-1].identifier, cursor=at.cursor + len(shown), size=size
        )
        attributes = f' completeListSize="{size}" cursor="{at.cursor}"' if self.tells else ""
        token = f"<resumptionToken{attributes}>{'' if is_last else escape(following.text)}</resumptionToken>"
        return f"<{verb}>{''.join(map(write, shown))}{'' if is_last and not at.cursor else token}</{verb}>"

    def _rest(self, selection: list[Record], at: Token) -> list[Record]:
        """Return what a list still has to send."""
        last = (at.stamp, at.identifier)
        return [record for record in selection if (self.stamp(record), record.identifier) > last]

    def _begun(self, verb: str, given: Mapping[str, str]) -> Token:
        if "resumptionToken" not in given:
            self._check(given)
            return Token(verb, *(given.get(name, "") for name in _LIST_ARGUMENTS))  # type: ignore[arg-type]
        token = Token.read(given["resumptionToken"])
        if token.verb != verb:
            raise Refused("badResumptionToken", f"It is of {token.verb}.")
        return token

    def _check(self, wanted: Mapping[str, str]) -> None:
        if wanted["metadataPrefix"] != "oai_dc":
            raise Refused("cannotDisseminateFormat", "There is only oai_dc.")
        if wanted.get("set") == "":
            raise Refused("badArgument", "The set has no name.")
        bounds = [wanted[name] for name in ("from", "until") if name in wanted]
        if not all(_is_date(bound, self.granularity) for bound in bounds):
            raise Refused("badArgument", f"Dates are {self.granularity} here.")
        if len(set(map(len, bounds))) > 1 or bounds != sorted(bounds):
            raise Refused("badArgument", "From and until must be of one granularity, and until not before from.")

    def _header(self, record: Record) -> str:
        status = ' status="deleted"' if record.is_deleted else ""
        sets = "".join(f"<setSpec>{escape(spec)}</setSpec>" for spec in record.sets)
        named = f"<identifier>{escape(record.identifier)}</identifier><datestamp>{self.stamp(record)}</datestamp>"
        return f"<header{status}>{named}{sets}</header>"

    def _written(self, record: Record) -> str:
        metadata = "" if record.is_deleted else _METADATA.format(title=escape(record.title))
        return f"<record>{self._header(record)}{metadata}</record>\n"


def error(code: str, sentence: str = "") -> str:
    """Return an error of the protocol."""
    return f"<error code={quoteattr(code)}>{escape(sentence)}</error>"


def _is_date(text: str, granularity: str) -> bool:
    form = {10: "%Y-%m-%d", 20: "%Y-%m-%dT%H:%M:%SZ"}.get(len(text), "")
    try:
        datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return False
    return 0 < len(text) <= len(granularity)


_WRITERS = {
    "Identify": "_identify",
    "ListMetadataFormats": "_list_metadata_formats",
    "ListSets": "_list_sets",
    "GetRecord": "_get_record",
    "ListRecords": "_list",
    "ListIdentifiers": "_list",
}
