"""The how-to of instance/README.md is run as it stands, with other folders."""

import re
import shutil
from contextlib import closing

import pytest
from click.testing import CliRunner

from gateway.cli.main import main as gateway
from gateway.core.instance_folder import DATABASES
from harvester.cli import main as harvester
from tests.conftest import ROOT
from tests.opening import open_store
from tests.publish.test_recovery import published_records

pytestmark = pytest.mark.slow  # it harvests

TEXT = (ROOT / "instance" / "README.md").read_text("utf-8")
_BLOCKS = [block.splitlines() for block in re.findall(r"(?s)```console\n(.*?)```", TEXT)]
DELETIONS = _BLOCKS[1]  # what to do about deletions that wait; the others are about backups and losses
BLOCKS = [block for block in _BLOCKS if block is not DELETIONS]


class Opened:
    """What `published_records` wants of a harness."""

    def __init__(self, store) -> None:
        self.store = store


@pytest.fixture
def run(tmp_path):
    """Return a function that runs the lines of a block."""

    def lines(block: list[str]) -> None:
        for line in block:
            assert line.startswith("$ ")
            text = line[2:].replace("/srv/gateway", str(tmp_path / "instance"))
            program, *words = text.replace("/backup/gateway", str(tmp_path / "backup")).split()
            ran = CliRunner().invoke({"gateway": gateway, "harvester": harvester}[program], words)
            assert ran.exit_code == 0, f"{line}: {ran.output}"

    return lines


@pytest.fixture
def filled(tmp_path, run, sample_source):
    """Return the folder of an instance that has harvested the sample, and from which another source was removed."""
    folder = tmp_path / "instance"
    run(
        [
            "$ gateway --instance /srv/gateway init --domain repo.example.org --email a@repo.example.org",
            f"$ harvester --instance /srv/gateway source add laro {sample_source} --every 1d",
            f"$ harvester --instance /srv/gateway source add gone {sample_source} --every 1d",
            "$ harvester --instance /srv/gateway run --all",
            "$ harvester --instance /srv/gateway source remove gone --yes",
        ]
    )
    return folder


def records(folder) -> dict:
    with closing(open_store(folder)) as store:
        return published_records(Opened(store))  # type: ignore[arg-type]


def test_there_is_a_block_for_each_case() -> None:
    assert [len(block) for block in BLOCKS] == [1, 4, 3, 2, 2]
    assert "--yes" in DELETIONS[1]


def test_what_to_do_about_deletions_that_wait_may_be_done_where_none_waits(filled, run) -> None:
    before = records(filled)
    run([line.replace("NAME", "laro") for line in DELETIONS])
    assert records(filled) == before


def test_everything_comes_back_from_a_backup(filled, run) -> None:
    before = records(filled)
    run(BLOCKS[0])
    shutil.rmtree(filled)
    run(BLOCKS[1])
    assert records(filled) == before


def test_a_store_comes_back_from_a_backup_and_the_inbox(filled, run) -> None:
    run(BLOCKS[0])
    before = records(filled)
    (filled / "store.sqlite").unlink()
    run(BLOCKS[2])
    assert records(filled) == before


def test_a_store_is_made_again_without_a_backup(filled, run) -> None:
    before = records(filled)
    (filled / "store.sqlite").unlink()
    run(BLOCKS[3])
    assert records(filled) == before


def test_an_inbox_is_filled_again_without_a_backup(filled, run) -> None:
    before = records(filled)
    (filled / "inbox.sqlite").unlink()
    run(BLOCKS[4])
    assert records(filled).keys() == before.keys()
    run(["$ gateway --instance /srv/gateway rebuild", "$ gateway --instance /srv/gateway check"])


def test_the_recipe_for_litestream_names_every_database() -> None:
    (recipe,) = re.findall(r"(?s)```yaml\n(.*?)```", TEXT)
    assert sorted(re.findall(r"path: /srv/gateway/(\S+)", recipe)) == sorted(DATABASES)


def test_every_file_that_a_backup_holds_is_explained(filled, run) -> None:
    named = set(re.findall(r"(?m)^\| `([^`/]+)/?` \|", TEXT))
    assert {path.name for path in filled.iterdir()} <= {*named, "locks"}
