"""The examples in the READMEs are run as they stand: nobody has to guess what is missing in them."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gateway.core.model import Outcome, Work
from harvester.fulltext.identifiers import identifiers_of
from harvester.fulltext.steps import Known
from harvester.harvest.sources_toml import entry_from
from harvester.http.messages import Fetched
from harvester.validate.repository import ListedFormat
from tests import live
from tests.conftest import ROOT
from tests.rows import each_row
from tests.sample.solr import served

# test_first_hour.py runs the third kind; the fourth is for Litestream, and tests.docs makes the fifth one.
# tests/graph/test_queries.py runs the last one.
STEP = "harvester/fulltext/README.md"
SOURCE = "harvester/sources/README.md"
CHECK = "harvester/validate/README.md"


def examples(file: str, kind: str = "python") -> list[str]:
    """Return the examples of one kind in a file."""
    return re.findall(rf"(?ms)^```{kind}\n(.*?)^```$", (ROOT / file).read_text(encoding="utf-8"))


def module(text: str, **names: object) -> ModuleType:
    """Run an example as the module that it is, with these names in it."""
    made = ModuleType("example")
    made.__dict__.update(names)
    exec(compile(text, "README.md", "exec"), made.__dict__)
    return made


@each_row(
    "status, body, outcome",
    [
        (200, {"doi": "10.5555/1", "files": [{"url": "http://a.example.org/1.pdf"}]}, Outcome.SUCCESS),
        (200, {"doi": "10.5555/1"}, Outcome.NO_PDF_LINK),
        (404, {}, Outcome.NOT_FOUND),
    ],
)
def test_the_step_of_the_readme_finds_files(status: int, body: Any, outcome: Outcome) -> None:
    """It raised NameError."""
    step = module(examples(STEP)[0]).STEP
    known = Known(Work(), identifiers_of(Work(identifiers=("https://doi.org/10.5555/1",))))
    assert step.wants(known)

    def fetch(request: Any) -> Fetched:
        assert request.url == "https://api.example.org/works/10.5555/1"
        return Fetched(request.url, status, (("Content-Type", "application/json"),), json.dumps(body).encode(), 0)

    result = step.find(known, fetch)
    assert result.outcome is outcome
    assert [copy.url for copy in result.copies] == ["http://a.example.org/1.pdf"] * (outcome is Outcome.SUCCESS)


@pytest.mark.parametrize(("prefixes", "expected"), [(("oai_dc",), 0), (("oai_dc", "all"), 1)])
def test_the_check_of_the_readme_finds_what_is_wrong(prefixes: tuple[str, ...], expected: int) -> None:
    (check,) = module(examples(CHECK)[0]).CHECKS
    formats = tuple(ListedFormat(prefix, "urn:s", "urn:n") for prefix in prefixes)
    repository = SimpleNamespace(formats=formats, ask=lambda verb: verb)
    assert len(list(check.function(repository))) == expected


@each_row("text", examples("harvester/http/README.md", "toml"))
def test_an_entry_of_the_readme_is_one(text: str) -> None:
    for name, entry in tomllib.loads(text).items():
        assert entry_from(name, entry).name == name


@pytest.mark.slow
def test_the_source_of_the_readme_is_added_and_harvested(tmp_path: Path) -> None:
    """As one new file beside the others; nothing else is edited."""
    (tmp_path / "kinds").mkdir()
    (tmp_path / "kinds" / "json_list.py").write_text(examples(SOURCE)[0])
    folder = live.instance(tmp_path / "instance", {})
    records = [{"id": f"oai:x:{number}", "date": "2020-01-01", "title": f"<{number}>"} for number in (1, 2)]

    def harvester(*arguments: str) -> str:
        program = (
            f"import harvester.sources as kinds; kinds.__path__.append({str(tmp_path / 'kinds')!r})\n"
            "from harvester.cli import main; main()"
        )
        command = [sys.executable, "-c", program, "--instance", str(folder), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    with served(lambda _: (200, json.dumps(records).encode(), "application/json")) as place:
        harvester("source", "add", "small", f"{place}/list.json", "--kind", "json_list", "--format", "json")
        assert "2 published" in harvester("run", "small")
    assert "oai:x:2" in harvester("records", "small")
