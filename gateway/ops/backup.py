"""`gateway backup`: copies every file of the instance folder while everything runs.

The databases are copied one after the other, each as it is at one moment. Their order makes the copies consistent: the
copy of the inbox has every page that the copy of the store has published. The manifest, `backup.json`, names one
complete backup. The former backup stays complete until the new one is verified and the manifest names it.

    DIR/backup.json            the manifest
    DIR/20261122T153000Z/      the files of the instance folder, without copies of documents
    DIR/files/ab/abcd…         copies of documents, by their SHA-256; a backup and the next one share them
"""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from time import gmtime, strftime, time
from typing import Any, NamedTuple, TypeAlias

from gateway.core import durable
from gateway.core.ceiling import Ceiling
from gateway.core.durable import write
from gateway.core.errors import ConfigurationError, StoreBusy, StoreDamaged, StoreMissing, StoreUnwritable
from gateway.core.instance_folder import COPIES, DATABASES, ENDING, INBOX, IRREPLACEABLE, STORE, Instance
from gateway.core.settings import Settings
from gateway.core.xmltext import utc_datetime
from gateway.store.base import Databases, database_files

MANIFEST = "backup.json"
GENERATION = re.compile(r"\d{8}T\d{6}Z(-\d+)?")
_VERSION = 1
_LOCK = ".lock"
_ON_SERVER = "Use `pg_dump --format=custom`, and copy the rest of the instance folder."
_DIGEST = re.compile(r"[0-9a-f]{64}")

# It is called with the name of a file, the number of its copied bytes, and its size in bytes.
Progress: TypeAlias = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """One file. `name` is its path in the instance folder, `size` its bytes, `modified_ns` its time of change."""

    name: str
    size: int
    sha256: str
    modified_ns: int
    is_database: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """One backup. Times are in seconds since 1970; no answer before the backup has a time above `answered_until`.

    `generation` is the name of its folder, `last_page` the number of the last page of the inbox.
    """

    generation: str
    begun_at: int
    ended_at: int
    domain: str
    answered_until: int
    last_page: int
    files: tuple[Entry, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of its files."""
        return frozenset(file.name for file in self.files)


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a backup folder, or None if there is none. Raise ConfigurationError if it is wrong."""
    file = folder / MANIFEST
    try:
        document = json.loads(file.read_bytes())
        if document.pop("version") != _VERSION:
            raise ConfigurationError(f"{file} was written by a newer release. Install that release.")
        files = tuple(_entry(entry) for entry in document.pop("files"))
        manifest = Manifest(files=files, **document)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigurationError(f"{file} is not the manifest of a backup: {error}.") from error
    if not GENERATION.fullmatch(manifest.generation):
        raise ConfigurationError(f"{file} is not the manifest of a backup: it names {manifest.generation!r}.")
    return manifest


def _entry(fields: dict[str, Any]) -> Entry:
    entry = Entry(**fields)
    parts = PurePosixPath(entry.name).parts
    if not parts or ".." in parts or PurePosixPath(entry.name).is_absolute():
        raise ValueError(f"it names the file {entry.name!r}")
    return entry


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, in one step. Raise OSError."""
    document = {"version": _VERSION, **asdict(manifest)}
    write(folder / MANIFEST, json.dumps(document, indent=1, ensure_ascii=True).encode() + b"\n")


class Backed(NamedTuple):
    """A finished backup: its folder and manifest, and the copies of documents.

    `copies` is the number of copies in the backup, `copies_written` that of the new ones among them. `damaged_copies`
    are the SHA-256 of copies that were left out because their bytes have changed.
    """

    folder: Path
    manifest: Manifest
    copies_written: int
    copies: int
    damaged_copies: tuple[str, ...]

    def facts(self) -> dict[str, object]:
        """Return the object of `gateway backup --json`."""
        return {
            "folder": str(self.folder / self.manifest.generation),
            "begun_at": utc_datetime(self.manifest.begun_at),
            "files": len(self.manifest.files),
            "bytes": sum(file.size for file in self.manifest.files),
            "copies": self.copies,
            "copies_written": self.copies_written,
            "damaged_copies": list(self.damaged_copies),
        }


def back_up(settings: Settings, target: Path, progress: Progress = lambda *_: None) -> Backed:
    """Make a backup of the instance in the folder `target`; it replaces the former backup there.

    After an error, the former backup is still there. Raise ConfigurationError if `target` cannot be used, StoreBusy if
    another backup is written there, StoreUnwritable if it cannot be written. Raise StoreMissing if the instance lacks a
    database that the former backup has, StoreDamaged if a database is damaged, and TakedownsUnreadable.
    """
    Databases(settings).check_on_files(_ON_SERVER)
    folder, target = settings.instance, target.absolute()
    if not folder.is_dir():
        raise ConfigurationError(f"There is no instance in {folder}. Choose another folder with --instance.")
    if target.resolve().is_relative_to(folder.resolve()):
        raise ConfigurationError(f"{target} is in the instance folder {folder}. Choose a folder outside of it.")
    try:
        durable.make_folder(target)
        busy = f"Another backup is being written to {target}. Try again when it is finished."
        with _locked(target, fcntl.LOCK_EX, busy):
            return _Backup(settings, target, progress).make()
    except OSError as error:
        where = error.filename or target
        raise StoreUnwritable(f"The backup in {target} was not made: {where}: {error.strerror}.") from error


def reading(target: Path) -> AbstractContextManager[None]:
    """Prevent backups into a folder inside the block. Raise StoreBusy if one is running; OSError."""
    if not (target / _LOCK).exists():  # a copy of a backup has no lock file
        return nullcontext()
    return _locked(target, fcntl.LOCK_SH, f"A backup is being written to {target}. Restore when it is finished.")


@contextmanager
def _locked(target: Path, kind: int, sentence: str) -> Iterator[None]:
    """Hold the lock of a folder inside the block. Raise StoreBusy with a sentence if others hold it."""
    # NFS locks exclusively only what is open for writing (flock(2)); a backup to restore may be on a read-only disk.
    flags = os.O_RDWR | os.O_CREAT if kind == fcntl.LOCK_EX else os.O_RDONLY
    descriptor = os.open(target / _LOCK, flags, 0o600)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise StoreBusy(sentence) from error
    finally:
        os.close(descriptor)


class _Backup:
    """One backup that is being made."""

    def __init__(self, settings: Settings, target: Path, progress: Progress) -> None:
        self._folder, self._target, self._progress = settings.instance, target, progress
        self._instance = Instance(settings.instance)
        self._domain = settings.text("repository_domain")
        self._former = read_manifest(target)
        self._check_target(settings)
        self._begun_at = int(time())
        self._place = self._free_place()

    def _check_target(self, settings: Settings) -> None:
        if self._former is None:
            ours = (_LOCK, COPIES, f"{MANIFEST}.new")
            names = (path.name for path in self._target.iterdir())
            others = [name for name in names if name not in ours and not GENERATION.fullmatch(name)]
            if others:
                raise ConfigurationError(f"{self._target} has other files ({others[0]}). Choose an empty folder.")
            return
        if self._former.domain != self._domain:
            raise ConfigurationError(
                f"{self._target} has the backup of another repository ({self._former.domain}). Choose another folder."
            )
        for name in IRREPLACEABLE:
            if name in self._former.names and not self._instance.has(name):
                raise StoreMissing(
                    f"{self._folder / name} is missing, but the backup in {self._target} has it. Restore it "
                    "(`gateway restore --missing`), or choose an empty folder."
                )
        if self._instance.has(STORE):
            with closing(Databases(settings).store()) as store:
                store.takedowns()  # raises if entries are lost that the former backup may have

    def _free_place(self) -> Path:
        name = strftime("%Y%m%dT%H%M%SZ", gmtime(self._begun_at))
        places = (self._target / f"{name}{tail}" for tail in ("", *(f"-{number}" for number in range(2, 1000))))
        return next(path for path in places if not path.exists())

    def make(self) -> Backed:
        """Copy everything, name it in the manifest, and remove the former backup."""
        self._remove_remains()
        durable.make_folder(self._place)
        try:
            copied = self._copied()
            written, total, damaged = self._copy_documents()
        except BaseException:
            shutil.rmtree(self._place, ignore_errors=True)
            raise
        write_manifest(self._target, copied)
        with suppress(StoreUnwritable):
            self._instance.note(*copied.names)
        self._former = copied
        self._remove_remains()
        self._remove_documents()
        return Backed(self._target, copied, written, total, damaged)

    def _copied(self) -> Manifest:
        present = [name for name in IRREPLACEABLE if self._instance.has(name)]  # raises if one is lost
        files = [self._copy_database(name) for name in DATABASES if name in present]
        others = [name for name in self._instance.names() if name not in DATABASES]
        files += [copied_file for name in others if (copied_file := self._copy_other(name)) is not None]
        last_page = _check_step(Instance(self._place))
        if self._former and (last_page < self._former.last_page or self._begins_later(self._former)):
            raise StoreDamaged(
                f"The inbox is new or an older copy: it lacks pages that the backup in {self._target} has. "
                "Restore that backup, or choose an empty folder."
            )
        for folder in {(self._place / file.name).parent for file in files} | {self._place, self._target}:
            durable.sync_folder(folder)
        answered = Ceiling(self._instance.path(STORE)).read()  # last: it is the highest of all
        generation = self._place.name
        return Manifest(generation, self._begun_at, int(time()), self._domain, answered, last_page, tuple(files))

    def _begins_later(self, former: Manifest) -> bool:
        """Return whether the inbox was lost: pages are never deleted, but the first ones are missing."""
        places = (self._place, self._target / former.generation)
        inboxes = [place / INBOX for place in places]
        if not all(inbox.exists() for inbox in inboxes):
            return False
        now, then = map(database_files.first_received, inboxes)
        return now > then > 0

    # -- files ---------------------------------------------------------------------------------------------------

    def _copy_database(self, name: str) -> Entry:
        source, target = self._folder / name, self._place / name
        if not database_files.is_database(source):
            raise StoreDamaged(f"{source} is not a database. `gateway check` says more.")
        modified_ns = source.stat().st_mtime_ns
        durable.make_folder(target.parent)
        durable.make_empty(target)
        database_files.copy(source, target, lambda done, total: self._progress(name, done, total))
        database_files.verify(target)
        return Entry(name, target.stat().st_size, durable.digest_of(target), modified_ns, is_database=True)

    def _copy_other(self, name: str) -> Entry | None:
        """Copy any other file; return None if it was deleted meanwhile."""
        source, target = self._folder / name, self._place / name
        try:
            if name.endswith(ENDING) and database_files.is_database(source):
                return self._copy_database(name)
            return self._copy_file(name, source, target)
        except FileNotFoundError:
            if source.exists():
                raise
            return None

    def _copy_file(self, name: str, source: Path, target: Path) -> Entry:
        known = source.stat()
        durable.make_folder(target.parent)
        former = next((file for file in self._former.files if file.name == name), None) if self._former else None
        if former and self._former and (former.size, former.modified_ns) == (known.st_size, known.st_mtime_ns):
            with suppress(OSError):  # a file system without links, or a former backup that somebody has changed
                os.link(self._target / self._former.generation / name, target)
                return former
        digest = durable.copy(source, target, lambda done: self._progress(name, done, known.st_size))
        return Entry(name, target.stat().st_size, digest, known.st_mtime_ns, is_database=False)

    # -- copies of documents -------------------------------------------------------------------------------------

    def _copy_documents(self) -> tuple[int, int, tuple[str, ...]]:
        """Copy the documents that are not in the backup yet; return their number, that of all, and the damaged ones."""
        written, total, damaged = 0, 0, []
        for source in documents(self._folder / COPIES):
            target = self._target / COPIES / source.name[:2] / source.name
            with suppress(FileNotFoundError):  # it was withdrawn meanwhile
                if not target.exists() or target.stat().st_size != source.stat().st_size:
                    if not copy_document(source, target):
                        damaged.append(source.name)
                        continue
                    written += 1
                total += 1
        return written, total, tuple(damaged)

    def _remove_documents(self) -> None:
        """Remove the documents that the instance no longer has: some were taken down."""
        for document in documents(self._target / COPIES):
            if not (self._folder / COPIES / document.name[:2] / document.name).exists():
                document.unlink()

    def _remove_remains(self) -> None:
        """Remove the former backup, and the remains of a killed one."""
        current = self._former.generation if self._former else ""
        for path in self._target.iterdir():
            if GENERATION.fullmatch(path.name) and path.name != current:
                shutil.rmtree(path)


def documents(folder: Path) -> Iterator[Path]:
    """Yield the paths of copies of documents below a folder: files whose name is a SHA-256."""
    for root, _, names in os.walk(folder):
        yield from (Path(root, name) for name in names if _DIGEST.fullmatch(name))


def copy_document(source: Path, target: Path) -> bool:
    """Copy a document; return False, and write nothing, if its bytes do not have the SHA-256 in its name.

    Raise OSError.
    """
    durable.make_folder(target.parent)
    aside = target.with_name(f"{target.name}.new")
    if durable.copy(source, aside) != source.name:
        aside.unlink()
        return False
    aside.replace(target)
    return True


def _check_step(place: Instance) -> int:
    """Return the number of the last page of the copy of the inbox.

    Raise StoreDamaged if the copy of the store has published pages that are not in it.
    """
    last = database_files.last_received(place.path(INBOX)) if place.has(INBOX) else 0
    if place.has(STORE) and database_files.last_published(place.path(STORE)) > last:
        raise StoreDamaged("The store has published pages that the inbox lacks. `gateway check` says more.")
    return last


def words(done: Backed) -> Iterator[str]:
    """Yield the messages about a finished backup."""
    size = sum(file.size for file in done.manifest.files)
    yield (
        f"Backed up as of {utc_datetime(done.manifest.begun_at)} in {done.folder}: {len(done.manifest.files)} files of "
        f"{size} bytes, verified; copies of documents: {done.copies}, written now: {done.copies_written}."
    )
    if done.damaged_copies:
        yield f"Damaged copies in the instance, which are not in the backup: {', '.join(done.damaged_copies)}."
    if "secret" not in done.manifest.names:
        yield "The secret comes from GATEWAY_SECRET and is not in the backup; store it elsewhere."
