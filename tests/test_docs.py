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

PAGES = [
    file
    for file in sorted(ROOT.rglob("*.md"))
    if not {".venv", ".pytest_cache", "build", "node_modules"} & set(file.relative_to(ROOT).parts)
]
MADE_UP = {
    "steps/example.py",
    "services/example.py",
    "sources/json_list.py",
}  # files of the worked examples
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
CITATION_KEYS = (  # of Citation File Format 1.2.0
    "abstract authors cff-version commit contact date-released doi identifiers keywords license license-url message "
    "preferred-citation references repository repository-artifact repository-code title type url version"
)
ROOMS_WITH_A_README = sorted(file.parent.name for file in (ROOT / "harvester").glob("*/__init__.py"))
WORDS_OF_A_PAGE = 950
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-judges.lock")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _folder(name: str) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / name).glob("*.md")))


def _project() -> dict[str, Any]:
    return tomllib.loads(_text("pyproject.toml"))["project"]


# --- what the code knows stands in the documentation ------------------------------------------------------------


@pytest.mark.parametrize("file", GENERATED)
def test_generated_lists_are_those_of_the_code(file: str) -> None:
    """`make docs` writes them again."""
    assert renewed(_text(file), GENERATED[file]) == _text(file)


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


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_command_and_option_is_in_the_manual_page(program: str) -> None:
    text = manual.page(program)
    for name, command in commands():
        if name.startswith(program):
            assert f"\n.SS {manual.escaped(name)}" in text
            section = text.partition(f"\n.SS {manual.escaped(name)}")[2].partition("\n.SS")[0]
            options = [
                option
                for parameter in command.params
                if isinstance(parameter, click.Option)
                for option in parameter.opts
            ]
            assert [option for option in options if manual.escaped(option) not in section] == []


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


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_link_to_a_file_leads_to_it(file: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", file.read_text(encoding="utf-8"))
    assert [target for target in targets if not (file.parent / target).exists()] == []


def _anchors(file: Path) -> set[str]:
    """Return the anchors of a file's headings, as GitHub makes them."""
    heads = re.findall(r"(?m)^#+ (.*)$", file.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_link_to_a_heading_leads_to_it(file: Path) -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", file.read_text(encoding="utf-8"))
    pages = [(file.parent / target if target else file, anchor) for target, anchor in linked]
    assert [f"{page.name}#{anchor}" for page, anchor in pages if anchor not in _anchors(page)] == []


@pytest.mark.parametrize(
    "file", sorted((ROOT / "harvester").rglob("*.md")), ids=lambda file: str(file.relative_to(ROOT))
)
def test_every_module_that_a_readme_of_the_harvester_names_exists(file: Path) -> None:
    """It is named from the README's folder, its room, `harvester/` or the top; in its room, also by its name alone."""
    harvester = ROOT / "harvester"
    room = harvester / file.relative_to(harvester).parts[0]
    local = {path.name for path in room.rglob("*.py")}
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", file.read_text(encoding="utf-8"))) - MADE_UP - local
    places = (file.parent, room, harvester, ROOT)
    assert [name for name in sorted(named) if not any((place / name).is_file() for place in places)] == []


def test_the_readme_of_the_harvester_is_an_overview_of_its_rooms() -> None:
    text = _text("harvester/README.md")
    assert len(text.split()) <= 1500
    rooms = {file.parent.name for file in (ROOT / "harvester").glob("*/__init__.py")}
    assert {room for room in rooms if f"]({room}/README.md)" not in text} == set()


@pytest.mark.parametrize("room", ROOMS_WITH_A_README)
def test_the_readme_of_a_room_says_what_a_newcomer_asks(room: str) -> None:
    """What it is for, what it may import, where to start, how to add a member; on a page."""
    text = _text(f"harvester/{room}/README.md")
    opening = text.partition("\n## ")[0]
    assert re.search(r"\bStart\s+with\s+`\w+\.py`", opening), "It names no file to start with."
    assert "\n## What it may import\n" in text
    assert re.search(r"\n## (How to add|Adding) ", text), "It does not say how to add a member."
    assert len(re.findall(r"\S*\w\S*", text)) <= WORDS_OF_A_PAGE


def _entries() -> dict[str, str]:
    """Return the text of each entry of the glossary by its term."""
    _, *parts = re.split(r"(?m)^### ", _text("gateway/GLOSSARY.md"))
    return {term: " ".join(text.split()) for term, _, text in (part.partition("\n") for part in parts)}


def test_the_glossary_is_short_and_in_order() -> None:
    entries = _entries()
    assert len(entries) <= 33
    assert list(entries) == sorted(entries, key=str.casefold)
    assert [term for term, text in entries.items() if not text.endswith(".") or len(text.split()) > 50] == []


@pytest.mark.parametrize("name", ["README.md", "gateway/README.md", "deploy/README.md"])
def test_the_glossary_is_linked(name: str) -> None:
    assert "GLOSSARY.md)" in _text(name)


@pytest.mark.parametrize("folder", ["gateway", "harvester", "schemas", "instance"])
def test_the_folders_that_people_work_in_have_a_readme(folder: str) -> None:
    assert (ROOT / folder / "README.md").is_file()


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


def test_changes_stand_in_fixed_sections_and_in_sentences() -> None:
    text = _text("CHANGELOG.md")
    assert set(re.findall(r"(?m)^### (.*)$", text)) <= set(SECTIONS)
    entries = re.findall(r"(?ms)^\* (.*?)(?=^\* |^#|\Z)", text)
    assert entries
    assert [entry for entry in entries if not entry.strip().endswith(".")] == []


def test_every_decision_is_dated() -> None:
    decisions = _text("gateway/DECISIONS.md")
    heads = re.findall(r"(?m)^## (.*)$", decisions)
    assert heads
    assert [head for head in heads if not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}: ", head)] == []


def test_the_python_that_the_readme_names_is_the_one_that_is_required() -> None:
    assert f"Python {str(_project()['requires-python']).removeprefix('>=')} or newer" in _text("README.md")


def _pinned(lock: str) -> dict[str, str]:
    return dict(re.findall(r"(?m)^([a-z0-9.-]+)==(\S+) \\$", _text(lock)))


@pytest.mark.parametrize("lock", LOCKS)
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
