"""Options that several commands share. Options of credentials give their place, never their values."""

import tomllib
from collections.abc import Callable
from functools import partial, reduce
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

import click

from gateway.core.errors import ConfigurationError
from gateway.core.xmltext import parse_utc_datetime
from harvester.harvest.sources_toml import AUTH_KINDS
from harvester.harvest.windows import UNITS
from harvester.runtime.durations import are_hours, is_duration, is_schedule

Decorator: TypeAlias = Callable[[Callable[..., Any]], Any]
# The values of options, as click passes them by name.
Given: TypeAlias = Any

# The name of the secret in sources.toml by kind of credentials, without `_env` and `_file`.
_SECRETS = {"basic": "password", "bearer": "token", "header": "value", "query": "value"}


def _absolute(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Return the absolute path of the file of an option, for sources.toml; empty when there is none."""
    return value and str(Path(value).absolute())


def option(name: str, *words: str, **kind: Any) -> Decorator:  # noqa: ANN401 - click's own
    """Return an option of click: `--name VALUE`, as the help shows it, perhaps another name, and the help."""
    *names, sentence = words
    name, _, value = name.partition(" ")
    return click.option(name, *names, help=sentence or None, **{"metavar": value or None, **kind})


flag = partial(option, is_flag=True)
text = partial(option, default="")
many = partial(option, multiple=True)  # it may be repeated
_file_option = partial(text, callback=_absolute, metavar="FILE")


DIRECTORY = click.Path(path_type=Path, file_okay=False)


class FiniteRange(click.FloatRange):
    """A range of numbers, without `nan` and `inf`."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Raise BadParameter for other texts."""
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def options(*chosen: Decorator) -> Decorator:
    """Return a decorator that gives a command these options, in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(chosen), command)


# The options of credentials and TLS; `access_table` reads them.
access_options = options(
    option("--auth", "The kind of credentials.", type=click.Choice(list(AUTH_KINDS))),
    text("--user", "With basic: the user name."),
    text("--auth-name", "With header or query: the name of the header or argument."),
    text("--secret-env NAME", "The environment variable that holds the secret."),
    _file_option("--secret-file", "The file that holds the secret."),
    _file_option("--certificate", "With certificate: the client certificate (PEM)."),
    _file_option("--key", "With certificate: its key, if it is in another file."),
    option("--verify/--no-verify", "Verify the server's certificate.", default=True),
    _file_option("--ca-bundle", "Additional certificates of authorities (PEM)."),
)


def auth_of(given: dict[str, Any]) -> dict[str, str]:
    """Return the `auth` table for sources.toml, and remove its options from `given`.

    Raise ConfigurationError for credentials without their kind.
    """
    kind = given.pop("auth")
    names = ("user", "auth_name", "secret_env", "secret_file", "certificate", "key")
    values = {name: given.pop(name) for name in names}
    if not kind:
        if any(values.values()):
            raise ConfigurationError("The kind of the credentials is missing. Give it with --auth.")
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
    """Return an entry for sources.toml, and remove the options of `access_options` from `given`.

    Raise ConfigurationError, as `auth_of` does.
    """
    return {"url": url, "auth": auth_of(given), "verify": given.pop("verify"), "ca_bundle": given.pop("ca_bundle")}


def date(_context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check an option that is a UTCdatetime. Raise BadParameter if it is not."""
    if value:
        try:
            parse_utc_datetime(value)
        except ValueError as error:
            message = f"{error}: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ is wanted."
            raise click.BadParameter(message, param=parameter) from error
    return value


def checked(is_legal: Callable[[str], object], sentence: str) -> Callable[[click.Context, click.Parameter, str], str]:
    """Return a check of the value of an option, if it has one. It raises BadParameter with the sentence."""

    def check(_context: click.Context, parameter: click.Parameter, value: str) -> str:
        if value and not is_legal(value):
            raise click.BadParameter(sentence, param=parameter)
        return value

    return check


duration = checked(is_duration, "A whole number and one of s, m, h, d and w is wanted, such as 6h.")
schedule = checked(is_schedule, "A duration such as 6h, or never, is wanted.")
hours = checked(are_hours, "Two times of the day are wanted, such as 21:00-05:00.")

every_option = text("--every TIME", "Let `tend` harvest it so often, such as 6h, or never.", callback=schedule)
_period_option = partial(text, callback=duration, metavar="TIME")
# The periods of the stages of `tend`.
schedule_options = options(
    every_option,
    _period_option("--sweep-every", "Let `tend` sweep it so often, such as 30d."),
    _period_option("--discover-every", "How often `tend` searches for its full text, such as 1d."),
    _period_option("--recheck-every", "How long after a search `tend` searches again, such as 90d."),
)


def own_fields(_context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, object]:
    """Return the fields of FIELD=VALUE options; a value is read as TOML, else as a text.

    Raise BadParameter for an option without `=`.
    """
    fields: dict[str, object] = {}
    for one in values:
        name, sign, value = one.partition("=")
        if not sign:
            raise click.BadParameter(f"FIELD=VALUE is wanted, not {one!r}.", param=parameter)
        try:
            fields[name] = tomllib.loads(f"value = {value}")["value"]
        except (ValueError, RecursionError):
            fields[name] = value
    return fields


date_option = partial(text, callback=date, metavar="DATE")
date_options = options(
    date_option("--from", "from_", "Harvest nothing older."), date_option("--until", "Harvest nothing newer.")
)
slice_option = option(
    "--slice", "Divide the first harvest of a list into windows of this length.", type=click.Choice(UNITS), default=None
)
# Each may be repeated.
list_options = options(
    many("--format PREFIX", "formats", "Harvest this metadataPrefix; may be repeated."),
    many("--set SPEC", "sets", "Harvest this setSpec; may be repeated."),
)
allow_option = many("--allow HOST[:PORT]", "Allow requests to this private host, address or network.")
