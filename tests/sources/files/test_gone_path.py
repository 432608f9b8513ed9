"""A path that is gone concerns its own source alone: all other commands and sources go on."""

from __future__ import annotations

import json
import shutil

import pytest

from harvester.runtime.exit_status import Status
from tests.oai_pages import DC

pytestmark = pytest.mark.slow  # it harvests a folder and a server


@pytest.fixture
def gone(command, repository, tmp_path):
    """Add a folder and a server, harvest both, and remove the folder; return it."""
    folder = tmp_path / "records"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.xml").write_text(DC.format(f"oai:folder:{number}"))
    repository.fill(4)
    assert command("source", "add", "folder", str(folder), "--kind", "files")[0] == 0
    assert command("source", "add", "server", repository.url, "--delay", "0")[0] == 0
    status, _, words = command("run", "--all")
    assert status == 0, words
    shutil.rmtree(folder)
    return folder


def _held(command, name):
    return json.loads(command("source", "show", name, "--json")[1])["held"]["items"]


@pytest.mark.parametrize("asked", [("status",), ("source", "list"), ("run", "server"), ("source", "sweep", "server")])
def test_other_commands_work(gone, command, asked):
    status, _, words = command(*asked)
    assert status == 0, words


def test_a_run_of_all_goes_on_with_the_others_and_says_what_is_gone(gone, command, repository):
    repository.fill(2, start=4, datestamp="2099-01-01T00:00:00Z")
    status, _, words = command("run", "--all")
    assert status == Status.REFUSED
    assert f"{gone} does not exist." in words
    assert (_held(command, "server"), _held(command, "folder")) == (6, 3)


@pytest.mark.parametrize("asked", [("run", "folder"), ("source", "sweep", "folder"), ("run", "folder", "--full")])
def test_a_command_on_the_source_itself_says_what_is_gone_and_deletes_nothing(gone, command, asked):
    status, _, words = command(*asked)
    assert status == Status.REFUSED
    assert f"{gone} does not exist." in words
    assert _held(command, "folder") == 3


def test_the_source_can_be_removed(gone, command):
    assert command("source", "remove", "folder", "--yes")[0] == 0
    assert command("run", "--all")[0] == 0


def test_a_path_that_is_not_there_cannot_be_added(command, tmp_path):
    status, _, words = command("source", "add", "other", str(tmp_path / "none"), "--kind", "files")
    assert status == Status.USAGE
    assert f"there is no {tmp_path / 'none'}" in words
