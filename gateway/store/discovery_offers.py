"""The part of `Discovery` that stores offers: which accepted files were offered to the source of their item."""

from gateway.core.model import Decision, Offer
from gateway.store.connector import Connector
from gateway.store.discovery_rows import decision_of, offer_of
from gateway.store.queries import load

SQL = load("discovery")


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
