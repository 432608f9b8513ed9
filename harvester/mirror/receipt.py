"""The receipt of a run: its requests, its counts, the verified files, and the missing files with reasons. Pure."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from gateway.core.digests import WEAK
from gateway.core.model import RunOutcome
from harvester.mirror.object_state import Holding
from harvester.mirror.verify import Fate


class Change(StrEnum):
    """The actions of a run on an object: a closed list."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    MENDED = "mended"  # damaged bytes were fetched again
    DELETED = "deleted"
    NEVER_HELD = "never_held"  # deleted before it was mirrored
    UNUSABLE = "unusable"  # a record that cannot be read, or a damaged object


_MOST_DOUBTS = 5  # in the summary for people
_ENDED = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)


@dataclass(slots=True)
class Receipt:
    """The results of a run so far. `missing` has a row per file, or per object when its files are unknown.

    Dates are UTCdatetimes, sizes are bytes.
    """

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
    verified: Counter[str] = field(default_factory=Counter)  # fetched files, by the kind of statement that was verified
    bytes_fetched: int = 0
    missing: list[dict[str, str]] = field(default_factory=list)
    unread: list[dict[str, str]] = field(default_factory=list)  # stated digests that cannot be read
    waiting: int = 0  # deletions that wait for a person
    doubts: list[str] = field(default_factory=list)
    # bytes and SHA-256 of the catalogue before the line of this receipt
    catalogue: Mapping[str, object] = field(default_factory=dict)
    # the previous run, whose versions this receipt confirms
    broken_off: Mapping[str, object] = field(default_factory=dict)
    state: Mapping[str, str] = field(default_factory=dict)  # SHA-512 of the files beside the objects

    @property
    def is_whole(self) -> bool:
        """Return whether nothing is missing or in doubt, and no deletion waits."""
        return not self.missing and not self.doubts and not self.waiting

    def count(self, change: Change, holding: Holding | None = None) -> None:
        """Count an object, and the files of its state when one is given."""
        self.objects[change] += 1
        if holding is None:
            return
        for file in holding.files:
            names = {"identifier": holding.identifier, "url": next(iter(file.locations), file.identifier)}
            self.unread.extend({**names, "digest": digest} for digest in file.stated_unread)
            self.files[file.fate] += 1
            if file.fate is Fate.FETCHED:
                self.bytes_fetched += file.size or 0
                has_digest = bool(set(file.verified) - WEAK - {"size"})
                self.verified["digest" if has_digest else "size" if "size" in file.verified else "none"] += 1
        self.miss_of(holding)

    def miss_of(self, holding: Holding, **more: str) -> None:
        """Note all missing files of an object."""
        if holding.problem:
            self.miss(holding.identifier, Fate.UNREADABLE, holding.problem, **more)
        for file in holding.missing:
            url = next(iter(file.locations), file.identifier)
            kept = {"kept": "an earlier state"} if file.is_stale else {}
            kept |= {"rule": file.rule} if file.rule else {}
            self.miss(holding.identifier, file.fate, file.reason, url=url, **kept, **more)

    def miss(self, identifier: str, fate: Fate, reason: str, **more: str) -> None:
        """Note one missing file, or an object."""
        self.missing.append({"identifier": identifier, **more, "fate": str(fate), "reason": reason})

    def as_data(self) -> Mapping[str, object]:
        """Return the receipt as data for JSON."""
        plain = {field_.name: getattr(self, field_.name) for field_ in fields(self)}
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in plain.items()} | {
            "is_whole": self.is_whole
        }

    def as_json(self) -> bytes:
        """Return the receipt as JSON in UTF-8, as it is stored."""
        # Bytes of a path that are not UTF-8 become JSON escapes.
        return json.dumps(self.as_data(), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"

    def line(self, allowing: str = "`harvester mirror` with --yes") -> str:
        """Return a summary for people; `allowing` is the command that confirms waiting deletions."""
        objects = _counted(self.objects, Change) or "no objects"
        files = _counted(self.files, Fate) or "none looked at"
        verified = f" (verified: {_counted(self.verified, ('digest', 'size', 'none'))})" if self.verified else ""
        ends = [f"Missing: {len(self.missing)}."] if self.missing else []
        if any(file["fate"] == Fate.DOUBTFUL for file in self.missing):
            ends.append("Doubtful files are in the folder doubtful; `harvester mirror accept` accepts them.")
        if self.outcome not in _ENDED:
            ends.append("The run was broken off; run the same command again to continue.")
        if self.waiting:
            ends.append(f"Deletions that wait: {self.waiting}; {allowing} confirms them.")
        end = " ".join(ends) or "Nothing is missing."
        if self.unread:
            first = self.unread[0]
            end += f" Digests that are stated and cannot be used: {len(self.unread)}, such as {first['digest']} of "
            end += f"{first['url']}."
        doubts = f" In doubt: {' '.join(self.doubts[:_MOST_DOUBTS])}" if self.doubts else ""
        if (more := len(self.doubts) - _MOST_DOUBTS) > 0:
            doubts += f" And {more} more: see the receipt in DIR/receipts."
        counts = f"Objects: {objects}. Files: {files}{verified}, {self.bytes_fetched} bytes fetched."
        return f"{counts} {end}{doubts}{self.proof}"

    @property
    def proof(self) -> str:
        """A sentence with the SHA-256 of the catalogue. People keep it elsewhere, as a proof."""
        return f" Catalogue: {self.catalogue['sha256']}." if self.catalogue else ""


def _counted(counts: Mapping[str, int], order: Iterable[str]) -> str:
    return ", ".join(f"{counts[name]} {str(name).replace('_', ' ')}" for name in order if counts.get(name))
