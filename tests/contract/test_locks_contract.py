"""The locks of a repository: on PostgreSQL, machines that have nothing in common but the address hold them in turn."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from gateway.core.errors import StoreBusy
from gateway.store.postgres.locks import PostgresLocks
from gateway.store.store import Store
from harvester.cli import main as harvester
from tests.contract.conftest import make_in_database
from tests.opening import open_inbox, settings_of


def test_a_lock_is_free_again_after_the_block(opened: Callable[..., Store]) -> None:
    with closing(opened()) as store:
        for _ in range(2):
            with store.locks.held("laro"), store.locks.held("other"):
                pass
        assert not store.locks.is_held("laro")


@pytest.fixture
def shared(postgres: Callable[..., str]) -> str:
    """Return the URL of a database that two machines use."""
    return postgres(make_in_database)


def test_two_machines_hold_a_lock_in_turn(shared: str) -> None:
    one, other = PostgresLocks(shared), PostgresLocks(shared)
    with one.held("laro"):
        assert other.is_held("laro")
        with pytest.raises(StoreBusy, match="laro"), other.held("laro", 0.2):
            pytest.fail("two holders")
        with other.held("other"):
            pass
    with other.held("laro"):
        pass
    assert not one.is_held("laro")


def test_the_lock_of_a_killed_process_is_free_at_once(shared: str) -> None:
    code = (
        "import sys, time; from gateway.store.postgres.locks import PostgresLocks\n"
        "with PostgresLocks(sys.argv[1]).held('laro'):\n print('held', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code, shared], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert PostgresLocks(shared).is_held("laro")
        process.kill()
        process.wait()
    with PostgresLocks(shared).held("laro", 10):
        pass


def test_a_command_does_not_work_on_a_source_on_which_another_machine_works(tmp_path: Path, shared: str) -> None:
    (tmp_path / "config.toml").write_text(f'store = "{shared}"\nrepository_domain = "gateway.example.org"\n')
    (tmp_path / "secret").write_text(settings_of(tmp_path).text("secret"))
    (tmp_path / "sources.toml").write_text('[laro]\nurl = "http://127.0.0.1:9/oai"\n')
    with closing(open_inbox(tmp_path, url=shared)) as inbox:
        inbox.start_run("laro", 0)
        (run,) = inbox.runs("laro", 1)
        with PostgresLocks(shared).held("laro"):
            assert not inbox.has_died(run)
            done = CliRunner().invoke(harvester, ["--instance", str(tmp_path), "publish", "laro"])
        assert "Another machine holds the lock of laro" in done.output
        assert inbox.has_died(run)
