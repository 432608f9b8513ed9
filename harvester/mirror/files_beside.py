"""The small files in `failed`, `doubtful` and `waiting`. The catalogue names each before it is written or removed.

So a run and an audit find each that somebody else has changed or removed. Their lines in the catalogue:

    {"beside": "failed/…", "sha512": …}    the next content of the file; an empty digest: it is removed
    {"beside": "", "sha512": ""}           the catalogue names all these files

Those in `failed` are for the objects that are not whole, and the records that cannot be read:

    DIR/failed/HASH         the identifier of an object with missing files; HASH is its SHA-256
    DIR/failed/HASH.json    the identifier of a record that cannot be read, and the reason
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256, sha512
from pathlib import Path
from threading import Lock

from harvester.mirror.catalogue import Catalogue, Contents, Line
from harvester.runtime.durable_files import replace_durably, reporting_unwritable

FAILED, DOUBTFUL, WAITING = "failed", "doubtful", "waiting"
FOLDERS = (FAILED, DOUBTFUL, WAITING)
ACCEPTED = f"{DOUBTFUL}/accepted.json"
_PATTERNS = (f"{FAILED}/*", f"{DOUBTFUL}/*.json", f"{DOUBTFUL}/*/*.json", f"{WAITING}/*.json")
_HASH = "[0-9a-f]{64}"
_NAMES = re.compile(
    rf"{FAILED}/{_HASH}(\.json)?|{ACCEPTED}|{DOUBTFUL}/{_HASH}/[0-9a-f]{{32}}\.json|{WAITING}/{_HASH}\.json"
)
_MOST_BYTES = 16 << 20  # none of them is so large


class FilesBeside:
    """The small files beside the objects of one mirror. Any thread may write.

    `ready` prepares the catalogue before each line.

    Methods that write raise StoreUnwritable, and the errors of `ready`.
    """

    def __init__(self, folder: Path, catalogue: Catalogue, ready: Callable[[], None]) -> None:
        self._folder, self._catalogue, self._ready = folder, catalogue, ready
        self._broken: set[str] = set()  # names of files that could not be written
        self.altered: dict[str, str] = {}  # the files that the last run wrote otherwise: a sentence by name
        self._expected: dict[str, list[str]] | None = None  # the digests in the catalogue, once a run has begun
        self._lock = Lock()

    # -- writing --

    def write(self, file: Path, content: bytes) -> None:
        """Write a file durably."""
        with self.writing(file, content):
            pass

    @contextmanager
    def writing(self, file: Path, content: bytes) -> Iterator[None]:
        """Write a file durably, after the block has changed what belongs to it."""
        with self._announced(file, sha512(content).hexdigest()):
            with reporting_unwritable(file.parent):
                file.parent.mkdir(parents=True, exist_ok=True)
            yield
            replace_durably(file, content)

    def remove(self, file: Path) -> None:
        """Remove a file, if it is there, or is gone against the catalogue."""
        if os.path.lexists(file) or self._name(file) in self.altered:
            with self.removing(file):
                pass

    @contextmanager
    def removing(self, file: Path) -> Iterator[None]:
        """Remove a file, after the block has removed what belongs to it."""
        with self._announced(file, ""), reporting_unwritable(file):
            yield
            file.unlink(missing_ok=True)

    @contextmanager
    def _announced(self, file: Path, digest: str) -> Iterator[None]:
        """Add a line about a file before the block changes it. A failure of the block is corrected by `settle`."""
        self._ready()
        name = self._name(file)
        self._catalogue.append(_line(name, digest))
        self._take(name, digest)
        try:
            yield
        except BaseException:
            with self._lock:
                self._broken.add(name)
            raise

    def _take(self, name: str, digest: str) -> None:
        if self._expected is not None:
            self._expected[name] = [digest]
            self.altered.pop(name, None)

    # -- the catalogue --

    def expect(self, contents: Contents) -> None:
        """Take the catalogue with which a run begins. `altered` has the files that are not as it names them."""
        self._expected = {name: list(digests) for name, digests in contents.beside.items()}
        problems = {name: altered_beside(self._folder, name, contents) for name in self._expected}
        self.altered = {name: problem for name, problem in problems.items() if problem}

    def is_as_written(self, file: Path) -> bool:
        """Return whether a file is what the catalogue names. Before a run has begun, every file counts as that."""
        if self._expected is None:
            return True
        return digest_at(file) in _possible(file, self._expected.get(self._name(file), [""]))

    def is_named(self, file: Path) -> bool:
        """Return whether the catalogue names a file with its present content."""
        return self._expected is not None and digest_at(file) in self._expected.get(self._name(file), ())

    def in_folder(self, folder: Path) -> set[Path]:
        """Return the small JSON files of a folder, and those that are gone against the catalogue."""
        gone = {self._folder / name for name in self.altered if name.endswith(".json")}
        present = {file for file in folder.glob("*.json") if is_ours(self._name(file))}
        return {*present, *(file for file in gone if file.parent == folder)}

    def settle(self) -> None:
        """Add a line for each file that this process announced and could not write."""
        with self._lock:
            broken, self._broken = self._broken, set()
        self._catalogue.append(*(_line(name, digest_at(self._folder / name)) for name in sorted(broken)))

    def recover(self, contents: Contents) -> None:
        """Complete the removals that a killed process announced. Take back what it announced and did not write.

        Other changes are left to an audit.
        """
        for name in sorted(contents.unsettled):
            file, digests = self._folder / name, contents.beside[name]
            now = digest_at(file)
            if now not in digests or now == digests[-1]:
                continue
            if digests[-1]:
                self._catalogue.append(_line(name, now))
                self._take(name, now)
            else:
                with reporting_unwritable(file):
                    file.unlink()

    def _name(self, file: Path) -> str:
        return file.relative_to(self._folder).as_posix()


def lines_beside(folder: Path) -> Iterator[Line]:
    """Return a line of the catalogue for each present file, and the line that says that all are named."""
    for file in files_beside(folder):
        if digest := digest_at(file):
            yield _line(file.relative_to(folder).as_posix(), digest)
    yield _line("", "")


def files_beside(folder: Path) -> list[Path]:
    """Return the paths in a mirror that have the names of small files."""
    matched = (path for pattern in _PATTERNS for path in folder.glob(pattern))
    return sorted({path for path in matched if is_ours(path.relative_to(folder).as_posix())})


def is_ours(name: str) -> bool:
    """Return whether a run may give a small file this name."""
    return _NAMES.fullmatch(name) is not None


def altered_beside(folder: Path, name: str, contents: Contents) -> str:
    """Return how a small file differs from the catalogue, in a sentence; an empty string when it does not.

    A catalogue of an earlier version of the program names no small files.
    """
    file = folder / name
    if not contents.names_beside or digest_at(file) in _possible(file, contents.beside.get(name, [""])):
        return ""
    return "It is not what a run wrote." if os.path.lexists(file) else "It is not there."


def _possible(file: Path, digests: Iterable[str]) -> list[str]:
    """Return the digests that a file may have. Only a path with nothing there has an empty one."""
    return [digest for digest in digests if digest or not os.path.lexists(file)]


def digest_at(file: Path) -> str:
    """Return the SHA-512 of a small file; an empty string when there is none, or it cannot be read."""
    content = content_of(file)
    return "" if content is None else sha512(content).hexdigest()


def content_of(file: Path) -> bytes | None:
    """Return the content of a small file; None when it is no regular file, cannot be read, or is far too large."""
    try:
        is_small = file.is_file() and not file.is_symlink() and file.stat().st_size <= _MOST_BYTES
        return file.read_bytes() if is_small else None
    except OSError:
        return None


def _line(name: str, digest: str) -> Line:
    return {"beside": name, "sha512": digest}


class FailedObjects:
    """The folder `failed` of one mirror. Methods that write raise StoreUnwritable, and the errors of `FilesBeside`."""

    def __init__(self, folder: Path, beside: FilesBeside) -> None:
        self._folder, self._beside = folder / FAILED, beside

    # -- objects that are not whole --

    def mark(self, identifier: str, *, is_whole: bool) -> None:
        """Note whether an object is whole."""
        file = self._file(identifier)
        if is_whole:
            self._beside.remove(file)
        elif not (marked_by(file) and self._beside.is_named(file)):
            self._beside.write(file, identifier.encode())

    def mark_without_line(self, identifier: str) -> None:
        """Note that an audit found an object that is not whole. Only runs add lines to the catalogue."""
        file = self._file(identifier)
        with reporting_unwritable(self._folder):
            self._folder.mkdir(exist_ok=True)
        replace_durably(file, identifier.encode())

    def is_marked(self, identifier: str) -> bool:
        """Return whether an object is noted as not whole."""
        return self._file(identifier).exists()

    def marked(self) -> Iterator[str]:
        """Return the identifiers of the objects that are not whole. A file with another content is left out."""
        for file in sorted(self._folder.glob("[0-9a-f]" * 64)):
            if identifier := marked_by(file):
                yield identifier

    # -- records that cannot be read --

    def note_unread(self, identifier: str, reason: str) -> None:
        """Note that the newest record of an object cannot be read, and why."""
        content = json.dumps({"identifier": identifier, "reason": reason}).encode()
        self._beside.write(self._unread_file(identifier), content)

    def forget_unread(self, identifier: str) -> None:
        """Remove the note: a readable record was received."""
        self._beside.remove(self._unread_file(identifier))

    def forget_all_unread(self) -> None:
        """Remove all notes of unreadable records: a full harvest receives these records again."""
        for file in sorted(self._beside.in_folder(self._folder)):
            self._beside.remove(file)

    def unread(self) -> Iterator[tuple[str, str]]:
        """Return the identifiers of records that cannot be read, and why.

        For a note that was altered, return the name of its file instead.
        """
        for file in sorted(file for file in self._folder.glob("*.json") if is_ours(f"{FAILED}/{file.name}")):
            try:
                document = json.loads(content_of(file) or b"")
                yield str(document["identifier"]), str(document["reason"])
            except (ValueError, LookupError, TypeError, RecursionError):
                yield f"{FAILED}/{file.name}", "This note of a record that cannot be read was altered."

    def _file(self, identifier: str) -> Path:
        return self._folder / sha256(identifier.encode()).hexdigest()

    def _unread_file(self, identifier: str) -> Path:
        return self._file(identifier).with_suffix(".json")


def marked_by(file: Path) -> str:
    """Return the identifier in the note of an object that is not whole; an empty string when it is no such note."""
    content = content_of(file) or b""
    if sha256(content).hexdigest() != file.name:
        return ""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""
