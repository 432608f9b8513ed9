"""A whole OAI-PMH provider in memory, without sockets: right in everything, and configurable to be wrong in one thing.

It is the handed `fetch` of the validator. It is small on purpose: eleven items, four to a page.
"""

import base64
import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from gateway.core.xmltext import clean, escape, escape_attribute, is_legal, parse_utc_datetime, utc_datetime
from harvester.http.messages import Fetched, Request

BASE = "http://repo.example.org/oai"
NOW = parse_utc_datetime("2024-06-01T12:00:00Z")[0]
FIRST = parse_utc_datetime("2023-01-01T06:30:00Z")[0]
DAY = 86_400

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
FORMATS = {
    "oai_dc": ("http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/"),
    "oai_didl": ("http://repo.example.org/didl.xsd", "urn:mpeg:mpeg21:2002:02-DIDL-NS"),
    "mods": ("http://www.loc.gov/standards/mods/v3/mods-3-8.xsd", "http://www.loc.gov/mods/v3"),
}
SETS = {"physics": "Physics", "physics:optics": "Optics", "history": "History", "void": "Nothing yet"}
DESCRIBED = {"physics": '<setDescription><about xmlns="http://repo.example.org/about">Physics</about></setDescription>'}
ARGUMENTS = {
    "Identify": {},
    "ListSets": {"resumptionToken"},
    "ListMetadataFormats": {"identifier"},
    "GetRecord": {"identifier", "metadataPrefix"},
    "ListIdentifiers": {"from", "until", "set", "metadataPrefix", "resumptionToken"},
    "ListRecords": {"from", "until", "set", "metadataPrefix", "resumptionToken"},
}
REQUIRED = {"GetRecord": ("identifier", "metadataPrefix"), "ListIdentifiers": ("metadataPrefix",)}
REQUIRED["ListRecords"] = REQUIRED["ListIdentifiers"]


class Refused(Exception):
    """The errors of an answer."""


class Item(NamedTuple):
    identifier: str
    second: int
    sets: tuple[str, ...]
    is_deleted: bool
    prefixes: tuple[str, ...]


@dataclass
class Asked:
    """What was asked, as faults see it; `times` counts how often before."""

    method: str
    pairs: list[tuple[str, str]]
    headers: dict[str, str]
    times: int

    @property
    def arguments(self) -> dict[str, str]:
        return dict(self.pairs)

    @property
    def verb(self) -> str:
        return self.arguments.get("verb", "")


def _item(number: int) -> Item:
    return Item(
        f"oai:repo.example.org:item/{number}",
        FIRST + number * 30_001,
        (("history",), ("physics:optics",), ("physics",))[number % 3],
        number % 5 == 3,
        ("oai_dc", "oai_didl", *(["mods"] if number % 2 else [])),
    )


Edit = Callable[[Asked, str], str]
Send = Callable[[Asked, Fetched], Fetched]


@dataclass
class Provider:
    """The provider. `edit` changes the document of an answer, `send` the HTTP answer, `answers` what is answered."""

    is_day: bool = False
    page_size: int = 4
    items: list[Item] = field(default_factory=lambda: [_item(number) for number in range(11)])
    sets: dict[str, str] = field(default_factory=lambda: dict(SETS))
    sets_page_size: int = 3
    life: int | None = DAY
    edit: Edit = lambda _, text: text
    send: Send = lambda _, fetched: fetched
    answers: Callable[[Asked], list[tuple[str, str]] | None] = lambda _: None
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, request: Request) -> Fetched:
        """Answer as a web server would."""
        query = request.body.decode() if request.method == "POST" else urlsplit(request.url).query
        key = (request.method, query)
        pairs = parse_qsl(query, keep_blank_values=True)
        asked = Asked(request.method, pairs, dict(request.headers), self.seen[key])
        self.seen[key] += 1
        text = self.edit(asked, self.document(asked))
        headers = [("Content-Type", "text/xml; charset=UTF-8"), ("Date", formatdate(NOW, usegmt=True))]
        if (encoding := asked.headers.get("Accept-Encoding", "identity")) != "identity":
            headers.append(("Content-Encoding", encoding))
        body = b"" if request.method == "HEAD" else text.encode()
        return self.send(asked, Fetched(request.url, 200, tuple(headers), body, NOW))

    # -- documents -----------------------------------------------------------------------------------------------

    def document(self, asked: Asked) -> str:
        pairs = self.answers(asked) or asked.pairs
        echo = {key: clean(value) for key, value in asked.pairs}
        try:
            arguments = self.checked(pairs)
            content = getattr(self, arguments["verb"])(**{key + "_": value for key, value in arguments.items()})
        except Refused as refused:
            if {code for code, _ in refused.args} & {"badVerb", "badArgument"}:
                echo = {}
            content = "".join(f'<error code="{code}">{escape(text)}</error>' for code, text in refused.args)
        attributes = "".join(f' {key}="{escape_attribute(value)}"' for key, value in echo.items())
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" {XSI} '
            'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ '
            'http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">'
            f"<responseDate>{utc_datetime(NOW)}</responseDate><request{attributes}>{BASE}</request>{content}</OAI-PMH>"
        )

    def checked(self, pairs: list[tuple[str, str]]) -> dict[str, str]:
        arguments = dict(pairs)
        verbs = [value for key, value in pairs if key == "verb"]
        if len(verbs) != 1 or verbs[0] not in ARGUMENTS:
            raise Refused(("badVerb", "There is not one legal verb."))
        errors = list(self.wrong(verbs[0], pairs, arguments))
        if errors:
            raise Refused(*(("badArgument", text) for text in errors))
        return arguments

    def wrong(self, verb: str, pairs: list[tuple[str, str]], arguments: dict[str, str]) -> Iterator[str]:
        for key, count in Counter(key for key, _ in pairs).items():
            if key != "verb" and key not in ARGUMENTS[verb]:
                yield f"{key} is illegal."
            elif count > 1:
                yield f"{key} is repeated."
            elif not arguments[key] or not is_legal(arguments[key]):
                yield f"{key} is empty or no text."
        token = "resumptionToken" in arguments
        if token and len(arguments) > 2:
            yield "resumptionToken is exclusive."
        for key in REQUIRED.get(verb, ()):
            if key not in arguments and not token:
                yield f"{key} is missing."
        yield from self.wrong_dates(arguments)

    def wrong_dates(self, arguments: dict[str, str]) -> Iterator[str]:
        read = {}
        for key in ("from", "until"):
            if arguments.get(key):
                try:
                    read[key] = parse_utc_datetime(arguments[key])
                except ValueError:
                    yield f"{key} is no date."
        if any(self.is_day and not is_day for _, is_day in read.values()):
            yield "The granularity is the day."
        if len(read) == 2 and read["from"][1] != read["until"][1]:
            yield "The granularities differ."
        elif len(read) == 2 and read["from"] > read["until"]:
            yield "from is after until."

    # -- the verbs -----------------------------------------------------------------------------------------------

    def Identify(self, **_: str) -> str:  # noqa: N802
        return (
            f"<Identify><repositoryName>A repository</repositoryName><baseURL>{BASE}</baseURL>"
            "<protocolVersion>2.0</protocolVersion><adminEmail>admin@repo.example.org</adminEmail>"
            f"<earliestDatestamp>{self.stamp(FIRST)}</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
            f"<granularity>YYYY-MM-DD{'' if self.is_day else 'Thh:mm:ssZ'}</granularity>"
            "<compression>gzip</compression><compression>deflate</compression>"
            '<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier" '
            'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier '
            'http://www.openarchives.org/OAI/2.0/oai-identifier.xsd"><scheme>oai</scheme>'
            "<repositoryIdentifier>repo.example.org</repositoryIdentifier><delimiter>:</delimiter>"
            "<sampleIdentifier>oai:repo.example.org:item/1</sampleIdentifier></oai-identifier></description></Identify>"
        )

    def ListMetadataFormats(self, identifier_: str = "", **_: str) -> str:  # noqa: N802
        prefixes = self.item(identifier_).prefixes if identifier_ else FORMATS
        return "<ListMetadataFormats>{}</ListMetadataFormats>".format(
            "".join(
                f"<metadataFormat><metadataPrefix>{prefix}</metadataPrefix><schema>{FORMATS[prefix][0]}</schema>"
                f"<metadataNamespace>{FORMATS[prefix][1]}</metadataNamespace></metadataFormat>"
                for prefix in prefixes
            )
        )

    def ListSets(self, resumptionToken_: str = "", **_: str) -> str:  # noqa: N802, N803
        if not self.sets and not resumptionToken_:
            raise Refused(("noSetHierarchy", "There are no sets."))
        state = self.state("ListSets", resumptionToken_) if resumptionToken_ else {"offset": 0}
        parts = [
            f"<set><setSpec>{spec}</setSpec><setName>{name}</setName>{DESCRIBED.get(spec, '')}</set>"
            for spec, name in self.sets.items()
        ]
        return f"<ListSets>{self.part('ListSets', parts, state, self.sets_page_size)}</ListSets>"

    def GetRecord(self, identifier_: str, metadataPrefix_: str, **_: str) -> str:  # noqa: N802, N803
        item = self.item(identifier_)
        if metadataPrefix_ not in item.prefixes:
            raise Refused(("cannotDisseminateFormat", "The item has no such format."))
        return f"<GetRecord>{self.record(item, metadataPrefix_)}</GetRecord>"

    def ListRecords(self, **arguments: str) -> str:  # noqa: N802
        return self.listed("ListRecords", self.record, arguments)

    def ListIdentifiers(self, **arguments: str) -> str:  # noqa: N802
        return self.listed("ListIdentifiers", lambda item, _: self.header(item), arguments)

    def listed(self, verb: str, write: Callable[[Item, str], str], arguments: dict[str, str]) -> str:
        if "resumptionToken_" in arguments:
            state = self.state(verb, arguments["resumptionToken_"])
        else:
            state = {key: arguments.get(key + "_") for key in ("metadataPrefix", "set", "from", "until")} | {
                "offset": 0
            }
        prefix = state["metadataPrefix"]
        if prefix not in FORMATS:
            raise Refused(("cannotDisseminateFormat", "There is no such format."))
        if state["set"] and not self.sets:
            raise Refused(("noSetHierarchy", "There are no sets."))
        parts = [write(item, prefix) for item in self.items if self.matches(item, state)]
        if not parts:
            raise Refused(("noRecordsMatch", "Nothing matches."))
        return f"<{verb}>{self.part(verb, parts, state, self.page_size)}</{verb}>"

    def matches(self, item: Item, state: dict) -> bool:
        day_seconds = DAY - 1 if state["until"] and len(state["until"]) == 10 else 0
        return (
            state["metadataPrefix"] in item.prefixes
            and (not state["set"] or any(f"{spec}:".startswith(f"{state['set']}:") for spec in item.sets))
            and (not state["from"] or item.second >= parse_utc_datetime(state["from"])[0])
            and (not state["until"] or item.second <= parse_utc_datetime(state["until"])[0] + day_seconds)
        )

    # -- parts ---------------------------------------------------------------------------------------------------

    def part(self, verb: str, parts: list[str], state: dict, size: int) -> str:
        offset = state["offset"]
        page = "".join(parts[offset : offset + size])
        if len(parts) <= size:
            return page
        more = offset + size < len(parts)
        token = self.token(verb, state | {"offset": offset + size}) if more else ""
        end = f' expirationDate="{utc_datetime(NOW + self.life)}"' if more and self.life is not None else ""
        counts = f'completeListSize="{len(parts)}" cursor="{offset}"'
        return f"{page}<resumptionToken {counts}{end}>{token}</resumptionToken>"

    def token(self, verb: str, state: dict) -> str:
        text = base64.urlsafe_b64encode(json.dumps([verb, state]).encode()).decode().rstrip("=")
        return f"{text}.{hmac.digest(b'key', text.encode(), 'sha256').hex()}"

    def state(self, verb: str, token: str) -> dict:
        text, _, signature = token.partition(".")
        if hmac.digest(b"key", text.encode(), "sha256").hex() != signature:
            raise Refused(("badResumptionToken", "The token is not ours."))
        whose, state = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if whose != verb:
            raise Refused(("badResumptionToken", "The token is of another verb."))
        return state

    def item(self, identifier: str) -> Item:
        for item in self.items:
            if item.identifier == identifier:
                return item
        raise Refused(("idDoesNotExist", "There is no such item."))

    def stamp(self, second: int) -> str:
        return utc_datetime(second)[: 10 if self.is_day else None]

    def header(self, item: Item) -> str:
        sets = "".join(f"<setSpec>{spec}</setSpec>" for spec in item.sets if self.sets)
        status = ' status="deleted"' if item.is_deleted else ""
        return (
            f"<header{status}><identifier>{item.identifier}</identifier>"
            f"<datestamp>{self.stamp(item.second)}</datestamp>{sets}</header>"
        )

    def record(self, item: Item, prefix: str) -> str:
        if item.is_deleted:
            return f"<record>{self.header(item)}</record>"
        return (
            f"<record>{self.header(item)}<metadata>{PAYLOADS[prefix](item)}</metadata><about>{ABOUT}</about></record>"
        )


def _located(prefix: str) -> str:
    schema, namespace = FORMATS[prefix]
    return f'{XSI} xsi:schemaLocation="{namespace} {schema}"'


def _dc(item: Item) -> str:
    return (
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/" {_located("oai_dc")}>'
        f'<dc:title xml:lang="en">Title of {item.identifier}</dc:title><dc:type>Text</dc:type></oai_dc:dc>'
    )


def _didl(item: Item) -> str:
    return (
        f'<didl:DIDL xmlns:didl="urn:mpeg:mpeg21:2002:02-DIDL-NS" {_located("oai_didl")}><didl:Item><didl:Descriptor>'
        '<didl:Statement mimeType="text/xml; charset=UTF-8"><dii:Identifier '
        'xmlns:dii="urn:mpeg:mpeg21:2002:01-DII-NS">http://repo.example.org/1</dii:Identifier></didl:Statement>'
        f'</didl:Descriptor><didl:Descriptor><didl:Statement mimeType="text/xml">{_dc(item)}</didl:Statement>'
        '</didl:Descriptor><didl:Component><didl:Resource mimeType="application/pdf" ref="http://repo.example.org/1.pdf"/>'
        "</didl:Component></didl:Item></didl:DIDL>"
    )


def _mods(item: Item) -> str:
    return (
        f'<mods xmlns="http://www.loc.gov/mods/v3" {_located("mods")}><titleInfo><title>{item.identifier}</title>'
        "</titleInfo></mods>"
    )


PAYLOADS = {"oai_dc": _dc, "oai_didl": _didl, "mods": _mods}
ABOUT = (
    '<provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance">'
    '<originDescription harvestDate="2023-01-01T00:00:00Z" altered="false"><baseURL>http://a.example.org/oai</baseURL>'
    "<identifier>oai:a.example.org:1</identifier><datestamp>2022-01-01</datestamp>"
    "<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></originDescription></provenance>"
)
