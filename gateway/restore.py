"""`gateway restore`: a backup becomes the instance folder again.

    refuse what is newer -> stage and verify everything -> move what is there aside -> move what is staged in place

Until `restoring/ready` is there, nothing has changed; while it is there, no other command runs, and the same command
finishes the work. What is restored continues above every second that the lost repository may have answered.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from enum import Enum
from pathlib import Path
from time import gmtime, strftime, time
from typing import NamedTuple

from gateway import durable, manifest, permissions
from gateway.backup import ASIDE, STAGING, copy_document, documents, reading
from gateway.errors import (
    ClockAhead,
    ConfigurationError,
    StoreDamaged,
    StoreError,
    StoreUnwritable,
    TakedownsUnreadable,
)
from gateway.manifest import COPIES, Entry, Manifest
from gateway.obeying import obey, pending
from gateway.settings import READY, load
from gateway.store import ceiling, sqlite_copy, takedown_file
from gateway.store.base import OBEYED_FACT
from gateway.store.ceiling import Ceiling
from gateway.store.clock import CEILING_SECONDS, MAX_JUMP_SECONDS
from gateway.store.sqlite import open_inbox, open_store
from gateway.store.step import EPOCH_FACT, last_lost
from gateway.store.takedown_file import TakedownFile
from gateway.takedowns import Takedown, Takedowns, joined
from gateway.xmltext import utc_datetime

_TAILS = ("", "-wal", "-shm", "-journal")
_MOST_NAMES = 5


class Choice(Enum):
    """What becomes of files that are there already."""

    REFUSE_NEWER = "refuse"
    ONLY_MISSING = "missing"
    REPLACE = "replace"


class Restored(NamedTuple):
    """What was done: the backup, the files that were restored, where the replaced ones lie, and copies of documents."""

    manifest: Manifest
    names: tuple[str, ...]
    aside: Path | None
    copies: int
    damaged_copies: tuple[str, ...]

    def facts(self) -> dict[str, object]:
        """Return it as data."""
        return {
            "begun_at": utc_datetime(self.manifest.begun_at),
            "files": list(self.names),
            "aside": str(self.aside or ""),
            "copies": self.copies,
            "damaged_copies": list(self.damaged_copies),
        }


def restore(folder: Path, source: Path, choice: Choice = Choice.REFUSE_NEWER) -> Restored:
    """Make an instance folder of the backup in `source`, and return what was done.

    Raise ConfigurationError when there is no backup, or it would replace what is newer; StoreBusy when another program
    uses the instance; StoreDamaged when the backup is damaged; StoreUnwritable. Only after that is anything changed.
    """
    found = manifest.read(source)
    if found is None:
        raise ConfigurationError(f"There is no backup in {source}: {manifest.NAME} is missing.")
    try:
        durable.make_folder(folder)
        sqlite_copy.check_not_served(folder / "store.sqlite")
        answered = _answered(folder)
        with ExitStack() as held, reading(source):
            for file in _databases(folder, found):
                held.enter_context(sqlite_copy.unused(file))
            done = _Restoring(folder, source, found, choice, answered).restore()
        _adjust(folder)
    except OSError as error:
        where = error.filename or folder
        raise StoreUnwritable(f"{folder} was not restored: {where}: {error.strerror}.") from error
    return done


def _answered(folder: Path) -> int:
    """Return the highest second that the instance may have answered, as far as what is there tells."""
    store = folder / "store.sqlite"
    told = 0
    if _is_there(store):
        with suppress(StoreError):
            told = sqlite_copy.ceiling(store)
    return max(told, Ceiling(store).read())


def _databases(folder: Path, found: Manifest) -> Iterator[Path]:
    files = (folder / each.name for each in found.files if each.is_database)
    yield from (file for file in files if file.is_file() and file.stat().st_size)


class _Restoring:
    """One restore. Its methods stand in the order in which they are called."""

    def __init__(self, folder: Path, source: Path, found: Manifest, choice: Choice, answered: int) -> None:
        self._folder, self._source, self._found, self._answered = folder, source, found, answered
        self._staging, self._ready = folder / STAGING, folder / READY
        self._aside = folder / ASIDE / strftime("%Y%m%dT%H%M%SZ", gmtime(time()))
        self._choice = choice

    def restore(self) -> Restored:
        is_going_on = self._ready.exists()
        if not is_going_on:
            self._check_domain()
            wanted = self._wanted()
            try:
                self._stage(wanted)
            except BaseException:
                shutil.rmtree(self._staging, ignore_errors=True)  # it may have filled the disk
                raise
        copies, damaged = self._bring_documents()
        self._join_takedowns()
        names = tuple(self._swap())
        shutil.rmtree(self._staging)
        permissions.repair(self._folder)
        aside = self._aside if self._aside.exists() else None
        return Restored(self._found, names, aside, copies, damaged)

    def _check_domain(self) -> None:
        """Raise ConfigurationError when the folder is the instance of another repository."""
        if self._choice is Choice.REPLACE or not (self._folder / "config.toml").exists():
            return
        domain = load(self._folder).text("repository_domain")
        if domain != self._found.domain:
            raise ConfigurationError(
                f"{self._folder} is the instance of another repository ({domain}); the backup is one of "
                f"{self._found.domain}. --replace replaces it."
            )

    def _wanted(self) -> list[Entry]:
        """Return the files to restore. Raise ConfigurationError when something newer would be replaced."""
        files = [each for each in self._found.files if each.name not in (takedown_file.NAME, ceiling.NAME)]
        if self._choice is Choice.ONLY_MISSING:
            return [each for each in files if not _is_there(self._folder / each.name)]
        newer = [each.name for each in files if self._is_newer(each)]
        if newer and self._choice is Choice.REFUSE_NEWER:
            names = ", ".join(newer[:_MOST_NAMES]) + (" and others" if len(newer) > _MOST_NAMES else "")
            raise ConfigurationError(
                f"In {self._folder} these files were changed after the backup of {utc_datetime(self._found.begun_at)}: "
                f"{names}. --missing restores only what is missing, --replace everything."
            )
        return files

    def _is_newer(self, entry: Entry) -> bool:
        file = self._folder / entry.name
        if not _is_there(file):
            return False
        tails = [file.with_name(f"{file.name}{tail}") for tail in _TAILS if entry.is_database or not tail]
        changed = max(each.stat().st_mtime for each in tails if each.exists())
        return changed >= self._found.begun_at and (entry.is_database or durable.digest_of(file) != entry.sha256)

    # -- before anything is changed ------------------------------------------------------------------------------

    def _stage(self, wanted: Iterable[Entry]) -> None:
        """Bring all files into the instance folder, verified, and tell that they are ready."""
        shutil.rmtree(self._staging, ignore_errors=True)
        names = {each.name for each in wanted}
        for entry in wanted:
            self._bring(entry)
        durable.make_folder(self._staging)
        if "store.sqlite" in names:
            self._continue_clock()
            self._begin_epoch()
        if "inbox.sqlite" in names:
            with closing(open_inbox(self._staging)) as inbox:
                inbox.mark_restored(self._found.begun_at, int(time()))
        for each in [*self._staging.rglob("*"), self._staging]:
            if each.is_dir():
                durable.sync_folder(each)
        durable.write(self._ready, b"")

    def _bring(self, entry: Entry) -> None:
        source, target = self._source / self._found.generation / entry.name, self._staging / entry.name
        durable.make_folder(target.parent)
        try:
            digest = durable.copy(source, target)
        except FileNotFoundError as error:
            raise StoreDamaged(f"The backup is not whole: {source} is missing. Nothing was changed.") from error
        if digest != entry.sha256:
            raise StoreDamaged(f"The backup is damaged: {source} has other bytes than it had. Nothing was changed.")

    def _continue_clock(self) -> None:
        """Write down the highest second that the lost repository may have answered.

        It is that of the backup or of the files that are still there; and now, since it may have answered until now.
        Where its clock ran ahead of the time of day when the backup was made, it ran as far ahead until now. The time
        of day is not taken from a machine whose clock nobody has confirmed: the store itself refuses such a jump.
        """
        now, found = int(time()), self._found
        lead = max(0, found.answered_until - found.ended_at)
        is_believed = now - found.ended_at <= MAX_JUMP_SECONDS or lead > CEILING_SECONDS
        told = now + lead if is_believed else 0
        Ceiling(self._staging / "store.sqlite").write(max(told, found.answered_until, self._answered))

    def _begin_epoch(self) -> None:
        """Let the store begin an epoch: tokens of the lost one are not valid, and files are looked at again."""
        with closing(open_store(self._staging)) as store:
            store.remember(EPOCH_FACT, secrets.token_hex(8))

    # -- what only adds ------------------------------------------------------------------------------------------

    def _bring_documents(self) -> tuple[int, tuple[str, ...]]:
        """Copy the documents that are missing and not taken down; return how many, and which are damaged."""
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
        """Return all takedowns, of the backup and of the instance, whose list is put aside when it cannot be read."""
        place = self._source / self._found.generation
        theirs = TakedownFile(place).read().listed
        try:
            mine = TakedownFile(self._folder).read().listed
        except TakedownsUnreadable:
            self._put_aside(takedown_file.NAME)
            mine = ()
        return joined(mine, theirs)

    def _join_takedowns(self) -> None:
        wanted = self._takedowns()
        TakedownFile(self._folder).change(lambda mine: joined(mine, wanted))

    # -- what replaces -------------------------------------------------------------------------------------------

    def _swap(self) -> Iterator[str]:
        """Move what is there aside and what is staged into its place, file by file; may be killed and repeated."""
        for file in sorted(each for each in self._staging.rglob("*") if each.is_file() and each != self._ready):
            name = file.relative_to(self._staging).as_posix()
            target = self._folder / name
            self._put_aside(name)
            durable.make_folder(target.parent)
            file.replace(target)
            durable.sync_folder(target.parent)
            yield name

    def _put_aside(self, name: str) -> None:
        """Move a file aside, and what belongs to a database: an old log would be taken for the new one's."""
        for tail in _TAILS:
            file = self._folder / f"{name}{tail}"
            if file.exists():
                place = self._aside / f"{name}{tail}"
                durable.make_folder(place.parent)
                file.replace(place)


def _is_there(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def _adjust(folder: Path) -> None:
    """Let no page get a number that a store which was kept has published, and let the store obey all takedowns."""
    if not ((folder / "store.sqlite").exists() and (folder / "inbox.sqlite").exists()):
        return
    with closing(open_store(folder)) as store, closing(open_inbox(folder)) as inbox:
        if last := last_lost(store, inbox):
            inbox.number_behind(last)
        new, _ = pending(store)
        if new:
            before = store.fact(OBEYED_FACT)
            with suppress(ClockAhead):  # `gateway check` says so; nothing is served before they are obeyed
                obey(store, inbox, TakedownFile(folder))
                store.remember(OBEYED_FACT, before)  # `harvester publish` looks also for files that are not published


def words(done: Restored) -> Iterator[str]:
    """Yield in sentences what was restored, and what is to be done now."""
    names = ", ".join(done.names[:_MOST_NAMES]) + (" and others" if len(done.names) > _MOST_NAMES else "")
    moment = utc_datetime(done.manifest.begun_at)
    yield f"Restored as of {moment}: {names or 'nothing was missing'}; copies: {done.copies}."
    if done.aside:
        yield f"What was replaced lies in {done.aside}; delete it when you need it no more."
    if done.damaged_copies:
        yield f"Copies that are damaged in the backup, and were not restored: {', '.join(done.damaged_copies)}."
    yield "Run `gateway check` and `harvester publish`, then `harvester run --all`: it brings again what arrived since."
    yield (
        "Harvesters that go on from their last responseDate receive what is published from now on. Repeat what people "
        "decided, swept or removed after the backup; `gateway rebuild --from-inbox --anew` gives every record a new "
        "datestamp if you do not know what that was."
    )
