"""Errors of libraries as errors of ours: what is wrong, where, and what to do.

The text of a library's exception contains whole addresses, and so the keys of sources. Only its innermost cause, which
contains no address, is attached to our error.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator

import requests
import urllib3

from gateway.core.errors import AnswerTooSlow, ConnectionFailed, FetchError, NameUnknown, TlsFailed

# Everything that requests and urllib3 and what lies below them may raise while a request runs.
LIBRARY_ERRORS = (OSError, ValueError, urllib3.exceptions.HTTPError, http.client.HTTPException)
# Raised when no connection was made.
_UNREACHED = (
    requests.exceptions.ConnectTimeout,
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.NameResolutionError,
    urllib3.exceptions.ProxyError,
)


class Fault(Exception):
    """A request failed with `error`. After a passing fault it may be repeated.

    `is_stale`: the server closed an idle connection. `was_compressed`: the compressed form was damaged.
    `is_unreached`: no connection was made. `never_answered`: unreached, and the server has not answered before; the
    fetcher sets it. `is_name_late`: the name server does not answer now.
    """

    def __init__(
        self,
        error: FetchError,
        cause: BaseException | None = None,
        *,
        is_passing: bool = True,
        is_stale: bool = False,
        was_compressed: bool = False,
        is_unreached: bool = False,
        is_name_late: bool = False,
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.cause = cause
        self.is_passing = is_passing
        self.is_stale = is_stale
        self.was_compressed = was_compressed
        self.is_unreached = is_unreached
        self.is_name_late = is_name_late
        self.never_answered = False


def fault_from(error: Exception, where: str, *, is_reused: bool) -> Fault:
    """Return the fault for a library's exception. `where` begins its sentence; `is_reused`: on an old connection."""
    cause = innermost(error)
    if isinstance(error, requests.exceptions.SSLError | urllib3.exceptions.SSLError) or isinstance(cause, ssl.SSLError):
        sentence = (
            f"{where}: TLS failed: {_words(cause)}. Correct the address or the certificate. For a private "
            "authority, set ca_bundle. To trust this server anyway, set verify = false for this source alone."
        )
        return Fault(TlsFailed(sentence), cause, is_passing=False)
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return Fault(
            ConnectionFailed(f"{where}: no connection in time. The server may be down or behind a firewall."),
            cause,
            is_unreached=True,
        )
    if isinstance(error, requests.exceptions.ReadTimeout | urllib3.exceptions.ReadTimeoutError):
        return Fault(AnswerTooSlow(f"{where}: the server was silent for too long."), cause)
    if (
        isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidHeader)
        or type(error) is ValueError
    ):
        return Fault(
            ConnectionFailed(f"{where}: the request cannot be sent: {_words(cause)}."), cause, is_passing=False
        )
    kind = NameUnknown if isinstance(cause, socket.gaierror) else ConnectionFailed
    is_unreached = any(isinstance(cause, _UNREACHED) for cause in _causes(error))
    is_name_late = isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_AGAIN
    return Fault(
        kind(f"{where}: {_words(cause)}."),
        cause,
        is_stale=is_reused,
        was_compressed=any(isinstance(cause, urllib3.exceptions.DecodeError) for cause in _causes(error)),
        is_unreached=is_unreached,
        is_name_late=is_name_late,
    )


def innermost(error: BaseException) -> BaseException:
    """Return the first cause of an exception, inside all exceptions that wrap it."""
    *_, first = _causes(error)
    return first


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Return an exception, its cause, the cause of that, and so on."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None:
        yield following
        seen.add(id(following))
        inner = getattr(following, "reason", None)
        candidates = (following.__cause__, following.__context__, inner, *reversed(following.args))
        following = next(
            (
                candidate
                for candidate in candidates
                if isinstance(candidate, BaseException) and id(candidate) not in seen
            ),
            None,
        )


def _words(cause: BaseException) -> str:
    """Return the text of an innermost cause, shortened."""
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    if isinstance(cause, http.client.IncompleteRead | urllib3.exceptions.IncompleteRead):
        return "the connection broke before the answer was whole"
    return str(cause).rstrip(".")[:200] or type(cause).__name__
