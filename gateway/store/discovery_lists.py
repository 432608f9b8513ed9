"""Parts of `Discovery`: lists of decisions and copies, random samples, offers, and rechecks of published files."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import zstandard

from gateway.core.model import (
    ANY_VERDICT,
    VERDICTS,
    AcceptRule,
    CopyFilter,
    CopyOrder,
    Decision,
    DecisionFilter,
    Ending,
    FileRecheck,
    FoundCopy,
    Judged,
    Judgement,
    ListedCopy,
    Offer,
    RecheckCounts,
    SampledFile,
)
from gateway.core.model.published import NEVER_DUE, SHARES
from gateway.store.connector import Connector, Database, Session
from gateway.store.discovery_rows import (
    LEVEL,
    Conclude,
    copy_rows,
    decision_of,
    decision_row,
    found_copy_of,
    listed_copy_of,
    offer_of,
    place_of,
    spaced,
    unpacked,
)
from gateway.store.queries import load

SQL = load("discovery")

# One text for each list of decisions and both directions.
LATEST: Mapping[tuple[str, bool], str] = MappingProxyType(
    {
        (name, is_back): SQL[name].format(follows=">" if is_back else "<", direction="asc" if is_back else "desc")
        for name in ("decisions_latest", "decisions_of_person", "decisions_of_source")
        for is_back in (False, True)
    }
)


def enter(session: Session, decisions: Sequence[Decision]) -> None:
    """Note that decisions that were just added are one entry; a single one needs no note."""
    if len(decisions) > 1:
        rows = [session.one(SQL["decision_last"], (decision.identifier, decision.url)) for decision in decisions]
        numbers = [decision_of(row).number for row in rows if row]
        session.executemany(SQL["decision_entered"], [(number, numbers[0]) for number in numbers])


class DecisionLists(Database):
    """The part of `Discovery` that lists decisions."""

    def deciders(self) -> tuple[str, ...]:
        """Return the names under which something was decided, sorted; `rule` is among them."""
        return tuple(name for (name,) in self._file.rows(SQL["deciders"]))

    def steps_of_copies(self) -> tuple[str, ...]:
        """Return the steps of searches that found the files with a decision, sorted."""
        return tuple(name for (name,) in self._file.rows(SQL["steps_of_copies"]))

    def latest_decisions(
        self, wanted: DecisionFilter, place: tuple[int, int], limit: int, *, is_back: bool = False
    ) -> tuple[tuple[Decision, int], ...]:
        """Return at most `limit` decisions before a second and a number, the newest first, with their entries.

        With `is_back`, return the ones that were made next after this place, also the newest first. Decisions that were
        written at once by `decide_next` have the same entry.
        """
        at, number = place
        asked = {**wanted._asdict(), "at": at, "number": number, "limit": limit}
        with self._file.reading() as session:
            rows = [
                row
                for source in wanted.sources or ("",)
                for row in session.execute(
                    _latest(wanted, source, is_back=is_back), {**asked, "source": source}
                ).fetchall()
            ]
        decisions = [(decision_of(row[:-1]), row[-1]) for row in rows]
        nearest = sorted(decisions, key=lambda entered: (entered[0].at, entered[0].number), reverse=not is_back)[:limit]
        return tuple(reversed(nearest) if is_back else nearest)

    def decisions_of_entry(self, number: int) -> tuple[Decision, ...]:
        """Return the decisions of the entry to which the decision with a number belongs, the newest first."""
        return tuple(map(decision_of, self._file.rows(SQL["decisions_of_entry"], {"number": number})))

    def copies_of_decisions(self, numbers: Collection[int]) -> tuple[ListedCopy, ...]:
        """Return the copies that the decisions with these numbers are on, each with the last decision on it."""
        return tuple(map(listed_copy_of, self._file.rows(SQL["copies_of_decisions"], (json.dumps(sorted(numbers)),))))

    def copies_with(self, sha256: str, limit: int, sources: tuple[str, ...] = ()) -> tuple[FoundCopy, ...]:
        """Return at most `limit` copies that had these bytes in the last search for their items.

        `sources` are those whose items count; empty: all.
        """
        asked = {"sha256": sha256, "limit": limit, "sources": json.dumps(sources)}
        return tuple(map(found_copy_of, self._file.rows(SQL["copies_with"], asked)))


def _latest(wanted: DecisionFilter, source: str, *, is_back: bool) -> str:
    """Return the query that reads from the index of a person, of a source, or of all decisions."""
    of_source = "decisions_of_source" if source else "decisions_latest"
    return LATEST["decisions_of_person" if wanted.decided_by else of_source, is_back]


class Samples:
    """Random samples of the files that rules have accepted, and the judgements of people on them."""

    def __init__(self, file: Connector) -> None:
        self._file = file

    def accepted(self, beginning: str) -> Iterator[SampledFile]:
        """Yield the files that a rule accepted for a reason that begins so, if they have the same bytes still.

        A later decision on them does not matter.
        """
        with self._file.reading() as session:
            yield from map(SampledFile._make, session.execute(SQL["accepted_by_rule"], {"beginning": beginning}))

    def drawn_at(self, rule: AcceptRule, month: str) -> int:
        """Return the second in which the sample of a rule and a month was drawn; 0 if it was not."""
        (at,) = self._file.one(SQL["sample_drawn"], (rule, month)) or (0,)
        return int(at)

    def keep(self, rule: AcceptRule, month: str, files: Sequence[SampledFile], at: int) -> None:
        """Store the sample of a rule and a month in the place of a former one. Judgements stay."""
        with self._file.writing() as session:
            session.execute(SQL["sample_drop"], (rule, month))
            rows = [(rule, month, place, *file) for place, file in enumerate(files)]
            session.executemany(SQL["sample_put"], rows)
            session.execute(SQL["sample_drawn_put"], (rule, month, at))

    def sample(self, rule: AcceptRule, month: str) -> tuple[SampledFile, ...]:
        """Return the stored sample of a rule and a month, in its order."""
        return tuple(map(SampledFile._make, self._file.rows(SQL["sample"], (rule, month))))

    def judge(self, judgement: Judgement) -> None:
        """Store a judgement; it replaces the former one of the same person on the same bytes."""
        row = (judgement.rule, *judgement.file, judgement.judged, judgement.judged_by, judgement.at)
        self._file.change(SQL["judgement_put"], row)

    def judgements(self, since: int = 0) -> tuple[Judgement, ...]:
        """Return the judgements since a second."""
        rows = self._file.rows(SQL["judgements"], (since,))
        return tuple(
            Judgement(AcceptRule(rule), SampledFile(*file), Judged(judged), by, at)
            for rule, *file, judged, by, at in rows
        )


class Offers(Database):
    """The part of `Discovery` that stores offers to sources."""

    def accepted(self, source: str, after: tuple[str, str], limit: int) -> tuple[tuple[str, Decision], ...]:
        """Return at most `limit` accepting decisions in force on files of a source, with the upstream identifiers.

        They are sorted by (identifier, url), after `after`.
        """
        with self._file.reading() as session:
            rows = session.execute(SQL["accepted"], (source, *after, limit)).fetchall()
            return tuple((upstream, decision_of(row)) for upstream, *row in rows)

    def accepted_sources(self) -> frozenset[str]:
        """Return the sources of which `accepted` or `offers` may return something."""
        return frozenset(name for (name,) in self._file.rows(SQL["accepted_sources"]))

    def offers(self, source: str, after: tuple[str, str, str], limit: int) -> tuple[Offer, ...]:
        """Return at most `limit` offers to a source, sorted by (identifier, SHA-256, way), after `after`."""
        return tuple(map(offer_of, self._file.rows(SQL["offers"], (source, *after, limit))))

    def offers_of(self, identifier: str) -> tuple[Offer, ...]:
        """Return the offers of the files of an item, by SHA-256 and way."""
        return tuple(map(offer_of, self._file.rows(SQL["offers_of"], (identifier,))))

    def store_offer(self, offer: Offer) -> None:
        """Store an offer; it replaces the former one of the same file in the same way."""
        self._file.change(SQL["offer_put"], offer)

    def next_offer_at(self, source: str) -> int | None:
        """Return the second of the next repeated try of an offer to a source; None: there is none."""
        (at,) = self._file.one(SQL["offer_next"], (source,)) or (None,)
        return None if at is None else int(at)


# --- Rechecks --------------------------------------------------------------------------


class Rechecks:
    """The last recheck of each published file. It is safe for threads and processes."""

    def __init__(self, file: Connector) -> None:
        self._file = file

    def publish(self, files: Mapping[str, Iterable[FileRecheck]]) -> None:
        """Store the published files of some items, with first facts; forget their files that are not published.

        The rechecks of known files stay. If the published bytes have changed, their validators are forgotten.
        """
        with self._file.writing() as session:
            for identifier, rechecks in files.items():
                rows = tuple(rechecks)
                session.execute(SQL["rechecks_forget"], (identifier, json.dumps([recheck.url for recheck in rows])))
                session.executemany(SQL["recheck_add"], rows)

    def list_anew(self, list_: str) -> None:
        """Forget the position of a list of published files, so that all are listed again."""
        self._file.change(SQL["position_forget"], (list_,))

    def schedule(self, source: str, every: int, at: int) -> None:
        """Store the period of the files of a source in seconds; 0: they are due only when asked for.

        A file without a recheck counts as rechecked in the second `at`.
        """
        asked = {"source": source, "every": every, "at": at, "never": NEVER_DUE, "shares": SHARES}
        self._file.change(SQL["rechecks_schedule"], asked)

    def ask(self, source: str, before: int) -> bool:
        """Make all files of a source due that were not looked at since a second.

        Return False, and write nothing, if files that were asked for earlier are still due.
        """
        with self._file.writing() as session:
            is_asked = session.one(SQL["rechecks_asked"], (source,)) == (1,)
            if not is_asked:
                session.execute(SQL["rechecks_ask"], (source, before))
        return not is_asked

    def next_at(self, source: str) -> int | None:
        """Return the second at which the next file of a source is due; None: it has no files."""
        (due,) = self._file.one(SQL["rechecks_next"], (source,)) or (None,)
        return None if due is None else int(due)

    def next_of_all(self) -> dict[str, int]:
        """Return what `next_at` returns, by source; sources without files are left out."""
        return dict(self._file.rows(SQL["rechecks_next_of_all"]))

    def counts(self, source: str, at: int) -> RecheckCounts:
        """Return the numbers of the files of a source in a second."""
        row = self._file.one(SQL["rechecks_count"], (source, at))
        files, due, failing, unseen = row or (0, 0, 0, 0)
        return RecheckCounts(files, due, failing, unseen, self.next_at(source))

    def hosts(self, source: str, at: int) -> tuple[str, ...]:
        """Return the hosts of the files of a source that are due."""
        return tuple(host for (host,) in self._file.rows(SQL["rechecks_hosts"], (source, at)))

    def due(self, source: str, host: str, at: int, after: tuple[int, str, str], limit: int) -> tuple[FileRecheck, ...]:
        """Return at most `limit` due files at a host, sorted by (due, identifier, url), after `after`."""
        return tuple(map(_recheck_of, self._file.rows(SQL["rechecks_due"], (source, host, at, *after, limit))))

    def failing(self, source: str, host: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` items of a source with a file at a host that was not seen at the last recheck."""
        with self._file.reading() as session:
            rows = session.execute(SQL["rechecks_failing"], (source, host, limit)).fetchall()
            return tuple(identifier for (identifier,) in rows)

    def longest_unseen(self, source: str) -> FileRecheck | None:
        """Return the file of a source that could not be rechecked for the longest time; None: there is none."""
        row = self._file.one(SQL["recheck_unseen"], (source,))
        return _recheck_of(row) if row else None

    def of_item(self, identifier: str) -> tuple[FileRecheck, ...]:
        """Return the rechecks of the files of an item, sorted by address."""
        return tuple(map(_recheck_of, self._file.rows(SQL["rechecks_of"], (identifier,))))

    def write(self, rechecks: Iterable[FileRecheck], endings: Iterable[Ending] = ()) -> None:
        """Store rechecks, and count their outcomes. A file whose published bytes have changed is left out."""
        with self._file.writing() as session:
            session.executemany(SQL["recheck_put"], (recheck._asdict() for recheck in rechecks))
            session.executemany(SQL["ending_add"], endings)

    def conclude(self, recheck: FileRecheck, number: int, url: str, conclude: Conclude, sha256: str = "") -> bool:
        """Store the recheck of a file that has changed, and what follows from it, all or nothing.

        `number` is that of the last decision on the copy `url` that the caller knows; 0: there is none. Return False,
        and write nothing, if there is another one meanwhile, or no search. `sha256` is the digest of new bytes. A
        search for the item that is under way loses its lease, and the item is due.
        """
        with self._file.writing() as session:
            if not self._concluded(session, recheck.identifier, number, url, conclude, recheck.looked_at):
                return False
            session.execute(SQL["recheck_put"], recheck._asdict())
            if sha256:
                session.execute(SQL["recheck_change"], (sha256, recheck.identifier, recheck.url))
        return True

    def judge_again(self, identifier: str, number: int, url: str, conclude: Conclude, at: int) -> bool:
        """Store what follows from judging a file of an item again in the second `at`, as `conclude` does."""
        with self._file.writing() as session:
            return self._concluded(session, identifier, number, url, conclude, at)

    def _concluded(self, session: Session, identifier: str, number: int, url: str, conclude: Conclude, at: int) -> bool:
        rows = session.execute(SQL["decisions"], (identifier,)).fetchall()
        decisions = tuple(map(decision_of, rows))
        last = max((decision.number for decision in decisions if decision.url == url), default=0)
        search = session.one(SQL["search"], (identifier,))
        if last != number or search is None:
            return False
        former = unpacked(self._file, search[-1], "a stored search", bytes.decode) if search[-1] else ""
        news = conclude(decisions, former)
        story = zstandard.compress(news.search_json.encode(), LEVEL) if news.search_json else b""
        session.execute(SQL["story_put"], {"story": story, "identifier": identifier, "at": at})
        if news.outcome:
            session.execute(SQL["outcome_put"], (news.outcome, identifier))
        session.executemany(SQL["copy_put"], copy_rows(news.copies))
        session.executemany(SQL["decision_add"], map(decision_row, news.decisions))
        return True

    def stamping_hosts(self) -> frozenset[str]:
        """Return the hosts that stamp each download."""
        return frozenset(name for (name,) in self._file.rows(SQL["stamping_hosts"]))

    def note_stamping(self, host: str, at: int) -> None:
        """Store that a host stamps each download."""
        self._file.change(SQL["stamping_host_add"], (host, at))


def _recheck_of(row: Sequence[Any]) -> FileRecheck:
    recheck = FileRecheck._make(row)
    return recheck._replace(is_named=bool(recheck.is_named))


# --- Copies, and the first pages of files: each order is an index that has everything by which copies are chosen ------

# The columns of each order, the parameters that are compared with them, and whether it is descending.
_ORDERS = {
    CopyOrder.IDENTIFIER: ("identifier, url", ":identifier, :url", False),
    CopyOrder.SCORE: ("likeness, identifier, url", ":value, :identifier, :url", True),
    CopyOrder.TITLE: ("title, identifier, url", ":value, :identifier, :url", False),
    CopyOrder.DECIDED_AT: ("decided_at, identifier, url", ":value, :identifier, :url", True),
}
_MOST_WORDS = 8  # of an address that is looked for; the last ones say most
_BATCH = 500


def _matching(order: CopyOrder, *, is_descending: bool, is_first: bool) -> str:
    columns, parameters, _ = _ORDERS[order]
    direction = " desc" if is_descending else ""
    return SQL["copies_matching"].format(
        place="true" if is_first else f"({columns}) {'<' if is_descending else '>'} ({parameters})",
        order=", ".join(f"{column}{direction}" for column in columns.split(", ")),
    )


# One text for every order and both directions, from the beginning and from a place.
LISTS: Mapping[tuple[CopyOrder, bool, bool], str] = MappingProxyType(
    {
        (order, is_descending, is_first): SQL["copies_listed"].format(
            matching=_matching(order, is_descending=is_descending, is_first=is_first)
        )
        for order in CopyOrder
        for is_descending in (False, True)
        for is_first in (False, True)
    }
)
COUNT = SQL["copies_counted"].format(matching=_matching(CopyOrder.IDENTIFIER, is_descending=False, is_first=True))


class CopyLists(Database):
    """The part of `Discovery` that lists copies, and stores first pages."""

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
        is_descending = _ORDERS[order][2] != is_back
        value, identifier, url = place_of(order)(after) if after is not None else (None, "", "")
        asked = {**_values(wanted), "value": value, "identifier": identifier, "url": url, "limit": limit}
        query = LISTS[order, is_descending, after is None]
        with self._file.reading() as session:
            rows = [row for one in _verdicts(verdict) for row in session.execute(query, {**asked, "verdict": one})]
        nearest = sorted(map(listed_copy_of, rows), key=place_of(order), reverse=is_descending)[:limit]
        return tuple(reversed(nearest) if is_back else nearest)

    def count_copies(self, verdict: str, wanted: CopyFilter, most: int) -> int:
        """Return the number of copies of a list; `most` + 1 if there are more than `most`."""
        asked = {**_values(wanted), "limit": most + 1}
        with self._file.reading() as session:
            counts = [session.one(COUNT, {**asked, "verdict": one}) or (0,) for one in _verdicts(verdict)]
        return min(sum(int(count) for (count,) in counts), most + 1)

    def addresses_with(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield (identifier, address) of the copies whose address may have these words, in this order.

        The words are of ASCII letters and digits, and case makes no difference. There are also other copies: those
        whose address has an escape, and so may have any words.
        """
        pattern = "".join(f"%{word}" for word in words[-_MOST_WORDS:]) + "%"
        for verdict in _verdicts(ANY_VERDICT):
            asked = {"pattern": pattern, "verdict": verdict, "limit": _BATCH, "identifier": "", "url": ""}
            is_last = False
            while not is_last:
                rows = self._file.rows(SQL["addresses_with"], asked)
                yield from rows
                is_last = len(rows) < _BATCH
                if not is_last:
                    asked |= {"identifier": rows[-1][0], "url": rows[-1][1]}

    def first_page(self, sha256: str) -> str:
        """Return the beginning of the text of the file with this SHA-256; empty if it was not read, or was forgotten.

        Raise StoreDamaged when it cannot be read.
        """
        row = self._file.one(SQL["first_page"], (sha256,))
        return unpacked(self._file, row[0], "the text of a file", bytes.decode) if row else ""

    def keep_first_page(self, sha256: str, text: str) -> None:
        """Store the beginning of the text of a file."""
        self._file.change(SQL["first_page_put"], (sha256, zstandard.compress(text.encode())))

    def files_without_text(self, limit: int) -> tuple[str, ...]:
        """Return the SHA-256 of at most `limit` files of which no text was ever stored, sorted."""
        return tuple(digest for (digest,) in self._file.rows(SQL["first_pages_lacking"], (limit,)))

    def copies_to_judge(
        self, judge: int, sources: Collection[str], after: tuple[str, str], limit: int
    ) -> tuple[tuple[str, str], ...]:
        """Return (identifier, address) of files that wait for a person and that only earlier judges have judged.

        At most `limit` after one of them, sorted. No sources: of all.
        """
        identifier, url = after
        asked = {"judge": judge, "sources": spaced(sources), "identifier": identifier, "url": url, "limit": limit}
        return tuple((identifier, url) for identifier, url in self._file.rows(SQL["copies_to_judge"], asked))

    def count_copies_to_judge(self, judge: int, sources: Collection[str]) -> int:
        """Return how many files `copies_to_judge` has in all."""
        (count,) = self._file.one(SQL["copies_to_judge_count"], {"judge": judge, "sources": spaced(sources)}) or (0,)
        return int(count)

    def note_judged(self, judge: int, identifier: str, url: str) -> None:
        """Note that a judge could not judge a file again: it waits as before, and is not tried again."""
        self._file.change(SQL["copy_judged"], (judge, identifier, url))

    def forget_first_pages(self, digests: Iterable[str]) -> None:
        """Delete the texts of the files with these SHA-256."""
        with self._file.writing() as session:
            session.executemany(SQL["first_page_forget"], [(digest,) for digest in digests])

    def copies_lack_after(self) -> str | None:
        """Return the item up to which the copies of an earlier release are listed, or None if all are."""
        row = self._file.one(SQL["copies_lack_after"])
        return row[0] if row else None

    def list_copies(self, copies: Iterable[FoundCopy], after: str | None) -> None:
        """List copies of an earlier release, and store up to which item they are listed; None: all are."""
        with self._file.writing() as session:
            session.executemany(SQL["copy_put"], copy_rows(copies))
            if after is None:
                session.execute(SQL["copies_lack_none"])
            else:
                session.execute(SQL["copies_lack_put"], (after,))


def _verdicts(verdict: str) -> tuple[str, ...]:
    return ("", *VERDICTS) if verdict == ANY_VERDICT else (verdict,)


def _values(wanted: CopyFilter) -> dict[str, object]:
    return {**wanted._asdict(), "sources": json.dumps(wanted.sources)}
