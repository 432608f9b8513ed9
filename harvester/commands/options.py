"""Options that several commands share: where the credentials of a source are, never what they are."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial, reduce
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

from gateway.errors import ConfigurationError
from gateway.xmltext import parse_utc_datetime
from harvester.hours import are_hours
from harvester.sources_file import AUTH_KINDS
from harvester.tending.due import is_duration, is_schedule
from harvester.windows.days import UNITS

Function = TypeVar("Function", bound=Callable[..., Any])

# What click hands over by the names of the options: each of the type that its option declares.
Given: TypeAlias = Any

# By kind of credentials, what the field of the secret is called in sources.toml, before `_env` and `_file`.
_SECRETS = {"basic": "password", "bearer": "token", "header": "value", "query": "value"}


def _absolute(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Return the absolute path of a file that an option names, for sources.toml; empty when it names none."""
    return value and str(Path(value).absolute())


_file_option = partial(click.option, default="", callback=_absolute, metavar="FILE")
_ACCESS = (
    click.option("--auth", type=click.Choice(list(AUTH_KINDS)), help="The kind of credentials the source asks for."),
    click.option("--user", default="", help="With basic: the user."),
    click.option("--auth-name", default="", help="With header or query: the name of the header or argument."),
    click.option("--secret-env", default="", metavar="NAME", help="The environment variable that holds the secret."),
    _file_option("--secret-file", help="The file that holds the secret."),
    _file_option("--certificate", help="With certificate: the client certificate (PEM)."),
    _file_option("--key", help="With certificate: its key, when it is a file of its own."),
    click.option("--verify/--no-verify", default=True, help="Whether the server's certificate is verified."),
    _file_option("--ca-bundle", help="Certificates (PEM) of authorities to trust besides the public."),
)


def access_options(function: Function) -> Function:
    """Give a command the options that say how to get in; `auth_of` reads them."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(_ACCESS), function)


def auth_of(given: dict[str, Any]) -> dict[str, str]:
    """Return the `auth` table for sources.toml from the options, taking them out of `given`."""
    kind = given.pop("auth")
    names = ("user", "auth_name", "secret_env", "secret_file", "certificate", "key")
    values = {name: given.pop(name) for name in names}
    if not kind:
        if any(values.values()):
            raise ConfigurationError("Say with --auth which kind of credentials these are.")
        return {}
    secret = _SECRETS.get(kind, "secret")
    table = {
        "kind": kind,
        "user": values["user"],
        "name": values["auth_name"],
        f"{secret}_env": values["secret_env"],
        f"{secret}_file": values["secret_file"],
        "certificate": values["certificate"],
        "key": values["key"],
    }
    return {name: value for name, value in table.items() if value}


def access_table(url: str, given: dict[str, Any]) -> dict[str, object]:
    """Return an entry for sources.toml from an address and the options of `access_options`, taken out of `given`."""
    return {"url": url, "auth": auth_of(given), "verify": given.pop("verify"), "ca_bundle": given.pop("ca_bundle")}


def date(_context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check an option that is a UTCdatetime."""
    if value:
        try:
            parse_utc_datetime(value)
        except ValueError as error:
            message = f"{error}: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ is wanted."
            raise click.BadParameter(message, param=parameter) from error
    return value


def duration(_context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check an option that is a duration."""
    if value and not is_duration(value):
        raise click.BadParameter("A whole number and one of s, m, h, d and w is wanted, such as 6h.", param=parameter)
    return value


def schedule(_context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check an option that says how often."""
    if value and not is_schedule(value):
        raise click.BadParameter("A duration such as 6h, or never, is wanted.", param=parameter)
    return value


def every_option(function: Function) -> Function:
    """Give a command the option --every."""
    sentence = "How often `tend` harvests it, such as 6h, or never."
    return click.option("--every", default="", callback=schedule, metavar="TIME", help=sentence)(function)


def schedule_options(function: Function) -> Function:
    """Give a command the options that say how often each stage of `tend` is due for a source."""
    every = (
        ("sweep", "How often `tend` sweeps it, such as 30d."),
        ("discover", "How often `tend` searches for its full text, such as 1d."),
        ("recheck", "After what time `tend` searches again for what was searched for, such as 90d."),
    )
    for name, sentence in reversed(every):
        function = click.option(f"--{name}-every", default="", callback=duration, metavar="TIME", help=sentence)(
            function
        )
    return every_option(function)


def hours(_context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check an option that is two times of the day."""
    if value and not are_hours(value):
        raise click.BadParameter("Two times of the day are wanted, such as 21:00-05:00.", param=parameter)
    return value


def own_fields(_context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, object]:
    """Read FIELD=VALUE; a value is what TOML takes it for, or else a text."""
    fields: dict[str, object] = {}
    for each in values:
        name, sign, value = each.partition("=")
        if not sign:
            raise click.BadParameter(f"FIELD=VALUE is wanted, not {each!r}.", param=parameter)
        try:
            fields[name] = tomllib.loads(f"value = {value}")["value"]
        except (ValueError, RecursionError):
            fields[name] = value
    return fields


def date_options(function: Function) -> Function:
    """Give a command the options --from and --until."""
    until = click.option("--until", default="", callback=date, metavar="DATE", help="Ask for nothing newer.")
    return click.option("--from", "from_", default="", callback=date, metavar="DATE", help="Ask for nothing older.")(
        until(function)
    )


def slice_option(function: Function) -> Function:
    """Give a command the option --slice."""
    sentence = "The first harvest of a list in windows of this length, each by itself."
    return click.option("--slice", "slice", type=click.Choice(UNITS), default=None, help=sentence)(function)


def list_options(function: Function) -> Function:
    """Give a command the options --format and --set, each of which may be repeated."""
    sets = click.option("--set", "sets", multiple=True, metavar="SPEC", help="A setSpec; may be repeated.")
    formats = click.option(
        "--format", "formats", multiple=True, metavar="PREFIX", help="A metadataPrefix; may be repeated."
    )
    return formats(sets(function))
