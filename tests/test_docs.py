"""What is not documented fails the build, and what is documented must be so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from gateway.contract import OBJECTS as OURS
from gateway.formats.solr import LARO
from gateway.statuses import MEANINGS
from harvester.cli import COMMANDS
from harvester.commands.json_contract import OBJECTS as THEIRS
from harvester.commands.mirror import mirror
from harvester.commands.source import source
from harvester.harvest.source_fields import FIELDS
from harvester.sources import kinds
from tests import manual
from tests.commands.calls import CALLS, PROGRAMS, commands
from tests.conftest import ROOT
from tests.docs import GENERATED, renewed
from tests.rows import each_row

PAGES = [
    file
    for file in sorted(ROOT.rglob("*.md"))
    if not {".venv", ".pytest_cache", "build", "node_modules"} & set(file.relative_to(ROOT).parts)
]
MADE_UP = {"steps/example.py", "services/example.py", "sources/json_list.py"}  # files of the worked examples
CITATION_KEYS = (  # of Citation File Format 1.2.0
    "abstract authors cff-version commit contact date-released doi identifiers keywords license license-url message "
    "preferred-citation references repository repository-artifact repository-code title type url version"
)
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-judges.lock")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _folder(name: str) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / name).glob("*.md")))


def _project() -> dict[str, Any]:
    return tomllib.loads(_text("pyproject.toml"))["project"]


# --- what the code knows stands in the documentation ------------------------------------------------------------


def test_generated_lists_are_those_of_the_code() -> None:
    """`make docs` writes them again."""
    assert [file for file, parts in GENERATED.items() if renewed(_text(file), parts) != _text(file)] == []


def test_a_list_without_a_place_is_reported() -> None:
    with pytest.raises(ValueError, match=r"There is no place for the list of settings\."):
        renewed("nothing", {"settings": lambda: ""})


def test_every_command_of_the_harvester_is_described() -> None:
    of_mirror = [f"mirror {name}" for name in mirror.commands if name != "run"]  # `run` is the name of `mirror` alone
    names = [*COMMANDS, *(f"source {name}" for name in source.commands), *of_mirror]
    assert [name for name in names if f"harvester {name}" not in _text("harvester/commands/README.md")] == []


def test_every_command_that_writes_json_is_documented_and_called() -> None:
    """A new command needs its fields and a call.

    The fields go into `gateway/contract.py` or one of `harvester/commands/json_*.py`, the call into
    `tests/commands/calls.py`.
    """
    names = {name for name, command in commands() if any("--json" in parameter.opts for parameter in command.params)}
    assert names == set(OURS) | set(THEIRS) == set(CALLS)


def test_every_command_and_option_is_in_the_manual_page() -> None:
    pages = {program: manual.page(program) for program in PROGRAMS}
    for name, command in commands():
        _, head, rest = pages[name.split()[0]].partition(f"\n.SS {manual.escaped(name)}")
        assert head, name
        options = [
            option for parameter in command.params if isinstance(parameter, click.Option) for option in parameter.opts
        ]
        assert [option for option in options if manual.escaped(option) not in rest.partition("\n.SS")[0]] == [], name


def test_a_manual_page_has_no_requests_but_its_own() -> None:
    assert manual.escaped("a\\b\n.TH x\n'y -z") == "a\\eb\n\\&.TH x\n\\&'y \\-z"
    requests = {line.split(" ")[0] for line in manual.page("harvester").splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".B", ".BR", ".PP"}


def test_every_kind_of_source_is_described() -> None:
    names = {kind.name for kind in kinds().values()}
    assert names
    assert {name for name in names if f"`{name}`" not in _text("harvester/sources/README.md")} == set()


def test_every_field_of_a_source_is_described() -> None:
    assert [field.name for field in FIELDS if f"`{field.name}`" not in _text("harvester/harvest/SOURCES.md")] == []


def test_every_field_of_a_kind_is_described() -> None:
    """In the folder of the kind."""
    fields = [(kind.name, field) for kind in kinds().values() for field in kind.own]
    assert fields
    assert [field_ for field_ in fields if f"`{field_[1]}`" not in _folder(f"harvester/sources/{field_[0]}")] == []


def test_laros_names_are_the_documented_default() -> None:
    text = _text("harvester/sources/solr/README.md")
    assert {role for role in LARO if f"`{role}`" not in text} == set()
    assert {name for names in LARO.values() for name in names.split() if name not in text} == set()


def test_the_documented_unit_calls_only_harmless_statuses_a_success() -> None:
    (named,) = re.findall(r"(?m)^SuccessExitStatus=(.*)$", _text("deploy/systemd/harvester.service"))
    harmless = {str(int(status)) for status, meaning in MEANINGS.items() if meaning.is_harmless and status}
    assert set(named.split()) == harmless


# --- links lead somewhere ---------------------------------------------------------------------------------------


def _anchors(file: Path) -> set[str]:
    """Return the anchors of a file's headings, as GitHub makes them."""
    heads = re.findall(r"(?m)^#+ (.*)$", file.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}


def test_every_link_leads_to_a_file_and_to_a_heading_of_it() -> None:
    lost = []
    for file in PAGES:
        for target, _, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(#([^)]+))?\)", file.read_text(encoding="utf-8")):
            page = file.parent / target if target else file
            if not page.exists() or (anchor and anchor not in _anchors(page)):
                lost.append(f"{file.relative_to(ROOT)}: {target}#{anchor}")
    assert lost == []


def test_every_module_that_a_readme_of_the_harvester_names_exists() -> None:
    """It is named from the README's folder, its room, `harvester/` or the top; in its room, also by its name alone."""
    harvester, lost = ROOT / "harvester", []
    for file in harvester.rglob("*.md"):
        room = harvester / file.relative_to(harvester).parts[0]
        named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", file.read_text(encoding="utf-8"))) - MADE_UP
        named -= {path.name for path in room.rglob("*.py")}
        places = (file.parent, room, harvester, ROOT)
        lost += [(file.name, name) for name in named if not any((place / name).is_file() for place in places)]
    assert lost == []


def test_the_folders_that_people_work_in_have_a_readme_and_the_readme_of_the_harvester_leads_to_its_rooms() -> None:
    rooms = [file.parent.name for file in (ROOT / "harvester").glob("*/__init__.py")]
    folders = ["gateway", "harvester", "schemas", "instance", *(f"harvester/{room}" for room in rooms)]
    assert [folder for folder in folders if not (ROOT / folder / "README.md").is_file()] == []
    assert [room for room in rooms if f"]({room}/README.md)" not in _text("harvester/README.md")] == []


# --- versions, changes, locks -----------------------------------------------------------------------------------


def test_the_newest_change_is_of_this_version_and_dated() -> None:
    heads = re.findall(r"(?m)^## (\S+) \(([0-9]{4}-[0-9]{2}-[0-9]{2})\)$", _text("CHANGELOG.md"))
    assert heads
    assert heads[0][0] == _project()["version"]
    assert [date for _, date in heads] == sorted((date for _, date in heads), reverse=True)


def test_the_citation_has_what_the_format_requires_and_is_of_this_version() -> None:
    """Citation File Format 1.2.0: required are authors, cff-version, message and title."""
    text = _text("CITATION.cff")
    values = dict(re.findall(r'(?m)^([a-z-]+): *"?(.*?)"?$', text))
    assert values.keys() >= {"authors", "cff-version", "message", "title"}
    assert values.keys() <= set(CITATION_KEYS.split())
    assert (values["cff-version"], values["type"]) == ("1.2.0", "software")
    assert (values["version"], values["license"]) == (_project()["version"], _project()["license"])
    assert f"## {values['version']} ({values['date-released']})" in _text("CHANGELOG.md")
    assert re.search(r"(?m)^authors:\n  - (?:name|family-names): \S", text)


def test_the_python_that_the_readme_names_is_the_one_that_is_required() -> None:
    assert f"Python {str(_project()['requires-python']).removeprefix('>=')} or newer" in _text("README.md")


def _pinned(lock: str) -> dict[str, str]:
    return dict(re.findall(r"(?m)^([a-z0-9.-]+)==(\S+) \\$", _text(lock)))


@each_row("lock", LOCKS)
def test_every_pinned_package_has_hashes_and_no_lock_names_a_host(lock: str) -> None:
    text = _text(lock)
    assert re.findall(r"(?m)^[a-z0-9.-]+==\S+ \\\n(?!    --hash=sha256:)", text) == []
    assert re.findall(r"(?mi)^.*(?:://|--index|--extra-index|--find-links|--trusted-host).*$", text) == []


def test_what_runs_is_what_was_tested() -> None:
    run, dev = _pinned(LOCKS[0]), _pinned(LOCKS[1])
    assert run
    assert {name: version for name, version in run.items() if dev.get(name) != version} == {}


def test_every_dependency_is_pinned() -> None:
    def normal(requirement: str) -> str:
        return re.sub(r"[-_.]+", "-", re.match(r"[A-Za-z0-9._-]+", requirement)[0]).lower()

    project = _project()
    assert {normal(dependency) for dependency in project["dependencies"]} <= set(_pinned(LOCKS[0]))
    assert {normal(dependency) for dependency in project["optional-dependencies"]["dev"]} <= set(_pinned(LOCKS[1]))
