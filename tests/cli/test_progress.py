"""The bar that commands draw on a terminal moves."""

import click
import pytest

from gateway.core import conversion_progress
from gateway.core.program import Program
from tests.rows import each_row


@each_row("damaged, status, wanted", [(0, None, 0), (0, 1, 1), (2, None, 3), (2, 0, 3), (2, 1, 1), (2, 6, 6)])
def test_a_command_whose_conversion_meets_damaged_records_ends_with_three(damaged, status, wanted):
    """A worse end of the command itself stays what it is."""

    @click.group(cls=Program)
    def program() -> None:
        """Open a store."""

    @program.command("open")
    @click.pass_context
    def open_(context: click.Context) -> None:
        if damaged:
            conversion_progress.note_damaged(damaged)
        if status is not None:
            context.exit(status)

    with pytest.raises(SystemExit) as end:
        program.main(["open"])
    assert (end.value.code or 0) == wanted
    conversion_progress.note_damaged(1)  # outside of a command, the log alone says it
