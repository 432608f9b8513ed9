"""Audit of the files in `failed` and `doubtful`: states against the catalogue, bytes against their states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harvester.mirror.audit_findings import AuditFinding, Finding
from harvester.mirror.audit_object import is_regular
from harvester.mirror.catalogue import Contents
from harvester.mirror.doubtful_files import DoubtfulFiles, altered
from harvester.mirror.failed_objects import is_mark
from harvester.mirror.files_beside import DOUBTFUL, altered_beside, files_beside

_NO_BYTES = (".json", ".new")  # states, and unfinished files of a killed process
_CACHE = "answers.sqlite"  # `repeated_answers.py`; may be removed


def audited_beside(folder: Path, contents: Contents) -> Iterator[AuditFinding]:
    """Return the files in `failed` and `doubtful` of a mirror that are not what a run wrote. Raise OSError."""
    present = {file.relative_to(folder).as_posix() for file in files_beside(folder)}
    for name in sorted(present | contents.beside.keys()):
        if is_mark(folder / name) and not (folder / name).is_symlink():
            continue  # an audit adds such a note without a line; it costs one request at most
        if name not in contents.beside and contents.names_beside:
            yield AuditFinding(Finding.STRANGE, name, "No run wrote it.")
        elif problem := altered_beside(folder, name, contents):
            yield AuditFinding(Finding.ALTERED, name, problem)
    yield from _doubtful_bytes(folder, contents)


def _doubtful_bytes(folder: Path, contents: Contents) -> Iterator[AuditFinding]:
    """Return the doubtful bytes that are not what arrived, and whatever else is beside them."""
    doubtful = DoubtfulFiles(folder / DOUBTFUL)
    kept = {doubtful.bytes_of(doubt): doubt for doubt in doubtful.all() if doubt.is_kept}
    unsettled = {(folder / name).with_suffix("") for name in contents.unsettled}  # a killed run was writing them
    for file, doubt in kept.items():
        problem = altered(doubt, file) if is_regular(file) else "is not there"
        if problem and file not in unsettled:
            yield AuditFinding(Finding.ALTERED, file.relative_to(folder).as_posix(), f"It {problem}.")
    for path in _strays(folder / DOUBTFUL):
        if path not in kept and path not in unsettled:
            yield AuditFinding(Finding.STRANGE, path.relative_to(folder).as_posix(), "No run wrote it.")


def _strays(folder: Path) -> Iterator[Path]:
    """Return the paths in the folder of doubtful files that are neither states nor caches nor unfinished."""
    for path in sorted(folder.glob("*")):
        if path.is_dir() and not path.is_symlink():
            yield from (inside for inside in sorted(path.glob("*")) if inside.suffix not in _NO_BYTES)
        elif path.suffix not in _NO_BYTES and not path.name.startswith(_CACHE):
            yield path
