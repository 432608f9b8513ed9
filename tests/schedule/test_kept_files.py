"""`harvester tend` keeps the files of our ResourceSync source, alone or continuously, and survives kills."""

import json
import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner

from gateway.cli.main import main as gateway
from gateway.core import settings as gateway_settings
from gateway.core.statuses import Status
from gateway.resourcesync.keeping import Keeper
from harvester.cli import main as harvester
from harvester.harvest.instance import Instance, sources_file
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.schedule.kept_files import KeptFilesRounds
from tests.applications import application
from tests.publish.harness import Harness, Sent, dc, make_databases
from tests.waiting import wait_until

DAY = 86_400
BASE_URL = "https://gateway.example.org/oai"


class Reports(Progress):
    """Keeps the sentences."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def say(self, text: str) -> None:
        self.sentences.append(text)

    def fail(self, text: str) -> None:
        self.sentences.append(text)


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Harness]:
    make_databases(tmp_path)
    harness = Harness(tmp_path)
    with closing(harness.store), closing(harness.inbox):
        for day in range(3):
            harness.sent(*(Sent(str(number), dc(f"Day {day}")) for number in range(day, 6)))
            harness.now += DAY
        yield harness


@pytest.fixture
def reports() -> Reports:
    return Reports()


def rounds(harness: Harness, reports: Reports, **options: Any) -> KeptFilesRounds:
    settings = gateway_settings.load(
        harness.folder, {}, {"base_url": BASE_URL, "resourcesync_lists": "oai_dc"} | options
    )
    unused: Any = None
    instance = Instance(
        settings, harness.store, harness.inbox, sources_file(harness.folder), unused, unused, unused, unused
    )
    return KeptFilesRounds(instance, reports, Stop())


def files(harness: Harness) -> list[str]:
    return sorted(file.name for file in (harness.folder / "resourcesync").glob("*/*"))


def test_a_round_makes_what_is_missing_and_says_it(harness, reports):
    made = rounds(harness, reports)
    assert made.run() == {"changes": 2, "resources": 1}
    assert reports.sentences == ["resourcesync: packages of changes 2, packages of resources 1."]
    assert len(files(harness)) == 4
    assert {file.stat().st_mode & 0o777 for file in (harness.folder / "resourcesync").glob("*/*")} == {0o600}
    assert made.run() == {}
    assert len(reports.sentences) == 1


def test_files_of_sets_that_the_site_no_longer_has_are_deleted(harness, reports):
    rounds(harness, reports, resourcesync_lists="oai_dc oai_didl").run()
    rounds(harness, reports, resourcesync_lists="oai_didl").run()
    assert [folder.name for folder in (harness.folder / "resourcesync").iterdir()] == ["oai_didl@source"]
    rounds(harness, reports, resourcesync_lists="").run()
    assert files(harness) == []


def test_an_error_in_one_set_does_not_end_the_round_for_the_others(harness, reports, monkeypatch):
    real = Keeper.keep

    def fail_first(self: Keeper) -> Counter[str]:
        if self._resources.metadata_prefix == "oai_dc":
            raise ValueError("what")
        return real(self)

    monkeypatch.setattr(Keeper, "keep", fail_first)
    made = rounds(harness, reports, resourcesync_lists="oai_dc oai_didl")
    assert made.run() == {"changes": 2, "resources": 1}
    statuses = [made.status]
    monkeypatch.undo()
    assert made.run() == {"changes": 2, "resources": 1}
    assert [*statuses, made.status] == [Status.FAILED, Status.SUCCEEDED]


def test_rounds_are_repeated_until_the_end(harness, reports, monkeypatch):
    monkeypatch.setattr("harvester.schedule.rounds.Rounds.pause_seconds", 0.01)
    with rounds(harness, reports).repeated():
        wait_until(lambda: reports.sentences)
    assert len(files(harness)) == 4


# --- the commands ---------------------------------------------------------------------------------------------------


def called(program: Command, folder: Path, *words: str, status: int = 0, **settings: object) -> str:
    """Run a command in this process; return its words."""
    environ = {f"GATEWAY_{name.upper()}": str(value) for name, value in settings.items()}
    done = CliRunner(env=environ).invoke(program, ["--instance", str(folder), *words])
    assert done.exit_code == status, done.output
    return done.stderr


@contextmanager
def instance_of(folder: Path, days: int, items: int) -> Iterator[Harness]:
    folder.mkdir()
    make_databases(folder)
    called(gateway, folder, "init", "--domain", "gateway.example.org")
    (folder / "sources.toml").touch()
    harness = Harness(folder)
    with closing(harness.store), closing(harness.inbox):
        for day in range(days):
            harness.sent(*(Sent(str(number), dc(f"Day {day}")) for number in range(day * 3, items)))
            harness.now += DAY
        yield harness


@pytest.mark.slow
def test_tend_keeps_files_and_the_gateway_serves_them(tmp_path: Path) -> None:
    folder = tmp_path / "instance"
    settings: dict[str, Any] = {"resourcesync_change_dump_days": 36_500, "resourcesync_lists": "oai_dc"}
    settings |= {"base_url": BASE_URL}
    with instance_of(folder, 2, 5):
        words = called(harvester, folder, "tend", **settings)
        assert "packages of changes 1, packages of resources 1." in words
    with application(folder, **settings) as app:
        client = app.test_client()
        body = client.get("/resourcesync/oai_dc/source/changedump.xml").get_data(as_text=True)
        package = body.partition("<url><loc>")[2].partition("<")[0]
        with closing(client.get(package.removeprefix(BASE_URL.removesuffix("/oai")))) as answer:
            content = answer.data
    with zipfile.ZipFile(BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == 4  # 3 of 5 were not superseded, and the manifest


@pytest.mark.slow
def test_the_command_that_takes_down_writes_the_files_again(tmp_path: Path) -> None:
    folder = tmp_path / "instance"
    settings: dict[str, Any] = {
        "resourcesync_change_dump_days": 36_500,
        "base_url": BASE_URL,
        "clock_max_jump_seconds": 10**9,
    }
    with instance_of(folder, 2, 5):
        called(harvester, folder, "tend", **settings)
        words = called(harvester, folder, "takedown", "add", "oai:gateway.example.org:laro/0", **settings)
        assert "packages without what was taken down 2." in words
        packages = [*folder.glob("resourcesync/oai_dc@source/changes-*"), *folder.glob("resourcesync/*/*.zip")]
        assert packages
        for package in packages:
            with zipfile.ZipFile(package) as archive:
                assert not [name for name in archive.namelist() if name.startswith("resources/1-")]
        assert not list(folder.glob("resourcesync/*/resources-*"))


@pytest.mark.slow
def test_what_could_not_be_emptied_is_no_success(tmp_path: Path) -> None:
    """A folder is in the place of the new index, as if the disk were full."""
    folder = tmp_path / "instance"
    settings: dict[str, Any] = {"resourcesync_lists": "oai_dc", "base_url": BASE_URL}
    settings |= {"resourcesync_change_dump_days": 36_500}
    with instance_of(folder, 2, 5):
        called(gateway, folder, "clock", "--accept")
        called(harvester, folder, "tend", **settings)
        obstacle = folder / "resourcesync" / "oai_dc@source" / "kept.json.new"
        obstacle.mkdir()
        add = ("takedown", "add", "oai:gateway.example.org:laro/1")
        for words, status in ((add, Status.WITH_ERRORS), (("tend",), Status.FAILED)):
            assert str(obstacle) in called(harvester, folder, *words, status=status, **settings)
        obstacle.rmdir()
        for words in (add, ("tend",)):
            called(harvester, folder, *words, **settings)


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.slow
def test_a_kill_at_any_step_leaves_nothing_half(harness, reports, monkeypatch):
    """The index names whole files only, whatever the step; and the next round makes everything, as if in one go."""
    place, left = harness.folder / "resourcesync" / "oai_dc@source", 10**9

    def counted(act):
        def step(*call, **named):
            nonlocal left
            is_path = isinstance(call[0], (str, os.PathLike))
            if "resourcesync" in str(call[0] if is_path else Path(f"/proc/self/fd/{call[0]}").readlink()):
                left -= 1
                if left < 0:  # nor does anything that is to clean up behind it
                    raise Killed
            return act(*call, **named)

        return step

    for name in ("fsync", "unlink", "replace"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))

    def kept(steps: int) -> set[str]:
        nonlocal left
        left = steps
        with suppress(Killed):
            rounds(harness, reports, resourcesync_snapshot_days=1).run()
        if (place / "kept.json").exists():
            whole(place)
        return {file.name.partition(".")[0] for file in place.glob("*")}

    expected = kept(10**9)
    steps = 10**9 - left
    assert steps > 9
    assert {"resources-1", "kept"} <= expected
    for step in range(steps):
        shutil.rmtree(place)
        kept(step)
        assert kept(10**9) == expected, step
        assert not list(place.glob("*.new"))


def whole(place: Path) -> None:
    index = json.loads((place / "kept.json").read_bytes())
    for kept in index["packages"]:
        with zipfile.ZipFile(place / kept[3]) as archive:
            assert archive.testzip() is None
    for kept in index["parts"]:
        with zipfile.ZipFile(place / kept[1]) as archive:
            assert archive.testzip() is None
