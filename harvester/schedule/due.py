"""Due times of a source: its period, spread over time, and the wait after failures. Pure."""

from collections.abc import Sequence
from hashlib import blake2b

from gateway.core.model import Run, RunOutcome
from harvester.runtime.durations import NEVER, seconds_of

# Sources that began together drift apart. The period only gets longer, never shorter.
SPREAD = 0.1
# The wait after the first failure. Each further failure doubles it, up to the longer of a day and `every`.
FIRST_WAIT_SECONDS = 900
LONGEST_WAIT_SECONDS = 86_400
# The shortest time between two harvests, however many changes a source announces.
BREATH_SECONDS = 60
# How long a published file may wait for others that are due soon.
GATHERED_SECONDS = 3600

_GOOD = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)


def due_at(source: str, every: str, runs: Sequence[Run]) -> float | None:
    """Return the second since 1970 at which a source is due again; None: never.

    `every` is a duration such as `6h`, or `never`; `runs` are the last runs, newest first.
    """
    if not every or every == NEVER:
        return None
    if not runs:
        return 0.0
    last = runs[0]
    if last.outcome in _GOOD:
        share = int.from_bytes(blake2b(source.encode(), digest_size=6).digest()) / 2**48  # from 0 to 1, by the name
        return last.started_at + seconds_of(every) * (1 + SPREAD * share)
    return (last.ended_at or last.started_at) + wait_after(failures(runs), seconds_of(every))


def recheck_due_at(every: int, next_at: int | None, listed_at: int | None) -> float:
    """Return the second at which published files are looked at again, with a period of `every` seconds.

    `next_at` is when the next file is due; None: no file is known. Files that are due soon after it are gathered. New
    files are listed once in a period, and at least once a day; `listed_at` is when they were listed, if ever.
    """
    if listed_at is None:
        return 0.0
    listed_again = float(listed_at + min(every, LONGEST_WAIT_SECONDS))
    if next_at is None:
        return listed_again
    return min(listed_again, float(next_at + min(GATHERED_SECONDS, every // 100) if next_at else 0))


def due_after_announcement(announced_at: int, runs: Sequence[Run]) -> float | None:
    """Return the second at which a source is due that announced changes; None: it was harvested since then."""
    if not announced_at:
        return None
    last = runs[0] if runs else None
    if last is None:
        return announced_at
    if last.started_at <= announced_at:
        return max(announced_at, last.started_at + BREATH_SECONDS)
    if last.outcome in _GOOD:
        return None
    return (last.ended_at or last.started_at) + wait_after(failures(runs), 0.0)


def failures(runs: Sequence[Run]) -> int:
    """Return the number of the last runs that failed in a row. A stopped run is no failure."""
    count = 0
    for run in runs:
        if run.outcome in _GOOD:
            break
        count += run.outcome is not RunOutcome.STOPPED
    return count


def wait_after(failed: int, every: float) -> float:
    """Return the seconds to wait after `failed` failures in a row; `every` is the period in seconds."""
    return min(FIRST_WAIT_SECONDS * 2.0 ** min(max(failed - 1, 0), 16), max(every, LONGEST_WAIT_SECONDS))
