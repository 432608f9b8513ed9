"""When a request is repeated, and how long the pause before it is. All waiting of `web` is decided here.

Waits come from the server (Retry-After, RFC 9110 §10.2.3) or double from a setting, with some chance in them, so that
many harvesters do not come back in step. What one request may wait in all is limited by a setting.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from math import inf, isfinite

from gateway.errors import TryLater
from gateway.settings import Settings
from harvester.web.faults import Fault
from harvester.wire.dates import http_second
from harvester.wire.http import Fetched

# Statuses that may pass. 52x are Cloudflare's words for a server behind it that is ill.
_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524))

# Statuses that ask for patience; without Retry-After the guidelines for harvesters (§5) want minutes, not seconds.
_BUSY = frozenset((429, 503))
_BUSY_FACTOR = 30  # with the default setting: one minute, then two, then four

_LEAST_SECONDS = 1.0  # `Retry-After: 0` is no invitation to hammer
_JITTER = 0.25
_TOLD_SECONDS = 5.0  # who waits so long wants to know for what
# Repetitions where no connection can be made. A host that has not answered before is down, or its address is wrong. One
# that has may be restarting: six seconds are waited for it, and a longer outage is for the next run, which goes on.
_OF_THE_UNHEARD, _OF_THE_HEARD = 0, 2
_OF_THE_DAMAGED = 2  # compressed forms: the first repetition asks for none, and a server may disregard that
_OF_A_LATE_NAME = 1  # the name server did not answer, which says nothing of the host

log = logging.getLogger("harvester")


def retry_after(fetched: Fetched, now: float) -> float | None:
    """Return the seconds a Retry-After asks to wait, written as a number or as a date; None without a legal one."""
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
    """Tell whether this answer is no answer yet. One that holds `mark` is an answer, whatever its status.

    A 422 with Retry-After is how some repositories say 503.
    """
    if mark and mark in fetched.body:
        return False
    return fetched.status in _PASSING or (fetched.status == 422 and bool(fetched.header("Retry-After")))  # noqa: PLR2004


def asks_to_wait(fetched: Fetched) -> bool:
    """Tell whether the server said that it is busy, rather than ill."""
    return fetched.status in _BUSY or bool(fetched.header("Retry-After"))


class Waiting:
    """Counts the tries of one request and pauses between them."""

    def __init__(
        self,
        settings: Settings,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        chance: Callable[[], float],
        patience: int | None = None,
        url: str = "",
        waits_seconds: float | None = None,
    ) -> None:
        """Take the settings, how to sleep, tell the time and draw a number below 1; the request's patience and URL.

        `waits_seconds` is how long this request may wait in all, None: as the settings say.
        """
        self.settings, self.url = settings, url
        self.sleep, self.clock, self.chance = sleep, clock, chance
        self.patience, self.waits_seconds = patience, waits_seconds
        self.tries = 0
        self.waited = 0.0

    def has_tries(self, *, is_busy: bool = False) -> bool:
        """Tell whether the request may be repeated once more. `is_busy`: the server asked to wait."""
        most = self.settings.number("fetch_retries")
        return self.tries < (most if is_busy or self.patience is None else min(most, self.patience))

    def may_mend(self, fault: Fault) -> bool:
        """Tell whether the request may be repeated after a fault that one more try may mend."""
        if not fault.is_passing or not self.has_tries():
            return False
        if fault.was_compressed:
            return self.tries < _OF_THE_DAMAGED
        if not fault.is_unreached:
            return True
        if fault.is_name_late:
            return self.tries < _OF_A_LATE_NAME
        return self.tries < (_OF_THE_UNHEARD if fault.is_unheard else _OF_THE_HEARD)

    def before_repetition(self, repetition: int) -> None:
        """Pause before a request whose last answer could not be used by whoever asked."""
        if repetition:
            self.sleep(self._doubled(repetition - 1))

    def after_fault(self, *, at_once: bool = False) -> None:
        """Pause before the next try. `at_once`: the first repetition needs no pause."""
        seconds = 0.0 if at_once and not self.tries else self._doubled(self.tries)
        self._pause(seconds, "it cannot be reached")

    def after_answer(self, fetched: Fetched) -> None:
        """Pause as the answer asks for. Raise TryLater when that is longer than we may wait."""
        asked = retry_after(fetched, self.clock())
        if asked is None:
            seconds = self._doubled(self.tries) * (_BUSY_FACTOR if fetched.status in _BUSY else 1)
            most = self.settings.seconds("fallback_most_seconds")  # what nobody asked for
        else:
            seconds, most = max(asked, _LEAST_SECONDS), inf
        self._pause(seconds, f"the server answers {fetched.status}", most)

    def _pause(self, seconds: float, reason: str, most: float = inf) -> None:
        most = min(most, self.settings.seconds("fetch_max_wait_seconds"))
        most = most if self.waits_seconds is None else min(most, self.waits_seconds)
        if self.waited + seconds > most:
            raise TryLater(
                f"{reason[0].upper()}{reason[1:]} and is to be asked again in {seconds:.0f} seconds; "
                f"a request waits {most:.0f} at most."
            )
        self.tries += 1
        self.waited += seconds
        if seconds >= _TOLD_SECONDS:
            log.warning("%s: %s; it is asked again in %.0f seconds.", self.url, reason, seconds)
        if seconds:
            self.sleep(seconds)

    def _doubled(self, exponent: int) -> float:
        seconds = self.settings.seconds("fetch_backoff_seconds") * 2.0 ** min(exponent, 16)
        return seconds * (1 + _JITTER * self.chance())
