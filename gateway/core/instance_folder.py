"""The folder of an instance: its databases and files, what it once had, and whether they can be used.

    sound    it can be opened, and is not older than another file says
    absent   missing or of 0 bytes, and the instance never had it: the command that needs it makes it
    lost     missing or of 0 bytes, and the instance had it: nothing makes a new one in its place
    old      another file knows of something later than its last change

Two files know more than the databases: `known-files` has the names of what the instance has had, and `last-change` the
number of the last line of the log of changes in the store. The latter is written after the commit, so it is never ahead
of the store when a process is killed.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from gateway.core import durable, takedown_file
from gateway.core.errors import StoreError, StoreMissing, StoreUnwritable
from gateway.core.permissions import FILES, FOLDERS, file_mode

ENDING: Final = ".sqlite"
STORE: Final = "store.sqlite"
INBOX: Final = "inbox.sqlite"
DISCOVERY: Final = "discovery.sqlite"
SUBSCRIPTIONS: Final = "subscriptions.sqlite"
USERS: Final = "users.sqlite"
SEARCH_INDEX: Final = "search.sqlite"
# In the order of a backup: decisions on files before published files, published records before their pages.
DATABASES: Final = (USERS, DISCOVERY, SUBSCRIPTIONS, STORE, INBOX)
SOURCES_FILE: Final = "sources.toml"
IRREPLACEABLE: Final = (*DATABASES, SOURCES_FILE, takedown_file.NAME)  # nothing makes them again
TAILS: Final = ("", "-wal", "-shm", "-journal")
COPIES: Final = "files"  # the folder with the copies of documents
KNOWN_FILES: Final = "known-files"
LAST_CHANGE: Final = "last-change"
NOTES: Final = (KNOWN_FILES, LAST_CHANGE)

ASIDE, STAGING, GRAPH = "aside", "restoring", "graph"
# No backup has them: locks, replaced files, and what is made again from the store.
_PASSED_OVER: Final = ("locks", ASIDE, STAGING, "resourcesync", GRAPH, SEARCH_INDEX, *NOTES)
_ENDS_PASSED_OVER: Final = (*TAILS[1:], ".new")
_SWEEP: Final = "sweep-"  # the file of a running sweep
_MODES: Final = "`gateway init` repairs the modes, if it runs as the owner."

_RESTORE: Final = (
    "Delete what is left of it, and restore it with `gateway restore --missing DIR`, DIR being the folder of a backup. "
    "To go on without it, run `gateway init`."
)
_LOST: Final = {
    STORE: "Restore it with `gateway restore --replace DIR`, DIR being the folder of a backup, or make it again with "
    "`gateway rebuild --from-inbox --anew`."
}
_OLD: Final = (
    "The store lacks its last changes: its log of changes ends at line {}, but line {} was written. Its "
    "-wal file was lost, or it is an older copy. Publish them again with `gateway rebuild --from-inbox`."
)


def remedy(name: str) -> str:
    """Return the sentence about how to restore a file of an instance that is lost or damaged."""
    return _LOST.get(name, _RESTORE)


class LastChange(NamedTuple):
    """The last line of the log of changes of one store, which its second of making and its epoch identify."""

    number: int
    made_at: str = ""
    epoch: str = ""


class Instance:
    """One instance folder. Nothing is opened, and no driver of a database is needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Return the path of a file by its name."""
        return self.folder / name

    def has(self, name: str) -> bool:
        """Return whether a database or file is there; False if it is absent.

        Raise StoreMissing if it is lost, and StoreError if the folder cannot be read.
        """
        if self.is_there(name):
            return True
        if name in self.known():
            reason = "is empty" if self.path(name).is_file() else "is missing"
            raise StoreMissing(f"{self.path(name)} {reason}, although the instance had it. {remedy(name)}")
        return False

    def put_aside(self, name: str, aside: Path) -> None:
        """Move a file, and what SQLite has written beside it, into a folder. Raise OSError."""
        for tail in TAILS:  # SQLite would apply an old log to a new file
            if self.path(f"{name}{tail}").exists():
                durable.make_folder((aside / name).parent)
                self.path(f"{name}{tail}").replace(aside / f"{name}{tail}")

    def is_there(self, name: str) -> bool:
        """Return whether a file is there and not empty, lost or not. Raise StoreError if that cannot be known."""
        try:
            known = self.path(name).stat()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreError(f"{self.path(name)} cannot be read: {error.strerror}.") from error
        if not stat.S_ISREG(known.st_mode):
            raise StoreError(f"{self.path(name)} is not a file. {remedy(name)}")
        return known.st_size > 0

    # -- what the instance has had -------------------------------------------------------------------------------

    def known(self) -> frozenset[str]:
        """Return the names of the databases and files that the instance has had. Raise StoreError."""
        try:
            return frozenset(self.path(KNOWN_FILES).read_text("ascii").split())
        except FileNotFoundError:
            return frozenset()
        except (OSError, ValueError) as error:
            raise StoreError(f"{self.path(KNOWN_FILES)} cannot be read: {error}. Delete it.") from error

    def note(self, *names: str) -> None:
        """Note, durably, that the instance has these files, of those that nothing can make again. Raise StoreError."""
        self._keep(lambda known: known | {name for name in names if name in IRREPLACEABLE and self.is_there(name)})

    def accept_losses(self, *names: str) -> None:
        """Let files that are lost count as absent: those of some names, or all that are missing. Raise StoreError."""

        def is_kept(name: str) -> bool:
            return (name not in names or self.is_there(name)) if names else os.path.lexists(self.path(name))

        self._keep(lambda known: filter(is_kept, known))

    def _keep(self, change: Callable[[frozenset[str]], Iterable[str]]) -> None:
        known = self.known()
        wanted = frozenset(change(known))
        if wanted == known:
            return
        try:
            text = "".join(f"{name}\n" for name in sorted(wanted))
            durable.write(self.path(KNOWN_FILES), text.encode(), lambda file: os.fchmod(file, file_mode(self.folder)))
        except OSError as error:
            raise StoreUnwritable(f"{self.path(KNOWN_FILES)} cannot be written: {error.strerror}.") from error

    # -- the last change of the store ----------------------------------------------------------------------------

    def note_change(self, last: LastChange) -> None:
        """Write the number of the last line of the log of changes, after its commit, if that is possible."""
        aside = self.path(f"{LAST_CHANGE}.{os.getpid()}.new")
        with suppress(OSError):  # the note is older then, and never ahead
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, file_mode(self.folder))
            with os.fdopen(descriptor, "w") as stream:
                stream.write(f"{' '.join(map(str, last))}\n")
            aside.replace(self.path(LAST_CHANGE))

    def changes_lost(self, last: LastChange) -> str:
        """Return a message if a store, whose log of changes ends here, had a later line; else an empty string."""
        try:
            number, *store = self.path(LAST_CHANGE).read_text("ascii").split()
            noted = LastChange(int(number), *store)
        except (OSError, ValueError, TypeError):  # without the note, nothing is known
            return ""
        return _OLD.format(last.number, noted.number) if noted[1:] == last[1:] and noted > last else ""

    # -- its files -----------------------------------------------------------------------------------------------

    def names(self) -> Iterator[str]:
        """Yield the names of all files that a backup has, except copies of documents."""
        for top in sorted(self.folder.iterdir()):
            if top.name in _PASSED_OVER or (top.name == COPIES and top.is_dir()):
                continue
            # A folder of the upper level may be a link to another disk.
            for file in _below(top) if top.is_dir() else [top]:
                is_passed_over = file.name.endswith(_ENDS_PASSED_OVER) or file.name.startswith(_SWEEP)
                if file.is_file() and not is_passed_over:
                    yield file.relative_to(self.folder).as_posix()

    def unusable(self) -> Iterator[str]:
        """Yield a message for each file and folder that a command or a backup cannot use."""
        files = (path for pattern in FILES for path in self.folder.glob(pattern))
        for path in (*files, *self.path("locks").glob("*")):
            if path.is_dir():
                yield f"{path} is a folder, not a file. Move it away, and restore the file if there was one."
        for path in map(self.path, FOLDERS):
            if path.exists() and not path.is_dir():
                yield f"{path} is not a folder. Move it away."
        yield from _refused([str(self.folder)], os.R_OK | os.W_OK | os.X_OK)
        for root, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name not in (ASIDE, STAGING)]
            yield from _refused((f"{root}/{name}" for name in folders), os.R_OK | os.W_OK | os.X_OK)
            is_written = root in (str(self.folder), str(self.path("locks")))
            yield from _refused((f"{root}/{name}" for name in names), os.R_OK | (os.W_OK if is_written else 0))


def _refused(paths: Iterable[str], mode: int) -> Iterator[str]:
    """Yield a message for each path that exists and that this user may not use. There may be millions of paths."""
    for path in paths:
        if not os.access(path, mode) and os.path.lexists(path):
            yield f"{path} cannot be {'read and written' if mode & os.W_OK else 'read'}. {_MODES}"


def _below(folder: Path) -> Iterator[Path]:
    for root, _, names in os.walk(folder):
        yield from (Path(root, name) for name in sorted(names))
