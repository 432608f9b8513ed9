"""The instance folder is its owner's alone, or a group's: every file in it, whoever made it."""

import grp
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.core import permissions
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from gateway.ops import upkeep
from tests.waiting import wait_until

GROUP = grp.getgrgid(os.getgid()).gr_name


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*")) if not path.is_symlink()}


def test_instance_folder_and_all_that_is_in_it_are_the_owners_alone(tmp_path: Path) -> None:
    folder = tmp_path / "instance"
    upkeep.make(folder, {})
    assert modes(folder) == {0o700, 0o600}
    assert permissions.exposed(folder) == []


def test_instance_that_others_could_read_is_repaired_when_it_is_made_again(tmp_path: Path) -> None:
    upkeep.make(tmp_path, {})
    tmp_path.chmod(0o755)
    (tmp_path / "files" / "ab").mkdir(mode=0o755)
    for path in (tmp_path / "config.toml", tmp_path / "files" / "ab" / "abcd"):
        path.touch()
        path.chmod(0o644)
    assert [entry.path.name for entry in permissions.exposed(tmp_path)] == [tmp_path.name, "config.toml"]
    upkeep.make(tmp_path, {})
    assert modes(tmp_path) == {0o700, 0o600}


def test_group_may_use_the_folder_where_it_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "instance"
    upkeep.make(folder, {}, GROUP)
    assert modes(folder) == {0o2770, 0o660}
    assert permissions.exposed(folder) == []
    upkeep.make(folder, {})
    assert modes(folder) == {0o2770, 0o660}, "a group that was given stays"
    (folder / "config.toml").chmod(0o664)
    assert permissions.exposed(folder) == [(folder / "config.toml", 0o664, 0o660)]


def test_folder_that_held_something_else_keeps_its_mode_and_its_files(tmp_path: Path) -> None:
    (tmp_path / "diary").write_text("")
    (tmp_path / "diary").chmod(0o644)
    tmp_path.chmod(0o755)
    upkeep.make(tmp_path, {})
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    upkeep.make(tmp_path, {})
    assert stat.S_IMODE((tmp_path / "diary").stat().st_mode) == 0o644


@pytest.mark.slow
def test_everything_that_the_commands_make_has_the_modes_of_the_folder(tmp_path, sample_source):
    folder = tmp_path / "instance"

    def run(program: str, *arguments: str) -> None:
        line = [str(Path(sys.executable).with_name(program))]
        subprocess.run([*line, "--instance", str(folder), *arguments], check=True, capture_output=True, umask=0o022)

    run("gateway", "init", "--group", GROUP)
    run("harvester", "source", "add", "laro", sample_source)
    run("harvester", "run", "laro")
    run("harvester", "publish")
    run("harvester", "source", "sweep", "laro", "--yes")
    assert modes(folder) == {0o2770, 0o660}


@pytest.mark.slow  # it waits for another second
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files for others")
def test_what_root_makes_belongs_to_the_owner_of_the_folder(tmp_path: Path) -> None:
    """The server runs as that user, and would serve nothing when it could not read the list of takedowns."""
    folder, user = tmp_path / "instance", 65_534
    upkeep.make(folder, {"admin_email": "a@example.org"})
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user)
    (folder / "config.toml").write_text("")
    os.chown(folder / "config.toml", 0, 0)  # long ago, and for good reason
    os.utime(folder / "config.toml")
    changed_at = (folder / "config.toml").stat().st_ctime
    wait_until(lambda: time.time() > changed_at + 1)
    with permissions.private(folder):
        TakedownFile(folder).change(lambda _: [Takedown(Kind.DOI, "10.1234/x")])
        assert (folder / "takedowns.json").stat().st_uid == user  # at once: the server reads it now
        (folder / "files" / "ab").mkdir()
        (folder / "files" / "ab" / "copy").write_bytes(b"x")
        (folder / "link").symlink_to(tmp_path)
    made = {path.relative_to(folder).as_posix(): path.lstat().st_uid for path in folder.rglob("*")}
    assert {name for name, owner in made.items() if owner == 0} == {"config.toml"}
    assert tmp_path.stat().st_uid == 0
