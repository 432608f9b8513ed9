"""Lines of the log about what is stored elsewhere: decisions on files, and takedowns.

They and their lines are not written in one transaction. If a line cannot be written, or the process is killed before,
`log_completion.py` adds it when the log is read.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from gateway.errors import StoreError
from gateway.model import Decision, Deed, LogLine
from gateway.store.base import Users

log = logging.getLogger("gateway")


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
