"""Real answers of real repositories, arranged so that they can be harvested again: what `conftest.py` serves.

Every recorded ListRecords answer becomes a page of a repository of its own, served exactly as recorded; chains of pages
stay chains.
"""

import gzip
import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from zlib import crc32

from lxml import etree

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

ENVELOPE = b"""<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2024-01-01T00:00:00Z</responseDate>
<request>http://wild.example.org/oai</request>
%s
</OAI-PMH>"""

_VERBS = "Identify|ListRecords|ListIdentifiers|ListSets|ListMetadataFormats|GetRecord"
_VERB = re.compile(rf"<(?:\w+:)?({_VERBS})[\s/>]".encode())
_ASKED = re.compile(rf"<(?:\w+:)?request\b[^>]*\bverb=.({_VERBS})".encode())
_PREFIX = re.compile(rb"""<(?:\w+:)?request\b[^>]*\bmetadataPrefix=["']([^"']+)""")
_TOKEN = re.compile(rb"<(?:\w+:)?resumptionToken\b[^>]*>([^<]*)</")

# Lists of several pages whose names do not say which page follows which.
_CHAINS = (
    ("MyCoRe-Org+oaipmh", ("listRecordsDoctoralThesis.xml", "listRecordsDoctoralThesis2.xml")),
    ("mloesch+sickle", ("ListRecords.xml", "ListRecords2.xml", "ListRecords3.xml", "ListRecords4.xml")),
    ("seecr+meresco-harvester", ("00001.xml", "00002.xml")),
    (
        "seecr+meresco-harvester",
        (
            "responsedate-ListRecords-prefix--.xml",
            "responsedate-ListRecords-resume0.xml",
            "responsedate-ListRecords-resume1.xml",
        ),
    ),
    ("surfedushare+search-portal", ("edurep-oaipmh.initial.0.xml", "edurep-oaipmh.initial.1.xml")),
    ("wellcomecollection+oai-pmh", ("list_records_resumption.xml", "list_records_final.xml")),
)
_NUMBERED = re.compile(r"(.+)\.\d\d\.xml")  # scrapi's: udel.00.xml, udel.01.xml …

# The prefix under which a payload is served when the recording does not say it.
_PREFIXES = {
    "http://www.openarchives.org/OAI/2.0/oai_dc/": "oai_dc",
    "urn:mpeg:mpeg21:2002:02-DIDL-NS": "didl",
    "http://www.loc.gov/METS/": "mets",
    "http://www.loc.gov/mods/v3": "mods",
    "http://www.loc.gov/MARC21/slim": "marc21",
    "http://www.isotc211.org/2005/gmd": "iso19139",
    "http://datacite.org/schema/kernel-4": "datacite4",
    "http://datacite.org/schema/kernel-3": "datacite3",
}


@dataclass(frozen=True)
class Answer:
    """One answer: the file it comes from (below the data), its bytes and its Content-Type."""

    file: str
    body: bytes
    content_type: str = "text/xml; charset=utf-8"

    @cached_property
    def verb(self) -> str:
        """The verb that it answers, or that was asked for when it is an error."""
        match = _VERB.search(self.body) or _ASKED.search(self.body)
        return match[1].decode() if match else ""

    @cached_property
    def prefix(self) -> str:
        """The metadataPrefix that was asked for, else one that fits the first payload."""
        if match := _PREFIX.search(self.body):
            return match[1].decode()
        namespace, _ = payload_of(self.body)
        return _PREFIXES.get(namespace) or "unknown"

    @cached_property
    def token(self) -> str:
        """The text of the resumptionToken as a parser would read it; empty when there is none."""
        match = _TOKEN.search(self.body)
        return html.unescape(match[1].decode()).strip() if match else ""


@dataclass
class Repository:
    """One repository to be served again: its lists by metadataPrefix, and what it said of itself."""

    name: str
    lists: dict[str, list[Answer]] = field(default_factory=dict)
    identify: Answer | None = None
    formats: Answer | None = None
    sets: list[Answer] = field(default_factory=list)


def payload_of(body: bytes) -> tuple[str, str]:
    """Return namespace and schema location of the first payload, as far as they can be read."""
    root = etree.fromstring(body, etree.XMLParser(recover=True, huge_tree=True))
    payloads = () if root is None else root.iterfind(".//{*}metadata/*")
    for payload in payloads:
        namespace = payload.tag[1:].partition("}")[0] if str(payload.tag).startswith("{") else ""
        locations = payload.get("{http://www.w3.org/2001/XMLSchema-instance}schemaLocation", "").split()
        return namespace, dict(zip(locations[::2], locations[1::2], strict=False)).get(namespace, "")
    return "", ""


def repositories() -> list[Repository]:
    """Return every repository that the recordings make up, by name."""
    made: dict[str, Repository] = {}
    for folder, answers in _by_folder(_answers()):
        described = _description(answers)
        for stem, pages in _lists(folder, [answer for answer in answers if answer.verb == "ListRecords"]):
            name = _name(folder, stem)
            assert name not in made, f"two recordings are called {name}"
            made[name] = Repository(name, {pages[0].prefix: pages}, **described)  # type: ignore[arg-type]
    return [made[name] for name in sorted(made)]


def _name(folder: str, stem: str) -> str:
    """Return a legal name of a source: whose recording, which, and a sum that tells long ones apart."""
    whole = f"{folder.partition('+')[0][:12]}-{stem}".lower()
    text = re.sub(r"[^a-z0-9]+", "-", whole)[:27].strip("-")
    return f"{text}-{crc32(f'{folder}/{stem}'.encode()) & 0xFFFF:04x}"


# --- what is on the disk ----------------------------------------------------------------------------------------


def _answers() -> Iterator[Answer]:
    """Every whole answer. Of the big dumps only those that still are answers are lists as recorded."""
    for file in _files("oai/responses", "oai/records", "didl", "packages"):
        if file.name.endswith(".http.json"):
            continue
        body = file.read_bytes()
        if b"OAI-PMH" in body[:2000]:
            yield Answer(str(file.relative_to(DATA)), body, _content_type(file))
    for file in _files("oai/http"):
        for number, exchange in enumerate(json.loads(file.read_text())):
            if exchange["status"] == 200:
                yield Answer(f"{file.relative_to(DATA)}#{number}", exchange["response"].encode())
    for file in _files("oai/dumps"):
        body = gzip.decompress(file.read_bytes())
        if b"<OAI-PMH" in body[:1000]:
            yield Answer(str(file.relative_to(DATA)), body)


def _files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (file for file in sorted((DATA / folder).rglob("*")) if file.is_file() and file.suffix != ".md")


def _content_type(file: Path) -> str:
    exchange = file.with_name(f"{file.name.rsplit('.', 1)[0]}.http.json")
    if not exchange.exists():
        return "text/xml; charset=utf-8"
    headers = {key.lower(): value for key, value in json.loads(exchange.read_text())["response_headers"].items()}
    return str(headers.get("content-type", ["text/xml"])[0])


def _by_folder(answers: Iterable[Answer]) -> Iterator[tuple[str, list[Answer]]]:
    folders: dict[str, list[Answer]] = {}
    for answer in answers:
        folder = next(part for part in Path(answer.file).parts if "+" in part)
        folders.setdefault(folder, []).append(answer)
    yield from folders.items()


# --- lists ------------------------------------------------------------------------------------------------------


def _description(answers: list[Answer]) -> dict[str, Answer | list[Answer] | None]:
    """Return what the repositories of a folder say of themselves: the first recorded answer of each kind."""
    sets = [answer for answer in answers if answer.verb == "ListSets" and b"<error" not in answer.body]
    chain = [answer for answer in sets if re.search(r"get-sets\.\d\d\.xml", answer.file)]

    def first(verb: str) -> Answer | None:
        candidates = (answer for answer in answers if answer.verb == verb and b"<error" not in answer.body)
        return next(candidates, None)

    return {"identify": first("Identify"), "formats": first("ListMetadataFormats"), "sets": chain or sets[:1]}


def _lists(folder: str, pages: list[Answer]) -> Iterator[tuple[str, list[Answer]]]:
    by_name = {Path(page.file).name: page for page in pages}
    for name_of_folder, names in _CHAINS:
        if name_of_folder == folder:
            yield names[0], [by_name.pop(name) for name in names]
    numbered: dict[str, list[Answer]] = {}
    for name, page in by_name.items():
        match = _NUMBERED.fullmatch(name) if folder.endswith("scrapi") else None
        numbered.setdefault(match[1] if match else name, []).append(page)
    yield from numbered.items()
