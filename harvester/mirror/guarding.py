"""What a provider may do to a mirror without a person's word: not delete much at once, not become another one.

Deletions beyond the share wait (`mirror --yes` lets them pass); a list that names much less than what is held is told,
and asked for again; a provider that is another repository ends the run before anything is changed
(`mirror --accept-identity`). The identity of sources is judged by `harvester/admission.py` in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gateway.model import Cursor, Identity, KnownIdentity, Slice
from harvester.admission import LEAST_HELD, LEAST_LISTED, LOOKED_FOR, UNKNOWN_SHARE
from harvester.identity import differences, is_another, merged
from harvester.mirror import catalogue
from harvester.mirror.keeping import Keeping
from harvester.mirror.place import Place
from harvester.outcomes import OF_ONE_QUESTION, AnotherRepository
from harvester.sources import Options, SourceKind
from harvester.wire.http import Fetch

ALWAYS_PASS = 5  # so many deletions a run, whatever the share is


@dataclass(slots=True)
class Guard:
    """One run's guard. `share`: which part of what is held may be deleted; `has_word`: a person lets all pass."""

    place: Place
    share: float
    has_word: bool = False
    accepts_identity: bool = False
    deletions: int = 0
    _living: int | None = field(default=None, init=False)
    _has_waiting: bool | None = field(default=None, init=False)

    @property
    def living(self) -> int:
        """How many objects were held and not deleted when this was asked first."""
        if self._living is None:
            self._living = catalogue.read(self.place.catalogue.file).living
        return self._living

    @property
    def most(self) -> float:
        """How many objects may go without a person's word."""
        return max(ALWAYS_PASS, self.share * self.living)

    # -- the identity --

    @property
    def _accept(self) -> str:
        return f"If that is right: {self.place.command('--accept-identity')}."

    def identified(self, said: Identity | None) -> list[str]:
        """Compare what the provider says that it is with what was accepted; return what is told of the difference.

        Raise AnotherRepository when it is another repository.
        """
        if said is None:
            return []
        accepted = Identity(**self.place.identity)
        if self.accepts_identity:
            accepted = Identity(*(now or was for now, was in zip(said, accepted, strict=True)))
        known = merged(KnownIdentity(accepted, accepted), said)
        told = [f"{each.sentence}. {self._accept}" for each in differences(known)]
        self.place.identity_changes += told
        if is_another(known):
            raise AnotherRepository(f"Nothing was taken of the provider. {' '.join(told)}")
        self.place.identity = known.accepted._asdict()
        return told

    def look(self, kind: SourceKind, options: Options, cursor: Cursor, slices: Sequence[Slice], fetch: Fetch) -> None:
        """Look at the first page of a list that begins anew. Raise AnotherRepository when nothing of it is known.

        New records may come first: so the provider is asked for some of what is held, and if it has any it is the same.
        """
        listed = [each.identifier for each in slices if each.identifier and not each.is_deleted and not each.problem]
        if self.accepts_identity or len(listed) < LEAST_LISTED or not kind.begins_anew(cursor.state):
            return
        unknown = [each for each in listed if not self.place.root.place(each).exists()]
        if len(unknown) <= UNKNOWN_SHARE * len(listed) or self.living < LEAST_HELD:
            return
        sample = self._sample()
        if not any(self._has(kind, options, cursor, each, fetch) for each in sample):
            told = (
                f"Nothing was taken of the provider: {len(unknown)} of the first {len(listed)} records are unknown, "
                f"and it has none of {len(sample)} that are held and were asked for, such as {sample[0]}. "
                f"{self._accept}"
            )
            self.place.identity_changes.append(told)
            raise AnotherRepository(told)

    def _sample(self) -> list[str]:
        last = {each.identifier: each for each in catalogue.entries(self.place.catalogue.file)}
        living = [each.identifier for each in last.values() if each.head and not each.is_deleted]
        return [living[part * len(living) // LOOKED_FOR] for part in range(LOOKED_FOR)]

    def _has(self, kind: SourceKind, options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> bool:
        if kind.single is None:
            return False
        try:
            _, slices = kind.single(options, cursor, identifier, fetch)
        except OF_ONE_QUESTION:
            return False
        return bool(slices)

    # -- deletions --

    @property
    def has_waiting(self) -> bool:
        """Whether deletions of earlier runs waited when this was asked first: until a person decides, all do."""
        if self._has_waiting is None:
            self._has_waiting = len(self.place.waiting) > 0
        return self._has_waiting

    def lets(self, keeping: Keeping) -> bool:
        """Tell whether what a record means for an object may happen now; a deletion that may not waits."""
        now, waiting = keeping.now, self.place.waiting
        if not now.is_deleted:
            waiting.discard(now.identifier)
            return True
        is_deletion = keeping.before is not None and not keeping.before.is_deleted
        if not is_deletion or self.has_word:
            return True
        if not self.has_waiting:
            self.deletions += 1
            if self.deletions <= ALWAYS_PASS or self.deletions <= self.most:
                return True
        waiting.add(keeping.received)
        return False

    # -- lists that name less than is held --

    def listed(self, count: int) -> list[str]:
        """Return what is told of a whole list with so many records; where a person lets it pass, it is remembered."""
        if self.has_word:
            self.place.accepted_size = count
            return []
        size = self.place.accepted_size
        expected = self.living if size is None else min(self.living, size)
        if expected - count <= (max(ALWAYS_PASS, self.share * expected) if count else 0):
            return []
        told = f"The provider lists {count} records, and {self.living} objects are held: none was deleted for that."
        return [f"{told} The next run asks for everything again; if the list is right: {self.place.command('--yes')}."]
