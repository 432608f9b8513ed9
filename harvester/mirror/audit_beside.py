"""Audit of `failed`, `doubtful` and `waiting`: files against the catalogue, doubtful bytes against their states."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from harvester.mirror.audit_findings import AuditFinding, Finding
from harvester.mirror.audit_object import is_regular, walked
from harvester.mirror.catalogue import Contents
from harvester.mirror.doubtful_files import DoubtfulFiles, altered
from harvester.mirror.failed_objects import FailedObjects, marked_by
from harvester.mirror.files_beside import DOUBTFUL, FOLDERS, altered_beside, files_beside, is_ours
from harvester.mirror.repeated_answers import CACHE

_UNFINISHED = ".new"


def audited_beside(folder: Path, failed: FailedObjects, contents: Contents) -> Iterator[AuditFinding]:
    """Return the files of these folders that are not what a run wrote, and the records that cannot be read."""
    yield from _small_files(folder, contents)
    kept = DoubtfulFiles(folder / DOUBTFUL).kept()
    unsettled = {(folder / name).with_suffix("") for name in contents.unsettled}  # a killed run was writing them
    for file, doubt in kept.items():
        problem = altered(doubt, file) if is_regular(file) else "is not there"
        if problem and file not in unsettled:
            yield AuditFinding(Finding.ALTERED, _name(folder, file), f"It {problem}.")
    yield from _strays(folder, {*kept, *unsettled})
    for identifier, reason in failed.unread():
        if not is_ours(identifier):  # that of an altered note
            yield AuditFinding(Finding.INCOMPLETE, identifier, f"Its record cannot be read: {reason}")


def _small_files(folder: Path, contents: Contents) -> Iterator[AuditFinding]:
    """Return the small files that differ from the catalogue.

    An audit marks objects without a line, so a mark needs none. Other objects than those of the catalogue have none.
    """
    present = {_name(folder, path) for path in files_beside(folder)}
    for name in sorted(present | contents.beside.keys()):
        identifier = marked_by(folder / name)
        if identifier and contents.has(identifier):
            continue
        if name not in contents.beside and (identifier or contents.names_beside):
            yield AuditFinding(Finding.STRANGE, name, "No run wrote it.")
        elif problem := altered_beside(folder, name, contents):
            yield AuditFinding(Finding.ALTERED, name, problem)


def _strays(folder: Path, allowed: set[Path]) -> Iterator[AuditFinding]:
    """Return what no run puts into these folders, and files with another name elsewhere."""
    for top in (folder / name for name in FOLDERS):
        if not top.is_dir():
            if os.path.lexists(top) and not top.is_symlink():
                yield AuditFinding(Finding.STRANGE, top.name, "It is no folder.")
            continue
        for path, status in () if top.is_symlink() else _walked(top):
            if status is None:
                yield AuditFinding(Finding.DAMAGED, top.name, "It cannot be read.")
            elif not (path in allowed or _is_ours(folder, path, status.st_mode)):
                yield AuditFinding(Finding.STRANGE, _name(folder, path), "No run wrote it.")
            elif S_ISREG(status.st_mode) and status.st_nlink > 1:
                reason = "It is a hard link: it has another name, and may be changed there."
                yield AuditFinding(Finding.STRANGE, _name(folder, path), reason)


def _walked(top: Path) -> Iterator[tuple[Path, os.stat_result | None]]:
    """Return all paths below a folder; at last the folder without a status, if a part of it cannot be read."""
    try:
        yield from walked(top)
    except OSError:
        yield top, None


def _is_ours(folder: Path, path: Path, mode: int) -> bool:
    """Return whether a run may have made a path that is not doubtful bytes."""
    name = _name(folder, path)
    if S_ISDIR(mode):  # an empty one, of a process that was killed
        return is_ours(f"{name}/{'0' * 32}.json")
    is_cache = path.parent.name == DOUBTFUL and path.name.startswith(CACHE)
    return is_ours(name) or (S_ISREG(mode) and (is_cache or is_ours(name.removesuffix(_UNFINISHED))))


def _name(folder: Path, path: Path) -> str:
    """Return the name of a path in the mirror; bytes that are no UTF-8 are escaped."""
    return os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")
