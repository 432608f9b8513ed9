"""Numbers on the command line: every option that takes one refuses `nan` and `inf`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import pytest

from gateway import cli as gateway_cli
from harvester import cli as harvester_cli
from tests.rows import each_row


def _options(command: click.Command, context: click.Context) -> Iterator[Any]:
    """Yield the options of a command and of all commands below it that take a number with a fraction."""
    yield from (
        pytest.param(option, id=f"{command.name} {option.name}")
        for option in command.params
        if isinstance(option.type, (click.FloatRange, click.types.FloatParamType))
    )
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _options(below, click.Context(below, parent=context))


_ALL = [option for main in (harvester_cli.main, gateway_cli.main) for option in _options(main, click.Context(main))]


def test_there_are_such_options():
    assert len(_ALL) > 5


@each_row("option", _ALL)
@each_row("text", ["nan", "inf", "1e999"])
def test_an_option_refuses_what_is_no_finite_number(option, text):
    with pytest.raises(click.BadParameter):
        option.type.convert(text, option, None)
