"""What a person waits for at once loads no library that it does not use: starting takes most of its time."""

from gateway.cli.main import main as gateway
from gateway.cli.user import ROLES
from gateway.core.model import Role
from tests.conftest import loaded_by
from tests.rows import each_row

HEAVY = {"bs4", "flask", "lxml", "pdfminer", "pypdfium2", "requests", "rich"}


@each_row("program", ["gateway.cli.main", "harvester.cli"])
@each_row("word", ["--help", "--version"])
def test_help_and_version_load_no_heavy_library(program, word) -> None:
    modules, _ = loaded_by(f"from {program} import main; main([{word!r}])")
    assert not HEAVY & modules


def test_status_loads_no_heavy_library(tmp_path) -> None:
    gateway(["--instance", str(tmp_path), "init", "--domain", "a.example.org"], standalone_mode=False)
    (tmp_path / "sources.toml").write_text('[laro]\nurl = "https://laro.example.org/oai"\nevery = "1d"\n')
    words = ["--instance", str(tmp_path), "status"]
    modules, printed = loaded_by(f"from harvester.cli import main; main({words!r})")
    assert any("laro" in line for line in printed)
    assert not HEAVY & modules


def test_the_roles_that_the_help_names_are_all() -> None:
    assert list(ROLES) == [role.value for role in Role]
