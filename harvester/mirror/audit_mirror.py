"""Audit of a mirror on its disk, and at its provider. `audit_object.py` reads one object.

On the disk, it compares all bytes of the objects, the other files of the folder, and the catalogue. At the provider, it
compares the datestamps of all objects, and reports missing files.
"""

import json
import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import NamedTuple

from gateway.core.errors import StoreDamaged
from gateway.core.model import Cursor
from harvester.http.messages import Fetch
from harvester.mirror import catalogue
from harvester.mirror.audit_object import (
    AuditFinding,
    Finding,
    Links,
    audited_object,
    check_regular,
    is_regular,
    walked,
)
from harvester.mirror.caches import ANSWERS, RECHECKS
from harvester.mirror.catalogue import Contents
from harvester.mirror.doubtful_files import DoubtfulFiles, altered
from harvester.mirror.files_beside import (
    DOUBTFUL,
    FOLDERS,
    FailedObjects,
    altered_beside,
    files_beside,
    is_ours,
    marked_by,
)
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.new_catalogue import digest_of, receipts, state_of
from harvester.mirror.object_state import Holding
from harvester.mirror.ocfl import README, ROOT_FILES, StorageRoot
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.sources import Options, SourceKind


def held(place: MirrorFolder, stop: Stop, expected: str = "") -> Iterator[Holding | AuditFinding]:
    """Read and hash the whole mirror; return the state of each object, and the findings.

    `expected` is a SHA-256 that the catalogue once had. Raise StopAsked, after an object, when the audit is stopped.
    Raise the errors of `InstanceMemory.remembered`.
    """
    root, links = place.root, Links()
    yield from _led_out(place, links)
    contents = yield from _catalogue(place, expected)
    yield from _around(root, contents)
    for folder in root.folders():
        name = folder.relative_to(root.folder).as_posix()
        if folder.is_symlink():
            yield AuditFinding(Finding.STRANGE, name, "It is a symbolic link.")
            continue
        try:
            yield from audited_object(root, folder, contents, links)
        except (StoreDamaged, OSError, KeyError) as error:
            yield AuditFinding(Finding.DAMAGED, name, str(error))
        if stop.is_asked:
            raise StopAsked("The audit was stopped.")
    yield from links.leading_out(root)
    if contents is not None:
        yield from _gone(place, contents)


# --- the catalogue, and the files that are not objects ---------------------------------------------------------------


def _catalogue(place: MirrorFolder, expected: str) -> Generator[AuditFinding, None, Contents | None]:
    file = place.catalogue.file
    try:
        if not place.has_catalogue():
            if expected:
                yield AuditFinding(Finding.ALTERED, file.name, "It is not there.")
            return None
        check_regular(file)
        contents = catalogue.read(file)
    except (StoreDamaged, OSError) as error:
        yield AuditFinding(Finding.ALTERED, file.name, str(error))
        return None
    if place.proven and contents.digests.get(place.proven.bytes) != place.proven.sha256:
        yield AuditFinding(Finding.ALTERED, file.name, "Its digest is not the one in mirror.json.")
    if expected and expected.lower() not in contents.digests.values():
        reason = f"It never had the digest {expected}: it is another catalogue, or an older copy."
        yield AuditFinding(Finding.ALTERED, file.name, reason)
    remembered = place.evidence and place.evidence.remembered(place.folder)
    if place.evidence and remembered and contents.digests.get(remembered.bytes) != remembered.sha256:
        reason = f"It never had the digest in {place.evidence.file}: it is another catalogue, or an older copy."
        yield AuditFinding(Finding.ALTERED, file.name, reason)
    if contents.foreign:
        reason = (
            f"{contents.foreign_lines} of its lines were not written by a run, the first of them: {contents.foreign}."
        )
        yield AuditFinding(Finding.ALTERED, file.name, reason)
    if contents.mirrors and digest_of(place.folder / "mirror.json") not in contents.mirrors:
        yield AuditFinding(Finding.ALTERED, "mirror.json", "It is not what the last run wrote.")
    yield from _receipts(place, contents)
    yield from _unconfirmed(place, contents)
    yield from audited_beside(place.folder, place.failed, contents)
    yield from (AuditFinding(Finding.DAMAGED, f"waiting/{name}", str(error)) for name, error in place.waiting.damaged())
    return contents


def _receipts(place: MirrorFolder, contents: Contents) -> Iterator[AuditFinding]:
    """Check that the receipts are unchanged, and that the catalogue has the digests in them."""
    there = {receipt.name: receipt for receipt in receipts(place.folder)}
    for name, digest in contents.receipts.items():
        if not digest:
            continue
        if name not in there:
            if contents.is_proven(name, place.proven):
                yield AuditFinding(Finding.ALTERED, f"receipts/{name}", "It is not there.")
        elif digest_of(there[name]) != digest:
            yield AuditFinding(Finding.ALTERED, f"receipts/{name}", "It is not the one that was written.")
        elif (
            name not in contents.adopted
            and (mark := _mark_in(there[name]))
            and (mark[0] != contents.named_at[name] or contents.digests.get(mark[0]) != mark[1])
        ):
            reason = f"Up to byte {mark and mark[0]} its digest is not the one in receipts/{name}."
            yield AuditFinding(Finding.ALTERED, catalogue.NAME, reason)
    for path in sorted((place.folder / "receipts").glob("*")):
        if path.name not in contents.receipts and not path.name.endswith(".new"):
            yield AuditFinding(Finding.STRANGE, f"receipts/{path.name}", "No run wrote it.")


def _unconfirmed(place: MirrorFolder, contents: Contents) -> Iterator[AuditFinding]:
    """Return lines without a receipt: a run was broken off, or another program wrote them."""
    again = f"{place.command()} completes it."
    last = contents.last_receipt
    if contents.running:
        command, at, versions = contents.running
        reason = f"The run that began at {at} ({command}) was broken off before its receipt, which alone confirms what "
        reason += f"it wrote: {versions} versions of objects. {again}"
        yield AuditFinding(Finding.UNCONFIRMED, catalogue.NAME, reason)
    elif contents.has_runs and place.proven and place.proven.bytes <= contents.named_at.get(last, 0):
        reason = f"mirror.json does not cover receipts/{last}: its run was broken off at the end. {again}"
        yield AuditFinding(Finding.UNCONFIRMED, catalogue.NAME, reason)
    elif last not in contents.adopted:
        yield from _beside(place, last)


def _beside(place: MirrorFolder, last: str) -> Iterator[AuditFinding]:
    """Return files beside the objects that differ from their digests in the last receipt."""
    try:
        state = json.loads((place.folder / "receipts" / last).read_bytes()).get("state", {})
        mirror = state_of((place.folder / "mirror.json").read_bytes())
    except (OSError, ValueError, AttributeError):
        return  # it is reported, or written by an earlier version of the program
    if state.get("mirror", mirror) != mirror:
        yield AuditFinding(Finding.ALTERED, "mirror.json", f"Its digest is not the one in receipts/{last}.")
    waiting = place.waiting.sha512
    if state.get("waiting", waiting) != waiting:
        yield AuditFinding(Finding.ALTERED, "waiting", f"The waiting deletions are not those in receipts/{last}.")


def _mark_in(receipt: Path) -> tuple[int, str] | None:
    try:
        mark = json.loads(receipt.read_bytes())["catalogue"]
        return int(mark["bytes"]), str(mark["sha256"])
    except (ValueError, KeyError, TypeError):
        return None  # a receipt older than the catalogue


def _gone(place: MirrorFolder, contents: Contents) -> Iterator[AuditFinding]:
    """Return the objects that the catalogue names and that are missing."""
    last = {
        entry.identifier: entry for entry in catalogue.entries(place.catalogue.file) if contents.has(entry.identifier)
    }
    for identifier, entry in last.items():
        if "" in contents.states(identifier) or os.path.lexists(place.root.place(identifier)):
            continue
        if entry.is_deleted:
            yield AuditFinding(Finding.DAMAGED, identifier, f"{entry.path} is not there; its record was deleted.")
        else:
            yield AuditFinding(Finding.LOST, identifier, f"{entry.path} is not there.")


def _led_out(place: MirrorFolder, links: Links) -> Iterator[AuditFinding]:
    """Return the symbolic links beside the storage root."""
    names = ("mirror.json", catalogue.NAME, "receipts", *FOLDERS, f"{DOUBTFUL}/{ANSWERS}", RECHECKS)
    inside = sorted(path.relative_to(place.folder).as_posix() for path in (place.folder / "receipts").glob("*"))
    for name in (*names, *inside):
        try:
            status = (place.folder / name).lstat()
        except FileNotFoundError:
            continue
        if S_ISLNK(status.st_mode):
            yield AuditFinding(Finding.STRANGE, name, "It is a symbolic link.")
        else:
            links.note(name, status)


# --- around the objects --------------------------------------------------------------------------------------------


def _around(root: StorageRoot, contents: Contents | None) -> Iterator[AuditFinding]:
    """Return the findings outside of the objects."""
    if root.folder.is_symlink():
        yield AuditFinding(Finding.STRANGE, root.folder.name, "It is a symbolic link.")
    for name in ROOT_FILES:
        if not is_regular(root.folder / name):
            yield AuditFinding(Finding.DAMAGED, name, "It is not there.")
    yield from (AuditFinding(Finding.DAMAGED, name, "Its content is wrong.") for name in root.misdeclared())
    yield from _files_of_root(root, contents)
    for stray in root.strays():
        name = stray.relative_to(root.folder).as_posix()
        if stray.is_symlink():
            yield AuditFinding(Finding.STRANGE, name, "It is a symbolic link.")
        elif stray.is_dir() and not any(stray.iterdir()):
            yield AuditFinding(Finding.DAMAGED, name, "The folder is empty: the object that was in it is gone.")
        elif name != README or (contents and README not in contents.files):
            yield AuditFinding(Finding.STRANGE, name, "It is part of no object.")


def _files_of_root(root: StorageRoot, contents: Contents | None) -> Iterator[AuditFinding]:
    """Return the files of the storage root that were changed or removed."""
    for name, digests in (contents.files if contents else {}).items():
        if not is_regular(root.folder / name):
            if "" not in digests and name not in ROOT_FILES:
                yield AuditFinding(Finding.ALTERED, name, "It is not there.")
        elif digest_of(root.folder / name) not in digests:
            yield AuditFinding(Finding.ALTERED, name, "It is not what was written.")


# --- Audit of `failed`, `doubtful` and `waiting` ----------------------------------------------------------------------

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
    is_cache = path.parent.name == DOUBTFUL and path.name.startswith(ANSWERS)
    return is_ours(name) or (S_ISREG(mode) and (is_cache or is_ours(name.removesuffix(_UNFINISHED))))


def _name(folder: Path, path: Path) -> str:
    """Return the name of a path in the mirror; bytes that are no UTF-8 are escaped."""
    return os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")


class ListedRecord(NamedTuple):
    """The header of one object in the list of the provider (OAI-PMH 2.0 §2.5)."""

    datestamp: str
    is_deleted: bool


def listed(
    place: MirrorFolder, kind: SourceKind, options: Options, fetch: Fetch
) -> tuple[dict[str, ListedRecord], list[str]]:
    """Return the objects of the provider by identifier, and the reasons why the list may be incomplete.

    Raise a GatewayError when the provider cannot be harvested.
    """
    assert kind.listed is not None
    by_identifier: dict[str, ListedRecord] = {}
    doubts: list[str] = []
    for set_spec in place.order.sets or ("",):
        cursor = Cursor("", place.order.metadata_prefix, set_spec, place.states.get(set_spec, ""))
        for page in kind.listed(options, cursor, fetch):
            by_identifier |= {
                record.identifier: ListedRecord(record.datestamp, record.is_deleted)
                for record in page.slices
                if not record.problem
            }
            doubts += page.doubts
    return by_identifier, doubts


def compared(
    holdings: Iterable[Holding], now: Mapping[str, ListedRecord], *, is_whole: bool = True
) -> Iterator[AuditFinding]:
    """Compare the stored objects with those of the provider.

    With an incomplete list, no object is reported as extra.
    """
    ours = {held_item.identifier: held_item for held_item in holdings}
    for identifier, theirs in now.items():
        holding = ours.get(identifier)
        if holding is None:
            if not theirs.is_deleted:
                yield AuditFinding(Finding.MISSING, identifier, f"The provider has it since {theirs.datestamp}.")
        elif theirs.is_deleted != holding.is_deleted:
            finding = Finding.EXTRA if theirs.is_deleted else Finding.MISSING
            deed = f"deleted it ({theirs.datestamp})" if theirs.is_deleted else f"has it again since {theirs.datestamp}"
            yield AuditFinding(finding, identifier, f"The provider {deed}.")
        elif theirs.datestamp != holding.datestamp:
            reason = f"The provider's is of {theirs.datestamp}, this one of {holding.datestamp}."
            yield AuditFinding(Finding.STALE, identifier, reason)
    for identifier, holding in ours.items():
        if identifier not in now and not holding.is_deleted and is_whole:
            yield AuditFinding(Finding.EXTRA, identifier, "The provider does not list it.")


def incomplete(holding: Holding) -> Iterator[AuditFinding]:
    """Return the missing files of an object."""
    if holding.problem:
        yield AuditFinding(Finding.INCOMPLETE, holding.identifier, holding.problem)
    for file in holding.missing:
        yield AuditFinding(
            Finding.INCOMPLETE, holding.identifier, f"{next(iter(file.locations), file.path)}: {file.reason}"
        )
