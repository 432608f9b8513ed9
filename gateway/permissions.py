"""Who may use the instance folder: its owner (folders 0700, files 0600), or a group too (2770 and 0660).

The mode of the folder itself says which: a folder that its group may write is a group's. Commands set their umask by
it, so that all that they make in the folder has the right mode. `gateway init` repairs the modes of an older instance.
"""

from __future__ import annotations

import grp
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from gateway.errors import ConfigurationError

# What an instance folder holds; all else in it is somebody else's and is left alone.
_FILES = (
    "*.toml",
    "takedowns.json",
    "takedowns.json.new",
    "mirrors.json",
    "notified.json",
    "*.sqlite",
    "*.sqlite-*",
    "secret",
    "secret.new",
    "answered-until",
)
_FOLDERS = ("files", "downloads", "audits", "locks", "aside", "restoring")


def is_for_group(folder: Path) -> bool:
    """Tell whether the group of an instance folder may use it."""
    return folder.is_dir() and bool(folder.stat().st_mode & stat.S_IWGRP)


def file_mode(folder: Path) -> int:
    """Return the mode that files of an instance folder have."""
    return 0o660 if is_for_group(folder) else 0o600


@contextmanager
def private(folder: Path) -> Iterator[None]:
    """Let this process make files that only those who may use the instance folder can read.

    What root makes belongs to the owner of the folder afterwards: the server, which runs as that user, needs it.
    """
    before, begun = os.umask(0o007 if is_for_group(folder) else 0o077), time.time()
    try:
        yield
    finally:
        os.umask(before)
        _give_to_owner(folder, begun)


def keep_owner(descriptor: int, folder: Path) -> None:
    """Let a new file belong to the owner of the instance folder when root makes it, as SQLite does. Raise OSError."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def _give_to_owner(folder: Path, begun: float) -> None:
    """Give what root has made in the folder since `begun` to its owner, who may interfere: no link is followed."""
    if os.geteuid() != 0 or not folder.is_dir() or folder.stat().st_uid == 0:
        return
    owner = folder.stat()
    for _, folders, files, place in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            with suppress(FileNotFoundError):
                known = os.stat(name, dir_fd=place, follow_symlinks=False)
                is_linked = stat.S_ISREG(known.st_mode) and known.st_nlink > 1
                if known.st_uid == 0 and known.st_ctime >= begun - 1 and not is_linked:
                    os.chown(name, owner.st_uid, owner.st_gid, dir_fd=place, follow_symlinks=False)


def repair(folder: Path, group: str | None = None) -> None:
    """Give an instance folder and what it holds the modes that they must have; `group` makes it a group's.

    Raise ConfigurationError for a group that this machine does not have, or may not be given; OSError.
    """
    if group is not None:
        _hand_to(folder, group)
    folder_mode, mode = (0o2770, 0o660) if group is not None or is_for_group(folder) else (0o700, 0o600)
    _set_mode(folder, folder_mode)
    for path in _held(folder):
        _set_mode(path, folder_mode if path.is_dir() else mode)


def _set_mode(path: Path, mode: int) -> None:
    with suppress(FileNotFoundError):  # what SQLite keeps beside a database comes and goes
        if _mode(path) != mode:
            path.chmod(mode)


def _mode(path: Path) -> int:
    """Return the mode of a path; 0 when it has gone."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0


def _hand_to(folder: Path, group: str) -> None:
    try:
        grp.getgrnam(group)
        for path in (folder, *_held(folder)):
            shutil.chown(path, group=group)
    except KeyError as error:
        raise ConfigurationError(f"This machine has no group {group!r}.") from error
    except PermissionError as error:
        raise ConfigurationError(f"{folder} cannot be given to the group {group}: are you a member of it?") from error


class Exposed(NamedTuple):
    """A file or folder that others may read or write, its mode, and the mode that it must have."""

    path: Path
    mode: int
    wanted: int


def exposed(folder: Path) -> list[Exposed]:
    """Return the instance folder and what of its upper level others may read or write."""
    folder_mode, mode = (0o2770, 0o660) if is_for_group(folder) else (0o700, 0o600)
    found = (Exposed(path, _mode(path), folder_mode if path.is_dir() else mode) for path in (folder, *_upper(folder)))
    return [each for each in found if each.mode & 0o777 & ~each.wanted]


def _upper(folder: Path) -> Iterator[Path]:
    patterns = (*_FILES, *_FOLDERS)
    found = (path for pattern in patterns for path in folder.glob(pattern))
    yield from (path for path in found if not path.is_symlink() and path.exists())


def _held(folder: Path) -> Iterator[Path]:
    for path in _upper(folder):
        yield path
        if path.is_dir():
            yield from (below for below in path.rglob("*") if not below.is_symlink())
