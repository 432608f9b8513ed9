"""The clock of this machine compared with those of sources, and runs that a wrong clock has dated."""

from __future__ import annotations

from email.utils import mktime_tz, parsedate_tz
from time import time
from urllib.parse import urlsplit

from gateway.core.clock import THIS_HOST, HostClock
from gateway.core.errors import ClockAhead
from gateway.core.model import Run, SourceClock
from gateway.ops.clocks import Judgement, ahead_of, is_synchronized, judged
from harvester.harvest.instance import Instance
from harvester.harvest.sources_toml import SourceEntry
from harvester.sources import Description

# NTP keeps a clock closer than this; a run that is dated later was dated by a wrong clock.
FUTURE_SECONDS = 60.0
_SAME_SECONDS = 60.0  # responseDate and Date of one answer differ by less


def store_clock(instance: Instance, entry: SourceEntry, description: Description, host: HostClock = THIS_HOST) -> None:
    """Store the clock of a source.

    A source states a responseDate and an HTTP Date (RFC 9110 §6.6.1). The one nearer to the clock of this machine
    counts, because either may be that of a cache.
    """
    moment = host.moment()
    ahead = sorted(_differences(description), key=abs)
    if not ahead:
        return
    is_sure = len(ahead) > 1 and abs(ahead[0] - ahead[-1]) <= _SAME_SECONDS
    moment_facts = (moment.wall - ahead[0], is_sure, moment.monotonic, moment.boot, moment.suspended)
    instance.inbox.keep_source_clock(entry.name, SourceClock(urlsplit(entry.url).netloc, *moment_facts))


def _differences(description: Description) -> list[float]:
    """Return the seconds by which this machine is ahead of a source, for each time in its answer."""
    if not description.pages:
        return []
    page = description.pages[0]
    headers = {name.lower(): value for name, value in page.headers}
    parsed = parsedate_tz(headers.get("date", ""))
    age = headers.get("age", "")
    dated = [page.received_at - mktime_tz(parsed) - (int(age) if age.isdigit() else 0)] if parsed else []
    offset = [page.received_at - description.stated_at] if description.stated_at else []
    return [float(seconds) for seconds in (*dated, *offset)]


def judgement(instance: Instance, host: HostClock = THIS_HOST) -> Judgement:
    """Judge the clock of this machine by those of the sources."""
    tolerance = instance.settings.number("clock_tolerance_seconds")
    clocks = instance.inbox.source_clocks().values()
    return judged(clocks, host.moment(), tolerance, is_kept_by_ntp=is_synchronized())


def wrong_clock(instance: Instance, host: HostClock = THIS_HOST) -> str:
    """Return a sentence why the clock of this machine is wrong; else an empty string."""
    return instance.store.clock_problem() or judgement(instance, host).sentence


def seconds_ahead(clock: SourceClock | None, host: HostClock = THIS_HOST) -> int | None:
    """Return the seconds by which this machine is ahead of the clock of a source; None: unknown."""
    ahead = None if clock is None else ahead_of(clock, host.moment())
    return None if ahead is None else round(ahead)


def doubts_of_clock(instance: Instance, host: HostClock = THIS_HOST) -> tuple[str, ...]:
    """Return why the clock of this machine is in doubt. Raise ClockAhead when it is too far ahead to publish with."""
    verdict = judgement(instance, host)
    most = instance.settings.number("clock_max_jump_seconds")
    if most and verdict.is_wrong and verdict.ahead > most:
        raise ClockAhead(f"Nothing is harvested. {verdict.sentence}")
    return (verdict.sentence,) if verdict.is_wrong else ()


def is_past(run: Run, now: float | None = None) -> bool:
    """Return whether a run is not dated in the future (by a wrong clock)."""
    latest = (time() if now is None else now) + FUTURE_SECONDS
    return max(run.started_at, run.ended_at or 0) <= latest
