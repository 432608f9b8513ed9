"""Changes of a provider that need a person: many deletions at once, short lists, and another repository.

Deletions beyond a share wait for `mirror --yes`. A list with far fewer records than the mirror is reported, and
harvested again. Another repository ends the run before any change (`mirror --accept-identity`).
`harvester/harvest/admission.py` judges the identity of sources in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gateway.core.model import Cursor, Identity, KnownIdentity, Slice
from harvester.harvest.admission import LEAST_HELD, LEAST_LISTED, SAMPLE_SIZE, UNKNOWN_SHARE
from harvester.harvest.repository_identity import differences, is_another, merged
from harvester.http.messages import Fetch
from harvester.mirror import catalogue
from harvester.mirror.files_beside import WAITING
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.object_versions import PendingVersion
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST, AnotherRepository
from harvester.sources import Options, SourceKind

ALWAYS_PASS = 5  # deletions of a run, whatever the share is


@dataclass
class Guard:
    """The guard of one run. `share`: the part of the objects that may be deleted; `is_confirmed`: a person agreed.

    Methods raise StoreDamaged when the catalogue cannot be read, StoreUnwritable when a waiting deletion cannot be
    stored.
    """

    place: MirrorFolder
    share: float
    is_confirmed: bool = False
    accepts_identity: bool = False
    deletions: int = 0

    @cached_property
    def living(self) -> int:
        """The number of objects that were not deleted at the begin of the run."""
        return catalogue.read(self.place.catalogue.file).living

    @property
    def most(self) -> float:
        """The number of deletions that need no confirmation."""
        return max(ALWAYS_PASS, self.share * self.living)

    # -- the identity --

    @property
    def _accept(self) -> str:
        return f"If that is right: {self.place.command('--accept-identity')}."

    def identified(self, identity: Identity | None) -> list[str]:
        """Compare the identity of the provider with the accepted one; return a sentence for each difference.

        Raise AnotherRepository when it is another repository.
        """
        if identity is None:
            return []
        accepted = Identity(**self.place.identity)
        if self.accepts_identity:
            accepted = Identity(*(now or was for now, was in zip(identity, accepted, strict=True)))
        known = merged(KnownIdentity(accepted, accepted), identity)
        sentences = [f"{difference.sentence}. {self._accept}" for difference in differences(known)]
        self.place.identity_changes += sentences
        if is_another(known):
            raise AnotherRepository(f"Nothing was harvested from the provider. {' '.join(sentences)}")
        self.place.identity = known.accepted._asdict()
        return sentences

    def check_first(
        self, kind: SourceKind, options: Options, cursor: Cursor, slices: Sequence[Slice], fetch: Fetch
    ) -> None:
        """Check the first page of a list that begins again. Raise AnotherRepository when the provider looks unknown.

        A list may begin with new records. So the provider is asked for some stored objects; one of them is enough.
        """
        listed = [
            record.identifier for record in slices if record.identifier and not record.is_deleted and not record.problem
        ]
        if self.accepts_identity or len(listed) < LEAST_LISTED or not kind.begins_anew(cursor.state):
            return
        unknown = [identifier for identifier in listed if not self.place.root.place(identifier).exists()]
        if len(unknown) <= UNKNOWN_SHARE * len(listed) or self.living < LEAST_HELD:
            return
        sample = self._sample()
        if not any(self._has(kind, options, cursor, identifier, fetch) for identifier in sample):
            sentence = (
                f"Nothing was harvested from the provider: {len(unknown)} of the first {len(listed)} records "
                f"are unknown. It has none of {len(sample)} stored records that were requested, such as {sample[0]}. "
                f"{self._accept}"
            )
            self.place.identity_changes.append(sentence)
            raise AnotherRepository(sentence)

    def _sample(self) -> list[str]:
        last = {entry.identifier: entry for entry in catalogue.entries(self.place.catalogue.file)}
        living = [object_.identifier for object_ in last.values() if object_.head and not object_.is_deleted]
        return [living[part * len(living) // SAMPLE_SIZE] for part in range(SAMPLE_SIZE)]

    def _has(self, kind: SourceKind, options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> bool:
        if kind.single is None:
            return False
        try:
            _, slices = kind.single(options, cursor, identifier, fetch)
        except ERRORS_OF_ONE_REQUEST:
            return False
        return bool(slices)

    # -- deletions --

    @cached_property
    def has_waiting(self) -> bool:
        """Return whether deletions of earlier runs wait. In that case all further deletions wait, too.

        Deletions that somebody else has removed count as waiting.
        """
        are_gone = any(name.startswith(f"{WAITING}/") for name in self.place.beside.altered)
        return are_gone or len(self.place.waiting) > 0

    def allows(self, pending: PendingVersion) -> bool:
        """Return whether the change of an object may be carried out now; otherwise its deletion waits."""
        now, waiting = pending.now, self.place.waiting
        is_deletion = now.is_deleted and pending.before is not None and not pending.before.is_deleted
        if not is_deletion or self.is_confirmed:
            waiting.discard(now.identifier)
            return True
        if not self.has_waiting:
            self.deletions += 1
            if self.deletions <= ALWAYS_PASS or self.deletions <= self.most:
                return True
        waiting.add(pending.received)
        return False

    # -- lists that name fewer records than are stored --

    def listed(self, count: int) -> list[str]:
        """Return a sentence when a complete list is too short. With a confirmation, its size is accepted."""
        if self.is_confirmed:
            self.place.accepted_size = count
            return []
        size = self.place.accepted_size
        expected = self.living if size is None else min(self.living, size)
        if expected - count <= (max(ALWAYS_PASS, self.share * expected) if count else 0):
            return []
        sentence = (
            f"The provider lists {count} records, and {self.living} objects are stored: no object was deleted for that."
        )
        return [
            f"{sentence} The next run asks for everything again; if the list is right: {self.place.command('--yes')}."
        ]
