"""Offers the files of one source: a round of announcements to its inbox, or of packages into a folder.

Each file is offered once in each way. The outcome is stored after the answer; a round that is killed in between sends
the same notification again, with the same id.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Final, TypeAlias

from gateway.core.addresses import site_url
from gateway.core.errors import AnswerError, ConfigurationError, GatewayError, StoreError
from gateway.core.model import Offer, OfferOutcome, OfferWay, RunOutcome, Work
from gateway.fulltext.stored_files import Copies
from gateway.publish.descriptions import metadata_of
from harvester.fulltext.polite_fetch import polite, web_for_other_hosts
from harvester.fulltext.takedown_filter import TakedownFilter
from harvester.fulltext.works import found_of, work_of
from harvester.harvest.access import access_to_files, inbox_fetcher
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import Clock, RunResult, SourceRun, run_lifecycle
from harvester.harvest.sources_toml import SourceEntry
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.retrying import Pace
from harvester.offer.announcement import Answer, Receiver, Sender, announce, announcement
from harvester.offer.files import (
    STAGE,
    OfferedFile,
    as_it_is,
    as_published_now,
    entry_has_changed,
    offered_files,
    position_name,
    remember_entry,
    stored_offers,
)
from harvester.offer.packages import package_of, write_package
from harvester.runtime.interrupts import Stop, StopAsked, TimeIsOver, breakable
from harvester.runtime.progress import Progress

PACKING: Final = "packages"
# Failures in a row after which a round ends: the inbox is away, and the other files wait.
_MOST_FAILURES: Final = 3
# Of one source: a harvest of it waits for the round.
MOST_OF_A_STAGE: Final = 200
# Until the next try: a quarter of an hour, doubled each time, at most a day.
_FIRST_PAUSE_SECONDS: Final = 900
_LONGEST_PAUSE_SECONDS: Final = 86_400
_MOST_DOUBLINGS: Final = 16
_SETTLED: Final = (OfferOutcome.CREATED, OfferOutcome.ACCEPTED, OfferOutcome.PACKAGED, OfferOutcome.REFUSED)
_OK: Final = 200


@dataclass(frozen=True, slots=True)
class OfferOrder:
    """What is offered: `limit` files at most (None: all), and with `is_again` also what was refused or packed before.

    With `is_changed`, the entry of the source is another one than that of the last round: what failed is due at once.
    `shown` is called with each offer that was made.
    """

    limit: int | None = None
    is_again: bool = False
    shown: Callable[[Offer], None] = lambda _offer: None
    is_changed: bool = False

    def is_due(self, offer: Offer | None, now: float) -> bool:
        """Return whether a file must be offered at the second `now`, by its last offer in the same way, if any."""
        if offer is None or (self.is_again and offer.outcome in (OfferOutcome.REFUSED, OfferOutcome.PACKAGED)):
            return True
        return offer.outcome not in _SETTLED and (self.is_again or self.is_changed or offer.next_at <= now)


def check_inbox(entry: SourceEntry) -> None:
    """Raise ConfigurationError if the entry of a source has no inbox."""
    if not entry.notify_inbox:
        raise ConfigurationError(f"{entry.name} has no notify_inbox in sources.toml. Write it there, or use --folder.")


def announce_files(
    instance: Instance,
    entry: SourceEntry,
    progress: Progress,
    stop: Stop,
    order: OfferOrder,
    *,
    pace: Pace | None = None,
    clock: Clock = time,
) -> RunResult:
    """Announce the files of a source to its inbox. Raise ConfigurationError if it has none.

    Raise SourceLocked when another process works on the source. A GatewayError ends the run with its outcome and
    reason; what was sent until then is stored.
    """
    check_inbox(entry)
    order = replace(order, is_changed=entry_has_changed(instance, entry))
    with run_lifecycle(instance, entry.name, STAGE, progress, stop, clock=clock) as run:
        remember_entry(instance, entry, int(clock()))
        with inbox_fetcher(instance.settings, entry, stop, pace) as fetch, run.limited():  # by the hours of the source
            _Round(instance, entry, run, order, clock, OfferWay.INBOX, _inbox(instance, entry, fetch)).work()
    return run.ran


def pack_files(
    instance: Instance,
    entry: SourceEntry,
    folder: Path,
    progress: Progress,
    stop: Stop,
    order: OfferOrder,
    *,
    clock: Clock = time,
) -> RunResult:
    """Write packages of the files of a source into a folder. Raise as `announce_files` does."""
    with (
        run_lifecycle(instance, entry.name, PACKING, progress, stop, clock=clock) as run,
        _files(instance, stop) as fetch,
    ):
        make = _packing(instance, folder, fetch, run.log.note)
        _Round(instance, entry, run, order, clock, OfferWay.FOLDER, make).work()
    return run.ran


# --- one round ----------------------------------------------------------------------------------------------------


# An offer as it was made: the answer, and the place that got it.
_Made: TypeAlias = tuple[Answer, str]


@dataclass(slots=True)
class _Round:
    """One round: the files in their order, each offered unless it was."""

    instance: Instance
    entry: SourceEntry
    run: SourceRun
    order: OfferOrder
    clock: Clock
    way: OfferWay
    make: Callable[[OfferedFile, Work, bytes], _Made]
    failures: int = field(default=0, init=False)  # in a row

    def work(self) -> None:
        """Offer the files; note which were withdrawn. Raise the errors that end a round."""
        with self.instance.store.view() as view:
            until = view.last_change()
        stored = {
            (offer.identifier, offer.sha256): offer
            for offer in stored_offers(self.instance, self.entry.name)
            if offer.way is self.way
        }
        files: dict[tuple[str, str], bool] = {}
        is_whole = True
        for file in offered_files(self.instance, self.entry.name):
            files[file.key] = file.is_taken
            before = stored.get(file.key)
            if is_whole and not file.is_taken and self.order.is_due(before, self.clock()):
                is_whole = self._may_go_on()
                now = as_published_now(self.instance, file) if is_whole else None
                if now is not None:
                    self._offer(now, before)
        self._settle(stored, files)
        if is_whole and self.way is OfferWay.INBOX:
            self.instance.discovery().enlist(
                self.entry.name, (), until, int(self.clock()), position_name(self.entry.name)
            )

    def _may_go_on(self) -> bool:
        """Return whether one more file may be offered in this round."""
        made = sum(self.run.log.counts[outcome] for outcome in OfferOutcome)
        if self.order.limit is not None and made >= self.order.limit:
            return False
        is_away = self.way is OfferWay.INBOX and self.failures >= _MOST_FAILURES
        return not self.run.must_end and not is_away

    def _offer(self, file: OfferedFile, before: Offer | None) -> None:
        """Offer a file, and store how that ended."""
        store, state = self.instance.store, file.state
        work = work_of(store, state.identifier, state.upstream, found_of(store, file.source, state.upstream))
        with store.view() as view:
            record = view.record(state.identifier, "oai_dc")
        if work is None or record is None or record.is_deleted:
            return  # it was deleted meanwhile
        if store.takedowns().names_work(state.upstream, work):
            return  # and will be deleted as soon as the takedown is carried out
        made = self.make(file, work, record.content)
        offer = self._stored(file, made, 1 if before is None else before.tries + 1)
        self.failures = self.failures + 1 if offer.outcome is OfferOutcome.RETRYING else 0
        self.run.log.counts[offer.outcome] += 1
        self.run.log.record_progress(None)
        if offer.outcome is OfferOutcome.REFUSED:
            self.run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, f"{state.identifier}: {offer.problem}")
        elif offer.outcome is OfferOutcome.RETRYING:
            self.run.fail(RunOutcome.TRY_LATER, f"{state.identifier}: {offer.problem}")
        self.order.shown(offer)

    def _stored(self, file: OfferedFile, made: _Made, tries: int) -> Offer:
        now, (answer, place) = int(self.clock()), made
        pause = min(_FIRST_PAUSE_SECONDS << min(tries - 1, _MOST_DOUBLINGS), _LONGEST_PAUSE_SECONDS)
        offer = Offer(
            file.state.identifier,
            file.link.sha256,
            self.way,
            file.source,
            answer.outcome,
            now,
            tries,
            now + pause if answer.outcome is OfferOutcome.RETRYING else 0,
            answer.status,
            place,
            answer.location,
            answer.problem,
        )
        self.instance.discovery().store_offer(offer)
        return offer

    def _settle(self, stored: dict[tuple[str, str], Offer], files: dict[tuple[str, str], bool]) -> None:
        """Store which offers are not tried again: their files were withdrawn, or the source has taken them."""
        for key, offer in stored.items():
            now = as_it_is(offer, is_published=key in files, is_taken=files.get(key, False))
            is_news = now.outcome is OfferOutcome.WITHDRAWN is not offer.outcome
            if is_news or (now != offer and offer.outcome is OfferOutcome.RETRYING):
                self.instance.discovery().store_offer(now)
            if is_news:
                self.run.log.counts[now.outcome] += 1
                self.run.log.note(
                    f"{now.identifier}: the file {now.sha256} was offered, and is not published any more."
                )
                self.order.shown(now)


# --- the two ways -------------------------------------------------------------------------------------------------


def _inbox(instance: Instance, entry: SourceEntry, fetch: Fetch) -> Callable[[OfferedFile, Work, bytes], _Made]:
    """Return what announces a file to the inbox of a source."""
    settings = instance.settings
    base_url = settings.text("base_url")
    site = site_url(base_url, settings.text("pages_url"))
    sender = Sender(base_url, site, settings.text("repository_name"), settings.text("offer_inbox"))
    receiver = Receiver(entry.url, entry.notify_inbox)

    def make(file: OfferedFile, work: Work, _record: bytes) -> _Made:
        notification = announcement(file.state.identifier, file.link, work, sender, receiver)
        return announce(fetch, entry.notify_inbox, notification), entry.notify_inbox

    return make


@contextmanager
def _files(instance: Instance, stop: Stop) -> Iterator[Fetch]:
    """Return the fetcher for files: polite, as that of the search, and it fetches nothing that is taken down."""
    settings = instance.settings
    access = access_to_files(instance.sources.entries().values())
    with web_for_other_hosts(settings, stop.pause, access) as web, stop.breaking(web.break_off):
        fetch = breakable(polite(web, instance.discovery(), settings, stop.pause), stop)
        yield TakedownFilter(fetch, instance.store.takedowns)


def _packing(
    instance: Instance, folder: Path, fetch: Fetch, note: Callable[[str], None]
) -> Callable[[OfferedFile, Work, bytes], _Made]:
    """Return what writes the package of a file into a folder; `note` gets what was replaced in one that was there."""
    copies = Copies(instance.folder)

    def make(file: OfferedFile, work: Work, record: bytes) -> _Made:
        package = package_of(file, work, metadata_of(record))
        place = str(folder / package.name)
        try:
            body = _bytes_of(file, copies, fetch)
        except (StopAsked, TimeIsOver, StoreError, ConfigurationError):
            raise
        except GatewayError as error:
            return Answer(OfferOutcome.RETRYING, problem=str(error)), place
        if changed := write_package(folder, package, body):
            note(f"{place} is written anew, because files in it were different: {', '.join(sorted(changed))}.")
        return Answer(OfferOutcome.PACKAGED), place

    return make


def _bytes_of(file: OfferedFile, copies: Copies, fetch: Fetch) -> bytes:
    """Return the bytes of a file: our copy, else as they are fetched. Raise a GatewayError if they are other ones."""
    body = b""
    with suppress(OSError):  # it is fetched then
        body = copies.read(file.link.sha256)
    if sha256(body).hexdigest() == file.link.sha256:
        return body

    def is_same(answer: Fetched) -> bool:
        return sha256(answer.body).hexdigest() == file.link.sha256

    answer = fetch(Request(file.link.url, file.source, suits=is_same))
    if answer.status != _OK:
        raise AnswerError(f"{file.link.url} answers with HTTP status {answer.status}.")
    if not is_same(answer):
        raise AnswerError(f"{file.link.url} has other bytes than those that were accepted.")
    return answer.body
