"""The files of a folder on this machine, and what in it is not read, with the reason.

Links are not followed: they may lead out of the folder, in a circle, or to a file that is read under its own name.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_APPLE_DOUBLE = b"\x00\x05\x16\x07"  # the first bytes of `._NAME`, which macOS writes beside a file


class Unread(NamedTuple):
    """A name below the folder that is not read, the reason as a clause, and the file in the folder that it links to.

    The name of a folder, or of a link to one, ends with a slash. `target` is empty for anything but such a link.
    """

    name: str
    why: str
    target: str = ""


def files_in(folder: Path, *, reads_hidden: bool = False) -> tuple[list[Path], list[Unread]]:
    """Return the plain files of a folder and all folders below it, and the names that are not read."""
    files: list[Path] = []
    unread: list[Unread] = []
    failures: list[OSError] = []
    for above, folders, names in os.walk(folder, onerror=failures.append):
        links = [name for name in folders if (Path(above) / name).is_symlink()]
        for path in (Path(above) / name for name in (*names, *links)):
            if path.is_symlink():
                unread.append(_link(folder, path))
            elif not path.is_file():
                unread.append(Unread(_name(folder, path), "it is a pipe, a socket or a device"))
            elif reads_hidden or not path.name.startswith("."):
                files.append(path)
            elif not _is_apple_double(path):
                unread.append(Unread(_name(folder, path), "it is hidden"))
    unread += (Unread(f"{_name(folder, Path(error.filename))}/", f"{error.strerror}") for error in failures)
    return files, unread


def escaped(name: str) -> str:
    """Return a name of a file, with an escape of four characters for each byte that is not UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _link(folder: Path, path: Path) -> Unread:
    name, root, target = _name(folder, path), Path(os.path.realpath(folder)), Path(os.path.realpath(path))
    slash = "/" if path.is_dir() else ""
    if not path.exists():
        return Unread(name, "it is a link that leads nowhere")
    if not target.is_relative_to(root):
        return Unread(name + slash, "it is a link out of the folder")
    return Unread(name + slash, "it is a link", "" if slash else _name(root, target))


def _is_apple_double(path: Path) -> bool:
    if not path.name.startswith("._"):
        return False
    with path.open("rb") as stream:
        return stream.read(len(_APPLE_DOUBLE)) == _APPLE_DOUBLE
