"""The receipt of a run: what was asked for, what came, what was verified, and what is missing and why. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from gateway.digests import WEAK
from gateway.model import RunOutcome
from harvester.mirror.holding import HeldFile, Holding
from harvester.mirror.verifying import Fate


class Change(StrEnum):
    """What a run did to an object: a closed list."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    MENDED = "mended"  # bytes that were harmed on this disk came again
    DELETED = "deleted"
    NEVER_HELD = "never_held"  # deleted before it was ever held
    UNUSABLE = "unusable"  # a record without an identifier, or not to be cut from its page; an object that is damaged


_MOST_DOUBTS = 5  # that a line for people has; each file of a mirror may be in doubt
_ENDED = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)


@dataclass(slots=True)
class Receipt:
    """What a run did so far. `missing` has a row per file, or per object where none of its files can be told."""

    command: str
    base_url: str
    metadata_prefix: str
    started_at: str
    sets: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)  # the request that began each list, or the package
    ended_at: str = ""
    outcome: RunOutcome = RunOutcome.RUNNING
    objects: Counter[str] = field(default_factory=Counter)
    files: Counter[str] = field(default_factory=Counter)
    verified: Counter[str] = field(default_factory=Counter)  # of the files fetched, by what the document states
    bytes_fetched: int = 0
    missing: list[dict[str, str]] = field(default_factory=list)
    unread: list[dict[str, str]] = field(default_factory=list)  # digests that documents state and that cannot be read
    waiting: int = 0  # deletions that wait for a person
    doubts: list[str] = field(default_factory=list)
    catalogue: Mapping[str, object] = field(default_factory=dict)  # bytes and SHA-256 up to the line of this
    broken_off: Mapping[str, object] = field(
        default_factory=dict
    )  # the run before, of which this confirms the versions
    state: Mapping[str, str] = field(default_factory=dict)  # SHA-512 of what lies beside the objects

    @property
    def is_whole(self) -> bool:
        """Tell whether nothing is missing, nothing in doubt, and no deletion waits."""
        return not self.missing and not self.doubts and not self.waiting

    def count(self, change: Change, holding: Holding | None = None) -> None:
        """Count an object, and its files when they were looked at."""
        self.objects[change] += 1
        if holding is None:
            return
        for file in holding.files:
            self._note_unread(holding.identifier, file)
            self.files[file.fate] += 1
            if file.fate is Fate.FETCHED:
                self.bytes_fetched += file.size or 0
                has_digest = bool(set(file.verified) - WEAK - {"size"})
                self.verified["digest" if has_digest else "size" if "size" in file.verified else "none"] += 1
        self.miss_of(holding)

    def _note_unread(self, identifier: str, file: HeldFile) -> None:
        url = next(iter(file.locations), file.identifier)
        self.unread.extend({"identifier": identifier, "url": url, "digest": each} for each in file.stated_unread)

    def miss_of(self, holding: Holding, **more: str) -> None:
        """Note all that is missing of an object."""
        if holding.problem:
            self.miss(holding.identifier, Fate.UNREADABLE, holding.problem, **more)
        for file in holding.missing:
            url = next(iter(file.locations), file.identifier)
            kept = {"kept": "an earlier state"} if file.is_stale else {}
            kept |= {"rule": file.rule} if file.rule else {}
            self.miss(holding.identifier, file.fate, file.reason, url=url, **kept, **more)

    def miss(self, identifier: str, fate: Fate, reason: str, **more: str) -> None:
        """Note that something is missing."""
        self.missing.append({"identifier": identifier, **more, "fate": str(fate), "reason": reason})

    def as_data(self) -> Mapping[str, object]:
        """Return the receipt as data for JSON."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in plain.items()} | {
            "is_whole": self.is_whole
        }

    def as_json(self) -> bytes:
        """Return the receipt as it is kept."""
        # Of a path that is not UTF-8, the bytes that are none become JSON escapes.
        return json.dumps(self.as_data(), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"

    def line(self, allowing: str = "`harvester mirror` with --yes") -> str:
        """Return the receipt in a sentence or two, for people; `allowing` is the command that lets deletions pass."""
        objects = _counted(self.objects, Change) or "no objects"
        files = _counted(self.files, Fate) or "none looked at"
        verified = f" (verified: {_counted(self.verified, ('digest', 'size', 'none'))})" if self.verified else ""
        ends = [f"Missing: {len(self.missing)}."] if self.missing else []
        if any(each["fate"] == Fate.DOUBTFUL for each in self.missing):
            ends.append("What is doubtful lies in the folder doubtful; `harvester mirror accept` takes it for good.")
        if self.outcome not in _ENDED:
            ends.append("It has not come to its end; the same command goes on.")
        if self.waiting:
            ends.append(f"Deletions that wait: {self.waiting}; {allowing} lets them pass.")
        end = " ".join(ends) or "Nothing is missing."
        if self.unread:
            first = self.unread[0]
            end += f" Digests that are stated and cannot be used: {len(self.unread)}, such as {first['digest']} of "
            end += f"{first['url']}."
        doubts = f" In doubt: {' '.join(self.doubts[:_MOST_DOUBTS])}" if self.doubts else ""
        if (more := len(self.doubts) - _MOST_DOUBTS) > 0:
            doubts += f" And {more} more, which the receipt in DIR/receipts names."
        counts = f"Objects: {objects}. Files: {files}{verified}, {self.bytes_fetched} bytes fetched."
        return f"{counts} {end}{doubts}{self.proof}"

    @property
    def proof(self) -> str:
        """The digest of the catalogue, to be kept elsewhere."""
        return f" Catalogue: {self.catalogue['sha256']}." if self.catalogue else ""


def _counted(counts: Mapping[str, int], order: Iterable[str]) -> str:
    return ", ".join(f"{counts[name]} {str(name).replace('_', ' ')}" for name in order if counts.get(name))
