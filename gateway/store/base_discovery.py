"""The protocol of the searches for full text. Import it from `base`, which explains it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias

from gateway.core.model import (
    AcceptRule,
    Alarm,
    CopyFilter,
    CopyOrder,
    Decision,
    DecisionFilter,
    Ending,
    FoundCopy,
    Judgement,
    Lease,
    ListedCopy,
    Offer,
    Refusal,
    SampledFile,
    SearchState,
    Unpublished,
    Written,
)
from gateway.store.base_rechecks import Rechecks

# A function that takes all decisions on the copies of an item so far and returns those to add.
Decide: TypeAlias = Callable[[Sequence[Decision]], Sequence[Decision]]


class Samples(Protocol):
    """Random samples of the files that rules have accepted, and the judgements of people on them."""

    def accepted(self, beginning: str) -> Iterator[SampledFile]:
        """Yield the files that a rule accepted for a reason that begins so, if they have the same bytes still.

        A later decision on them does not matter.
        """
        ...

    def drawn_at(self, rule: AcceptRule, month: str) -> int:
        """Return the second in which the sample of a rule and a month was drawn; 0 if it was not."""
        ...

    def keep(self, rule: AcceptRule, month: str, files: Sequence[SampledFile], at: int) -> None:
        """Store the sample of a rule and a month in the place of a former one. Judgements stay."""
        ...

    def sample(self, rule: AcceptRule, month: str) -> tuple[SampledFile, ...]:
        """Return the stored sample of a rule and a month, in its order."""
        ...

    def judge(self, judgement: Judgement) -> None:
        """Store a judgement; it replaces the former one of the same person on the same bytes."""
        ...

    def judgements(self, since: int = 0) -> tuple[Judgement, ...]:
        """Return the judgements since a second."""
        ...


class Discovery(Protocol):
    """The database of the search for full text: items that are due, their leases, outcomes, and stored answers.

    It is safe for threads and processes. If a process is killed, its item is due again when the lease ends. Nothing is
    written with a lease that has ended. `looks` are those at published files.
    """

    @property
    def samples(self) -> Samples:
        """The random samples of the files that rules have accepted."""
        ...

    @property
    def rechecks(self) -> Rechecks:
        """The looks at published files."""
        ...

    def settle(self) -> bool:
        """Write the write-ahead log into the file and empty it; return False if a reader prevents that."""
        ...

    def close(self) -> None:
        """Close the database."""
        ...

    # -- items to search for -------------------------------------------------------------------------------------

    def position(self, source: str) -> int:
        """Return the number of the last item of a source that was listed for a search; 0 at first."""
        ...

    def enlist(self, source: str, items: Iterable[tuple[str, str]], item: int, at: int, list_: str = "") -> None:
        """Add items (identifier, upstream identifier) to the search, and store `item`, the number of the last one.

        `list_` names the position, if the items of a source are listed for several reasons.
        """
        ...

    def renew(self, before: int, sources: Collection[str], at: int) -> int:
        """Make items due that were searched for before a second; return how many. No sources: all."""
        ...

    def renew_outdated(self, bases: Iterable[tuple[str, str]], at: int) -> int:
        """Make those items (identifier, basis) due whose last search had another basis; return how many.

        A running search for one of them loses its lease.
        """
        ...

    def outdated(self, identifier: str, basis: str) -> Lease | None:
        """Return an item that is not due and whose last search had another basis, without a lease; else None."""
        ...

    def lease(self, at: int, seconds: int, sources: Collection[str] = (), identifier: str = "") -> Lease | None:
        """Take the item that has been due longest, or the given one even if it is not due; None if there is none.

        Nobody else gets it for so many seconds.
        """
        ...

    def due(self, after: str, at: int, sources: Collection[str] = (), identifier: str = "", before: int = 0) -> Lease:
        """Return the next item after `after` that a search would take, without a lease; empty if there is none.

        Items that were searched for before the second `before` count as due, and so does `identifier`.
        """
        ...

    def done(
        self,
        lease: Lease,
        outcome: str,
        search_json: str,
        at: int,
        decide: Decide = lambda _: (),
        endings: Iterable[Ending] = (),
        basis: str = "",
        due: int = 0,
        copies: Iterable[FoundCopy] = (),
    ) -> bool:
        """Write the end of a search, its copies, and the decisions.

        Return False, and write nothing, if the lease has ended. `search_json` is the search as JSON, `basis` a digest
        of the data that it used. With `due`, the item is due again at that second, such as the end of an embargo.
        """
        ...

    def waiting(
        self,
        lease: Lease,
        until: int,
        outcome: str,
        search_json: str,
        at: int,
        endings: Iterable[Ending] = (),
        basis: str = "",
        copies: Iterable[FoundCopy] = (),
    ) -> bool:
        """Write the end of a search that is repeated at `until`. Return False, and write nothing, as in `done`."""
        ...

    def release(self, lease: Lease, at: int) -> None:
        """Return a leased item, as if it had not been leased."""
        ...

    # -- results -------------------------------------------------------------------------------------------------

    def search(self, identifier: str) -> SearchState | None:
        """Return the state of the search for one item, or None if it was never listed."""
        ...

    def searches(self, after: str, limit: int) -> tuple[SearchState, ...]:
        """Return at most `limit` finished searches, sorted by identifier, after the identifier `after`."""
        ...

    def forget(self, identifiers: Iterable[str]) -> None:
        """Delete the searches for some items, all that was decided on their files, and texts that only these have."""
        ...

    def counts(self) -> tuple[tuple[str, str, str, int], ...]:
        """Return rows of (source, state, outcome, number of items)."""
        ...

    def searched(self) -> dict[str, int]:
        """Return the number of items that were searched for, by source; a source without them is left out."""
        ...

    def endings(self, since: int = 0) -> Iterator[tuple[Ending, int]]:
        """Yield the ends of steps and copies, with the number of each; those since a day, or all.

        Those of a source, a step and a host stand together. They may be millions.
        """
        ...

    def add_up_endings(self, day: int, source: str = "") -> None:
        """Add the numbers of days before `day` to those of their month without a day; of one source, or of all."""
        ...

    def searched_since(self, source: str, second: int, limit: int) -> tuple[SearchState, ...]:
        """Return at most `limit` searches of a source that ended at this second or later, the latest first."""
        ...

    # -- alarms --------------------------------------------------------------------------------------------------

    def open_alarm(self, alarm: Alarm) -> bool:
        """Store an alarm under a new number. Return False, and store nothing, if the same one is in force."""
        ...

    def alarms(self, *, with_closed: bool = False) -> tuple[Alarm, ...]:
        """Return the alarms in force, or all, sorted by number."""
        ...

    def close_alarm(self, number: int, at: int) -> None:
        """Close an alarm at a second; one that is closed stays so."""
        ...

    def acknowledge_alarm(self, number: int, at: int, by: str, comment: str) -> bool:
        """Store that a person has seen an alarm. Return False if it is unknown, closed, or already acknowledged."""
        ...

    # -- decisions -----------------------------------------------------------------------------------------------

    def decide(self, *decisions: Decision) -> None:
        """Add decisions, all of them or none; each is in force until another one on the same copy."""
        ...

    def decide_next(self, *decisions: Decision) -> Written:
        """Add each decision if that with its `number` is still the last one on its copy; 0: there is none.

        It is not added either if the copy has other bytes now than its `sha256`, or if nobody knows the copy. A copy
        whose new bytes no rule decided on can still be rejected. All are written in one transaction.
        """
        ...

    def refuse(self, refusal: Refusal, decisions: Iterable[Decision] = ()) -> None:
        """Store that a DOI does not belong to an item, and decisions on its files; the item becomes due."""
        ...

    def refusals(self, identifier: str) -> tuple[Refusal, ...]:
        """Return the refused DOIs of an item."""
        ...

    def decisions(self, identifier: str) -> tuple[Decision, ...]:
        """Return all decisions on the copies of an item, the oldest first."""
        ...

    def history(self, identifier: str, url: str) -> tuple[Decision, ...]:
        """Return all decisions on one copy, the oldest first; fast also for an item with many copies."""
        ...

    def decided(self, verdict: str, after: tuple[str, str], limit: int) -> tuple[Decision, ...]:
        """Return at most `limit` decisions in force with a verdict, sorted by (identifier, url), after `after`."""
        ...

    def deciders(self) -> tuple[str, ...]:
        """Return the names under which something was decided, sorted; `rule` is among them."""
        ...

    def latest_decisions(
        self, wanted: DecisionFilter, place: tuple[int, int], limit: int, *, is_back: bool = False
    ) -> tuple[tuple[Decision, int], ...]:
        """Return at most `limit` decisions before a second and a number, the newest first, with their entries.

        With `is_back`, return the ones that were made next after this place, also the newest first. Decisions that were
        written at once by `decide_next` have the same entry.
        """
        ...

    def decisions_of_entry(self, number: int) -> tuple[Decision, ...]:
        """Return the decisions of the entry to which the decision with a number belongs, the newest first."""
        ...

    def copies_of_decisions(self, numbers: Collection[int]) -> tuple[ListedCopy, ...]:
        """Return the copies that the decisions with these numbers are on, each with the last decision on it."""
        ...

    def copies_with(self, sha256: str, limit: int, sources: tuple[str, ...] = ()) -> tuple[FoundCopy, ...]:
        """Return at most `limit` copies that had these bytes in the last search for their items.

        `sources` are those whose items count; empty: all.
        """
        ...

    # -- lists of copies -----------------------------------------------------------------------------------------

    def listed_copies(
        self,
        verdict: str,
        wanted: CopyFilter,
        order: CopyOrder,
        after: ListedCopy | None,
        limit: int,
        *,
        is_back: bool = False,
    ) -> tuple[ListedCopy, ...]:
        """Return at most `limit` copies on which the last decision has this verdict, after the copy `after`.

        With `ANY_VERDICT`, it may have any verdict, or there may be none; an empty verdict: there is none. With
        `is_back`, return the copies before `after`, or the last ones, in the same order.
        """
        ...

    def count_copies(self, verdict: str, wanted: CopyFilter, most: int) -> int:
        """Return the number of copies of a list; `most` + 1 if there are more than `most`."""
        ...

    def addresses_with(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield (identifier, address) of the copies whose address may have these words, in this order.

        The words are of ASCII letters and digits, and case makes no difference. There are also other copies: those
        whose address has an escape, and so may have any words.
        """
        ...

    def first_page(self, sha256: str) -> str:
        """Return the beginning of the text of the file with this SHA-256; empty if it was not read, or was forgotten.

        Raise StoreDamaged when it cannot be read.
        """
        ...

    def keep_first_page(self, sha256: str, text: str) -> None:
        """Store the beginning of the text of a file."""
        ...

    def files_without_text(self, limit: int) -> tuple[str, ...]:
        """Return the SHA-256 of at most `limit` files of which no text was ever stored, sorted."""
        ...

    def forget_first_pages(self, digests: Iterable[str]) -> None:
        """Delete the texts of the files with these SHA-256."""
        ...

    def copies_lack_after(self) -> str | None:
        """Return the item up to which the copies of an earlier release are listed, or None if all are."""
        ...

    def list_copies(self, copies: Iterable[FoundCopy], after: str | None) -> None:
        """List copies of an earlier release, and store up to which item they are listed; None: all are."""
        ...

    # -- publication ---------------------------------------------------------------------------------------------

    def unpublished(
        self, after: str, limit: int, sources: Collection[str] = (), identifiers: Collection[str] | None = None
    ) -> tuple[Unpublished, ...]:
        """Return at most `limit` items after `after` that may have unpublished changes.

        No sources: of all sources. With `identifiers`, only these items count.
        """
        ...

    def unpublished_sources(self) -> frozenset[str]:
        """Return the sources of which `unpublished` would return items."""
        ...

    def change_all(self) -> None:
        """Mark every item that ever had an accepted file as changed."""
        ...

    def start_again(self) -> None:
        """Mark every item as changed, for a new store: nothing is published in it, and its items have other numbers."""
        ...

    def published(self, items: Iterable[Unpublished]) -> None:
        """Note that these items are published, in the state in which they were returned or a later one."""
        ...

    # -- offers to sources ---------------------------------------------------------------------------------------

    def accepted(self, source: str, after: tuple[str, str], limit: int) -> tuple[tuple[str, Decision], ...]:
        """Return at most `limit` accepting decisions in force on files of a source, with the upstream identifiers.

        They are sorted by (identifier, url), after `after`.
        """
        ...

    def accepted_sources(self) -> frozenset[str]:
        """Return the sources of which `accepted` or `offers` may return something."""
        ...

    def offers(self, source: str, after: tuple[str, str, str], limit: int) -> tuple[Offer, ...]:
        """Return at most `limit` offers to a source, sorted by (identifier, SHA-256, way), after `after`."""
        ...

    def offers_of(self, identifier: str) -> tuple[Offer, ...]:
        """Return the offers of the files of an item, by SHA-256 and way."""
        ...

    def store_offer(self, offer: Offer) -> None:
        """Store an offer; it replaces the former one of the same file in the same way."""
        ...

    def next_offer_at(self, source: str) -> int | None:
        """Return the second of the next repeated try of an offer to a source; None: there is none."""
        ...

    # -- answers -------------------------------------------------------------------------------------------------

    def answer(self, question: bytes, at: int) -> bytes | None:
        """Return the stored answer to a question, or None if there is none that is valid at the second `at`."""
        ...

    def keep_answer(self, question: bytes, content: bytes, expires: int) -> None:
        """Store an answer until the second `expires`."""
        ...

    def forget_answers(self, at: int) -> None:
        """Delete the answers that have expired at the second `at`."""
        ...

    # -- hosts ---------------------------------------------------------------------------------------------------

    def away_until(self, host: str) -> int:
        """Return the second until which no request may go to a host; 0 if there is no such limit."""
        ...

    def stay_away(self, host: str, until: int) -> None:
        """Prevent requests to a host until the second `until`."""
        ...
