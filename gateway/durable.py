"""Files that are on the disk when a function returns, readable by their owner only."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

_MODE = 0o600
_PIECE = 1_000_000


def write(file: Path, content: bytes, ready: Callable[[int], None] = lambda _: None) -> None:
    """Write a file, whole or not at all. Raise OSError.

    `ready` gets the descriptor of the new file before anything is in it, to give it another mode or owner.
    """
    aside = file.with_name(f"{file.name}.new")
    aside.unlink(missing_ok=True)  # a killed process left it, or its mode is another
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
    with os.fdopen(descriptor, "wb") as stream:
        ready(descriptor)
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    aside.replace(file)
    sync_folder(file.parent)


def copy(source: Path, target: Path, told: Callable[[int], None] = lambda _: None) -> str:
    """Copy a file, and return its SHA-256. `told` is called with the number of bytes copied so far. Raise OSError."""
    digest = sha256()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE)
    with source.open("rb") as reading, os.fdopen(descriptor, "wb") as writing:
        while piece := reading.read(_PIECE):
            digest.update(piece)
            writing.write(piece)
            told(writing.tell())
        writing.flush()
        os.fsync(writing.fileno())
    return digest.hexdigest()


def make_empty(file: Path) -> None:
    """Make an empty file for others to fill. Raise OSError."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _MODE))


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file, which is on the disk then. Raise OSError."""
    digest = sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
        os.fsync(stream.fileno())
    return digest.hexdigest()


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, for their owner only. Raise OSError."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk. Raise OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
