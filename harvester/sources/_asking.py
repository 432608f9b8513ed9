"""One question to a source, and the answer that can be read: repeated while it cannot, kept as it came."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Protocol, TypeVar

from gateway.errors import (
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
from gateway.model import Cursor, RawPage
from harvester.sources import Options
from harvester.wire.http import Fetch, Fetched, Request, Sink

Answer = TypeVar("Answer")

_MARK = b"<OAI-PMH"  # an answer that holds it is one, whatever its HTTP status
PATIENCE = 1  # repetitions of what is asked below the first rung: there, a fault is rather this record's than passing

# What may be wrong with one request while the source as such is well.
PASSING = (AnswerError, AnswerTooLarge, AnswerTooSlow, ConnectionFailed)

_REPETITIONS = 3  # of a request whose answer breaks off, is HTML, or is empty where more was announced
_NOT_KEPT = frozenset(("set-cookie", "set-cookie2"))  # headers that are somebody's secret
# Statuses that have no body, so that repeating brings none; 304 although nothing was asked for conditionally.
_BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.NOT_MODIFIED)
_FINAL = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class Mended(Protocol):
    """An answer that may have been mended to be read; `repaired` is empty when it was read as it came."""

    @property
    def repaired(self) -> bytes:
        """The text that was read."""
        ...

    @property
    def repairs(self) -> tuple[str, ...]:
        """What was repaired, in words."""
        ...


def asked(
    options: Options,
    fetch: Fetch,
    url: str,
    parse: Callable[[bytes, str], Answer],
    is_doubtful: Callable[[Answer], bool] = lambda _: False,
    patience: int | None = None,
    sink: Sink | None = None,
    deadline_seconds: float | None = None,
) -> tuple[Fetched, Answer]:
    """Return an answer and what it says, asking again while it cannot be read or is doubtful.

    `patience` is how often that is at most; `sink` takes the body, where it may be too long to be held. An answer that
    takes longer than `deadline_seconds` is not asked for again, nor is one that is to be waited for so long.
    Raise RemoteRefuses, AnswerTooLarge or ConnectionFailed for an error of
    HTTP, RemoteError for one of the protocol, and the other kinds of AnswerError when it can never be read.
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
    """Read an answer; an exception that nobody expected becomes an AnswerError: the list goes on around the answer."""
    try:
        return parse(fetched.body, fetched.header("Content-Type"))
    except GatewayError:
        raise
    except Exception as error:
        raise NotXml(f"The answer cannot be read. {unforeseen(error)}") from error


def _refuse_status(fetched: Fetched, *, is_continued: bool) -> None:
    """Raise what an HTTP status means that came without an answer of the protocol.

    A token that is no longer good is told by some with a status alone; then the list is still there.
    """
    if fetched.status < HTTPStatus.MULTIPLE_CHOICES and fetched.status not in _BODILESS:
        return
    words = next((f" ({each.phrase})" for each in HTTPStatus if each == fetched.status), "")
    sentence = f"{fetched.url} answers with HTTP status {fetched.status}{words}"
    if fetched.status in _BODILESS:
        raise NoContent(f"{sentence}, which has no body, where an answer of the protocol is due.")
    if fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ConnectionFailed(f"{sentence}; the server is ill.")
    if fetched.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        raise AnswerTooLarge(f"{sentence}; it is asked for too much at once.")
    if fetched.status in _FINAL:
        raise RemoteRefuses(f"{sentence}; ask its administrator for access, or correct the credentials of the source.")
    if is_continued:
        raise NotOaiPmh(f"{sentence}; it does not take its own token.")
    raise RemoteRefuses(f"{sentence}; correct the url of the source.")


def raw(options: Options, cursor: Cursor, verb: str, fetched: Fetched, answer: Mended | None = None) -> RawPage:
    """Return an answer as the page to keep."""
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
