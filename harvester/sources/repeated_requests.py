"""One request to a source, repeated until the answer can be read. The answer is stored as received."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Protocol, TypeVar

from gateway.core.errors import (
    AnswerError,
    AnswerTooLarge,
    AnswerTooSlow,
    ConnectionFailed,
    GatewayError,
    NoContent,
    NotOaiPmh,
    NotXml,
    RemoteError,
    RemoteRefuses,
    unforeseen,
)
from gateway.core.model import Cursor, RawPage
from harvester.http.messages import Fetch, Fetched, Request, Sink
from harvester.sources import Options

Answer = TypeVar("Answer")

_MARK = b"<OAI-PMH"  # a body with these bytes is an answer, whatever its HTTP status
PATIENCE = 1  # repetitions in fallback steps: there a fault is more likely of one record than passing

# Errors of one request while the source as a whole is available.
PASSING = (AnswerError, AnswerTooLarge, AnswerTooSlow, ConnectionFailed)

_REPETITIONS = 3  # of a request whose answer is truncated, is HTML, or is empty although more was announced
_NOT_KEPT = frozenset(("set-cookie", "set-cookie2"))  # headers with secrets
# Statuses without a body, so that repetition is useless; 304 although the request had no condition.
_BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.NOT_MODIFIED)
_FINAL = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class RepairedAnswer(Protocol):
    """An answer that may have been repaired; `repaired` is empty when it was read unchanged."""

    @property
    def repaired(self) -> bytes:
        """The repaired bytes."""
        ...

    @property
    def repairs(self) -> tuple[str, ...]:
        """A sentence per repair."""
        ...


def fetch_answer(
    options: Options,
    fetch: Fetch,
    url: str,
    parse: Callable[[bytes, str], Answer],
    is_doubtful: Callable[[Answer], bool] = lambda _: False,
    patience: int | None = None,
    sink: Sink | None = None,
    deadline_seconds: float | None = None,
) -> tuple[Fetched, Answer]:
    """Return an answer and its content; repeat the request while it cannot be read or is doubtful.

    `patience` is the most repetitions. `sink` takes the body where it may be too long for memory. A request that takes
    longer than `deadline_seconds`, or has to wait that long, is not repeated. Raise RemoteRefuses, AnswerTooLarge or
    ConnectionFailed for an error of HTTP, RemoteError for one of the protocol. Raise another AnswerError when no answer
    can be read, and the errors of `fetch`.
    """
    most = _REPETITIONS if patience is None else patience
    repetition = 0
    while True:
        fetched = fetch(
            Request(
                url,
                options.source,
                repetition=repetition,
                mark=_MARK,
                patience=patience,
                sink=sink,
                deadline_seconds=deadline_seconds,
                waits_seconds=deadline_seconds,
            )
        )
        is_last = repetition == most
        try:
            answer = _parsed(parse, fetched)
        except RemoteError:
            raise
        except AnswerError as error:
            _refuse_status(fetched, is_continued="resumptionToken=" in url)
            if is_last:
                raise type(error)(f"{fetched.url} was asked {repetition + 1} times. {error}") from error
        else:
            if is_last or not is_doubtful(answer):
                return fetched, answer
        repetition += 1


def _parsed(parse: Callable[[bytes, str], Answer], fetched: Fetched) -> Answer:
    """Return the content of an answer. An unexpected exception becomes NotXml, so that the list continues around it."""
    try:
        return parse(fetched.body, fetched.header("Content-Type"))
    except GatewayError:
        raise
    except Exception as error:
        raise NotXml(f"The answer cannot be read. {unforeseen(error)}") from error


def _refuse_status(fetched: Fetched, *, is_continued: bool) -> None:
    """Raise the error for an HTTP status without an answer of the protocol.

    Some servers answer an expired token with a status alone; the list itself still exists then.
    """
    if fetched.status < HTTPStatus.MULTIPLE_CHOICES and fetched.status not in _BODILESS:
        return
    words = next((f" ({phrase.phrase})" for phrase in HTTPStatus if phrase == fetched.status), "")
    sentence = f"{fetched.url} answers with HTTP status {fetched.status}{words}"
    if fetched.status in _BODILESS:
        raise NoContent(f"{sentence}, which has no body. An answer of the protocol was expected.")
    if fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ConnectionFailed(f"{sentence}; the server is failing.")
    if fetched.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        raise AnswerTooLarge(f"{sentence}; the request asks for too much at once.")
    if fetched.status in _FINAL:
        raise RemoteRefuses(f"{sentence}. Ask its administrator for access, or correct the credentials of the source.")
    if is_continued:
        raise NotOaiPmh(f"{sentence}; it refuses its own resumptionToken.")
    raise RemoteRefuses(f"{sentence}. Correct the url of the source.")


def raw_page(
    options: Options, cursor: Cursor, verb: str, fetched: Fetched, answer: RepairedAnswer | None = None
) -> RawPage:
    """Return an answer as a page to store, without headers that contain secrets."""
    headers = tuple(pair for pair in fetched.headers if pair[0].lower() not in _NOT_KEPT)
    return RawPage(
        options.source,
        verb,
        fetched.url,
        fetched.received_at,
        fetched.status,
        headers,
        fetched.body,
        cursor.metadata_prefix,
        cursor.set_spec,
        answer.repaired if answer else b"",
        answer.repairs if answer else (),
    )
