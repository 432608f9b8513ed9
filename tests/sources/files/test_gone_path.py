"""A path that is gone concerns its own source alone: all other commands and sources go on."""

import json
import shutil

import pytest

from harvester.runtime.exit_status import Status
from tests.oai_pages import DC

pytestmark = pytest.mark.slow  # it harvests a folder and a server


def _held(command, name):
    return json.loads(command("source", "show", name, "--json")[1])["held"]["items"]


def test_a_source_whose_folder_is_gone_says_so_deletes_nothing_and_hinders_no_other(command, repository, tmp_path):
    folder = tmp_path / "records"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.xml").write_text(DC.format(f"oai:folder:{number}"))
    repository.fill(4)
    assert command("source", "add", "folder", str(folder), "--kind", "files")[0] == 0
    assert command("source", "add", "server", repository.url, "--delay", "0")[0] == 0
    assert command("run", "--all")[0] == 0
    shutil.rmtree(folder)
    for asked in (("status",), ("source", "list"), ("run", "server"), ("source", "sweep", "server")):
        status, _, words = command(*asked)
        assert status == 0, words
    repository.fill(2, start=4, datestamp="2099-01-01T00:00:00Z")
    for asked in (("run", "--all"), ("run", "folder"), ("source", "sweep", "folder"), ("run", "folder", "--full")):
        status, _, words = command(*asked)
        assert (status, f"{folder} does not exist." in words) == (Status.REFUSED, True)
        assert (_held(command, "server"), _held(command, "folder")) == (6, 3)
    assert command("source", "remove", "folder", "--yes")[0] == 0
    assert command("run", "--all")[0] == 0
