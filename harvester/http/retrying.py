"""Pauses between requests, failed requests, and when they are repeated: errors of libraries as ours.

This module decides all repetition of the room. The server states the wait (Retry-After, RFC 9110 §10.2.3), or it
doubles from a setting. It has a random part, so that many harvesters do not return at the same moment. A setting limits
the total wait of one request.

The text of a library's exception contains whole addresses, and so the keys of sources. Only its innermost cause, which
contains no address, is attached to our error.
"""

import http.client
import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import inf, isfinite
from threading import Lock

import requests
import urllib3

from gateway.core import errors
from gateway.core.settings import Settings
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import LATEST, http_second
from harvester.http.messages import Fetched, Request
from harvester.http.urls import shown

_GRACE_SECONDS = 10.0  # at the start of a body, without a least rate
_RECENT_SECONDS = 3600.0


class Pace:
    """The next turn of each host, and the last answer of each server. Share one in a process; safe for threads."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}
        self._answered: dict[str, float] = {}
        self._lock = Lock()

    def turn(self, host: str, delay: float, now: float) -> float:
        """Take the next turn at a host, `delay` seconds after the one before; return the seconds to wait for it."""
        with self._lock:
            start = max(now, self._next.get(host, now))
            self._next[host] = start + delay
        return start - now

    def wait(self, host: str, now: float) -> float:
        """Return the seconds until the next turn at a host, without taking it."""
        with self._lock:
            return max(self._next.get(host, now) - now, 0.0)

    def note_answer(self, server: str, now: float) -> None:
        """Note that a server (`host:port`) has answered at `now` (monotonic seconds)."""
        with self._lock:
            self._answered[server] = now

    def note_gone(self, server: str) -> None:
        """Note that a server cannot be reached any more."""
        with self._lock:
            self._answered.pop(server, None)

    def has_answered(self, server: str, now: float) -> bool:
        """Return whether a server has answered within the last hour."""
        with self._lock:
            return now - self._answered.get(server, float("-inf")) < _RECENT_SECONDS


class Rate:
    """The least rate of the body of one answer: `least` bytes per second after ten seconds; 0: none."""

    def __init__(self, url: str, least: int, monotonic: Callable[[], float]) -> None:
        self.least, self._url, self._monotonic = least, url, monotonic
        self._began = monotonic() if least else 0.0

    def check(self, size: int) -> None:
        """Raise AnswerTooSlow when `size` bytes so far are too few."""
        took = self._monotonic() - self._began if self.least else 0.0
        if took > _GRACE_SECONDS and size < self.least * took:
            raise errors.AnswerTooSlow(f"{shown(self._url)} sends less than {self.least} bytes per second.")


# --- Failed requests --------------------------------------------------------------------------------------------------

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
# Statuses that may pass. Cloudflare answers 52x when the server behind it is failing.
_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524))

# Statuses of a busy server. Without Retry-After the guidelines for harvesters (§5) ask for minutes, not seconds.
_BUSY = frozenset((429, 503))
_BUSY_FACTOR = 30  # with the default setting: one minute, then two, then four

_LEAST_SECONDS = 1.0  # even for `Retry-After: 0`
_JITTER = 0.25
_LOGGED_WAIT_SECONDS = 5.0  # a longer wait is logged
# Repetitions where no connection can be made. A host that has not answered before is down, or its address is wrong. A
# host that has may be restarting: it gets six seconds. After a longer outage the next run continues.
_TRIES_OF_UNKNOWN_SERVER, _TRIES_OF_KNOWN_SERVER = 0, 2
_TRIES_OF_DAMAGED_FORM = 2  # compressed forms: the first repetition asks for none, but a server may ignore that
_TRIES_OF_LATE_NAME = 1  # the name server did not answer; the host may be available

log = logging.getLogger("harvester")


@dataclass(eq=False)
class Fault(Exception):
    """A request failed with `error`. After a passing fault it may be repeated.

    `is_stale`: the server closed an idle connection. `was_compressed`: the compressed form was damaged.
    `is_unreached`: no connection was made. `never_answered`: unreached, and the server has not answered before; the
    fetcher sets it. `is_name_late`: the name server does not answer now.
    """

    error: errors.FetchError
    cause: BaseException | None = None
    is_passing: bool = True
    is_stale: bool = False
    was_compressed: bool = False
    is_unreached: bool = False
    is_name_late: bool = False
    never_answered: bool = False


def fault_from(error: Exception, where: str, *, is_reused: bool) -> Fault:
    """Return the fault for a library's exception. `where` begins its sentence; `is_reused`: on an old connection."""
    cause = innermost(error)
    if isinstance(error, requests.exceptions.SSLError | urllib3.exceptions.SSLError) or isinstance(cause, ssl.SSLError):
        sentence = (
            f"{where}: TLS failed: {_words(cause)}. Correct the address or the certificate. For a private "
            "authority, set ca_bundle. To trust this server anyway, set verify = false for this source alone."
        )
        return Fault(errors.TlsFailed(sentence), cause, is_passing=False)
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return Fault(
            errors.ConnectionFailed(f"{where}: no connection in time. The server may be down or behind a firewall."),
            cause,
            is_unreached=True,
        )
    if isinstance(error, requests.exceptions.ReadTimeout | urllib3.exceptions.ReadTimeoutError):
        return Fault(errors.AnswerTooSlow(f"{where}: the server was silent for too long."), cause)
    if (
        isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidHeader)
        or type(error) is ValueError
    ):
        return Fault(
            errors.ConnectionFailed(f"{where}: the request cannot be sent: {_words(cause)}."), cause, is_passing=False
        )
    kind = errors.NameUnknown if isinstance(cause, socket.gaierror) else errors.ConnectionFailed
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


def retry_after(fetched: Fetched, now: float) -> float | None:
    """Return the seconds in Retry-After (RFC 9110 §10.2.3), a number or a date; None without a valid one."""
    text = fetched.header("Retry-After").strip()
    with suppress(ValueError):
        seconds = float(text)
        return max(0.0, seconds) if isfinite(seconds) else None
    until = http_second(text)
    if until is None:
        return None
    server_now = http_second(fetched.header("Date"))  # its clock made the date of Retry-After
    return max(0.0, until - (now if server_now is None else server_now))


def is_passing(fetched: Fetched, mark: bytes) -> bool:
    """Return whether the request should be repeated. A body that contains `mark` is an answer, whatever its status.

    Some repositories send 422 with Retry-After instead of 503.
    """
    if mark and mark in fetched.body:
        return False
    return fetched.status in _PASSING or (fetched.status == 422 and bool(fetched.header("Retry-After")))  # noqa: PLR2004


def asks_to_wait(fetched: Fetched) -> bool:
    """Return whether the server said that it is overloaded: 429, 503, or any status with Retry-After."""
    return fetched.status in _BUSY or bool(fetched.header("Retry-After"))


class Waiting:
    """The tries of one request, and the pauses between them. `chance` returns a random number below 1."""

    def __init__(
        self,
        request: Request,
        settings: Settings,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        chance: Callable[[], float],
    ) -> None:
        self.request, self.settings, self.url = request, settings, shown(request.url)
        self.sleep, self.clock, self.chance = sleep, clock, chance
        self.tries = 0
        self.waited = 0.0

    def has_tries(self, *, is_busy: bool = False) -> bool:
        """Return whether the request may be repeated once more. `is_busy`: the server asked to wait."""
        most, patience = self.settings.number("fetch_retries"), self.request.patience
        return self.tries < (most if is_busy or patience is None else min(most, patience))

    def may_mend(self, fault: Fault) -> bool:
        """Return whether the request may be repeated after this fault."""
        if not fault.is_passing or not self.has_tries():
            return False
        if fault.was_compressed:
            return self.tries < _TRIES_OF_DAMAGED_FORM
        if not fault.is_unreached:
            return True
        if fault.is_name_late:
            return self.tries < _TRIES_OF_LATE_NAME
        return self.tries < (_TRIES_OF_UNKNOWN_SERVER if fault.never_answered else _TRIES_OF_KNOWN_SERVER)

    def before_repetition(self) -> None:
        """Pause before a request whose last answer the caller could not use."""
        if self.request.repetition:
            self.sleep(self._doubled(self.request.repetition - 1))

    def after_fault(self, *, at_once: bool = False) -> None:
        """Pause before the next try. `at_once`: the first repetition needs no pause.

        Raise TryLater when the pauses together would be longer than the settings allow.
        """
        seconds = 0.0 if at_once and not self.tries else self._doubled(self.tries)
        self._pause(seconds, "it cannot be reached")

    def after_answer(self, fetched: Fetched) -> None:
        """Pause as long as the answer asks for. Raise TryLater when that is longer than the settings allow."""
        asked = retry_after(fetched, self.clock())
        if asked is None:
            seconds = self._doubled(self.tries) * (_BUSY_FACTOR if fetched.status in _BUSY else 1)
            most = self.settings.seconds("fallback_most_seconds")  # no server asked for it
        else:
            seconds, most = max(asked, _LEAST_SECONDS), inf
        self._pause(seconds, f"the server answers {fetched.status}", most)

    def _pause(self, seconds: float, reason: str, most: float = inf) -> None:
        most = min(most, self.settings.seconds("fetch_max_wait_seconds"))
        asked = self.request.waits_seconds
        most = most if asked is None else min(most, asked)
        if self.waited + seconds > most:
            again = utc_datetime(int(min(self.clock() + seconds, LATEST)))
            raise errors.TryLater(
                f"{reason[0].upper()}{reason[1:]}. The next try would be in {seconds:.0f} seconds, "
                f"beyond the limit of {most:.0f} seconds in all. Try again after {again}."
            )
        self.tries += 1
        self.waited += seconds
        if seconds >= _LOGGED_WAIT_SECONDS:
            log.warning("%s: %s. The next try is in %.0f seconds.", self.url, reason, seconds)
        if seconds:
            try:
                self.sleep(seconds)
            except errors.GatewayError as error:  # stopped: the reason why it waited is part of how it ended
                raise type(error)(f"{self.url}: {reason}. {error}") from error

    def _doubled(self, exponent: int) -> float:
        seconds = self.settings.seconds("fetch_backoff_seconds") * 2.0 ** min(exponent, 16)
        return seconds * (1 + _JITTER * self.chance())
