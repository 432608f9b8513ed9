"""Serves the recorded repositories again, over HTTP on loopback, each under a base URL of its own.

What was recorded is answered exactly as it was; what was not (mostly Identify and ListMetadataFormats) is answered by
the least that the protocol asks for. A token whose next page was never recorded is a token that has expired.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from tests.wild.recordings import ENVELOPE, Answer, Repository, payload_of

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
