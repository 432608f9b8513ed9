"""How every command of both programs is called on a small instance: the table that the tests here go through."""

from collections.abc import Iterator
from pathlib import Path

import click

from gateway.cli.main import main as gateway
from harvester.cli import main as harvester

PROGRAMS = {"gateway": gateway, "harvester": harvester}
ITEM = "oai:repo.example.org:fake/oai:fake:00001"
URL = "https://example.org/copy.pdf"

# By command, the ways to call it with --json that together write every kind of its objects.
CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "gateway init": ((),),
    "gateway check": ((),),
    "gateway clock": ((),),
    "gateway index": ((),),
    "gateway compact": ((),),
    "gateway rebuild": ((), ("--from-inbox",)),
    "gateway backup": (("{tmp}/another",),),
    "gateway restore": (("{tmp}/backup", "--replace"),),
    "gateway hub list": ((),),
    "gateway hub remove": (("1",),),
    "gateway user add": (("B. Ito", "--role", "manager", "--source", "fake", "--password-stdin"),),
    "gateway user list": ((),),
    "gateway user password": (("Ada", "--password-stdin"),),
    "gateway user remove": (("Ada",),),
    "gateway user log": ((),),
    "gateway settings": ((),),
    "harvester source add": (("new", "{oai}"),),
    "harvester source list": ((),),
    "harvester source show": (("rs",),),
    "harvester source check": (("fake",), ("{oai}",)),
    "harvester source friends": (("{tmp}/friends.xml", "--check"),),
    "harvester source load": (("empty", "{tmp}/dump.xml"),),
    "harvester source sweep": (("fake", "--yes"),),
    "harvester source remove": (("fake", "--yes"),),
    "harvester source accept-identity": (("fake",),),
    "harvester source audit": (("rs",),),
    "harvester source subscribe": (("rs", "--wait", "0"),),
    "harvester source unsubscribe": (("rs", "--wait", "0"),),
    "harvester run": (("fake",), ("fake", "--dry-run")),
    "harvester tend": ((),),
    "harvester takedown add": (("{oai}*", "--purge"), ("--dry-run", "example.org")),
    "harvester takedown list": ((),),
    "harvester takedown remove": (("withdrawn.example.org", "--yes"),),
    "harvester publish": ((),),
    "harvester status": ((),),
    "harvester check": ((),),
    "harvester log": ((), ("1",)),
    "harvester records": (("fake",),),
    "harvester quarantine": ((),),
    "harvester discover": (("--item", ITEM),),
    "harvester recheck": (("--item", ITEM),),
    "harvester alarms": (("--all",), ()),
    "harvester outcomes": ((), ("--by", "host")),
    "harvester explain": ((ITEM,),),
    "harvester offer": (("fake", "--list"), ("rs", "--find-inbox")),
    "harvester review show": ((ITEM,),),
    "harvester review list": (("--verdict", "reject"),),
    "harvester review accept": ((ITEM,), ("--all", "--dry-run")),
    "harvester review reject": ((ITEM,), ("--all", "--dry-run")),
    "harvester review undo": ((ITEM,), ("--all", "--dry-run")),
    "harvester review precision": ((),),
    "harvester matches list": ((),),
    "harvester matches reject": ((ITEM,),),
    "harvester graph export": (("{tmp}/new-graph",),),
    "harvester graph load": (("{tmp}/graph",),),
    "harvester graph query": (("MATCH (p:Publication) RETURN p.id AS id",),),
    "harvester dump": (("{oai}", "{tmp}/another.xml"),),
    "harvester mirror run": (("{oai}", "{tmp}/new", "--format", "mods", "--allow", "127.0.0.1"),),
    "harvester mirror import": (("{tmp}/new", "{tmp}/package", "--provider", "{oai}", "--format", "oai_dc"),),
    "harvester mirror audit": (("{tmp}/mirror", "--offline"),),
    "harvester mirror recheck": (("{tmp}/mirror", "--all"),),
    "harvester mirror accept": (("{tmp}/mirror", "http://e.org/a.txt"),),
    "harvester audit": (("--crossref", "--issn", "1234-5679", "--allow", "127.0.0.1"),),
    "harvester validate": (("{oai}", "--max-requests", "3"),),
    "harvester lint-signposting": (("{oai}", "--max-requests", "3"),),
    "harvester lint-resourcesync": (("{site}/rs/list.xml", "--max-requests", "3"),),
}
# They need a PostgreSQL server; `tests/store/test_copying.py` calls them.
ON_SERVER = {"gateway store copy"}
# They write no data, and go on until they are ended.
WITHOUT_DATA = {"gateway serve"}


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every command of both programs, with the names of its groups."""
    for name, program in PROGRAMS.items():
        yield from _below(name, program)


def _below(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield name, command
        return
    ctx = click.Context(command)
    for part in command.list_commands(ctx):
        subcommand = command.get_command(ctx, part)
        assert subcommand is not None
        yield from _below(f"{name} {part}", subcommand)


def line(command: str, arguments: tuple[str, ...], tmp: Path, oai: str) -> list[str]:
    """Return the words of a command line, the program's name first."""
    program, *parts = command.split()
    site = oai.rpartition("/")[0]
    words = [argument.format(tmp=tmp, oai=oai, site=site) for argument in arguments]
    return [program, "--instance", str(tmp / "instance"), *parts, *words]
