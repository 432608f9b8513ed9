"""The parts of the documentation that are generated from the code: `make docs` writes, `test_docs.py` checks them."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import click

from gateway.cli.main import main
from gateway.core.settings import SETTINGS
from gateway.core.statuses import MEANINGS
from gateway.formats import load
from harvester.harvest.source_fields import FIELDS
from harvester.schedule.stages import STAGES
from harvester.sources.oai_pmh.profile import OPTIONS
from harvester.validate.resourcesync.run import RULES
from harvester.validate.signposting.run import CHECKS as LINT
from tests.commands.calls import commands as every_command
from tests.conftest import ROOT
from tests.json_contract import OBJECTS, TYPES, Field
from tests.test_layers import GROUPS as LAYER_GROUPS
from tests.test_layers import HARVESTER, LAYERS


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def settings() -> str:
    """Return the table of settings."""
    rows = ((f"`{setting.name}`", f"`{json.dumps(setting.default)}`", setting.sentence) for setting in SETTINGS)
    return _table(("setting", "default", "what it is"), rows)


def formats() -> str:
    """Return the table of formats in `gateway/formats`, the richest first."""
    rows = (
        (
            f"`{format_.metadata_prefix}`{', optional' * format_.is_optional}" if format_.metadata_prefix else "",
            f"`{format_.namespace}`" if format_.namespace else "any other",
            f"version {format_.version}" if format_.metadata_prefix else "",
        )
        for format_ in load()
    )
    return _table(("written as", "read from the namespace", "mapping"), rows)


def commands() -> str:
    """Return the table of commands of `gateway`."""
    rows = ((f"`gateway {name}`", _help(command)) for name, command in sorted(main.commands.items()))
    return _table(("command", "what it does"), rows)


def checks() -> str:
    """Return the table of checks of typed links."""
    rows = ((f"`{check.name}`", check.expects, check.section, check.fault.value) for check in LINT)
    return _table(("check", "what is expected", "source", "else"), rows)


def rules() -> str:
    """Return the table of rules of ResourceSync documents."""
    rows = ((f"`{rule.name}`", rule.expects, rule.section, rule.fault.value) for rule in RULES)
    return _table(("rule", "what is expected", "source", "else"), rows)


def statuses() -> str:
    """Return the table of exit statuses."""
    rows = (
        (str(int(status)), meaning.sentence, "yes" if meaning.is_harmless else "no")
        for status, meaning in MEANINGS.items()
    )
    return _table(("status", "meaning", "may a unit call it a success"), rows)


def options() -> str:
    """Return the table of the fields of an entry about an OAI-PMH server."""
    return _table(("field", "meaning"), ((f"`{option.name}`", option.sentence) for option in OPTIONS))


def stages() -> str:
    """Return the table of the stages of `harvester tend`."""
    return _table(("stage", "what it does"), ((f"`{stage.name}`", stage.sentence) for stage in STAGES))


def source_fields() -> str:
    """Return the table of the fields of `sources.toml`."""
    return _table(("field", "meaning"), ((f"`{field.name}`", field.sentence) for field in FIELDS))


def json_objects() -> str:
    """Return the tables of what each command writes with --json."""
    return "\n\n".join(_objects(command, kinds) for command, kinds in OBJECTS.items())


def json_types() -> str:
    """Return the table of types."""
    return _table(("type", "what it is"), ((f"`{name}`", sentence) for name, sentence in TYPES.items()))


def _objects(command: str, kinds: Mapping[str, tuple[Field, ...]]) -> str:
    parts = [f"### {command}"]
    for what, fields in kinds.items():
        rows = (
            (
                f"`{field_.name}`",
                f"`{field_.type}`" + ("" if field_.is_always else ", may be left out"),
                field_.sentence,
            )
            for field_ in fields
        )
        parts.append(f"A line for {what}:\n\n{_table(('field', 'type', 'meaning'), rows)}")
    return "\n\n".join(parts)


def _help(command: click.Command) -> str:
    return (command.help or "").partition("\n\n")[0].replace("\n", " ")


DESCRIBED = tuple(
    name.removeprefix("harvester.") for name in HARVESTER if name not in ("harvester.cli", "harvester.__main__")
)

# The groups of modules that the table of layers is written with, the larger before those that they contain.
GROUPS = {
    "ground": LAYER_GROUPS["GROUND"],
    "messages": LAYER_GROUPS["MESSAGES"],
    "works": LAYER_GROUPS["WORKS"],
    "all rooms": HARVESTER,
}


def harvester_commands() -> str:
    """Return the table of commands of `harvester`, with the files that are not of their name or of their group's."""
    rows = []
    for name, command in every_command():
        program, *words = name.split()
        module = command.callback.__module__.rpartition(".")[2]
        file = "" if module in ("_".join(words), words[0]) else f"`{module}.py`"
        if program == "harvester":
            rows.append((f"`{' '.join(words)}`", _help(command), file))
    return _table(("command", "what it does", "file, if it has another name"), rows)


def groups() -> str:
    """Return the table of the groups of modules that rooms may import."""
    rows = ((f"*{name}*", _names(GROUPS[name])) for name in GROUPS if name != "all rooms")
    return _table(("group", "modules"), rows)


def imports(room: str) -> str:
    """Return the table of what the modules of a room may import, as `tests/test_layers.py` has it."""
    own = {name: layer for name, layer in LAYERS.items() if f"{name}.".startswith(f"harvester.{room}.")}
    rows = (
        (f"`{name.removeprefix('harvester.')}`", _allowed(name, layer.ours), _names(layer.libraries) or "none")
        for name, layer in own.items()
    )
    return _table(("modules", "of ours", "libraries"), rows)


def _allowed(module: str, ours: tuple[str, ...]) -> str:
    left, allowed = [name for name in ours if name != module], []
    for group, members in GROUPS.items():
        if set(members) - {module} <= set(left):
            allowed.append(f"*{group}*")
            left = [name for name in left if name not in members]
    return ", ".join([*allowed, *filter(None, [_names(left)])])


def _names(modules: Iterable[str]) -> str:
    return ", ".join(f"`{name.removeprefix('harvester.')}`" for name in modules)


# For each file, what stands between which markers.
GENERATED: dict[str, dict[str, Callable[[], str]]] = {
    "gateway/SETTINGS.md": {"settings": settings},
    "gateway/README.md": {"commands": commands, "statuses": statuses},
    "gateway/formats/README.md": {"formats": formats},
    "harvester/README.md": {"groups": groups},
    **{f"harvester/{room}/README.md": {"imports": partial(imports, room)} for room in DESCRIBED if room != "runtime"},
    "harvester/schedule/README.md": {"imports": partial(imports, "schedule"), "stages": stages},
    "harvester/validate/SIGNPOSTING.md": {"checks": checks},
    "harvester/validate/RESOURCESYNC.md": {"rules": rules},
    "harvester/commands/README.md": {"imports": partial(imports, "commands"), "commands": harvester_commands},
    "harvester/runtime/README.md": {"imports": partial(imports, "runtime"), "statuses": statuses},
    "harvester/sources/oai_pmh/README.md": {"options": options},
    "harvester/harvest/SOURCES.md": {"fields": source_fields},
    "JSON.md": {"types": json_types, "objects": json_objects},
}


def renewed(text: str, parts: dict[str, Callable[[], str]]) -> str:
    """Return `text` with every generated part made again. Raise ValueError when a marker is missing."""
    for name, part in parts.items():
        pattern = rf"(?s)(<!-- generated: {name} -->\n).*?(<!-- end -->)"
        content = part()
        text, count = re.subn(pattern, lambda match: f"{match[1]}{content}\n{match[2]}", text)  # noqa: B023 - used at once
        if count != 1:
            raise ValueError(f"There is no place for the list of {name}.")
    return text


if __name__ == "__main__":
    for file, parts in GENERATED.items():
        path = ROOT / file
        path.write_text(renewed(path.read_text(encoding="utf-8"), parts), encoding="utf-8")
