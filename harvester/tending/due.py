"""When something is due: how often a source is to be harvested, spread over time, and how failures put it off. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

from gateway.model import Run, RunOutcome

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION = re.compile(r"([0-9]{1,6})([smhdw])")

NEVER = "never"  # an `every` that says so; an entry without one may have been forgotten

# What was begun together drifts apart; a source is never asked more often than was said.
SPREAD = 0.1
# A first failure may have passed by then; each further one doubles the wait, up to the longer of a day and `every`.
FIRST_WAIT_SECONDS = 900
LONGEST_WAIT_SECONDS = 86_400
# However much a source tells of, its harvests begin no faster one after the other.
BREATH_SECONDS = 60

_GOOD = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)


def is_duration(text: str) -> bool:
    """Tell whether a text is a duration: a whole number, not 0, and one of s, m, h, d, w."""
    found = _DURATION.fullmatch(text)
    return found is not None and int(found[1]) > 0


def is_schedule(text: str) -> bool:
    """Tell whether a text says how often: a duration, or `never`."""
    return text == NEVER or is_duration(text)


def seconds_of(duration: str) -> int:
    """Return the seconds of a duration such as `6h`."""
    return int(duration[:-1]) * _UNITS[duration[-1]]


def due_at(source: str, every: str, runs: Sequence[Run]) -> float | None:
    """Return the second from which on a source is due again; None: never. `runs` are its last ones, newest first."""
    if not every or every == NEVER:
        return None
    if not runs:
        return 0.0
    last = runs[0]
    if last.outcome in _GOOD:
        return last.started_at + seconds_of(every) * (1 + SPREAD * _share(source))
    return (last.ended_at or last.started_at) + wait_after(failures(runs), seconds_of(every))


def due_when_told(told_at: int, runs: Sequence[Run]) -> float | None:
    """Return the second from which on a source is due that told of something new; None: it was harvested since then."""
    if not told_at:
        return None
    last = runs[0] if runs else None
    if last is None:
        return told_at
    if last.started_at <= told_at:
        return max(told_at, last.started_at + BREATH_SECONDS)
    if last.outcome in _GOOD:
        return None
    return (last.ended_at or last.started_at) + wait_after(failures(runs), 0.0)


def failures(runs: Sequence[Run]) -> int:
    """Return how many of the last runs failed one after the other. One that was stopped did not."""
    found = 0
    for run in runs:
        if run.outcome in _GOOD:
            break
        found += run.outcome is not RunOutcome.STOPPED
    return found


def wait_after(failed: int, every: float) -> float:
    """Return how long to wait after so many failures in a row."""
    return min(FIRST_WAIT_SECONDS * 2.0 ** min(max(failed - 1, 0), 16), max(every, LONGEST_WAIT_SECONDS))


def _share(source: str) -> float:
    """Return a number below 1 that is always the same for one name."""
    return int.from_bytes(blake2b(source.encode(), digest_size=6).digest()) / 2**48
