"""Judge files again without a request: files that a person accepts, and files that are known error messages now.

The same short answer from three addresses of a host is a message, not a file.
"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gateway.core.errors import ConfigurationError, StoreDamaged
from harvester.http.urls import host_of
from harvester.mirror import object_state
from harvester.mirror.caches import MANY, Answers
from harvester.mirror.catalogue import Contents
from harvester.mirror.catalogue import read as read_catalogue
from harvester.mirror.doubtful_files import SAME_ANSWER, Acceptance, DoubtfulFile, altered
from harvester.mirror.file_plan import PlannedFile
from harvester.mirror.files_beside import altered_beside
from harvester.mirror.inventory import Arrived
from harvester.mirror.judge_file import Collected, suspected
from harvester.mirror.object_state import HeldFile, by_location
from harvester.mirror.object_versions import PendingVersion, states
from harvester.mirror.ocfl import Incoming
from harvester.mirror.run import Run
from harvester.mirror.verify import Fate, is_proven
from harvester.runtime.durable_files import reporting_unwritable

SHORT = 16 << 10  # bytes; longer answers are rarely messages, and storing all of them would be costly
_SAME = f"Its host sends the same bytes from {MANY} addresses or more."


@dataclass(slots=True)
class JudgingRun(Run):
    """A run that can judge stored files again. `same`: for each object, the keys of short answers that it may hold."""

    same: dict[str, set[tuple[str, str]]] = field(default_factory=dict, kw_only=True)
    # the hosts, and the SHA-512 of their answers
    messages: set[tuple[str, str]] = field(default_factory=set, kw_only=True)

    def compared(self, pending: PendingVersion, collected: Collected, answers: Answers) -> Collected:
        """Return the outcome of a file: doubtful, when other addresses of its host sent the same short answer."""
        file = collected.file
        is_short = collected.incoming is not None and 0 < (file.size or 0) <= SHORT and bool(file.url)
        if not is_short or is_proven(file.verified) or self.place.doubtful.acceptance(file, SAME_ANSWER):
            return collected
        key = (host_of(file.url), file.sha512)
        if not answers.add(*key, file.url, pending.now.identifier):
            return collected
        if key not in self.messages:  # from now on it is recognised
            self.messages.add(key)
            for identifier in answers.objects(*key):
                self.same.setdefault(identifier, set()).add(key)
        return suspected(collected, SAME_ANSWER, _SAME)

    def withdraw(self) -> None:
        """Mark stored files as doubtful when other addresses of their host sent the same bytes later."""
        self._recall()
        while self.same and not self.stop.is_asked:
            identifier, keys = self.same.popitem()
            if self.place.root.place(identifier).exists():
                pending = self.sound(identifier, partial(self.held_again, identifier))
                if pending is not None:
                    self._withdraw(pending, keys)

    def _recall(self) -> None:
        """Continue the work of an earlier run that recognised a repeated answer and was broken off."""
        doubts = (suspect for suspect in self.place.doubtful.all() if suspect.rule == SAME_ANSWER)
        keys = {(host_of(doubt.file.url), doubt.file.sha512) for doubt in doubts}
        with Answers(self.place.doubtful.folder) as answers:
            for key in keys - self.messages:
                for identifier in answers.objects(*key):
                    if not self.place.failed.is_marked(identifier):
                        self.same.setdefault(identifier, set()).add(key)

    def _withdraw(self, pending: PendingVersion, keys: set[tuple[str, str]]) -> None:
        is_any = False
        for planned in pending.planned_files:
            held = planned.before
            is_bad = held is not None and held.is_good and bool(held.path) and not is_proven(held.verified)
            if held is not None and is_bad and (host_of(held.url), held.sha512) in keys and not held.accepted_at:
                pending.note(self._laid_aside(pending, planned, held))
                is_any = True
            else:
                pending.note(as_it_was(planned))
        if is_any:
            pending.lay_aside(self.now())
            self.counted(*pending.commit(self.now(), self.user))
            pending.tidy_aside()

    def _laid_aside(self, pending: PendingVersion, planned: PlannedFile, held: HeldFile) -> Collected:
        """Return a stored file as doubtful. Another state of it from an earlier version is used instead, if any."""
        place = pending.root.place(pending.now.identifier) / pending.inventory.place(planned.path)
        aside = pending.aside(planned)
        with reporting_unwritable(aside):
            shutil.copyfile(place, aside)
        incoming = Incoming(aside, Arrived(held.sha512, held.sha256))
        earlier = planned._replace(before=_earlier_state(pending, planned, held))
        return suspected(Collected(earlier, held._replace(fate=Fate.FETCHED), incoming), SAME_ANSWER, _SAME)


@dataclass(slots=True)
class AcceptRun(JudgingRun):
    """A run that accepts doubtful files on request of a person. `taken`: objects and paths of stored files."""

    taken: set[tuple[str, str]] = field(default_factory=set, kw_only=True)

    def accepted(self, url: str) -> list[DoubtfulFile]:
        """Accept the doubtful files of an address. An answer that many addresses sent is accepted for all of them.

        Return the accepted files; `is_kept` is whether the file is stored now. Raise ConfigurationError when no file of
        the address is doubtful, and the errors of `recorded`. Raise StoreDamaged, and accept nothing, when the stored
        bytes or the state of one of them are not what a run wrote.
        """
        doubtful = self.place.doubtful
        meant = [suspect for suspect in doubtful.all() if url in (*suspect.names, suspect.identifier)]
        if not meant:
            raise ConfigurationError(
                f"No file from {url} is doubtful in {self.place.folder}. Give an address as the receipt has it."
            )
        rows = [Acceptance(suspect.file.url, suspect.file.sha512, suspect.rule, "") for suspect in meant]
        suspects = [
            suspect for suspect in doubtful.all() if any(row.covers(suspect.file, suspect.rule) for row in rows)
        ]
        self._check(suspects)
        with self.recorded():
            for suspect in meant:
                doubtful.accept(suspect, self.now())
            for identifier in dict.fromkeys(suspect.identifier for suspect in suspects):
                pending = self.sound(identifier, partial(self.held_again, identifier))
                if pending is not None:
                    self._take(pending, {suspect.path for suspect in suspects if suspect.identifier == identifier})
        return [suspect._replace(is_kept=(suspect.identifier, suspect.path) in self.taken) for suspect in suspects]

    def _check(self, suspects: Iterable[DoubtfulFile]) -> None:
        """Raise StoreDamaged when the state of any of these files was altered, or its bytes were."""
        doubtful, has_catalogue = self.place.doubtful, self.place.catalogue.file.exists()
        contents = read_catalogue(self.place.catalogue.file) if has_catalogue else Contents()
        for suspect in suspects:
            state = doubtful.state_of(suspect)
            if altered_beside(self.place.folder, state.relative_to(self.place.folder).as_posix(), contents):
                raise self._refused(suspect, state, "is not what a run wrote")
            file = doubtful.bytes_of(suspect)
            if suspect.is_kept and (problem := altered(suspect, file)):
                raise self._refused(suspect, file, problem)

    def _refused(self, doubt: DoubtfulFile, file: Path, problem: str) -> StoreDamaged:
        return StoreDamaged(
            f"{file}, the doubtful file from {doubt.file.url}, {problem}. Nothing was accepted. "
            f"{self.place.command('--retry-failed')} requests it again; accept it then."
        )

    def _take(self, pending: PendingVersion, paths: Iterable[str]) -> None:
        taken = set()
        for planned in pending.planned_files:
            doubt = planned.doubted
            if doubt is not None and doubt.is_kept and planned.path in paths:
                at = self.place.doubtful.acceptance(doubt.file, doubt.rule)
                pending.note(pending.taken(planned, doubt.file.verified, at))
                taken.add((pending.now.identifier, planned.path))
            else:
                pending.note(as_it_was(planned))
        self.commit(pending)
        self.taken |= taken
        if pending.harmed:  # it was not restored
            self.place.failed.mark(pending.now.identifier, is_whole=False)


def as_it_was(planned: PlannedFile) -> Collected:
    """Return a file unchanged, for an object in which another file has changed."""
    before = planned.before or object_state.entry(planned.component)
    known = before._replace(fate=Fate.KEPT) if before.is_good and before.path else before
    return Collected(planned, known, is_unasked=True)


def _earlier_state(pending: PendingVersion, planned: PlannedFile, held: HeldFile) -> HeldFile | None:
    """Return the newest different state of a file in an earlier version of its object; None when there is none."""
    inventory = pending.inventory
    for holding in states(pending.root, inventory, inventory.versions[:-1]):
        files = by_location(holding.files)
        path = next((files[name] for name in held.locations if name in files), None)
        is_other = path is not None and path.is_good and path.sha512 not in ("", held.sha512)
        if path is not None and is_other and path.sha512 in inventory.manifest:
            return path._replace(path=planned.path)
    return None
