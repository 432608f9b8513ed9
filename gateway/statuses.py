"""The exit statuses of `gateway` and `harvester`: one table for both programs, shown in both READMEs."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Status(IntEnum):
    """How a command ended: a closed list."""

    SUCCEEDED = 0
    FAILED = 1
    USAGE = 2
    WITH_ERRORS = 3
    REFUSED = 4
    TRY_LATER = 5
    LOCKED = 6
    STOPPED = 130
    READER_GONE = 141


class Meaning(NamedTuple):
    """What a status means. `is_harmless`: the next run repairs it by itself, so that a unit may call it a success."""

    sentence: str
    is_harmless: bool = False


MEANINGS: dict[Status, Meaning] = {
    Status.SUCCEEDED: Meaning("Done; a run that stopped at the limit it was given counts as done.", is_harmless=True),
    Status.FAILED: Meaning("It failed, or a check found a problem; the last line says why."),
    Status.USAGE: Meaning("The command, an option, a setting or a source's entry is wrong; nothing was done."),
    Status.WITH_ERRORS: Meaning(
        "Done, but something needs a look: quarantined, missing, different, or not shown to be complete."
    ),
    Status.REFUSED: Meaning(
        "The remote refuses, cannot prove who it is, or is another repository than before; nothing was taken of it."
    ),
    Status.TRY_LATER: Meaning(
        "The remote, or the database, cannot answer now; what arrived is kept.", is_harmless=True
    ),
    Status.LOCKED: Meaning("Another process works on this source.", is_harmless=True),
    Status.STOPPED: Meaning(
        "Stopped by Ctrl-C or a termination signal; the next run goes on from there.", is_harmless=True
    ),
    Status.READER_GONE: Meaning("Nobody reads the output any more (SIGPIPE, 128 + 13); what was committed is kept."),
}
