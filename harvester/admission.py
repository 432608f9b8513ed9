"""What a source answers is let in only while it is the repository whose records are held.

Two things show that it is another one: it says so (another repositoryIdentifier), or a list that begins anew begins
with records that are mostly unknown; so does any list of a source that has another name or address than was accepted.
The latter alone proves nothing: a source that lists its newest records first may have many new ones. So the source is
asked for some of the records that are held, one by one. While it has any of them, it is the same repository; only when
it has none of them, or cannot tell, it is taken for another.

Not looked at are a list that was never walked (another format or set of the entry is unknown by nature), a source of
which few records are held, and folders of files, where each delivery may replace the last. Deleted records of a list do
not count: what was deleted before the first harvest was never held. So a list costs no request more, unless most of its
first page is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from gateway.model import Cursor, Identity, ItemState, Slice
from harvester.clock import doubts_of_clock, heard
from harvester.descriptions import keep_description
from harvester.identity import accepting, differences, is_another, known_identity, merged
from harvester.instance import Instance
from harvester.outcomes import OF_ONE_QUESTION, AnotherRepository
from harvester.sources import Description, Options, SourceKind, Step
from harvester.sources_file import SourceEntry
from harvester.wire.http import Fetch

# Fewer records are not enough to tell a repository by: a test server of five may well be filled anew.
LEAST_HELD = 20
LEAST_LISTED = 5
# More than this share of a first page must be unknown.
UNKNOWN_SHARE = 0.5
# Of what is held, so many are asked for: taken from the whole, since the oldest may all have gone.
LOOKED_FOR = 5
_ITEMS_AT_ONCE = 50


@dataclass(slots=True)
class Admission:
    """One run's door. Call `begin` before each list, `admit` before each answer is kept, `keep` at the end."""

    instance: Instance
    entry: SourceEntry
    kind: SourceKind
    fetch: Fetch
    description: Description
    is_kept: bool = False  # whether what the source says of itself is in the inbox, or is not to come there
    is_rehearsal: bool = False
    options: Options | None = None
    suspect: Cursor | None = None  # the list whose first page is to be looked at, if it is asked for as a whole
    is_whole: bool = False
    is_renamed: bool = False  # whether it has another name or address than was accepted
    doubts: tuple[str, ...] = ()  # what it says otherwise, though it is the same repository; and of the clock

    def identified(self, options: Options) -> Self:
        """Compare what the source says with what was accepted, and its clock with this machine's.

        Raise AnotherRepository when it is another one, ClockAhead when this machine's clock is too far ahead.
        """
        self.options = options
        if not self.is_rehearsal:
            heard(self.instance, self.entry, self.description)
        self.doubts = doubts_of_clock(self.instance)
        if self.description.identity is not None:
            self._compare(self.description.identity)
        self._refuse_strange()
        return self

    def _compare(self, said: Identity) -> None:
        inbox, name = self.instance.inbox, self.entry.name
        before = known_identity(inbox, name)
        known = merged(before, said)
        if known != inbox.identity(name) and not self.is_rehearsal:
            inbox.keep_identity(name, known)
        told = tuple(f"{each.sentence}." for each in differences(known))
        if is_another(known):
            self.is_kept = True
            raise AnotherRepository(f"{' '.join(told)} Nothing was taken of it. {accepting(name)}")
        self.is_renamed = bool(told)
        self.doubts += tuple(f"{each} {accepting(name)}" for each in told)

    def _refuse_strange(self) -> None:
        """Raise AnotherRepository as long as a source that was seen to be another one has nothing of what is held.

        No list may be taken of it before, not even an empty one: the cursor would move, and what the right repository
        has changed meanwhile would never be asked for.
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
        """Tell of which list the next answers are; `cursor` is where it goes on."""
        self.options, self.suspect, self.is_whole = options, None, False
        if not self.kind.is_repository or options.window is not None:
            return
        inbox, name = self.instance.inbox, self.entry.name
        was_walked = any(
            (each.metadata_prefix, each.set_spec) == (cursor.metadata_prefix, cursor.set_spec)
            for each in (*(each for each in inbox.cursors(name) if each.state), *inbox.windows(name))
        )
        if was_walked:
            self.suspect, self.is_whole = cursor, self.kind.begins_anew(cursor.state)

    def admit(self, step: Step) -> None:
        """Let an answer in. Raise AnotherRepository when a list begins with the records of another repository."""
        self.is_whole = self.is_whole or self.kind.asks_for_all(step.page)
        self.look(step.slices)
        if not self.is_rehearsal:
            self.keep()

    def look(self, slices: Sequence[Slice]) -> None:
        """Look at the first records of a list that is to be looked at. Raise AnotherRepository as `admit` does."""
        living = [each.identifier for each in slices if each.identifier and not each.is_deleted and not each.problem]
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
        """Keep what the source says of itself, once something of it is let in, or nothing came that could not be."""
        if not self.is_kept:
            self.is_kept = True
            keep_description(self.instance, self.entry.name, self.description)

    # -- what is held --

    def _why_strange(self, cursor: Cursor, listed: list[str]) -> str:
        """Return why a list seems to be that of another repository; nothing when it does not."""
        unknown = self._unknown(listed)
        if len(listed) < LEAST_LISTED or len(unknown) <= UNKNOWN_SHARE * len(listed) or self._living() < LEAST_HELD:
            return ""
        looked_for, has_any = self._looked_for(cursor)
        if has_any:
            return ""
        label = f"{cursor.metadata_prefix} {cursor.set_spec}".rstrip()
        told = (
            f"it has none of the {len(looked_for)} records held that were asked for, such as {looked_for[0]}"
            if looked_for
            else "it could not be asked for records that are held"
        )
        return (
            f"{label}: its list begins like another repository's: {len(unknown)} of {len(listed)} records are unknown, "
            f"such as {unknown[0]}, and {told}."
        )

    def _living(self) -> int:
        held = self.instance.store.counts(self.entry.name)
        return held["items"] - held["deleted"]

    def _unknown(self, listed: list[str]) -> list[str]:
        known = self.instance.store.states(self.entry.name, listed)
        unknown = [each for each in listed if each not in known]
        if not unknown:
            return []
        quarantined = {each.identifier for each in self.instance.store.quarantined(self.entry.name)}
        return [each for each in unknown if each not in quarantined]

    def _looked_for(self, cursor: Cursor) -> tuple[list[str], bool]:
        """Ask for some of what is held; return what the source does not have, and whether it has any."""
        assert self.options is not None
        gone: list[str] = []
        for state in self._sample() if self.kind.single is not None else ():
            payload = next(each for each in state.payloads if not each.is_deleted)
            of_format = replace(cursor, metadata_prefix=payload.metadata_prefix, set_spec="")
            try:
                assert self.kind.single is not None
                _, slices = self.kind.single(self.options, of_format, state.upstream, self.fetch)
            except OF_ONE_QUESTION:
                continue
            if slices:
                return gone, True
            gone.append(state.upstream)
        return gone, False

    def _sample(self) -> Iterator[ItemState]:
        """Return some living items, taken from the whole of what is held."""
        store, name = self.instance.store, self.entry.name
        first = next((state.number for _, state in store.items(name, 0, 1)), 1)
        count = store.counts(name)["items"]
        seen: set[int] = set()
        for part in range(LOOKED_FOR):
            after = first - 1 + part * count // LOOKED_FOR
            for _, state in store.items(name, after, _ITEMS_AT_ONCE):
                is_living = not state.is_deleted and any(not each.is_deleted for each in state.payloads)
                if is_living and state.number not in seen:
                    seen.add(state.number)
                    yield state
                    break
