"""The exit statuses of `gateway` and `harvester`: one table for both programs, shown in both READMEs."""

from enum import IntEnum
from typing import NamedTuple


class Status(IntEnum):
    """The exit statuses of both programs; no other one is used."""

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
    """The meaning of a status. `is_harmless`: the next run repairs the cause, so a unit may call it a success."""

    sentence: str
    is_harmless: bool = False


MEANINGS: dict[Status, Meaning] = {
    Status.SUCCEEDED: Meaning("Done; a run that stopped at the limit it was given counts as done.", is_harmless=True),
    Status.FAILED: Meaning("It failed, or a check found a problem; the last line says why."),
    Status.USAGE: Meaning("The command, an option, a setting or a source's entry is wrong; nothing was done."),
    Status.WITH_ERRORS: Meaning(
        "Done, but something needs attention: quarantined, missing, different, or not shown to be complete."
    ),
    Status.REFUSED: Meaning(
        "The remote refuses, cannot prove its identity, or is another repository than before; nothing was accepted."
    ),
    Status.TRY_LATER: Meaning(
        "The remote, or the database, cannot answer now; what arrived is stored.", is_harmless=True
    ),
    Status.LOCKED: Meaning("Another process works on this source.", is_harmless=True),
    Status.STOPPED: Meaning(
        "Stopped by Ctrl-C or a termination signal; the next run continues from there.", is_harmless=True
    ),
    Status.READER_GONE: Meaning("The reader of the output has ended (SIGPIPE, 128 + 13); what was committed remains."),
}
