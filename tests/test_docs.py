"""What is not documented fails the build, and what is documented must be so."""

import re
import tomllib
from pathlib import Path
from typing import Any

from gateway.core.settings import VERSION
from gateway.core.statuses import MEANINGS
from tests.commands.calls import CALLS, ON_SERVER, commands
from tests.conftest import ROOT
from tests.docs import GENERATED, renewed
from tests.json_contract import OBJECTS
from tests.rows import each_row

PAGES = [
    file
    for file in sorted(ROOT.rglob("*.md"))
    if not {".venv", ".pytest_cache", "build", "node_modules"} & set(file.relative_to(ROOT).parts)
]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-judges.lock")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _project() -> dict[str, Any]:
    return tomllib.loads(_text("pyproject.toml"))["project"]


# --- what the code knows stands in the documentation ------------------------------------------------------------


def test_generated_lists_are_those_of_the_code() -> None:
    """`make docs` writes them again."""
    assert [file for file, parts in GENERATED.items() if renewed(_text(file), parts) != _text(file)] == []


def test_every_command_that_writes_json_is_documented_and_called() -> None:
    """A new command needs its fields and a call.

    The fields go into `gateway/cli/json.toml` or `harvester/commands/json.toml`, the call into
    `tests/commands/calls.py`.
    """
    names = {name for name, command in commands() if any("--json" in parameter.opts for parameter in command.params)}
    assert names == set(OBJECTS) == {*CALLS, *ON_SERVER}


def test_the_documented_unit_calls_only_harmless_statuses_a_success() -> None:
    (named,) = re.findall(r"(?m)^SuccessExitStatus=(.*)$", _text("deploy/systemd/harvester.service"))
    harmless = {str(int(status)) for status, meaning in MEANINGS.items() if meaning.is_harmless and status}
    assert set(named.split()) == harmless


# --- links lead somewhere ---------------------------------------------------------------------------------------


def _anchors(file: Path) -> set[str]:
    """Return the anchors of a file's headings, as GitHub makes them."""
    text = re.sub(r"(?ms)^ *(```+|~~~+).*?^ *\1", "", file.read_text(encoding="utf-8"))  # comments are not headings
    heads = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}


def test_comments_of_code_are_not_headings(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One\n\n```console\n# two\n```\n\n## Three, four\n")
    assert _anchors(tmp_path / "a.md") == {"one", "three-four"}


def test_every_link_leads_to_a_file_and_to_a_heading_of_it() -> None:
    lost = []
    for file in PAGES:
        for target, _, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(#([^)]+))?\)", file.read_text(encoding="utf-8")):
            page = file.parent / target if target else file
            if not page.exists() or (anchor and anchor not in _anchors(page)):
                lost.append(f"{file.relative_to(ROOT)}: {target}#{anchor}")
    assert lost == []


def test_every_file_that_must_be_covered_whole_exists() -> None:
    assert [path for path in _text("tests/whole.txt").split() if not any(ROOT.glob(path))] == []


# --- versions, changes, locks -----------------------------------------------------------------------------------


def test_the_newest_change_is_of_this_version_and_dated() -> None:
    heads = re.findall(r"(?m)^## (\S+) \(([0-9]{4}-[0-9]{2}-[0-9]{2})\)$", _text("CHANGELOG.md"))
    assert heads
    assert heads[0][0] == _project()["version"] == VERSION


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
