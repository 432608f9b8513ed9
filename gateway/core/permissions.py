"""Permissions of the instance folder: for its owner (folders 0700, files 0600), or for a group too (2770 and 0660).

The mode of the folder decides: if its group may write it, the group may use the instance. Commands set their umask
accordingly, so all files that they make have the right mode. `gateway init` repairs the modes of an older instance.
"""

import grp
import os
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from gateway.core.errors import ConfigurationError

# The contents of an instance folder; everything else in it is foreign and left unchanged.
FILES = (
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
    "known-files",
    "last-change",
)
FOLDERS = ("files", "downloads", "audits", "locks", "aside", "restoring", "resourcesync")


def is_for_group(folder: Path) -> bool:
    """Return whether the group of an instance folder may use it."""
    return folder.is_dir() and bool(folder.stat().st_mode & stat.S_IWGRP)


def file_mode(folder: Path) -> int:
    """Return the mode of files in an instance folder, such as 0o600."""
    return 0o660 if is_for_group(folder) else 0o600


@contextmanager
def private(folder: Path) -> Iterator[None]:
    """Set the umask inside the block so that new files have the mode of the instance folder.

    Files that root makes are given to the owner of the folder afterwards: the server runs as that user and needs them.
    """
    before, begun = os.umask(0o007 if is_for_group(folder) else 0o077), time.time()
    try:
        yield
    finally:
        os.umask(before)
        _give_to_owner(folder, begun)


def keep_owner(descriptor: int, folder: Path) -> None:
    """Give a new file to the owner of the instance folder if this process is root, as SQLite does. Raise OSError."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def _give_to_owner(folder: Path, begun: float) -> None:
    """Give the files that root has made since `begun` to the owner. No link is followed: the owner may be hostile."""
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
    """Set the modes of an instance folder and of its contents; with `group`, let that group use it.

    Raise ConfigurationError for a group that does not exist or that this user may not set; OSError.
    """
    if group is not None:
        _hand_to(folder, group)
    folder_mode, mode = (0o2770, 0o660) if group is not None or is_for_group(folder) else (0o700, 0o600)
    _set_mode(folder, folder_mode)
    for path in _held(folder):
        _set_mode(path, folder_mode if path.is_dir() else mode)


def _set_mode(path: Path, mode: int) -> None:
    with suppress(FileNotFoundError):  # SQLite makes and deletes files beside a database
        if _mode(path) != mode:
            path.chmod(mode)


def _mode(path: Path) -> int:
    """Return the mode of a path; 0 if it no longer exists."""
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
        raise ConfigurationError(
            f"The group {group} cannot be set on {folder}. Run the command as a member of the group, or as root."
        ) from error


class Exposed(NamedTuple):
    """A file or folder that other users may read or write, its mode, and the mode that it must have."""

    path: Path
    mode: int
    wanted: int


def exposed(folder: Path) -> list[Exposed]:
    """Return what other users may read or write: of the instance folder itself and of its upper level."""
    folder_mode, mode = (0o2770, 0o660) if is_for_group(folder) else (0o700, 0o600)
    exposed = (Exposed(path, _mode(path), folder_mode if path.is_dir() else mode) for path in (folder, *_upper(folder)))
    return [path_ for path_ in exposed if path_.mode & 0o777 & ~path_.wanted]


def _upper(folder: Path) -> Iterator[Path]:
    paths = (path for pattern in (*FILES, *FOLDERS) for path in folder.glob(pattern))
    yield from (path for path in paths if not path.is_symlink() and path.exists())


def _held(folder: Path) -> Iterator[Path]:
    for path in _upper(folder):
        yield path
        if path.is_dir():
            yield from (below for below in path.rglob("*") if not below.is_symlink())
