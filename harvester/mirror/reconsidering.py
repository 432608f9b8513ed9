"""Files that are judged again without being fetched: what a person accepts, and what turned out to be a message."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from gateway.errors import ConfigurationError, StoreDamaged
from harvester.mirror import holding
from harvester.mirror.answers import MANY, SHORT, Answers
from harvester.mirror.collected import Collected, suspected
from harvester.mirror.doubtful import SAME_ANSWER, Acceptance, Doubt
from harvester.mirror.holding import RECEIVED, HeldFile, by_location
from harvester.mirror.inventory import Arrived
from harvester.mirror.keeping import Keeping
from harvester.mirror.ocfl import Incoming, telling
from harvester.mirror.planning import Want
from harvester.mirror.running import Run
from harvester.mirror.verifying import Fate, is_proven
from harvester.wire.urls import host_of

_SAME = f"Its host sends the same bytes from {MANY} addresses or more."


@dataclass(slots=True)
class Reconsidering(Run):
    """A run that can judge again what is held. `same` are the objects that may hold a message, and which."""

    same: dict[str, set[tuple[str, str]]] = field(default_factory=dict, kw_only=True)
    messages: set[tuple[str, str]] = field(default_factory=set, kw_only=True)  # hosts, and SHA-512 of what they sent

    def compared(self, keeping: Keeping, collected: Collected, answers: Answers) -> Collected:
        """Return what became of a file: doubtful, when the same short answer came from other addresses of its host."""
        file = collected.file
        is_short = collected.incoming is not None and 0 < (file.size or 0) <= SHORT and bool(file.url)
        if not is_short or is_proven(file.verified) or self.place.doubtful.acceptance(file, SAME_ANSWER):
            return collected
        key = (host_of(file.url), file.sha512)
        if not answers.add(*key, file.url, keeping.now.identifier):
            return collected
        if key not in self.messages:  # from now on it is recognised when it comes
            self.messages.add(key)
            for identifier in answers.objects(*key):
                self.same.setdefault(identifier, set()).add(key)
        return suspected(collected, SAME_ANSWER, _SAME)

    def withdraw(self) -> None:
        """Lay aside what was held as good before the same bytes came from other addresses of its host."""
        self._recall()
        while self.same and not self.stop.is_asked:
            identifier, keys = self.same.popitem()
            if self.place.root.place(identifier).exists():
                keeping = self.sound(identifier, partial(self.held_again, identifier))
                if keeping is not None:
                    self._withdraw(keeping, keys)

    def _recall(self) -> None:
        """Take up what an earlier run recognised as a message, and did not lay aside everywhere before it ended."""
        doubts = (each for each in self.place.doubtful.all() if each.rule == SAME_ANSWER)
        keys = {(host_of(each.file.url), each.file.sha512) for each in doubts}
        with Answers(self.place.doubtful.folder) as answers:
            for key in keys - self.messages:
                for identifier in answers.objects(*key):
                    if not self.place.is_marked(identifier):
                        self.same.setdefault(identifier, set()).add(key)

    def _withdraw(self, keeping: Keeping, keys: set[tuple[str, str]]) -> None:
        is_any = False
        for want in keeping.wants:
            held = want.before
            is_bad = held is not None and held.is_good and bool(held.path) and not is_proven(held.verified)
            if held is not None and is_bad and (host_of(held.url), held.sha512) in keys and not held.accepted_at:
                keeping.note(self._laid_aside(keeping, want, held))
                is_any = True
            else:
                keeping.note(as_it_was(want))
        if is_any:
            keeping.lay_aside(self.now())
            self.counted(*keeping.commit(self.now(), self.user))

    def _laid_aside(self, keeping: Keeping, want: Want, held: HeldFile) -> Collected:
        """Return a file as doubtful; another state of it that an earlier version of the object has is held again."""
        place = keeping.root.place(keeping.now.identifier) / keeping.inventory.place(want.path)
        aside = keeping.aside(want)
        with telling(aside):
            shutil.copyfile(place, aside)
        incoming = Incoming(aside, Arrived(held.sha512, held.sha256))
        earlier = want._replace(before=_earlier_state(keeping, want, held))
        return suspected(Collected(earlier, held._replace(fate=Fate.FETCHED), incoming), SAME_ANSWER, _SAME)


@dataclass(slots=True)
class Accepting(Reconsidering):
    """A run that takes for good what is doubtful, because a person says so."""

    def accepted(self, url: str) -> list[Doubt]:
        """Take the bytes that are kept aside of an address; of one answer at many addresses, those of all of them.

        Raise ConfigurationError when nothing is doubtful of it.
        """
        doubtful = self.place.doubtful
        meant = [each for each in doubtful.all() if url in (*each.names, each.identifier)]
        if not meant:
            raise ConfigurationError(f"Nothing that came from {url} is doubtful in {self.place.folder}.")
        for each in meant:
            doubtful.accept(each, self.now())
        rows = [Acceptance(each.file.url, each.file.sha512, each.rule, "") for each in meant]
        found = [each for each in doubtful.all() if any(row.covers(each.file, each.rule) for row in rows)]
        with self.noted():
            for identifier in dict.fromkeys(each.identifier for each in found):
                keeping = self.sound(identifier, partial(self.held_again, identifier))
                if keeping is not None:
                    self._take(keeping, {each.path for each in found if each.identifier == identifier})
        return found

    def _take(self, keeping: Keeping, paths: Iterable[str]) -> None:
        for want in keeping.wants:
            doubt = want.doubted
            if doubt is not None and doubt.is_kept and want.path in paths:
                at = self.place.doubtful.acceptance(doubt.file, doubt.rule)
                keeping.note(keeping.taken(want, doubt.file.verified, at))
            else:
                keeping.note(as_it_was(want))
        self.commit(keeping)
        if keeping.harmed:  # it was not put there again
            self.place.mark(keeping.now.identifier, is_whole=False)


def as_it_was(want: Want) -> Collected:
    """Return a file as it is known, for an object of which another file has changed."""
    before = want.before or holding.entry(want.component)
    known = before._replace(fate=Fate.KEPT) if before.is_good and before.path else before
    return Collected(want, known, is_unasked=True)


def _earlier_state(keeping: Keeping, want: Want, held: HeldFile) -> HeldFile | None:
    """Return the newest other state of a file that an earlier version of its object holds; None when none does."""
    inventory, folder = keeping.inventory, keeping.root.place(keeping.now.identifier)
    for version in reversed(inventory.versions[:-1]):
        try:
            known = holding.read((folder / inventory.manifest[version.state[RECEIVED]]).read_bytes())
        except (StoreDamaged, OSError, KeyError):
            continue
        files = by_location(known.files)
        found = next((files[name] for name in held.locations if name in files), None)
        is_other = found is not None and found.is_good and found.sha512 not in ("", held.sha512)
        if found is not None and is_other and found.sha512 in inventory.manifest:
            return found._replace(path=want.path)
    return None
