"""Every option of the command line that takes a number with a fraction refuses what is no finite one."""

import click
import pytest

from gateway.cli import main as gateway_cli
from harvester import cli as harvester_cli
from tests.rows import each_row


def _options(command, context):
    yield from (
        pytest.param(option, id=f"{command.name} {option.name}")
        for option in command.params
        if isinstance(option.type, (click.FloatRange, click.types.FloatParamType))
    )
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        below = command.get_command(context, name)
        yield from _options(below, click.Context(below, parent=context))


@each_row(
    "option", [option for cli in (harvester_cli, gateway_cli) for option in _options(cli.main, click.Context(cli.main))]
)
def test_an_option_refuses_what_is_no_finite_number(option):
    for text in ("nan", "inf", "1e999"):
        with pytest.raises(click.BadParameter):
            option.type.convert(text, option, None)
