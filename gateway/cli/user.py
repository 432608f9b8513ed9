"""`gateway user`: the people who may sign in to the review. Passwords are typed or read from stdin, never arguments."""

import sys
from pathlib import Path

import click

from gateway.core.errors import ConfigurationError
from gateway.core.logs import plain
from gateway.core.program import json_option, say, write_json
from gateway.core.settings import load

_MOST_CHARACTERS = 4_002  # of the line with the password, with accents apart: one too many is noticed
_EVER = 2**62
ROLES = ("reviewer", "manager", "administrator")  # those of `Role`, which `gateway --help` need not load

_stdin_option = click.option(
    "--password-stdin", "is_on_stdin", is_flag=True, help="Read the password from the first line of stdin."
)


@click.group()
def user() -> None:
    """Add, list and remove the people who may sign in to `/review`."""


@user.command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default=ROLES[0],
    show_default=True,
    help="What the user may do: decide; decide and take down for some sources; do so for all.",
)
@click.option(
    "--source", "sources", multiple=True, metavar="NAME", help="Let a manager manage this source; repeatable."
)
@_stdin_option
@json_option
@click.pass_obj
def add(folder: Path, /, name: str, role: str, sources: tuple[str, ...], is_on_stdin: bool, as_json: bool) -> None:
    """Add a user. The password is asked for twice; it must have 10 to 1,000 characters."""
    from gateway.core.model import Role, User  # noqa: PLC0415
    from gateway.review import users  # noqa: PLC0415

    person = User(name, Role(role), tuple(dict.fromkeys(sources)))
    settings = load(folder)
    users.check_user(person)
    users.add(settings, person, _password(is_on_stdin=is_on_stdin))
    say(f"{name} may sign in as {role}.")
    if as_json:
        write_json({"name": name, "role": role, "sources": list(person.sources)})


@user.command(name="list")
@json_option
@click.pass_obj
def list_(folder: Path, /, as_json: bool) -> None:
    """List the users by name. Passwords are never shown."""
    from gateway.review import users  # noqa: PLC0415

    for facts in users.known(load(folder)):
        if as_json:
            write_json(facts)
        else:
            click.echo(users.words(facts))


@user.command()
@click.argument("name")
@_stdin_option
@json_option
@click.pass_obj
def password(folder: Path, /, name: str, is_on_stdin: bool, as_json: bool) -> None:
    """Set a new password, and end all sessions of the user. Failed sign-ins of the name are forgotten."""
    from gateway.review import users  # noqa: PLC0415

    stored = users.set_password(load(folder), name, _password(is_on_stdin=is_on_stdin))
    say(f"{stored} has a new password, and must sign in again.")
    if as_json:
        write_json({"name": stored})


@user.command()
@click.argument("name")
@json_option
@click.pass_obj
def remove(folder: Path, /, name: str, as_json: bool) -> None:
    """Remove a user, and end all sessions. What the user decided stays, with the name."""
    from gateway.review import users  # noqa: PLC0415

    stored = users.remove(load(folder), name)
    say(f"{stored} was removed.")
    if as_json:
        write_json({"name": stored})


@user.command()
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1), help="Show so many lines.")
@click.option("--before", default=_EVER, type=click.IntRange(1), metavar="NUMBER", help="Show lines before this one.")
@json_option
@click.pass_obj
def log(folder: Path, /, limit: int, before: int, as_json: bool) -> None:
    """Show who did what, the newest first: sign-ins, failures, users, decisions and takedowns."""
    from gateway.review import users  # noqa: PLC0415

    for facts in users.log(load(folder), min(before, _EVER), min(limit, _EVER)):
        if as_json:
            write_json(facts)
        else:
            click.echo("  ".join(plain(str(value)) for value in facts.values() if value))


def _password(*, is_on_stdin: bool) -> str:
    """Return the password that a person types twice, or the first line of stdin. Raise ConfigurationError."""
    if not is_on_stdin:
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return typed
    try:
        line = sys.stdin.readline(_MOST_CHARACTERS) if sys.stdin else ""  # None: it is closed
        line.encode()  # in some locales, bytes that are no UTF-8 are read as surrogates
    except ValueError as error:
        raise ConfigurationError("The password on stdin is not in UTF-8.") from error
    return line.rstrip("\r\n")
