"""One new file is one new ability; a wrong one stops the start in a sentence that names it."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from gateway.core.errors import ConfigurationError
from gateway.core.registry import members


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:  # type: ignore[misc]
    """Return an empty package named `abilities`."""
    made = tmp_path / "abilities"
    made.mkdir()
    (made / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield made
    for name in [name for name in sys.modules if name.split(".")[0] == "abilities"]:
        del sys.modules[name]


def ability_names() -> tuple[str, ...]:
    return members(import_module("abilities"), "NAME", str, str.lower)


def test_members_come_in_the_order_of_their_files(folder: Path) -> None:
    for name, text in (("b", "NAME = 'one'"), ("a", "NAME = 'two'"), ("_c", "")):
        (folder / f"{name}.py").write_text(text)
    assert ability_names() == ("two", "one")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("NAME = 1", "abilities.b exports no NAME: it must be a str."),
        ("NAME = 'A'", "abilities.b and abilities.a are both 'a'."),
    ],
)
def test_a_wrong_member_stops_the_start(folder: Path, text: str, sentence: str) -> None:
    (folder / "a.py").write_text("NAME = 'a'")
    (folder / "b.py").write_text(text)
    with pytest.raises(ConfigurationError) as error:
        ability_names()
    assert str(error.value) == sentence
