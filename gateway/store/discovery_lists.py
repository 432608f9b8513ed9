"""The parts of `Discovery` for reviewers and sources: lists of decisions, random samples of files, and offers."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from gateway.core.model import (
    AcceptRule,
    Decision,
    DecisionFilter,
    FoundCopy,
    Judged,
    Judgement,
    ListedCopy,
    Offer,
    SampledFile,
)
from gateway.store.connector import Connector, Session
from gateway.store.discovery_rows import decision_of, found_copy_of, listed_copy_of, offer_of
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


class DecisionLists:
    """The part of `Discovery` that lists decisions."""

    _file: Connector

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


class Offers:
    """The part of `Discovery` that stores offers to sources."""

    _file: Connector

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
