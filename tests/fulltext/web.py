"""A web to search in: the recorded answers, pages and files, and whatever a test adds; it counts what was asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gateway.core.errors import GatewayError
from gateway.core.model import Statement, Work
from harvester.http.messages import Fetched, Request
from tests.fulltext.recorded import DATA, all_exchanges, plain
from tests.sample.web import a_pdf

__all__ = ["SETTINGS", "RecordedWeb", "a_pdf", "answer", "recorded", "to", "work"]

Answer = Fetched | GatewayError
_KEYS = ("base_key", "core_key", "openalex_key", "policy_key", "semantic_scholar_key")
SETTINGS = {"email": "librarian@library.test", **dict.fromkeys(_KEYS, "k")}


def answer(body: bytes | str = b"", status: int = 200, **headers: str) -> Fetched:
    """Return an answer; its address is filled in when it is asked for."""
    sent = body if isinstance(body, bytes) else body.encode()
    return Fetched(
        "", status, tuple((name.replace("_", "-"), value) for name, value in headers.items()), sent, 1_700_000_000
    )


def to(url: str, status: int = 302) -> Fetched:
    """Return a redirect."""
    return answer(status=status, Location=url)


def recorded(name: str) -> Fetched:
    """Return a recorded file or page as an answer."""
    return answer((DATA / name).read_bytes())


@dataclass
class RecordedWeb:
    """What a `fetch` answers: the test's own first, then what was recorded, else 404."""

    own: Mapping[str, Answer] = field(default_factory=dict)
    has_recordings: bool = True
    asked: list[str] = field(default_factory=list)
    before: Callable[[Request], None] = lambda _request: None

    def __call__(self, request: Request) -> Fetched:
        """Answer a request."""
        self.before(request)
        self.asked.append(request.url)
        own = {plain(url): response for url, response in self.own.items()}
        own_answer = own.get(plain(request.url)) or (all_exchanges() if self.has_recordings else {}).get(
            plain(request.url)
        )
        if isinstance(own_answer, GatewayError):
            raise own_answer
        return replace(own_answer or answer(b"Resource not found.", 404), url=request.url)


def work(title: str = "", *, doi: str = "", page: str = "", **more: str) -> Work:
    """Return a work as a record tells of it."""
    statements = [Statement("title", title)] if title else []
    statements += [Statement(name, text) for name, text in more.items()]
    return Work(
        tuple(statements), (f"https://doi.org/{doi}",) if doi else (), page, upstream="oai:source.example.org:1"
    )
