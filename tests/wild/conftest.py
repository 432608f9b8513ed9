"""The recorded repositories, harvested once by the live commands; what every test of this folder looks at."""

import re
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise, takewhile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import pytest

from gateway.core.model import Quarantined, Run
from tests import live
from tests.faults.conftest import house, site, sites  # noqa: F401 - fixtures of test_quirks.py
from tests.opening import open_inbox, open_store
from tests.seeds import drawn
from tests.wild.recordings import DATA, ENVELOPE, Answer, Repository, payload_of, repositories
from tests.wild.recount import Counted, counted

_IDENTIFY = """<Identify><repositoryName>%s</repositoryName><baseURL>%s</baseURL>
<protocolVersion>2.0</protocolVersion><adminEmail>wild@example.org</adminEmail>
<earliestDatestamp>1990-01-01T00:00:00Z</earliestDatestamp><deletedRecord>transient</deletedRecord>
<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"""
_FORMAT = """<metadataFormat><metadataPrefix>%s</metadataPrefix><schema>%s</schema>
<metadataNamespace>%s</metadataNamespace></metadataFormat>"""
_ERROR = '<error code="%s"/>'


@dataclass
class Replay:
    """The repositories by name, where they are served, and every recorded page that was served of each."""

    repositories: Mapping[str, Repository]
    address: str = ""
    served: dict[str, list[tuple[str, Answer]]] = field(default_factory=dict)

    def url(self, name: str) -> str:
        """Return the base URL of a repository."""
        return f"{self.address}/{name}/oai"

    def answer(self, name: str, arguments: Mapping[str, str]) -> Answer:
        """Return the answer of a repository to a request."""
        repository = self.repositories[name]
        answered = _BY_VERB.get(arguments.get("verb", ""), _refused)(self, repository, arguments)
        if answered.verb == "ListRecords" or arguments.get("verb") == "ListRecords":
            self.served.setdefault(name, []).append((_prefix_of(repository, answered), answered))
        return answered


def _made(content: str) -> Answer:
    return Answer("", ENVELOPE % content.encode())


def _refused(_replay: Replay, _repository: Repository, _arguments: Mapping[str, str]) -> Answer:
    return _made(_ERROR % "badVerb")


def _identify(replay: Replay, repository: Repository, _arguments: Mapping[str, str]) -> Answer:
    return repository.identify or _made(_IDENTIFY % (repository.name, replay.url(repository.name)))


def _list_metadata_formats(_replay: Replay, repository: Repository, _arguments: Mapping[str, str]) -> Answer:
    if repository.formats and all(f">{prefix}<".encode() in repository.formats.body for prefix in repository.lists):
        return repository.formats
    formats = []
    for prefix, pages in repository.lists.items():
        namespace, schema = payload_of(pages[0].body)
        formats.append(_FORMAT % (escape(prefix), escape(schema), escape(namespace)))
    return _made(f"<ListMetadataFormats>{''.join(formats)}</ListMetadataFormats>")


def _list_sets(_replay: Replay, repository: Repository, arguments: Mapping[str, str]) -> Answer:
    if not repository.sets:
        return _made(_ERROR % "noSetHierarchy")
    return _next_page(repository.sets, arguments)


def _list_records(_replay: Replay, repository: Repository, arguments: Mapping[str, str]) -> Answer:
    if "resumptionToken" not in arguments:
        pages = repository.lists.get(arguments.get("metadataPrefix", ""))
        return pages[0] if pages else _made(_ERROR % "cannotDisseminateFormat")
    for pages in repository.lists.values():
        if any(page.token == arguments["resumptionToken"].strip() for page in pages[:-1]):
            return _next_page(pages, arguments)
    return _made(_ERROR % "badResumptionToken")


def _next_page(pages: list[Answer], arguments: Mapping[str, str]) -> Answer:
    if "resumptionToken" not in arguments:
        return pages[0]
    wanted = arguments["resumptionToken"].strip()
    follows = (page for before, page in pairwise(pages) if before.token == wanted)
    return next(follows, None) or _made(_ERROR % "badResumptionToken")


def _prefix_of(repository: Repository, answer: Answer) -> str:
    return next((prefix for prefix, pages in repository.lists.items() if answer in pages), "")


_BY_VERB = {
    "Identify": _identify,
    "ListMetadataFormats": _list_metadata_formats,
    "ListSets": _list_sets,
    "ListRecords": _list_records,
}


@contextmanager
def served(repositories: list[Repository]) -> Iterator[Replay]:
    """Serve the repositories on a free port of loopback as long as the context lasts."""
    replay = Replay({repository.name: repository for repository in repositories})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            arguments = {key: values[0] for key, values in parse_qs(parts.query).items()}
            answer = replay.answer(parts.path.split("/")[1], arguments)
            self.send_response(200)
            self.send_header("Content-Type", answer.content_type)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_arguments: object) -> None:
            """Say nothing: the requests are part of the test."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        replay.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield replay
        server.shutdown()
        thread.join()


ONE_IN = 3  # of the recorded repositories, CI replays one of so many, others for each state of the program


@dataclass(repr=False)  # a failing test would write out all that was ever sent
class Expected:
    """What was sent of one source: how many records, the last version of each, and whether every list was whole."""

    received: int = 0
    last: dict[tuple[str, str], tuple[Answer, Counted]] = field(default_factory=dict)  # by prefix and identifier
    identifiers: set[str] = field(default_factory=set)
    ever_alive: set[str] = field(default_factory=set)
    is_whole: bool = True
    is_asked_again: bool = False  # for a page that it had sent: what came before is not taken twice


@dataclass(repr=False)
class Harvest:
    """The instance after the harvest, what had been sent to it, and what it says it did."""

    folder: Path
    expected: dict[str, Expected]
    runs: dict[str, Run]
    quarantine: list[tuple[str, Quarantined]]  # with the file that the record came in


@pytest.fixture(scope="session")
def harvest(tmp_path_factory: pytest.TempPathFactory) -> Harvest:
    """Replay every recorded repository, in CI a share of them, to `harvester run --all`, and return what came of it."""
    if not DATA.exists():
        pytest.skip("because ../shared is missing")
    with served(drawn(repositories(), ONE_IN)) as replay:
        sources = {
            name: (replay.url(name), tuple(repository.lists)) for name, repository in replay.repositories.items()
        }
        folder = live.instance(tmp_path_factory.mktemp("wild") / "instance", sources)
        with ThreadPoolExecutor() as pool:
            outputs = pool.map(partial(_run, folder), ([*sources][::2], [*sources][1::2]))
            assert [output for output in outputs if "Traceback" in output] == []
    files = {page.body: page.file for exchanges in replay.served.values() for _, page in exchanges}
    with closing(open_store(folder)) as store, closing(open_inbox(folder)) as inbox:
        runs = {run.source: run for run in inbox.runs(None, 10_000)}
        # A record that is listed as living and as deleted is asked for; nobody recorded the answer.
        arrived = [(inbox.page(item.page).page.body, item) for item in store.quarantined()]
        quarantine = [(files[body], item) for body, item in arrived if body in files]
    expected = {name: _expected(replay.served.get(name, [])) for name in sources}
    return Harvest(folder, expected, runs, quarantine)


def _run(folder: Path, names: list[str]) -> str:
    """Harvest some sources; return what was said."""
    options = {"is_measured": False, "publish_processes": 0, "fetch_backoff_seconds": 0.01}
    return live.called("harvester", folder, "run", *names, **options).stderr  # type: ignore[arg-type]


def _expected(sent: list[tuple[str, Answer]]) -> Expected:
    expected = Expected()
    lists: dict[str, list[Answer]] = {}
    at = ""
    for prefix, page in sent:
        at = prefix or at  # a refused token says nothing of its list, which is the one being walked
        lists.setdefault(at, []).append(page)
        before = lists[at][-2:-1]
        expected.is_asked_again = expected.is_asked_again or page in lists[at][:-1]
        records = counted(page.body)
        if before and records and _names(records) == _names(counted(before[0].body)):
            expected.is_whole = False  # a page that repeats the one before ends a list, and is not taken
            continue
        for record in records:
            _take(expected, at, page, record)
    expected.is_whole = expected.is_whole and all(map(_is_whole, lists.values()))
    return expected


def _names(records: list[Counted]) -> list[str]:
    return [record.identifier for record in records]


def _take(expected: Expected, prefix: str, page: Answer, record: Counted) -> None:
    expected.received += 1
    if record.identifier:
        expected.last[prefix, record.identifier] = page, record
        expected.identifiers.add(record.identifier)
        if not record.is_deleted:
            expected.ever_alive.add(record.identifier)


def _is_whole(pages: list[Answer]) -> bool:
    """Tell whether a list was sent to its end, and as long as it was announced.

    A number that is that of the first page, which has a token, is no announcement.
    """
    sent = list(takewhile(lambda page: b"<error" not in page.body, pages))
    if not sent:
        return b"noRecordsMatch" in pages[0].body
    announced = re.findall(rb"completeListSize=.([0-9]+)", sent[-1].body)
    received = sum(len(counted(page.body)) for page in sent)
    if announced and not (len(sent) == 1 and sent[0].token):
        return received == int(announced[0])
    return sent[-1].token == "" and len(sent) == len(pages)
