"""The manual pages gateway(1) and harvester(1), made of what `--help` knows: `make man` writes them."""

import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

import click

from gateway.core.statuses import MEANINGS
from tests.commands.calls import PROGRAMS, commands

FOLDER = Path("build/man")


def escaped(text: str) -> str:
    """Return a text as roff(7) takes it: nothing in it is a request or an escape."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in lines)


def page(program: str) -> str:
    """Return the manual page of a program."""
    group = PROGRAMS[program]
    summary, _, more = (group.help or "").partition("\n\n")
    parts = [
        f'.TH {program.upper()} 1 "" "oai\\-gateway {version("oai-gateway")}"',
        f".SH NAME\n{program} \\- {escaped(summary).rstrip('.')}",
        f".SH SYNOPSIS\n.B {program}\n[OPTIONS] COMMAND [ARGS]...",
        f".SH DESCRIPTION\n{escaped(summary)}\n{escaped(more)}".rstrip(),
        ".SH OPTIONS\n" + "\n".join(_options(group)),
        ".SH COMMANDS\n"
        + "\n".join(_command(name, command) for name, command in commands() if name.startswith(program)),
        ".SH EXIT STATUS\n" + "\n".join(_item(str(int(meaning)), MEANINGS[meaning].sentence) for meaning in MEANINGS),
        ".SH ENVIRONMENT\n"
        + _item("GATEWAY_INSTANCE", "The instance folder.")
        + "\n"
        + _item("GATEWAY_NAME", f"The setting of that name in lower case; {escaped('`gateway settings`')} lists all."),
        f".SH SEE ALSO\n.BR {' '.join(f'{other} (1)' for other in PROGRAMS if other != program)}",
    ]
    return "\n".join(parts) + "\n"


def _item(term: str, text: str) -> str:
    return f".TP\n.B {escaped(term)}\n{escaped(text)}"


def _command(name: str, command: click.Command) -> str:
    ctx = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(ctx)])
    paragraphs = "\n.PP\n".join(escaped(" ".join(part.split())) for part in (command.help or "").split("\n\n"))
    return "\n".join([f".SS {escaped(usage)}", paragraphs, *_options(command)])


def _options(command: click.Command) -> Iterator[str]:
    ctx = click.Context(command)
    rows: Iterable[tuple[str, str] | None] = (get_param.get_help_record(ctx) for get_param in command.get_params(ctx))
    for term, text in filter(None, rows):
        if text and "--help" not in term:
            yield _item(term, text)


def main(folder: Path = FOLDER) -> None:
    """Write both pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        (folder / f"{program}.1").write_text(page(program), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
