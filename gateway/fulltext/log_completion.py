"""Completes the log before it is read: adds the lines about decisions and takedowns that it does not have.

Those are in files of their own. Of decisions, a command writes no line, and neither does a process that is killed.
"""

import getpass
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

from gateway.core.errors import StoreError
from gateway.core.instance_folder import DISCOVERY
from gateway.core.model import Decision, DecisionFilter, Deed, LogLine, name_key
from gateway.core.settings import Settings
from gateway.core.takedown_file import TakedownFile
from gateway.core.xmltext import parse_utc_datetime
from gateway.fulltext.decisions import RULE
from gateway.store.base import Databases, Discovery, Users


def line_of(decision: Decision, network: str = "") -> LogLine:
    """Return the line of a decision."""
    about = f"{decision.verdict} {decision.identifier} {decision.url}"
    return LogLine(decision.at, decision.decided_by, Deed.DECIDED, about, network)


def write_lines(users: Users, lines: Sequence[LogLine]) -> None:
    """Write lines into the log; if that fails, log a warning: what they are about is done, and stays so."""
    try:
        users.write_missing(lines)
    except StoreError as error:
        log.warning("Lines are not in the log of users yet; `gateway user log` adds them: %s", error)


_BATCH: Final = 1_000
_BEGIN: Final = (1 << 53, 0)

log = logging.getLogger("gateway")


def complete(settings: Settings, users: Users) -> None:
    """Add the missing lines: of decisions of people, and of takedowns, since there was a first user.

    The network of such a line is unknown. Raise StoreError.
    """
    begins = users.log_begins()
    if begins is not None:
        users.write_missing(sorted((*_of_decisions(settings, begins), *_of_takedowns(settings, begins))))


def note_takedowns(settings: Settings) -> None:
    """Add the missing lines about takedowns at once; if that fails, log a warning.

    If a removed entry is added again, the list does not say any more that it was removed.
    """
    try:
        with closing(Databases(settings).users()) as users:
            begins = users.log_begins()
            if begins is not None:
                users.write_missing(sorted(_of_takedowns(settings, begins)))
    except StoreError as error:
        log.warning("Lines are not in the log of users yet; `gateway user log` adds them: %s", error)


def _of_decisions(settings: Settings, since: int) -> Iterator[LogLine]:
    if not Databases(settings).has(DISCOVERY):
        return
    with closing(Databases(settings).discovery(only_reads=True)) as discovery:
        for name in discovery.deciders():
            if name != RULE:
                yield from map(line_of, _decisions_of(discovery, DecisionFilter(name, since=since)))


def _decisions_of(discovery: Discovery, wanted: DecisionFilter) -> Iterator[Decision]:
    before = _BEGIN
    while batch := discovery.latest_decisions(wanted, before, _BATCH):
        yield from (decision for decision, _ in batch)
        before = (batch[-1][0].at, batch[-1][0].number)


def _of_takedowns(settings: Settings, since: int) -> Iterator[LogLine]:
    for entry in TakedownFile(settings.instance).read().listed:
        deeds = ((Deed.TAKEN_DOWN, entry.at, entry.by), (Deed.RESTORED, entry.removed_at, entry.removed_by))
        for deed, moment, by in deeds:
            at = parse_utc_datetime(moment)[0] if moment else 0
            if at >= since:
                yield LogLine(at, by, deed, entry.key)


# --- The name of the person who calls a command, for decisions, takedowns and the log --------------------------------


def whoever_calls() -> str:
    """Return the name of the calling user, or the number of a user without a name that can be stored.

    `rule` is no name: what rules decide is under it.
    """
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # as Python 3.13 has it
        name = ""
    return name if name.isprintable() and name_key(name) not in ("", RULE) else f"user {os.getuid()}"
