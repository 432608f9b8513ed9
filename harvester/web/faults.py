"""What libraries raise when a request fails, put into our words: what is wrong, where, and what can be done.

A library's exception carries whole addresses in its text, and with them the keys of sources; so only its innermost
cause, which knows of no address, is attached to ours.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator

import requests
import urllib3

from gateway.errors import AnswerTooSlow, ConnectionFailed, FetchError, NameUnknown, TlsFailed

# Everything that requests and urllib3 and what lies below them may raise while a request runs.
LIBRARY_ERRORS = (OSError, ValueError, urllib3.exceptions.HTTPError, http.client.HTTPException)
# What says that no connection was made at all.
_UNREACHED = (
    requests.exceptions.ConnectTimeout,
    urllib3.exceptions.ConnectTimeoutError,
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.NameResolutionError,
    urllib3.exceptions.ProxyError,
)


class Fault(Exception):
    """A request failed with `error`. Passing faults are worth another try.

    `is_stale`: a connection kept alive was closed by the other side meanwhile. `was_compressed`: the compressed form
    was damaged. `is_unreached`: no connection was made. `is_unheard`: it is unreached, and has not answered before;
    the fetcher alone knows that. `is_name_late`: the name server does not answer now.
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
        """Take our error, the innermost cause, and what is known of it."""
        super().__init__(str(error))
        self.error = error
        self.cause = cause
        self.is_passing = is_passing
        self.is_stale = is_stale
        self.was_compressed = was_compressed
        self.is_unreached = is_unreached
        self.is_name_late = is_name_late
        self.is_unheard = False


def fault_from(error: Exception, where: str, *, is_reused: bool) -> Fault:
    """Return the fault that a library's exception means; `is_reused`: no new connection was made for the request."""
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
    is_unreached = any(isinstance(each, _UNREACHED) for each in _causes(error))
    is_name_late = isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_AGAIN
    return Fault(
        kind(f"{where}: {_words(cause)}."),
        cause,
        is_stale=is_reused,
        was_compressed=any(isinstance(each, urllib3.exceptions.DecodeError) for each in _causes(error)),
        is_unreached=is_unreached,
        is_name_late=is_name_late,
    )


def innermost(error: BaseException) -> BaseException:
    """Return the first cause of an exception, following what libraries wrap it in."""
    *_, first = _causes(error)
    return first


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Return an exception, what caused it, what caused that, and so on."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None:
        yield following
        seen.add(id(following))
        inner = getattr(following, "reason", None)
        candidates = (following.__cause__, following.__context__, inner, *reversed(following.args))
        following = next(
            (each for each in candidates if isinstance(each, BaseException) and id(each) not in seen), None
        )


def _words(cause: BaseException) -> str:
    """Return what an innermost cause says, in a few words."""
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    if isinstance(cause, http.client.IncompleteRead | urllib3.exceptions.IncompleteRead):
        return "the connection broke before the answer was whole"
    return str(cause).rstrip(".")[:200] or type(cause).__name__
