"""Writes files that are on the disk (fsync) when a function returns, and readable by their owner only if not said."""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

_MODE = 0o600
_PIECE = 1_000_000


def write(file: Path, content: bytes, ready: Callable[[int], None] = lambda _: None, mode: int = _MODE) -> None:
    """Write a file, whole or not at all: a reader gets the old or the new content. Raise OSError.

    `ready` is called with the descriptor of the new, empty file, so that it can set another mode or owner.
    """
    aside = file.with_name(f"{file.name}.new")
    aside.unlink(missing_ok=True)  # a killed process left it, or it has another mode
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as stream:
        ready(descriptor)
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    aside.replace(file)
    sync_folder(file.parent)


def copy(source: Path, target: Path, report: Callable[[int], None] = lambda _: None) -> str:
    """Copy a file, and return its SHA-256 in hexadecimal. `report` gets the number of copied bytes. Raise OSError."""
    digest = sha256()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
    with source.open("rb") as reading, os.fdopen(descriptor, "wb") as writing:
        while piece := reading.read(_PIECE):
            digest.update(piece)
            writing.write(piece)
            report(writing.tell())
        writing.flush()
        os.fsync(writing.fileno())
    return digest.hexdigest()


def make_empty(file: Path) -> None:
    """Make an empty file (mode 0600), or empty an existing one. Raise OSError."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE))


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal, and write its contents to the disk (fsync). Raise OSError."""
    digest = sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
        os.fsync(stream.fileno())
    return digest.hexdigest()


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, for their owner only (mode 0700). Raise OSError."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk (fsync). Raise OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
