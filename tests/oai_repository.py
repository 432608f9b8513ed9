"""A repository on loopback that does what a test tells it, and instance folders to harvest it into."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import gmtime, strftime, time
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape

import pytest
from click.testing import CliRunner

from harvester.cli import main
from tests.opening import open_inbox, open_store

ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
    "<responseDate>{now}</responseDate><request>{url}</request>{body}</OAI-PMH>"
)
DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title>'
    "<dc:identifier>https://example.org/{identifier}</dc:identifier></oai_dc:dc>"
)
MODS = '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>{title}</title></titleInfo></mods>'
FORMATS = {
    "oai_dc": ("http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/", DC),
    "mods": ("http://www.loc.gov/standards/mods/v3/mods-3-8.xsd", "http://www.loc.gov/mods/v3", MODS),
}
_NAMES = ("metadataPrefix", "set", "from", "until")  # what a resumptionToken repeats


@dataclass
class Item:
    """One record of the repository."""

    identifier: str
    title: str
    datestamp: str = "2024-01-01T00:00:00Z"
    sets: tuple[str, ...] = ()
    deleted: bool = False


@dataclass
class Repository:
    """What it holds and how it behaves; tests change it between requests. `asked` lists the requests it got."""

    items: dict[str, Item] = field(default_factory=dict)
    page_size: int = 10
    sets: tuple[tuple[str, str], ...] = ()
    now: str = ""
    url: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)
    statuses: dict[str, tuple[int, bytes, dict[str, str]]] = field(default_factory=dict)  # by verb
    before: Callable[[dict[str, str]], object] = lambda _arguments: None  # an answer it returns is given instead
    password: str = ""  # of HTTP Basic, as the header has it
    announces: int = 0  # added to completeListSize
    earliest: str = "2020-01-01T00:00:00Z"  # as Identify says
    name: str = "Fake"
    base_url: str = ""  # as Identify says; else where it is
    domain: str = ""  # its repositoryIdentifier, if it names one
    ahead: float = 0.0  # seconds by which its clock is ahead, in responseDate and Date

    def fill(self, count: int, start: int = 0, **values: Any) -> None:
        """Add so many records."""
        for number in range(start, start + count):
            name = f"oai:fake:{number:05}"
            self.items[name] = Item(name, f"Work {number}", **values)

    def lists(self, verb: str = "ListRecords") -> list[dict[str, str]]:
        """Return the requests for lists, in order."""
        return [request for request in self.asked if request.get("verb") == verb]

    def answer(self, arguments: dict[str, str]) -> str:
        wrong = '<error code="badVerb">There is no such verb.</error>'
        write = getattr(self, f"_{arguments.get('verb', '').lower()}", lambda _: wrong)
        body = write(arguments)
        now = self.now or strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(time() + self.ahead))
        return ENVELOPE.format(now=now, url=escape(self.url), body=body)

    def _identify(self, _arguments):
        return (
            f"<Identify><repositoryName>{self.name}</repositoryName><baseURL>{self.base_url or self.url}</baseURL>"
            "<protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail>"
            f"<earliestDatestamp>{self.earliest}</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
            f"<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>{self._description()}</Identify>"
        )

    def _description(self):
        if not self.domain:
            return ""
        return (
            '<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier">'
            f"<scheme>oai</scheme><repositoryIdentifier>{self.domain}</repositoryIdentifier><delimiter>:</delimiter>"
            f"<sampleIdentifier>oai:{self.domain}:1</sampleIdentifier></oai-identifier></description>"
        )

    def _listmetadataformats(self, _arguments):
        entries = "".join(
            f"<metadataFormat><metadataPrefix>{prefix}</metadataPrefix><schema>{schema}</schema>"
            f"<metadataNamespace>{namespace}</metadataNamespace></metadataFormat>"
            for prefix, (schema, namespace, _) in FORMATS.items()
        )
        return f"<ListMetadataFormats>{entries}</ListMetadataFormats>"

    def _listsets(self, _arguments):
        if not self.sets:
            return '<error code="noSetHierarchy">No sets.</error>'
        return "<ListSets>{}</ListSets>".format(
            "".join(
                f"<set><setSpec>{escape(spec)}</setSpec><setName>{name}</setName></set>" for spec, name in self.sets
            )
        )

    def _listrecords(self, arguments):
        return self._list("ListRecords", _record, arguments)

    def _listidentifiers(self, arguments):
        return self._list("ListIdentifiers", lambda item, _: _header(item), arguments)

    def _getrecord(self, arguments):
        item = self.items.get(arguments["identifier"])
        if item is None:
            return '<error code="idDoesNotExist">No.</error>'
        return f"<GetRecord>{_record(item, arguments['metadataPrefix'])}</GetRecord>"

    def _list(self, verb, write, arguments):
        start, wanted = 0, arguments
        if "resumptionToken" in arguments:
            *values, begin = arguments["resumptionToken"].split("|")
            wanted = dict(zip(_NAMES, values, strict=True))
            start = int(begin)
        if wanted["metadataPrefix"] not in FORMATS:
            return '<error code="cannotDisseminateFormat">No.</error>'
        matches = [item for item in self.items.values() if _matches(item, wanted)]
        if not matches:
            return '<error code="noRecordsMatch">Nothing.</error>'
        page, rest = matches[start : start + self.page_size], matches[start + self.page_size :]
        records = "".join(write(item, wanted["metadataPrefix"]) for item in page)
        token = ""
        if start or rest:
            text = "|".join([*(wanted.get(name, "") for name in _NAMES), str(start + self.page_size)])
            token = (
                f'<resumptionToken completeListSize="{len(matches) + self.announces}" cursor="{start}">'
                f"{text if rest else ''}</resumptionToken>"
            )
        return f"<{verb}>{records}{token}</{verb}>"


def _matches(item: Item, wanted: dict[str, str]) -> bool:
    return (
        (not wanted.get("set") or wanted["set"] in item.sets)
        and item.datestamp >= wanted.get("from", "")
        and item.datestamp[: len(wanted.get("until", ""))] <= (wanted.get("until") or "9")
    )


def _header(item: Item) -> str:
    status = ' status="deleted"' if item.deleted else ""
    sets = "".join(f"<setSpec>{escape(set_)}</setSpec>" for set_ in item.sets)
    named = f"<identifier>{item.identifier}</identifier><datestamp>{item.datestamp}</datestamp>"
    return f"<header{status}>{named}{sets}</header>"


def _record(item: Item, prefix: str) -> str:
    header = _header(item)
    if item.deleted:
        return f"<record>{header}</record>"
    # A title is markup here: a test may break it.
    payload = FORMATS[prefix][2].format(title=item.title, identifier=item.identifier)
    return f"<record>{header}<metadata>{payload}</metadata></record>"


@pytest.fixture
def command(instance):
    """Return a function that runs `harvester` on the instance, and returns (exit status, data, words)."""

    def command(*arguments):
        result = CliRunner().invoke(main, ["--instance", str(instance), *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return command


@pytest.fixture
def repository():
    """Serve a repository on loopback until the test ends."""
    held = Repository()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # headers and body are two packets; the second would wait for the first

        def do_GET(self):
            arguments = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
            held.asked.append(arguments)
            override = held.before(arguments)
            status, body, headers = override if isinstance(override, tuple) else self._answer(arguments)
            self.send_response(status)
            self.send_header("Content-Type", "text/xml; charset=UTF-8")
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _answer(self, arguments):
            if held.password and self.headers.get("Authorization") != held.password:
                return 401, b"Who are you?", {}
            if arguments.get("verb") in held.statuses:
                return held.statuses[arguments["verb"]]
            return 200, held.answer(arguments).encode(), {}

        def date_time_string(self, timestamp=None):
            return super().date_time_string((timestamp or time()) + held.ahead)

        def handle(self):
            with suppress(ConnectionError):  # a harvester was killed
                super().handle()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    held.url = f"http://127.0.0.1:{server.server_port}/oai"
    thread = threading.Thread(target=server.serve_forever, args=(0.002,))
    thread.start()
    yield held
    server.shutdown()
    thread.join()
    server.server_close()


def make_instance(folder):
    (folder / "config.toml").write_text("publish_processes = 0\nfetch_backoff_seconds = 0.001\nfetch_retries = 1\n")
    open_store(folder, create=True).close()
    open_inbox(folder, create=True).close()


@pytest.fixture
def instance(tmp_path, ready_made):
    """Return an instance folder."""
    ready_made(tmp_path / "instance", make_instance)
    return tmp_path / "instance"


@pytest.fixture
def harvester(instance):
    """Return a function that runs `harvester` as a process of its own, for tests that kill or signal it."""
    started = []

    def start(*arguments, **environment):
        command = [sys.executable, "-m", "harvester", "--instance", str(instance), *arguments]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
