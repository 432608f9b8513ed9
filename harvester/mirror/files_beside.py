"""The small files in `failed` and `doubtful`. The catalogue names each before it is written or removed.

So an audit finds each that somebody else has changed or removed. Their lines in the catalogue:

    {"beside": "failed/…", "sha512": …}    the next content of the file; an empty digest: it is removed
    {"beside": "", "sha512": ""}           from here on, the catalogue names these files
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha512
from itertools import chain
from pathlib import Path
from threading import Lock

from harvester.mirror.catalogue import Catalogue, Contents, Line
from harvester.runtime.durable_files import replace_durably, reporting_unwritable

FAILED, DOUBTFUL = "failed", "doubtful"
ACCEPTED = f"{DOUBTFUL}/accepted.json"
_PATTERNS = (f"{FAILED}/*", f"{DOUBTFUL}/*.json", f"{DOUBTFUL}/*/*.json")
_UNFINISHED = ".new"


class FilesBeside:
    """The small files beside the objects of one mirror. Any thread may write. Methods raise StoreUnwritable."""

    def __init__(self, folder: Path, catalogue: Catalogue, ready: Callable[[], None]) -> None:
        """Take the folder of the mirror and its catalogue; `ready` prepares the catalogue before each line."""
        self._folder, self._catalogue, self._ready = folder, catalogue, ready
        self._failed: set[str] = set()  # names of files that could not be written
        self.altered: dict[str, str] = {}  # the files that the last run wrote otherwise: a sentence by name
        self._expected: dict[str, list[str]] | None = None  # the digests in the catalogue, once a run has begun
        self._lock = Lock()

    def write(self, file: Path, content: bytes) -> None:
        """Write a file durably. Also raise the errors of `ready`."""
        with self._announced(file, sha512(content).hexdigest()):
            with reporting_unwritable(file.parent):
                file.parent.mkdir(parents=True, exist_ok=True)
            replace_durably(file, content)

    def remove(self, file: Path) -> None:
        """Remove a file, if it is there, or is gone against the catalogue. Also raise the errors of `ready`."""
        if file.exists() or self._name(file) in self.altered:
            with self._announced(file, ""), reporting_unwritable(file):
                file.unlink(missing_ok=True)

    def in_folder(self, folder: Path) -> set[Path]:
        """Return the JSON files of a folder, and those that are gone against the catalogue."""
        gone = {self._folder / name for name in self.altered if name.endswith(".json")}
        return {*folder.glob("*.json"), *(file for file in gone if file.parent == folder)}

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

    def _name(self, file: Path) -> str:
        return file.relative_to(self._folder).as_posix()

    @contextmanager
    def _announced(self, file: Path, digest: str) -> Iterator[None]:
        """Add a line about a file before the block changes it. A failure of the block is corrected by `settle`."""
        self._ready()
        name = self._name(file)
        self._catalogue.append(_line(name, digest))
        if self._expected is not None:
            self._expected[name] = [digest]
            self.altered.pop(name, None)
        try:
            yield
        except BaseException:
            with self._lock:
                self._failed.add(name)
            raise

    def settle(self) -> None:
        """Add a line for each file that this process announced and could not write."""
        with self._lock:
            failed, self._failed = self._failed, set()
        self._catalogue.append(*(_line(name, digest_at(self._folder / name)) for name in sorted(failed)))

    def recover(self, contents: Contents) -> None:
        """Add a line for each file that a killed process announced and did not write. Other changes are left."""
        now = {name: digest_at(self._folder / name) for name in contents.unsettled}
        wrong = [_line(name, digest) for name, digest in now.items() if contents.beside[name][-1] != digest]
        self._catalogue.append(*(line for line in wrong if line["sha512"] in contents.beside[str(line["beside"])]))


def lines_beside(folder: Path) -> Iterable[Line]:
    """Return lines of the catalogue for all present files, and the line before them."""
    present = (file for file in files_beside(folder) if file.is_file())
    named = (_line(file.relative_to(folder).as_posix(), digest_at(file)) for file in present)
    return chain([_line("", "")], named)


def files_beside(folder: Path) -> list[Path]:
    """Return the small files of a mirror, and whatever else has their names."""
    matched = chain.from_iterable(map(folder.glob, _PATTERNS))
    return sorted(path for path in matched if path.suffix != _UNFINISHED)


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
    """Return the SHA-512 of a regular file; an empty string when there is none, or it cannot be read."""
    try:
        return sha512(file.read_bytes()).hexdigest() if file.is_file() and not file.is_symlink() else ""
    except OSError:
        return ""


def _line(name: str, digest: str) -> Line:
    return {"beside": name, "sha512": digest}
