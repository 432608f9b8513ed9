"""Accept answers of a source only while it is the repository whose records are stored.

There are two signs of another repository: another repositoryIdentifier, or a list that begins again with mostly unknown
records. If a source has another name or address, each list is checked. Unknown records alone prove nothing, because a
source may list its newest records first. So the source is asked for some stored records. If it has any of them, it is
the same repository. If it has none, or does not answer, it counts as another.

A list that was never harvested is not checked; nor is a source with few stored records. Folders of files are not
checked either, because each delivery may replace the last. Deleted records of a list do not count, because they may
never have been stored. So a list needs no further request, unless most of its first page is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from gateway.core.model import Cursor, Identity, ItemState, SetDescription, Slice
from gateway.publish.publish import local_set
from harvester.harvest.clock import doubts_of_clock, store_clock
from harvester.harvest.instance import Instance
from harvester.harvest.repository_identity import accepting, differences, is_another, known_identity, merged
from harvester.harvest.session import SourceSession
from harvester.runtime.exit_status import ERRORS_OF_ONE_REQUEST, AnotherRepository
from harvester.sources import Description, Options, Step

# Fewer records do not identify a repository: a small test server may be filled again.
LEAST_HELD = 20
LEAST_LISTED = 5
# More than this share of a first page must be unknown.
UNKNOWN_SHARE = 0.5
# Stored records that are requested: from all parts of the store, because the oldest may all be deleted.
SAMPLE_SIZE = 5
_ITEMS_AT_ONCE = 50


@dataclass(kw_only=True)
class Admission(SourceSession):
    """The check of one run. Call `begin` before each list, `admit` before each answer is stored, `keep` at the end."""

    description: Description
    is_kept: bool = False  # the description of the source is in the inbox, or must not be stored
    is_rehearsal: bool = False
    asked: Options | None = None  # the options of the present list
    suspect: Cursor | None = None  # the list whose first page must be checked, if it is requested as a whole
    is_whole: bool = False
    is_renamed: bool = False  # it has another name or address than the accepted one
    doubts: tuple[str, ...] = ()  # other differences of its identity, and doubts of the clock

    def identified(self, options: Options) -> Self:
        """Compare the identity of the source with the accepted one, and its clock with that of this machine.

        Raise AnotherRepository when it is another one, ClockAhead when this machine's clock is too far ahead.
        """
        self.asked = options
        if not self.is_rehearsal:
            store_clock(self.instance, self.entry, self.description)
        self.doubts = doubts_of_clock(self.instance)
        if self.description.identity is not None:
            self._compare(self.description.identity)
        self._refuse_strange()
        return self

    def _compare(self, identity: Identity) -> None:
        inbox, name = self.instance.inbox, self.entry.name
        before = known_identity(inbox, name)
        known = merged(before, identity)
        if known != inbox.identity(name) and not self.is_rehearsal:
            inbox.keep_identity(name, known)
        sentences = tuple(f"{difference.sentence}." for difference in differences(known))
        if is_another(known):
            self.is_kept = True
            raise AnotherRepository(f"{' '.join(sentences)} Nothing was taken of it. {accepting(name)}")
        self.is_renamed = bool(sentences)
        self.doubts += tuple(f"{sentence} {accepting(name)}" for sentence in sentences)

    def _refuse_strange(self) -> None:
        """Raise AnotherRepository while a source that seemed to be another one has no stored record.

        No list may be harvested before, not even an empty one: the cursor would move, and changes of the right
        repository would never be harvested.
        """
        inbox, name = self.instance.inbox, self.entry.name
        known = inbox.identity(name)
        if known is None or not known.strange:
            return
        _, has_any = self._looked_for(Cursor(name))
        if not has_any:
            self.is_kept = True
            raise AnotherRepository(f"{known.strange} Nothing was taken of it. {accepting(name)}")
        if not self.is_rehearsal:
            inbox.keep_identity(name, known._replace(strange=""))

    def begin(self, options: Options, cursor: Cursor) -> None:
        """Begin a list at `cursor`; the next answers belong to it."""
        self.asked, self.suspect, self.is_whole = options, None, False
        if not self.kind.is_repository or options.window is not None:
            return
        inbox, name = self.instance.inbox, self.entry.name
        was_walked = any(
            (place.metadata_prefix, place.set_spec) == (cursor.metadata_prefix, cursor.set_spec)
            for place in (*(cursor for cursor in inbox.cursors(name) if cursor.state), *inbox.windows(name))
        )
        if was_walked:
            self.suspect, self.is_whole = cursor, self.kind.begins_anew(cursor.state)

    def admit(self, step: Step) -> None:
        """Accept an answer. Raise AnotherRepository when a list begins with the records of another repository."""
        self.is_whole = self.is_whole or self.kind.asks_for_all(step.page)
        self.check_first(step.slices)
        if not self.is_rehearsal:
            self.keep()

    def check_first(self, slices: Sequence[Slice]) -> None:
        """Check the first records of a list. Raise AnotherRepository as `admit` does."""
        living = [
            record.identifier for record in slices if record.identifier and not record.is_deleted and not record.problem
        ]
        if self.suspect is None or not living:
            return
        cursor, self.suspect = self.suspect, None
        if not (self.is_whole or self.is_renamed):
            return
        reason = self._why_strange(cursor, living)
        inbox, name = self.instance.inbox, self.entry.name
        known = inbox.identity(name) or merged(None, self.description.identity or Identity())
        if reason and not known.is_strange_accepted:
            if not self.is_rehearsal:
                inbox.keep_identity(name, known._replace(strange=reason))
            self.is_kept = True
            raise AnotherRepository(f"{reason} Nothing was taken of it. {accepting(name)}")
        if known.is_strange_accepted and not self.is_rehearsal:
            inbox.keep_identity(name, known._replace(is_strange_accepted=False))

    def keep(self) -> None:
        """Store the description of the source, unless it is stored already or must not be."""
        if not self.is_kept:
            self.is_kept = True
            keep_description(self.instance, self.entry.name, self.description)

    # -- stored records --

    def _why_strange(self, cursor: Cursor, listed: list[str]) -> str:
        """Return why a list seems to be that of another repository; an empty string when it does not."""
        unknown = self._unknown(listed)
        held = self.instance.store.counts(self.entry.name)
        are_few = len(listed) < LEAST_LISTED or held["items"] - held["deleted"] < LEAST_HELD
        if are_few or len(unknown) <= UNKNOWN_SHARE * len(listed):
            return ""
        looked_for, has_any = self._looked_for(cursor)
        if has_any:
            return ""
        label = f"{cursor.metadata_prefix} {cursor.set_spec}".rstrip()
        difference = (
            f"it has none of the {len(looked_for)} stored records that were requested, such as {looked_for[0]}"
            if looked_for
            else "the stored records could not be requested"
        )
        return (
            f"{label}: its list begins like another repository's: {len(unknown)} of {len(listed)} records are unknown, "
            f"such as {unknown[0]}, and {difference}."
        )

    def _unknown(self, listed: list[str]) -> list[str]:
        known = self.instance.store.states(self.entry.name, listed)
        unknown = [identifier for identifier in listed if identifier not in known]
        if not unknown:
            return []
        quarantined = {record.identifier for record in self.instance.store.quarantined(self.entry.name)}
        return [identifier for identifier in unknown if identifier not in quarantined]

    def _looked_for(self, cursor: Cursor) -> tuple[list[str], bool]:
        """Request some stored records; return those that the source does not have, and whether it has any."""
        assert self.asked is not None
        gone: list[str] = []
        for state in self._sample() if self.kind.single is not None else ():
            payload = next(payload for payload in state.payloads if not payload.is_deleted)
            of_format = replace(cursor, metadata_prefix=payload.metadata_prefix, set_spec="")
            try:
                assert self.kind.single is not None
                _, slices = self.kind.single(self.asked, of_format, state.upstream, self.fetch)
            except ERRORS_OF_ONE_REQUEST:
                continue
            if slices:
                return gone, True
            gone.append(state.upstream)
        return gone, False

    def _sample(self) -> Iterator[ItemState]:
        """Return some items that are not deleted, from all parts of the store."""
        store, name = self.instance.store, self.entry.name
        first = next((state.number for _, state in store.items(name, 0, 1)), 1)
        count = store.counts(name)["items"]
        seen: set[int] = set()
        for part in range(SAMPLE_SIZE):
            after = first - 1 + part * count // SAMPLE_SIZE
            for _, state in store.items(name, after, _ITEMS_AT_ONCE):
                is_living = not state.is_deleted and any(not payload.is_deleted for payload in state.payloads)
                if is_living and state.number not in seen:
                    seen.add(state.number)
                    yield state
                    break


# --- The description of a source: its answers are stored in the inbox, its sets in the store --------------------------


def doubts_of_empty_set(set_spec: str, sets: Sequence[SetDescription]) -> tuple[str, ...]:
    """Return why an empty list proves nothing: the source lists its sets, but neither this set nor one below it.

    Most sources answer a misspelt set like an empty set.
    """
    if not set_spec or not sets or any(f"{set_.spec}:".startswith(f"{set_spec}:") for set_ in sets):
        return ()
    return (f"Nothing came, and the set {set_spec} is not among the {len(sets)} that the source lists.",)


def keep_description(instance: Instance, source: str, description: Description) -> None:
    """Store the answers unchanged, and add the sets of the source to the store."""
    for page in description.pages:
        instance.inbox.receive(page, (), None)
    sets = local_sets(source, description)
    instance.store.add_sets(sets)
    instance.inbox.keep_sets(source, sets)


def local_sets(source: str, description: Description) -> tuple[SetDescription, ...]:
    """Return the sets of a source with local setSpecs: first the set of the whole source.

    The setName is unchanged; the original setSpec is added to it when the local one differs, and replaces a missing
    setName.
    """
    whole = SetDescription(f"source:{source}", description.repository_name or source)
    return (whole, *(_local(source, spec) for spec in description.sets))


def _local(source: str, upstream: SetDescription) -> SetDescription:
    spec = local_set(source, upstream.spec)
    name = upstream.name or upstream.spec
    if not spec.endswith(f":{upstream.spec}") and upstream.name:
        name = f"{name} ({upstream.spec})"
    return SetDescription(spec, name, upstream.description)
