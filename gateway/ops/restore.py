"""`gateway restore`: makes the instance folder from a backup.

    refuse to replace newer files -> stage and verify everything -> move existing files aside -> move staged files in

Until the file `restoring/ready` exists, nothing is changed. While it exists, no other command runs, and this command
finishes the work. The clock of the restored store continues above every second that the lost one may have answered.
"""

import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from enum import Enum
from pathlib import Path
from time import gmtime, strftime, time
from typing import NamedTuple

from gateway.core import ceiling, durable, permissions, takedown_file
from gateway.core.ceiling import Ceiling
from gateway.core.clock import CEILING_SECONDS, MAX_JUMP_SECONDS
from gateway.core.errors import (
    ClockAhead,
    ConfigurationError,
    SearchError,
    StoreDamaged,
    StoreError,
    StoreUnwritable,
    TakedownsUnreadable,
)
from gateway.core.instance_folder import ASIDE, COPIES, GRAPH, INBOX, NOTES, STAGING, STORE, TAILS, USERS, Instance
from gateway.core.settings import READY, default_settings, load
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Takedown, Takedowns, joined
from gateway.core.xmltext import utc_datetime
from gateway.ops.backup import MANIFEST, Entry, Manifest, copy_document, documents, read_manifest, reading
from gateway.publish.step import EPOCH_FACT, last_lost
from gateway.search.indexing import remove_index
from gateway.store.base import TAKEDOWNS_FACT, Databases, database_files
from gateway.takedowns.apply import apply_takedowns, pending

_MOST_NAMES = 5


class Choice(Enum):
    """The action on files that exist already."""

    REFUSE_NEWER = "refuse"
    ONLY_MISSING = "missing"
    REPLACE = "replace"


class Restored(NamedTuple):
    """A finished restore: the backup, the names of restored files, the folder of replaced ones, and the documents.

    `copies` is the number of restored copies of documents; `damaged_copies` are the SHA-256 of those that are damaged
    in the backup. `aside` is None if no file was replaced.
    """

    manifest: Manifest
    names: tuple[str, ...]
    aside: Path | None
    copies: int
    damaged_copies: tuple[str, ...]

    def facts(self) -> dict[str, object]:
        """Return the object of `gateway restore --json`."""
        return {
            "begun_at": utc_datetime(self.manifest.begun_at),
            "files": list(self.names),
            "aside": str(self.aside or ""),
            "copies": self.copies,
            "damaged_copies": list(self.damaged_copies),
        }


def restore(folder: Path, source: Path, choice: Choice = Choice.REFUSE_NEWER) -> Restored:
    """Restore an instance folder from the backup in `source`, and return what was done.

    Raise ConfigurationError if there is no backup, or if it would replace newer files. Raise StoreBusy if another
    program uses the instance; StoreDamaged if the backup is damaged; StoreUnwritable if the folder cannot be written.
    After the first three errors, nothing has changed. Raise another StoreError, such as TakedownsUnreadable, if the
    files were restored and the takedowns could not be applied.
    """
    settings = default_settings(folder)
    with suppress(ConfigurationError):  # it may be wrong or missing, and is restored
        settings = load(folder)
    Databases(settings).check_on_files(
        "Restore the database with `pg_restore`, then run `gateway rebuild --from-inbox`."
    )
    known = read_manifest(source)
    if known is None:
        raise ConfigurationError(f"There is no backup in {source}: {MANIFEST} is missing. Choose another folder.")
    try:
        durable.make_folder(folder)
        database_files.check_not_served(folder / STORE)
        answered = _answered(folder)
        with ExitStack() as held, reading(source):
            for file in known.files:
                if file.is_database and Instance(folder).is_there(file.name):
                    held.enter_context(database_files.unused(folder / file.name))
            done = _Restoring(folder, source, known, choice, answered).restore()
        if STORE in done.names:
            with suppress(SearchError, StoreError, OSError):  # the next command that publishes notices it
                remove_index(folder)
            shutil.rmtree(folder / GRAPH, ignore_errors=True)  # of the former store
        _adjust(folder)
    except OSError as error:
        where = error.filename or folder
        raise StoreUnwritable(f"{folder} was not restored: {where}: {error.strerror}.") from error
    return done


def _answered(folder: Path) -> int:
    """Return the highest second that the instance may have answered, according to the files that still exist."""
    store = folder / STORE
    copied = 0
    if Instance(folder).is_there(STORE):
        with suppress(StoreError):
            copied = database_files.ceiling(store)
    return max(copied, Ceiling(store).read())


class _Restoring:
    """One restore. Its methods are in the order in which they are called."""

    def __init__(self, folder: Path, source: Path, manifest: Manifest, choice: Choice, answered: int) -> None:
        self._folder, self._source, self._manifest, self._answered = folder, source, manifest, answered
        self._staging, self._ready = folder / STAGING, folder / READY
        self._aside = folder / ASIDE / strftime("%Y%m%dT%H%M%SZ", gmtime(time()))
        self._choice, self._instance = choice, Instance(folder)

    def restore(self) -> Restored:
        is_going_on = self._ready.exists()
        if not is_going_on:
            self._check_domain()
            files = self._wanted()
            try:
                self._stage(files)
            except BaseException:
                shutil.rmtree(self._staging, ignore_errors=True)  # it may have filled the disk
                raise
        copies, damaged = self._bring_documents()
        wanted = self._takedowns()
        TakedownFile(self._folder).change(lambda mine: joined(mine, wanted))
        names = tuple(self._swap())
        shutil.rmtree(self._staging)
        self._instance.note(*names)
        permissions.repair(self._folder)
        aside = self._aside if self._aside.exists() else None
        return Restored(self._manifest, names, aside, copies, damaged)

    def _check_domain(self) -> None:
        """Raise ConfigurationError if the folder is the instance of another repository."""
        if self._choice is Choice.REPLACE or not (self._folder / "config.toml").exists():
            return
        domain = load(self._folder).text("repository_domain")
        if domain != self._manifest.domain:
            raise ConfigurationError(
                f"{self._folder} is the instance of {domain}, but the backup is one of {self._manifest.domain}. "
                "Choose another folder, or replace the instance with --replace."
            )

    def _wanted(self) -> list[Entry]:
        """Return the files to restore. Raise ConfigurationError if a newer file would be replaced."""
        files = [file for file in self._manifest.files if file.name not in (takedown_file.NAME, ceiling.NAME)]
        if self._choice is Choice.ONLY_MISSING:
            return [file for file in files if not self._instance.is_there(file.name)]
        newer = [file.name for file in files if self._is_newer(file)]
        if newer and self._choice is Choice.REFUSE_NEWER:
            names = ", ".join(newer[:_MOST_NAMES]) + (" and others" if len(newer) > _MOST_NAMES else "")
            raise ConfigurationError(
                f"In {self._folder} these files were changed after the backup of "
                f"{utc_datetime(self._manifest.begun_at)}: {names}. "
                "Restore only missing files with --missing, or everything with --replace."
            )
        return files

    def _is_newer(self, entry: Entry) -> bool:
        file = self._folder / entry.name
        if not self._instance.is_there(entry.name):
            return False
        tails = [file.with_name(f"{file.name}{tail}") for tail in TAILS if entry.is_database or not tail]
        changed = max(tail.stat().st_mtime for tail in tails if tail.exists())
        return changed >= self._manifest.begun_at and (entry.is_database or durable.digest_of(file) != entry.sha256)

    # -- before anything is changed ------------------------------------------------------------------------------

    def _stage(self, wanted: Iterable[Entry]) -> None:
        """Copy all files into the staging folder, verify them, and mark them as ready."""
        shutil.rmtree(self._staging, ignore_errors=True)
        names = {file.name for file in wanted}
        for entry in wanted:
            self._bring(entry)
        durable.make_folder(self._staging)
        if STORE in names:
            self._continue_clock()
            with closing(Databases(default_settings(self._staging)).store()) as store:
                # A new epoch: tokens of the lost store are invalid, and files are checked again.
                store.remember(EPOCH_FACT, secrets.token_hex(8))
        if INBOX in names:
            with closing(Databases(default_settings(self._staging)).inbox()) as inbox:
                inbox.mark_restored(self._manifest.begun_at, int(time()))
        if USERS in names:
            with closing(Databases(default_settings(self._staging)).users()) as users:
                users.end_sessions()  # some were ended after the backup
        for name in NOTES:  # those of the instance stay
            (self._staging / name).unlink(missing_ok=True)
        for path in [*self._staging.rglob("*"), self._staging]:
            if path.is_dir():
                durable.sync_folder(path)
        durable.write(self._ready, b"")

    def _bring(self, entry: Entry) -> None:
        source, target = self._source / self._manifest.generation / entry.name, self._staging / entry.name
        durable.make_folder(target.parent)
        try:
            digest = durable.copy(source, target)
        except FileNotFoundError as error:
            raise StoreDamaged(f"The backup is incomplete: {source} is missing. Nothing was changed.") from error
        if digest != entry.sha256:
            raise StoreDamaged(f"The backup is damaged: the bytes of {source} have changed. Nothing was changed.")

    def _continue_clock(self) -> None:
        """Write the highest second that the lost repository may have answered.

        It is the highest of three: that of the backup, that of the files that still exist, and now. The last is one
        because the gateway may have answered until now. If its clock was ahead of real time at the backup, it is
        assumed to be as far ahead now. A time that is too far after the backup is not used, because the clock of this
        machine may be wrong.
        """
        now, outcome = int(time()), self._manifest
        lead = max(0, outcome.answered_until - outcome.ended_at)
        is_believed = now - outcome.ended_at <= MAX_JUMP_SECONDS or lead > CEILING_SECONDS
        asked_until = now + lead if is_believed else 0
        Ceiling(self._staging / STORE).write(max(asked_until, outcome.answered_until, self._answered))

    # -- steps that only add -------------------------------------------------------------------------------------

    def _bring_documents(self) -> tuple[int, tuple[str, ...]]:
        """Copy the documents that are missing and not taken down; return their number, and the damaged ones."""
        forbidden = Takedowns(self._takedowns()).digests
        copied, damaged = 0, []
        for source in documents(self._source / COPIES):
            target = self._folder / COPIES / source.name[:2] / source.name
            if target.exists() or source.name in forbidden:
                continue
            if copy_document(source, target):
                copied += 1
            else:
                damaged.append(source.name)
        return copied, tuple(damaged)

    def _takedowns(self) -> tuple[Takedown, ...]:
        """Return the takedowns of the backup and of the instance; an unreadable list of the instance is moved aside."""
        place = self._source / self._manifest.generation
        theirs = TakedownFile(place).read().listed
        try:
            mine = TakedownFile(self._folder).read().listed
        except TakedownsUnreadable:
            self._instance.put_aside(takedown_file.NAME, self._aside)
            mine = ()
        return joined(mine, theirs)

    # -- steps that replace --------------------------------------------------------------------------------------

    def _swap(self) -> Iterator[str]:
        """Move existing files aside and staged files in, one by one; yield their names. May be killed and repeated."""
        for file in sorted(path for path in self._staging.rglob("*") if path.is_file() and path != self._ready):
            name = file.relative_to(self._staging).as_posix()
            target = self._folder / name
            self._instance.put_aside(name, self._aside)
            durable.make_folder(target.parent)
            file.replace(target)
            durable.sync_folder(target.parent)
            yield name


def _adjust(folder: Path) -> None:
    """Let new pages get numbers above those that the store has published, and apply all takedowns to the store."""
    if not all(map(Instance(folder).is_there, (STORE, INBOX))):
        return
    files = default_settings(folder)
    with closing(Databases(files).store()) as store, closing(Databases(files).inbox()) as inbox:
        if last := last_lost(store, inbox):
            inbox.number_behind(last)
        new, _ = pending(store)
        if new:
            before = store.fact(TAKEDOWNS_FACT)
            with suppress(ClockAhead):  # `gateway check` reports it; nothing is served before they are applied
                apply_takedowns(store, inbox, TakedownFile(folder))
                # So `harvester publish` also checks files that are not published.
                store.remember(TAKEDOWNS_FACT, before)


def words(done: Restored) -> Iterator[str]:
    """Yield the messages about a finished restore: what was restored, and what to do next."""
    names = ", ".join(done.names[:_MOST_NAMES]) + (" and others" if len(done.names) > _MOST_NAMES else "")
    moment = utc_datetime(done.manifest.begun_at)
    yield f"Restored as of {moment}: {names or 'nothing was missing'}; copies: {done.copies}."
    if done.aside:
        yield f"The replaced files are in {done.aside}; delete them when you no longer need them."
    if done.damaged_copies:
        yield f"Damaged copies in the backup, which were not restored: {', '.join(done.damaged_copies)}."
    if USERS in done.names:
        yield "Users and passwords are those of the backup. Remove again whom you removed since (`gateway user list`)."
    yield "Run `gateway check` and `harvester publish`, then `harvester run --all` to harvest again what arrived since."
    yield "Harvesters that continue from their last responseDate get everything that is published from now on."
    yield (
        "Repeat the reviews, sweeps and removals that were made after the backup. If you do not know them, "
        "`gateway rebuild --from-inbox --anew` gives every record a new datestamp."
    )
