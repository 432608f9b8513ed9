"""The protocol of the looks at published files, a part of `Discovery`. Import it from `base`, which explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from gateway.core.model import Decision, Ending, FileRecheck, FoundCopy, RecheckCounts


class Findings(NamedTuple):
    """What a look changes: new decisions, the renewed story as JSON, and the renewed rows of the list of copies."""

    decisions: tuple[Decision, ...]
    search_json: str
    copies: tuple[FoundCopy, ...] = ()


# A function that takes all decisions on the copies of an item so far and its story as JSON, and returns what to write.
Conclude: TypeAlias = Callable[[Sequence[Decision], str], Findings]


class Rechecks(Protocol):
    """The last look at each published file. It is safe for threads and processes."""

    def publish(self, files: Mapping[str, Iterable[FileRecheck]]) -> None:
        """Store the published files of some items, with first facts; forget their files that are not published.

        The looks at known files stay. If the published bytes have changed, their validators are forgotten.
        """
        ...

    def list_anew(self, list_: str) -> None:
        """Forget the position of a list of published files, so that all are listed again."""
        ...

    def schedule(self, source: str, every: int, at: int) -> None:
        """Store the period of the files of a source in seconds; 0: they are due only when asked for.

        A file without a look counts as looked at in the second `at`.
        """
        ...

    def ask(self, source: str, before: int) -> bool:
        """Make all files of a source due that were not looked at since a second.

        Return False, and write nothing, if files that were asked for earlier are still due.
        """
        ...

    def next_at(self, source: str) -> int | None:
        """Return the second at which the next file of a source is due; None: it has no files."""
        ...

    def next_of_all(self) -> dict[str, int]:
        """Return what `next_at` returns, by source; sources without files are left out."""
        ...

    def counts(self, source: str, at: int) -> RecheckCounts:
        """Return the numbers of the files of a source in a second."""
        ...

    def hosts(self, source: str, at: int) -> tuple[str, ...]:
        """Return the hosts of the files of a source that are due."""
        ...

    def due(self, source: str, host: str, at: int, after: tuple[int, str, str], limit: int) -> tuple[FileRecheck, ...]:
        """Return at most `limit` due files at a host, sorted by (due, identifier, url), after `after`."""
        ...

    def failing(self, source: str, host: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` items of a source with a file at a host that was not seen at the last look."""
        ...

    def longest_unseen(self, source: str) -> FileRecheck | None:
        """Return the file of a source at which no look was possible for the longest time; None: there is none."""
        ...

    def of_item(self, identifier: str) -> tuple[FileRecheck, ...]:
        """Return the looks at the files of an item, sorted by address."""
        ...

    def write(self, rechecks: Iterable[FileRecheck], endings: Iterable[Ending] = ()) -> None:
        """Store looks at files, and count their outcomes. A file whose published bytes have changed is left out."""
        ...

    def conclude(self, recheck: FileRecheck, number: int, url: str, conclude: Conclude, sha256: str = "") -> bool:
        """Store a look at a file that has changed, and what follows from it, all or nothing.

        `number` is that of the last decision on the copy `url` that the caller knows; 0: there is none. Return False,
        and write nothing, if there is another one meanwhile, or no search. `sha256` is the digest of new bytes. A
        search for the item that is under way loses its lease, and the item is due.
        """
        ...

    def stamping_hosts(self) -> frozenset[str]:
        """Return the hosts that stamp each download."""
        ...

    def note_stamping(self, host: str, at: int) -> None:
        """Store that a host stamps each download."""
        ...
