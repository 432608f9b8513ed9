"""`gateway backup` and `gateway restore`: every file, while everything runs, whole or not at all."""

import errno
import fcntl
import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import time

import pytest

from gateway.core import durable
from gateway.core.ceiling import Ceiling
from gateway.core.errors import ClockAhead, StoreDamaged, StoreError
from gateway.core.model import RawPage
from gateway.core.settings import READY, load, place_of_copy
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from gateway.ops import backup
from gateway.ops import restore as restore_module
from gateway.ops.backup import back_up
from gateway.ops.recovery import remember_sources
from gateway.ops.restore import Choice, restore
from gateway.ops.upkeep import complete_takedowns
from gateway.publish.step import EPOCH_FACT
from gateway.store.base import TAKEDOWNS_FACT, database_files
from tests.cli.test_from_inbox import make_filled
from tests.opening import open_discovery, open_inbox, open_store
from tests.rows import each_row

ENTRY = '[laro]\nurl = "http://laro.example.org/oai"\nevery = "1d"\n'
COPY = b"%PDF-1.4 a document"
NAME = sha256(COPY).hexdigest()


def make_full(folder: Path) -> None:
    """Make an instance with records, a search, a copy of a document, a takedown and files of other kinds."""
    make_filled(folder)
    open_discovery(folder).close()
    place = place_of_copy(folder, NAME)
    place.parent.mkdir(parents=True)
    place.write_bytes(COPY)
    (folder / "sources.toml").write_text(ENTRY)
    (folder / "downloads" / "laro").mkdir(parents=True)
    (folder / "downloads" / "laro" / "list.xml").write_text("<list/>")
    (folder / "locks").mkdir(exist_ok=True)
    (folder / "locks" / "laro").write_text("1")
    with closing(sqlite3.connect(folder / "audits.sqlite")) as audit:
        audit.execute("create table ledger (doi)")
    TakedownFile(folder).change(lambda _: [Takedown(Kind.DOI, "10.1234/mine", items=("a",))])
    with closing(open_store(folder)) as store:
        store.remember(TAKEDOWNS_FACT, '["doi 10.1234/mine"]')


@pytest.fixture
def full(folder, ready_made) -> Path:
    ready_made(folder, make_full)
    return folder


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "backup"


def records(folder: Path) -> dict[str, bytes]:
    with closing(open_store(folder)) as store, store.view() as view:
        records_by_name = {
            name: view.record(f"oai:gateway.example.org:{name}/1", "oai_dc") for name in ("gone", "laro")
        }
    return {name: record.content for name, record in records_by_name.items() if record}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- a backup -----------------------------------------------------------------------------------------------------


def test_a_backup_holds_every_file_for_its_owner_only(gateway, full, target):
    result = gateway("backup", str(target), "--json")
    assert result.exit_code == 0, result.stderr
    facts = json.loads(result.stdout)
    files = {
        path.relative_to(facts["folder"]).as_posix() for path in Path(facts["folder"]).rglob("*") if path.is_file()
    }
    assert files == {
        "answered-until", "audits.sqlite", "config.toml", "discovery.sqlite", "downloads/laro/list.xml",
        "inbox.sqlite", "secret", "sources.toml", "store.sqlite", "takedowns.json",
    }  # fmt: skip
    assert (target / "files" / NAME[:2] / NAME).read_bytes() == COPY
    modes = {stat.S_IMODE(path.stat().st_mode) for path in [target, *target.rglob("*")]}
    assert modes == {0o700, 0o600}


def test_a_file_that_changed_is_written_again_and_one_that_is_gone_is_left_out(gateway, full, target):
    gateway("backup", str(target))
    (full / "sources.toml").write_text("[another]\n")
    (full / "downloads" / "laro" / "list.xml").unlink()
    place_of_copy(full, NAME).unlink()
    gateway("backup", str(target))
    backup_manifest = backup.read_manifest(target)
    assert (target / backup_manifest.generation / "sources.toml").read_text() == "[another]\n"
    assert "downloads/laro/list.xml" not in backup_manifest.names
    assert not (target / "files" / NAME[:2] / NAME).exists()


def test_a_backup_is_made_while_others_write(full, target):
    with closing(open_store(full)) as store, store.view(), closing(open_inbox(full)) as inbox:
        inbox.receive(RawPage("laro", "Identify", "", 1, 200, (), b"x" * 100), (), None)

        def interfere(name: str, _done: int, _total: int) -> None:
            if name == "store.sqlite":
                inbox.receive(RawPage("laro", "Identify", "", 1, 200, (), b"y" * 100), (), None)
                store.remember("something", "else")

        back_up(load(full), target, interfere)
    place = target / backup.read_manifest(target).generation
    assert database_files.last_published(place / "store.sqlite") <= database_files.last_received(place / "inbox.sqlite")


def test_a_backup_that_is_stopped_or_killed_leaves_the_former_one_whole(gateway, full, target, monkeypatch):
    gateway("backup", str(target))
    before = backup.read_manifest(target)

    def stop(name: str, _done: int, _total: int) -> None:
        if name == "inbox.sqlite":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(load(full), target, stop)
    assert [path.name for path in target.iterdir() if path.is_dir() and path.name != "files"] == [before.generation]
    with monkeypatch.context() as killed:
        killed.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            back_up(load(full), target, stop)
    assert backup.read_manifest(target) == before
    assert gateway("restore", str(target), "--replace").exit_code == 0
    assert gateway("backup", str(target)).exit_code == 0
    assert len([path for path in target.iterdir() if backup.GENERATION.fullmatch(path.name)]) == 1


def test_a_folder_that_holds_something_else_is_left_alone(gateway, full, target, tmp_path):
    target.mkdir()
    (target / "thesis.tex").touch()
    result = gateway("backup", str(target))
    assert (result.exit_code, "thesis.tex" in result.stderr) == (2, True)
    assert gateway("backup", str(full / "backup")).exit_code == 2
    shutil.rmtree(target)
    gateway("backup", str(target))
    other = tmp_path / "other"
    shutil.copytree(full, other)
    (other / "config.toml").write_text('repository_domain = "other.example.org"\n')
    result = gateway("--instance", str(other), "backup", str(target))
    assert "the backup of another repository (gateway.example.org)" in result.stderr


def test_two_backups_do_not_go_to_one_folder_at_once(gateway, full, target):
    target.mkdir()
    with (target / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = gateway("backup", str(target))
    assert (result.exit_code, "Another backup is being written to" in result.stderr) == (5, True)


def test_a_backup_may_go_to_nfs_where_only_writers_lock(gateway, full, target, monkeypatch):
    def flock(descriptor: int, kind: int) -> None:
        if kind & fcntl.LOCK_EX and not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr(fcntl, "flock", flock)
    assert gateway("backup", str(target)).exit_code == 0
    assert gateway("restore", str(target), "--replace").exit_code == 0


def test_a_damaged_database_ends_a_backup_and_keeps_the_former_one(gateway, full, target):
    gateway("backup", str(target))
    before = backup.read_manifest(target)
    with (full / "store.sqlite").open("r+b") as stream:
        stream.seek(40_000)
        stream.write(b"\xff" * 100_000)
    result = gateway("backup", str(target))
    assert result.exit_code == 1, result.stderr
    assert "store.sqlite" in result.stderr
    assert backup.read_manifest(target) == before


def test_a_loss_never_replaces_the_backup_of_what_was_lost(gateway, full, target):
    gateway("backup", str(target))
    before = backup.read_manifest(target)
    (full / "store.sqlite").unlink()
    result = gateway("backup", str(target))
    assert (result.exit_code, "store.sqlite is missing, although" in result.stderr) == (1, True)
    gateway("init")
    result = gateway("backup", str(target))
    assert (result.exit_code, "lacks gone, laro" in result.stderr) == (1, True)
    for file in full.glob("*.sqlite*"):
        file.unlink()
    gateway("init")
    open_discovery(full).close()
    result = gateway("backup", str(target))
    assert (result.exit_code, "it lacks pages that the backup" in result.stderr) == (1, True)
    assert backup.read_manifest(target) == before
    assert gateway("restore", str(target), "--replace").exit_code == 0


def test_an_inbox_that_was_lost_and_filled_again_never_replaces_the_backup_that_has_it(gateway, full, target):
    gateway("backup", str(target))
    before = backup.read_manifest(target)
    last = before.last_page
    (full / "inbox.sqlite").unlink()
    gateway("init")
    with closing(open_inbox(full)) as inbox:
        inbox.number_behind(last)
        inbox.receive(RawPage("laro", "Identify", "", 1, 200, (), b"x"), (), None)
    with closing(open_store(full)) as store, closing(open_inbox(full)) as inbox:
        remember_sources(store, inbox)
    result = gateway("backup", str(target))
    assert (result.exit_code, "it lacks pages that the backup" in result.stderr) == (1, True)
    assert backup.read_manifest(target) == before


def test_a_list_of_takedowns_that_was_lost_never_replaces_the_backup_that_has_it(gateway, full, target):
    gateway("backup", str(target))
    before = backup.read_manifest(target)
    (full / "takedowns.json").unlink()
    result = gateway("backup", str(target))
    assert (result.exit_code, "takedowns.json is missing, although" in result.stderr) == (1, True)
    (full / "takedowns.json").write_text('{"takedowns": []}')
    result = gateway("backup", str(target))
    assert (result.exit_code, "lacks entries that were applied" in result.stderr) == (1, True)
    assert backup.read_manifest(target) == before
    assert gateway("restore", str(target), "--missing").exit_code == 0
    assert gateway("backup", str(target)).exit_code == 0


def test_a_copy_whose_bytes_have_changed_is_left_out_and_reported(gateway, full, target):
    place_of_copy(full, NAME).write_bytes(b"%PDF-1.4 another doc")
    result = gateway("backup", str(target))
    assert (result.exit_code, NAME in result.stderr) == (3, True)


def test_a_disk_that_is_full_is_a_sentence_and_keeps_the_former_backup(gateway, full, target, monkeypatch):
    gateway("backup", str(target))
    before = backup.read_manifest(target)

    def refuse(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device", str(target))

    (full / "sources.toml").write_text("[b]\n")
    monkeypatch.setattr(durable, "copy", refuse)
    result = gateway("backup", str(target))
    assert (result.exit_code, "No space left on device" in result.stderr) == (1, True)
    assert backup.read_manifest(target) == before


# --- a restore ----------------------------------------------------------------------------------------------------


def test_an_empty_folder_becomes_the_instance_that_was_backed_up(gateway, full, target):
    before = records(full)
    gateway("backup", str(target))
    shutil.rmtree(full)
    result = gateway("restore", str(target))
    assert result.exit_code == 0, result.stderr
    assert records(full) == before
    assert gateway("check").exit_code == 0, gateway("check").stderr
    assert place_of_copy(full, NAME).read_bytes() == COPY
    assert (full / "downloads" / "laro" / "list.xml").is_file()
    assert {stat.S_IMODE(path.stat().st_mode) for path in [full, *full.rglob("*")]} == {0o700, 0o600}
    assert "harvester run --all" in result.stderr


def test_what_is_newer_is_replaced_only_when_it_is_said_and_kept_aside(gateway, full, target):
    gateway("backup", str(target))
    (full / "sources.toml").write_text("[newer]\n")
    result = gateway("restore", str(target))
    assert (result.exit_code, "sources.toml" in result.stderr) == (2, True)
    assert (full / "sources.toml").read_text() == "[newer]\n"
    result = gateway("restore", str(target), "--replace", "--json")
    assert result.exit_code == 0
    aside = Path(json.loads(result.stdout)["aside"])
    assert (aside / "sources.toml").read_text() == "[newer]\n"
    assert (full / "sources.toml").read_text() == ENTRY
    assert (aside / "store.sqlite").is_file()


def test_only_what_is_missing_or_empty_is_restored_when_that_is_asked_for(gateway, full, target):
    gateway("backup", str(target))
    (full / "config.toml").write_text('repository_name = "Newer"\n')
    (full / "store.sqlite").unlink()
    (full / "sources.toml").write_text("")
    result = gateway("restore", str(target), "--missing", "--json")
    assert json.loads(result.stdout)["files"] == ["answered-until", "sources.toml", "store.sqlite"]
    assert "Newer" in (full / "config.toml").read_text()
    assert gateway("check").exit_code == 0, gateway("check").stderr
    assert json.loads(gateway("restore", str(target), "--missing", "--json").stdout)["files"] == []


def test_an_inbox_that_is_older_than_the_store_gives_no_number_twice(gateway, full, target):
    gateway("backup", str(target))
    with closing(open_store(full)) as store:
        store.advance("laro", store.position("laro"), 99)
    (full / "inbox.sqlite").unlink()
    assert gateway("restore", str(target), "--missing").exit_code == 0
    with closing(open_inbox(full)) as inbox:
        assert inbox.last_number() == 99


def test_nothing_is_restored_while_something_runs(gateway, full, target):
    gateway("backup", str(target))
    before = contents(full)
    with closing(sqlite3.connect(full / "inbox.sqlite", isolation_level=None)) as other:
        other.execute("begin")
        other.execute("select * from page").fetchone()
        result = gateway("restore", str(target), "--replace")
    assert (result.exit_code, "Stop `gateway serve` and harvests first" in result.stderr) == (5, True)
    assert {name: content for name, content in contents(full).items() if name in before} == before
    assert not (full / "aside").exists()


def test_a_damaged_store_and_its_old_log_are_replaced(gateway, full, target):
    before = records(full)
    gateway("backup", str(target))
    (full / "store.sqlite").write_bytes(b"no database" * 1000)
    (full / "store.sqlite-wal").write_bytes(b"no log" * 1000)
    assert gateway("restore", str(target), "--replace").exit_code == 0
    assert records(full) == before
    assert gateway("check").exit_code == 0, gateway("check").stderr


@each_row(
    "spoil, sentence",
    [
        (lambda place: (place / "inbox.sqlite").unlink(), "inbox.sqlite is missing"),
        (lambda place: (place / "sources.toml").write_text("[evil]\n"), "sources.toml have changed"),
    ],
)
def test_a_backup_that_is_damaged_changes_nothing(gateway, full, target, spoil, sentence):
    gateway("backup", str(target))
    spoil(target / backup.read_manifest(target).generation)
    before = {name: content for name, content in contents(full).items() if not name.endswith(("-wal", "-shm"))}
    result = gateway("restore", str(target), "--replace")
    assert (result.exit_code, sentence in result.stderr) == (1, True)
    assert {name: contents(full)[name] for name in before} == before
    assert gateway("check").exit_code == 0, gateway("check").stderr


@each_row(
    "document",
    [
        "no JSON",
        '{"version": 1}',
        json.dumps(
            dict.fromkeys(("begun_at", "ended_at", "answered_until", "last_page"), 1)
            | {"version": 1, "files": [], "generation": "..", "domain": ""}
        ),
        '{"version": 1, "files": [{"name": "../x", "size": 1, "sha256": "", "modified_ns": 1, "is_database": false}]}',
        '{"version": 1, "files": [{"name": "/x", "size": 1, "sha256": "", "modified_ns": 1, "is_database": false}]}',
    ],
)
def test_a_list_that_is_none_is_refused(gateway, full, target, document):
    target.mkdir(exist_ok=True)
    (target / "backup.json").write_text(document)
    assert gateway("restore", str(target)).exit_code == 2
    (target / "backup.json").unlink()


def test_a_restore_that_was_killed_keeps_everybody_out_and_is_finished_by_the_same_command(
    gateway, full, target, monkeypatch
):
    before = records(full)
    gateway("backup", str(target))
    replace, moved = Path.replace, []

    def killed(self: Path, place: Path) -> Path:
        if restore_module.STAGING in self.parts and self.suffix == ".sqlite":  # type: ignore[attr-defined]
            moved.append(self)
            if len(moved) == 2:
                raise KeyboardInterrupt
        return replace(self, place)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            restore(full, target, Choice.REPLACE)
    assert (full / READY).exists()
    for words in (["check"], ["serve", "--port", "0"], ["rebuild"], ["backup", str(target)]):
        result = gateway(*words)
        assert result.exit_code != 0
        assert "was interrupted" in result.stderr
    assert gateway("restore", str(target)).exit_code == 0
    assert records(full) == before
    assert gateway("check").exit_code == 0, gateway("check").stderr


def test_a_restore_that_was_killed_before_it_was_ready_has_changed_nothing(gateway, full, target):
    gateway("backup", str(target))
    (full / restore_module.STAGING).mkdir()  # type: ignore[attr-defined]
    (full / restore_module.STAGING / "store.sqlite").write_bytes(b"half")  # type: ignore[attr-defined]
    assert gateway("check").exit_code == 0, gateway("check").stderr
    assert gateway("restore", str(target), "--replace").exit_code == 0
    assert gateway("check").exit_code == 0, gateway("check").stderr


def test_a_copy_that_is_damaged_in_the_backup_is_not_restored(gateway, full, target):
    gateway("backup", str(target))
    (target / "files" / NAME[:2] / NAME).write_bytes(b"another")
    place_of_copy(full, NAME).unlink()
    result = gateway("restore", str(target), "--replace")
    assert (result.exit_code, NAME in result.stderr) == (3, True)
    assert not place_of_copy(full, NAME).exists()


# --- takedowns ----------------------------------------------------------------------------------------------------


def test_a_restore_never_forgets_a_takedown(gateway, full, target):
    gateway("backup", str(target))
    theirs = Takedown(Kind.DOI, "10.1234/mine", items=("b",), files=("f",))
    later = Takedown(Kind.HOST, "example.org")
    TakedownFile(full).change(lambda _: [theirs, later])
    assert gateway("restore", str(target), "--replace").exit_code == 0
    assert TakedownFile(full).read().entries == (
        Takedown(Kind.DOI, "10.1234/mine", items=("a", "b"), files=("f",)),
        later,
    )


def test_an_item_that_was_taken_down_after_the_backup_is_a_tombstone_in_the_restored_store(gateway, full, target):
    gateway("backup", str(target))
    item = "oai:gateway.example.org:laro/1"
    TakedownFile(full).change(lambda mine: [*mine, Takedown(Kind.IDENTIFIER, item)])
    assert b"A title of laro" in records(full)["laro"]
    assert gateway("restore", str(target), "--replace").exit_code == 0
    assert b'status="deleted"' in records(full)["laro"]
    assert "not completed. `harvester publish` completes it" in gateway("check").stderr


def test_a_copy_that_was_taken_down_after_the_backup_is_not_brought_back(gateway, full, target):
    gateway("backup", str(target))
    TakedownFile(full).change(lambda mine: [*mine, Takedown(Kind.SHA256, NAME)])
    place_of_copy(full, NAME).unlink()
    assert gateway("restore", str(target), "--replace").exit_code == 0
    assert not place_of_copy(full, NAME).exists()


def test_a_list_of_takedowns_that_cannot_be_read_is_put_aside_for_that_of_the_backup(gateway, full, target):
    gateway("backup", str(target))
    (full / "takedowns.json").write_text("{")
    assert gateway("restore", str(target), "--replace").exit_code == 0
    assert [entry.value for entry in TakedownFile(full).read().entries] == ["10.1234/mine"]
    assert len(list(full.glob("aside/*/takedowns.json"))) == 1


# --- the clock ----------------------------------------------------------------------------------------------------


def test_nothing_is_stamped_below_what_the_lost_store_may_have_answered(gateway, full, target):
    gateway("backup", str(target))
    ahead = Ceiling(full / "store.sqlite").read() + 5_000
    with closing(open_store(full)) as store, store._file.writing() as session:
        session.execute("update clock set ceiling = ?", (ahead,))
    (full / "answered-until").unlink()
    assert gateway("restore", str(target), "--replace").exit_code == 0
    with closing(open_store(full)) as store:
        assert store.intend().datestamp >= ahead
        assert store.fact(EPOCH_FACT) != ""


def test_a_clock_that_ran_on_since_an_old_backup_is_not_believed_and_a_newer_takedown_is_obeyed(gateway, full, target):
    """The restore itself cannot write a tombstone then, so nothing is served before somebody accepts the clock."""
    back_up(load(full), target)
    newer = Takedown(Kind.IDENTIFIER, "oai:gateway.example.org:laro/1", at="2090-01-01T00:00:00Z")
    listed = [*TakedownFile(full).read().listed, newer]
    document = json.loads((target / "backup.json").read_text())
    years = 5 * 365 * 86_400
    for name in ("begun_at", "ended_at", "answered_until"):
        document[name] -= years
    file = target / document["generation"] / "store.sqlite"
    with closing(sqlite3.connect(file)) as store:
        store.execute("update clock set wall = wall - ?1, ceiling = ceiling - ?1, boot = 'another'", (years,))
        store.commit()
    entry = next(entry for entry in document["files"] if entry["name"] == file.name)
    entry["sha256"] = sha256(file.read_bytes()).hexdigest()
    (target / "backup.json").write_text(json.dumps(document))
    shutil.rmtree(full)
    full.mkdir()
    TakedownFile(full).change(lambda _: listed)
    assert gateway("restore", str(target)).exit_code == 0
    with closing(open_store(full)) as store, pytest.raises(ClockAhead, match="gateway clock --accept"):
        store.intend()
    with pytest.raises(StoreError, match=r"a takedown cannot be applied: .*gateway clock --accept"):
        complete_takedowns(full)
    assert gateway("clock", "--accept").exit_code == 0
    assert complete_takedowns(full) == ""
    assert b'status="deleted"' in records(full)["laro"]
    now = int(time())
    with closing(open_store(full)) as store:
        assert store.intend().datestamp >= now


def test_a_backup_does_not_replace_another_repository_unless_that_is_asked_for(gateway, full, target):
    gateway("backup", str(target))
    (full / "config.toml").write_text('repository_domain = "other.example.org"\n')
    os.utime(full / "config.toml", (1, 1))
    result = gateway("restore", str(target), "--missing")
    assert (result.exit_code, "is the instance of other.example.org" in result.stderr) == (2, True)
    assert gateway("restore", str(target), "--replace").exit_code == 0


def test_the_copy_of_a_database_is_verified(tmp_path):
    file = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("create table t (a)")
        connection.execute("create index i on t (a)")
        connection.executemany("insert into t values (?)", [(str(number) * 100,) for number in range(1000)])
        connection.commit()
        connection.execute("pragma writable_schema = on")
        connection.execute("delete from sqlite_schema where name = 'i'")
        connection.commit()
    with pytest.raises(StoreDamaged, match="is damaged"):
        database_files.verify(file)
