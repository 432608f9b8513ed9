"""A provider on loopback, and a mirror of it in a folder."""

import inspect
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.commands import mirror_session as commands
from harvester.mirror.object_state import Holding
from harvester.mirror.open_folder import opened
from tests.mirror.provider import Item, Provider, serving
from tests.rows import each_row

NO_PAUSES = {"GATEWAY_FETCH_BACKOFF_SECONDS": "0.001", "GATEWAY_FETCH_RETRIES": "2"}


@pytest.fixture
def provider() -> Iterator[Provider]:
    """Return a provider without objects."""
    with serving() as provider:
        yield provider


@dataclass
class Mirror:
    """A folder, and the command that keeps it."""

    folder: Path
    provider: Provider
    stderr: str = ""

    def run(self, *arguments: str, status: int = 0, **settings: Any) -> dict[str, Any]:
        """Run `harvester mirror`; return the receipt."""
        return self.call([self.provider.base_url, str(self.folder), *arguments], status, settings)

    def call(self, words: list[str], status: int, settings: dict[str, Any]) -> dict[str, Any]:
        environment = {**NO_PAUSES, **{f"GATEWAY_{name.upper()}": str(value) for name, value in settings.items()}}
        done = CliRunner().invoke(main, ["mirror", *words, "--json"], env=environment, catch_exceptions=False)
        self.stderr = done.stderr
        assert done.exit_code == status, done.output
        return json.loads(done.stdout) if done.stdout else {}

    def holding(self, identifier: str) -> Holding:
        place = opened(self.folder)
        holding = place.holding(place.root.inventory(identifier))
        assert holding is not None
        return holding

    def version(self, identifier: str) -> int:
        return opened(self.folder).root.inventory(identifier).head

    def held(self) -> dict[str, dict[str, bytes]]:
        """Return the files of every object that is not deleted, by the names they have at the provider."""
        place = opened(self.folder)
        by_identifier = {}
        for folder in place.root.objects():
            inventory = place.root.inventory(json.loads((folder / "inventory.json").read_bytes())["id"])
            holding = place.holding(inventory)
            if not holding.is_deleted:
                by_identifier[inventory.identifier] = {
                    file.locations[0].rpartition("/")[2]: (folder / inventory.place(file.path)).read_bytes()
                    for file in holding.files
                    if file.path
                }
        return by_identifier


@pytest.fixture
def mirror(tmp_path: Path, provider: Provider) -> Mirror:
    """Return a mirror of the provider in a folder that is not there yet."""
    return Mirror(tmp_path / "mirror", provider)


@pytest.fixture
def fill(provider: Provider) -> Callable[..., None]:
    """Return a function that gives the provider so many objects of two files each."""

    def filled(count: int, **values: Any) -> None:
        for number in range(count):
            files = {"a.txt": b"a%d" % number, "b.txt": b"b%d" % number}
            provider.items[f"oai:p:{number}"] = Item(files, **values)

    return filled


@dataclass
class Recheck:
    """Calls `harvester mirror recheck` on a mirror, so many seconds `later`."""

    mirror: Mirror

    def __call__(self, *arguments: str, status: int = 0, later: float = 0, **settings: Any) -> dict[str, Any]:
        self.mirror.provider.asked.clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(commands, "time", SimpleNamespace(time=lambda: time.time() + later, monotonic=time.monotonic))
            return self.mirror.call(["recheck", str(self.mirror.folder), *arguments], status, settings)


@pytest.fixture
def recheck(mirror: Mirror) -> Recheck:
    """Return the command that rechecks the mirror."""
    return Recheck(mirror)


def each_mirror(names: str, rows: Iterable[object]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call the test once for each row, as `each_row` does, each time with an empty provider and a mirror of its own."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test)
        def begun(**given: Any) -> None:
            mirror: Mirror = given["mirror"]
            url = mirror.provider.url
            vars(mirror.provider).clear()
            vars(mirror.provider).update(vars(Provider(url=url)))
            mirror.folder = given["tmp_path"] / "mirror"
            test(**{name: given[name] for name in signature.parameters})

        missing = [name for name in ("mirror", "tmp_path") if name not in signature.parameters]
        further = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in missing]
        begun.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*signature.parameters.values(), *further]
        )
        return each_row(names, rows)(begun)

    return decorate
