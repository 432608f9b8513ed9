"""What commands share that check somebody's server without an instance: their limits, and their requests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from gateway.core.settings import instance_folder, load
from harvester.commands.options import FiniteRange, Given, access_options, access_table
from harvester.commands.output import with_json
from harvester.harvest.access import fetcher, with_address
from harvester.harvest.sources_toml import entry_from
from harvester.http.messages import Fetch
from harvester.runtime.interrupts import Stop

_Command = TypeVar("_Command", bound=Callable[..., Any])


def limit(limits: object, name: str, sentence: str | None = None, least: int = 1) -> Callable[[_Command], _Command]:
    """Return the option --max-NAME; its default is the field of that name in `limits`."""
    kind = FiniteRange(min=least) if name == "seconds" else click.IntRange(min=least)
    return click.option(
        f"--max-{name}", name, default=getattr(limits, name), show_default=True, type=kind, help=sentence
    )


def requesting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of access, --json, and its context."""
    return access_options(with_json(command))


@contextmanager
def requests_of(ctx: click.Context, url: str, given: dict[str, Given]) -> Iterator[Fetch]:
    """Lend what sends the requests of a command, and remove the options of access from `given`."""
    table = access_table(url, given)
    entry = with_address(entry_from(str(ctx.info_name), table))
    with fetcher(load(instance_folder(ctx.obj)), entry, Stop()) as fetch:
        yield fetch
