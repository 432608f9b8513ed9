"""`gateway backup`: every file of the instance folder, copied while everything runs.

The databases are copied one after the other, each as it is at one moment, in an order in which none refers to what
another does not have yet: the store says of no page that it is published that the copy of the inbox lacks. The former
backup stays whole until the new one is verified and `backup.json` names it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import gmtime, strftime, time
from typing import NamedTuple, TypeAlias

from gateway import durable, manifest
from gateway.errors import ConfigurationError, StoreBusy, StoreDamaged, StoreMissing, StoreUnwritable
from gateway.manifest import COPIES, Entry, Manifest
from gateway.settings import Settings
from gateway.store import sqlite_copy, takedown_file
from gateway.store.ceiling import Ceiling
from gateway.store.sqlite import open_store
from gateway.xmltext import utc_datetime

# What is decided of files before what is published of them, what is published before what arrived.
ORDER = ("discovery.sqlite", "subscriptions.sqlite", "store.sqlite", "inbox.sqlite")
# Without these the former backup is the only one that has them.
_IRREPLACEABLE = (*ORDER, "sources.toml", takedown_file.NAME)
# Folders and files of the moment: locks, what a command put aside, what is not ready.
ASIDE, STAGING = "aside", "restoring"
_PASSED_OVER = ("locks", ASIDE, STAGING)
_ENDS_PASSED_OVER = ("-wal", "-shm", "-journal", ".new")
_SWEEP = "sweep-"  # the file of a sweep that is under way
_LOCK = ".lock"
_DIGEST = re.compile(r"[0-9a-f]{64}")

# Called with the name of a file, how many of its bytes are copied, and how many it has.
Progress: TypeAlias = Callable[[str, int, int], None]


class Backed(NamedTuple):
    """What was done: the manifest, and how many copies of documents were written, are there, and were left out."""

    folder: Path
    manifest: Manifest
    copies_written: int
    copies: int
    damaged_copies: tuple[str, ...]

    def facts(self) -> dict[str, object]:
        """Return it as data."""
        return {
            "folder": str(self.folder / self.manifest.generation),
            "begun_at": utc_datetime(self.manifest.begun_at),
            "files": len(self.manifest.files),
            "bytes": sum(each.size for each in self.manifest.files),
            "copies": self.copies,
            "copies_written": self.copies_written,
            "damaged_copies": list(self.damaged_copies),
        }


def back_up(settings: Settings, target: Path, progress: Progress = lambda *_: None) -> Backed:
    """Make a backup of the instance in the folder `target`, in the place of the one that is there.

    Raise ConfigurationError when `target` cannot be that folder, StoreBusy when another backup goes there,
    StoreUnwritable when it cannot be written, StoreDamaged when a database is damaged,
    TakedownsUnreadable; the former backup stays then.
    """
    folder, target = settings.instance, target.absolute()
    if not folder.is_dir():
        raise ConfigurationError(f"There is no instance in {folder}.")
    if target.resolve().is_relative_to(folder.resolve()):
        raise ConfigurationError(f"A backup must lie outside of the instance folder {folder}, not in {target}.")
    try:
        durable.make_folder(target)
        with _alone(target):
            return _Backup(settings, target, progress).make()
    except OSError as error:
        where = error.filename or target
        raise StoreUnwritable(f"The backup in {target} was not made: {where}: {error.strerror}.") from error


@contextmanager
def reading(target: Path) -> Iterator[None]:
    """Let no backup go to a folder inside the block. Raise StoreBusy when one does; OSError."""
    try:
        descriptor = os.open(target / _LOCK, os.O_RDONLY)
    except FileNotFoundError:  # a copy of a backup has none
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise StoreBusy(f"A backup goes to {target} now; restore when it is done.") from error
    finally:
        os.close(descriptor)


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    descriptor = os.open(target / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise StoreBusy(f"Another backup goes to {target} now.") from error
    finally:
        os.close(descriptor)


class _Backup:
    """One backup in the making."""

    def __init__(self, settings: Settings, target: Path, progress: Progress) -> None:
        self._folder, self._target, self._progress = settings.instance, target, progress
        self._domain = settings.text("repository_domain")
        self._former = manifest.read(target)
        self._check_target()
        self._begun_at = int(time())
        self._place = self._free_place()

    def _check_target(self) -> None:
        if self._former is None:
            others = [each.name for each in self._target.iterdir() if not _is_ours(each.name)]
            if others:
                raise ConfigurationError(f"{self._target} holds something else ({others[0]}); give an empty folder.")
            return
        if self._former.domain != self._domain:
            raise ConfigurationError(f"{self._target} holds a backup of another repository: {self._former.domain}.")
        for name in _IRREPLACEABLE:
            if name in self._former.names and not (self._folder / name).is_file():
                raise StoreMissing(
                    f"{self._folder / name} is missing, and the backup in {self._target} has it. Restore it "
                    "(`gateway restore --missing`), or give an empty folder."
                )
        if (self._folder / "store.sqlite").is_file():
            with closing(open_store(self._folder)) as store:
                store.takedowns()  # raises when entries are lost that the former backup may have

    def _free_place(self) -> Path:
        name = strftime("%Y%m%dT%H%M%SZ", gmtime(self._begun_at))
        places = (self._target / f"{name}{tail}" for tail in ("", *(f"-{number}" for number in range(2, 1000))))
        return next(each for each in places if not each.exists())

    def make(self) -> Backed:
        """Copy everything, name it in the manifest, and remove the former backup."""
        self._remove_remains()
        durable.make_folder(self._place)
        try:
            found = self._copied()
            written, total, damaged = self._copy_documents()
        except BaseException:
            shutil.rmtree(self._place, ignore_errors=True)
            raise
        manifest.keep(self._target, found)
        self._former = found
        self._remove_remains()
        self._remove_documents()
        return Backed(self._target, found, written, total, damaged)

    def _copied(self) -> Manifest:
        names = list(_names(self._folder))
        files = [self._copy_database(name) for name in ORDER if name in names]
        others = [name for name in names if name not in ORDER]
        files += [each for name in others if (each := self._copy_other(name)) is not None]
        last_page = _check_step(self._place)
        if self._former and (last_page < self._former.last_page or self._begins_later(self._former)):
            raise StoreDamaged(
                f"The inbox lacks pages that the backup in {self._target} has: it is new, or an older copy. "
                "Restore that backup, or give an empty folder."
            )
        for folder in {(self._place / each.name).parent for each in files} | {self._place, self._target}:
            durable.sync_folder(folder)
        answered = Ceiling(self._folder / "store.sqlite").read()  # last: it is the highest of all
        generation = self._place.name
        return Manifest(generation, self._begun_at, int(time()), self._domain, answered, last_page, tuple(files))

    def _begins_later(self, former: Manifest) -> bool:
        """Tell whether the inbox was lost: pages that are never deleted are not there any more."""
        places = (self._place, self._target / former.generation)
        inboxes = [place / "inbox.sqlite" for place in places]
        if not all(each.exists() for each in inboxes):
            return False
        now, then = map(sqlite_copy.first_received, inboxes)
        return now > then > 0

    # -- files ---------------------------------------------------------------------------------------------------

    def _copy_database(self, name: str) -> Entry:
        source, target = self._folder / name, self._place / name
        if not sqlite_copy.is_database(source):
            raise StoreDamaged(f"{source} is no database; `gateway check` tells more.")
        modified_ns = source.stat().st_mtime_ns
        durable.make_folder(target.parent)
        durable.make_empty(target)
        sqlite_copy.copy(source, target, lambda done, total: self._progress(name, done, total))
        sqlite_copy.verify(target)
        return Entry(name, target.stat().st_size, durable.digest_of(target), modified_ns, is_database=True)

    def _copy_other(self, name: str) -> Entry | None:
        """Copy any other file; None when it has gone meanwhile."""
        source, target = self._folder / name, self._place / name
        try:
            if name.endswith(".sqlite") and sqlite_copy.is_database(source):
                return self._copy_database(name)
            return self._copy_file(name, source, target)
        except FileNotFoundError:
            if source.exists():
                raise
            return None

    def _copy_file(self, name: str, source: Path, target: Path) -> Entry:
        known = source.stat()
        durable.make_folder(target.parent)
        former = next((each for each in self._former.files if each.name == name), None) if self._former else None
        if former and self._former and (former.size, former.modified_ns) == (known.st_size, known.st_mtime_ns):
            with suppress(OSError):  # a file system without links, or a former backup that somebody has touched
                os.link(self._target / self._former.generation / name, target)
                return former
        digest = durable.copy(source, target, lambda done: self._progress(name, done, known.st_size))
        return Entry(name, target.stat().st_size, digest, known.st_mtime_ns, is_database=False)

    # -- copies of documents -------------------------------------------------------------------------------------

    def _copy_documents(self) -> tuple[int, int, tuple[str, ...]]:
        """Copy the documents that are not there yet; return how many, how many there are, and which are damaged."""
        written, total, damaged = 0, 0, []
        for source in documents(self._folder / COPIES):
            target = self._target / COPIES / source.name[:2] / source.name
            with suppress(FileNotFoundError):  # it was withdrawn a moment ago
                if not target.exists() or target.stat().st_size != source.stat().st_size:
                    if not copy_document(source, target):
                        damaged.append(source.name)
                        continue
                    written += 1
                total += 1
        return written, total, tuple(damaged)

    def _remove_documents(self) -> None:
        """Remove the documents that the instance does not have any more: some were taken down."""
        for each in documents(self._target / COPIES):
            if not (self._folder / COPIES / each.name[:2] / each.name).exists():
                each.unlink()

    def _remove_remains(self) -> None:
        """Remove what is no part of the backup: what a killed one has left, and the one before."""
        current = self._former.generation if self._former else ""
        for each in self._target.iterdir():
            if manifest.GENERATION.fullmatch(each.name) and each.name != current:
                shutil.rmtree(each)


def _is_ours(name: str) -> bool:
    return name in (_LOCK, COPIES, f"{manifest.NAME}.new") or bool(manifest.GENERATION.fullmatch(name))


def _names(folder: Path) -> Iterator[str]:
    """Yield the names of all files of an instance folder that are to be copied, but for copies of documents."""
    for top in sorted(folder.iterdir()):
        if top.name in _PASSED_OVER or (top.name == COPIES and top.is_dir()):
            continue
        # A folder of the upper level may be a link to another disk.
        for file in _below(top) if top.is_dir() else [top]:
            is_passed_over = file.name.endswith(_ENDS_PASSED_OVER) or file.name.startswith(_SWEEP)
            if file.is_file() and not is_passed_over:
                yield file.relative_to(folder).as_posix()


def _below(folder: Path) -> Iterator[Path]:
    for root, _, names in os.walk(folder):
        yield from (Path(root, name) for name in sorted(names))


def documents(folder: Path) -> Iterator[Path]:
    """Yield the copies of documents below a folder: files whose name is a SHA-256, in folders of its first letters."""
    for root, _, names in os.walk(folder):
        yield from (Path(root, name) for name in names if _DIGEST.fullmatch(name))


def copy_document(source: Path, target: Path) -> bool:
    """Copy a document; False, with nothing written, when its bytes are not those that its name promises."""
    durable.make_folder(target.parent)
    aside = target.with_name(f"{target.name}.new")
    if durable.copy(source, aside) != source.name:
        aside.unlink()
        return False
    aside.replace(target)
    return True


def _check_step(place: Path) -> int:
    """Return the number of the last page of the copy of the inbox.

    Raise StoreDamaged when the copy of the store has published pages that it lacks.
    """
    store, inbox = place / "store.sqlite", place / "inbox.sqlite"
    last = sqlite_copy.last_received(inbox) if inbox.exists() else 0
    if store.exists() and sqlite_copy.last_published(store) > last:
        raise StoreDamaged("The store has published pages that the inbox lacks; `gateway check` tells more.")
    return last


def words(done: Backed) -> Iterator[str]:
    """Yield in sentences what was done."""
    size = sum(each.size for each in done.manifest.files)
    yield (
        f"Backed up as of {utc_datetime(done.manifest.begun_at)} in {done.folder}: {len(done.manifest.files)} files of "
        f"{size} bytes, verified; copies of documents: {done.copies}, written now: {done.copies_written}."
    )
    if done.damaged_copies:
        yield f"Copies that are damaged in the instance, and were left out: {', '.join(done.damaged_copies)}."
    if "secret" not in done.manifest.names:
        yield "The secret comes from GATEWAY_SECRET and is not in the backup: keep it elsewhere."
