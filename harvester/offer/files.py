"""Which files are offered to a source: found by discovery, accepted by a rule or a person, and published now."""

from collections.abc import Iterator
from hashlib import sha256 as sha256_of
from typing import Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from gateway.core.addresses import address
from gateway.core.model import Decision, FileLink, FileOrigin, ItemState, Offer, OfferOutcome, OfferWay
from gateway.publish.withholding import Forbidden
from harvester.harvest.instance import Instance
from harvester.harvest.sources_toml import SourceEntry

STAGE: Final = "offer"  # of a run that announces
_BATCH = 500
# Of a file that was announced, or may have been, although no answer came.
_ANNOUNCED = (OfferOutcome.CREATED, OfferOutcome.ACCEPTED, OfferOutcome.PACKAGED, OfferOutcome.RETRYING)


class OfferedFile(NamedTuple):
    """A file that can be offered: its item, what is published of it, and the decision that accepted it.

    `is_taken`: the record of the source itself names a file with the same bytes, so the source has it.
    """

    source: str
    state: ItemState
    link: FileLink
    decision: Decision
    is_taken: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """The identifier of the item, and the SHA-256 of the file."""
        return self.state.identifier, self.link.sha256


def offered_files(instance: Instance, source: str) -> Iterator[OfferedFile]:
    """Yield the files that can be offered to a source, each once, by the identifiers of their items.

    Left out is what is taken down. Raise StoreError.
    """
    discovery, after = instance.discovery(), ("", "")
    seen: set[tuple[str, str]] = set()  # of one item
    while batch := discovery.accepted(source, after, _BATCH):
        states = instance.store.states(source, list({upstream for upstream, _ in batch}))
        for upstream, decision in batch:
            if decision.identifier != after[0]:
                seen.clear()
            after = decision.identifier, decision.url
            state = states.get(upstream)
            file = None if state is None else _published(instance, source, state, decision)
            if file is not None and file.key not in seen:
                seen.add(file.key)
                yield file


def _published(instance: Instance, source: str, state: ItemState, decision: Decision) -> OfferedFile | None:
    """Return an accepted file if it is published now."""
    takedowns = instance.store.takedowns()
    if state.is_deleted or takedowns.names_item(state.identifier, source, state.upstream):
        return None
    url = address(decision.url)
    discovered = (file for file in state.files if file.origin is FileOrigin.DISCOVERED and not file.is_supplement)
    link = next((file for file in discovered if (file.url, file.sha256) == (url, decision.sha256)), None)
    if link is None or Forbidden(takedowns).names(link):
        return None
    return OfferedFile(source, state, link, decision, _is_taken(instance, state, link.sha256))


def as_published_now(instance: Instance, file: OfferedFile) -> OfferedFile | None:
    """Return a file as it is published now, or None if it is not any more: a round may last for hours.

    Raise StoreError.
    """
    state = instance.store.states(file.source, (file.state.upstream,)).get(file.state.upstream)
    return None if state is None else _published(instance, file.source, state, file.decision)


def _is_taken(instance: Instance, state: ItemState, sha256: str) -> bool:
    """Return whether the record names a file with these bytes, be it the one that the search found."""
    from harvester.fulltext.works import names_file  # noqa: PLC0415 - `status` seldom needs the formats

    same = [file for file in state.files if file.sha256 == sha256]
    return any(
        file.origin is FileOrigin.UPSTREAM or names_file(instance.store, state.identifier, file) for file in same
    )


def stored_offers(instance: Instance, source: str) -> Iterator[Offer]:
    """Yield the offers that were made to a source. Raise StoreError."""
    after = ("", "", "")
    while batch := instance.discovery().offers(source, after, _BATCH):
        yield from batch
        after = batch[-1].identifier, batch[-1].sha256, batch[-1].way


def offers_now(instance: Instance, source: str, *, has_inbox: bool) -> Iterator[Offer]:
    """Yield all offers to a source as they are now. Raise StoreError.

    Files that have none yet are `waiting`, if the source has an inbox and lacks the file.
    """
    files = {file.key: file.is_taken for file in offered_files(instance, source)}
    waiting = {key for key, is_taken in files.items() if has_inbox and not is_taken}
    for offer in stored_offers(instance, source):
        key = offer.identifier, offer.sha256
        if offer.way is OfferWay.INBOX:
            waiting.discard(key)
        yield as_it_is(offer, is_published=key in files, is_taken=files.get(key, False))
    for identifier, sha256 in sorted(waiting):
        yield Offer(identifier, sha256, OfferWay.INBOX, source, OfferOutcome.WAITING)


def offers_of_item(instance: Instance, identifier: str, source: str, upstream: str) -> tuple[Offer, ...]:
    """Return the offers of the files of one item as they are now. Raise StoreError."""
    state = instance.store.states(source, (upstream,)).get(upstream)
    live = None if state is None or state.is_deleted else state
    published = {file.sha256 for file in live.files} if live else set()

    def now(offer: Offer) -> Offer:
        is_taken = live is not None and _is_taken(instance, live, offer.sha256)
        return as_it_is(offer, is_published=offer.sha256 in published, is_taken=is_taken)

    return tuple(map(now, instance.discovery().offers_of(identifier)))


def as_it_is(offer: Offer, *, is_published: bool, is_taken: bool) -> Offer:
    """Return an offer, with the outcome `taken` or `withdrawn` if that is so now."""
    if is_taken:
        return offer._replace(outcome=OfferOutcome.TAKEN, next_at=0, problem="")
    if not is_published and offer.outcome in _ANNOUNCED:
        return offer._replace(outcome=OfferOutcome.WITHDRAWN, next_at=0)
    return offer


def due_at(instance: Instance, source: str) -> int | None:
    """Return the second since 1970 at which files must be announced to a source; None: nothing has changed.

    Whenever something was published since the last whole round, there may be new files. Raise StoreError.
    """
    with instance.store.view() as view:
        if view.last_change() > instance.discovery().position(position_name(source)):
            return 0
    return instance.discovery().next_offer_at(source)


def entry_has_changed(instance: Instance, entry: SourceEntry) -> bool:
    """Return whether the last round announced to another inbox, or in another way, than the entry of a source says now.

    Raise StoreError.
    """
    runs = instance.inbox.runs(entry.name, 1, STAGE)
    return bool(runs) and instance.discovery().position(_entry_name(entry)) < runs[0].started_at


def remember_entry(instance: Instance, entry: SourceEntry, at: int) -> None:
    """Store that a round of announcements began with this entry at a second since 1970. Raise StoreError."""
    instance.discovery().enlist(entry.name, (), at, at, _entry_name(entry))


def _entry_name(entry: SourceEntry) -> str:
    """Return the name under which the last round with such an entry is stored: everything that a request depends on."""
    auth = sorted(entry.auth.items())
    facts = (entry.url, entry.notify_inbox, auth, entry.verify, entry.ca_bundle, entry.address, entry.allow)
    return f"{entry.name} offers by {sha256_of(repr(facts).encode('utf-8', 'surrogatepass')).hexdigest()}"


def position_name(source: str) -> str:
    """Return the name of the line of the log of changes up to which the files of a source were announced."""
    return f"{source} offers"


def notification_id(identifier: str, sha256: str) -> str:
    """Return the id of the notification about a file of an item: always the same URN (RFC 9562 §5.5)."""
    return uuid5(NAMESPACE_URL, f"{identifier}#{sha256}").urn
