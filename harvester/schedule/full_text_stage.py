"""The search for full text: the loop of every search, and the stage that searches some due items of one source.

One run of the stage searches at most `discover_items` items, so a large source takes days. Items whose services failed
wait for a later run. A process searches one source at a time, so that each server gets the requests of one polite
client. `harvester discover` calls the same loop, with a lifecycle of its own.
"""

from collections import Counter
from collections.abc import Callable, Collection
from contextlib import closing, nullcontext
from functools import partial
from threading import Lock
from time import time
from typing import NamedTuple

from gateway.core.model import Outcome, RunOutcome
from gateway.fulltext.release import BATCH, Releaser
from gateway.fulltext.stored_files import Copies
from harvester.fulltext.judge_again import judge_again
from harvester.fulltext.pdf.extraction import break_off
from harvester.fulltext.polite_fetch import only_stored, polite, web_for_other_hosts
from harvester.fulltext.run import FullTextSearch, Result, read_earlier
from harvester.fulltext.step_order import steps
from harvester.fulltext.steps import Step
from harvester.fulltext.substance import watch
from harvester.harvest.access import access_to_files
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import Clock, RunResult, run_lifecycle
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.takedowns import finish_opened
from harvester.runtime.durations import seconds_of
from harvester.runtime.exit_status import RunLifecycle, SourceLocked
from harvester.runtime.interrupts import Stop, breakable, insisting
from harvester.runtime.progress import Progress

STAGE = "discovery"
EARLIER = 50  # files of an earlier release that are read at each turn, which takes half a minute
ONE_SOURCE = Lock()


class SearchOrder(NamedTuple):
    """What is searched for: due items of these sources, or one item, due or not.

    searched_before  a second since 1970: items whose search is older are due again; 0: none of them. Files that a
                     recheck has looked at since then are not requested.
    is_dry           nothing is stored but answers, and which hosts refuse us
    """

    sources: tuple[str, ...]
    identifier: str = ""
    limit: int | None = None
    searched_before: int = 0
    is_dry: bool = False


def search_items(
    instance: Instance,
    order: SearchOrder,
    run: RunLifecycle,
    counts: Counter[str],
    shown: Callable[[Result], None],
    *,
    chosen: Collection[Step] | None = None,
    clock: Clock = time,
    is_alone: bool = False,
) -> None:
    """Search for items, publish the files that are accepted, and call `shown` with each result.

    `counts` gets the searched items, their outcomes, and the records that were stamped for their files. A fault of this
    program in one item is noted in `run`, and does not end it. `is_alone`: no other work shares the `stop` of the run,
    so an error breaks off all requests at once. Raise a GatewayError when the search cannot continue; the results until
    then are stored.
    """
    discovery, settings, stop = instance.discovery(), instance.settings, run.stop
    releaser = Releaser(instance.store, instance.inbox, discovery, settings)
    access = access_to_files(instance.sources.entries().values())
    web_of_files = web_for_other_hosts(settings, stop.pause, access)
    with web_of_files as web, stop.breaking(web.break_off), stop.breaking(break_off):
        fetch = breakable(polite(web, discovery, settings, stop.pause), stop)
        work = FullTextSearch(instance.store, discovery, fetch, settings, steps() if chosen is None else chosen, clock)
        work.looked_since = order.searched_before
        if not order.is_dry:
            _enlist(work, order, int(clock()))
        begin = partial(work.try_out, before=order.searched_before) if order.is_dry else work.run
        results = begin(order.sources, order.identifier, order.limit, is_asked_to_stop=lambda: stop.is_asked)
        try:
            with closing(results), insisting(stop) if is_alone else nullcontext():
                for result in results:
                    counts.update(("searched", str(result.searched.outcome)))
                    shown(result)
                    if not order.is_dry and counts["searched"] % BATCH == 0:
                        counts["stamped"] += releaser.release(order.sources)
        finally:
            if faults := counts[Outcome.FAULT]:
                run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, f"Faults of this program: {faults}, each in one item.")
    if not order.is_dry:
        if not order.identifier:
            with stop.breaking(break_off):
                most = order.limit if is_alone else EARLIER
                judge_again(work, only_stored(web, discovery), order.sources, most, lambda: stop.is_asked)
        counts["stamped"] += releaser.release(order.sources)
        finish_opened(instance)
        watch(discovery, int(clock()))


def _enlist(work: FullTextSearch, order: SearchOrder, now: int) -> None:
    """Add new items to the queue, and items whose search is old."""
    work.discovery.forget_answers(now)
    work.enlist(order.sources)
    if order.searched_before:
        work.discovery.renew(order.searched_before, order.sources, now)


def release(instance: Instance, entry: SourceEntry) -> int:
    """Publish the decided files of a source; return the number of records with a new datestamp. Raise StoreError."""
    return Releaser(instance.store, instance.inbox, instance.discovery(), instance.settings).release((entry.name,))


def discover(instance: Instance, entry: SourceEntry, progress: Progress, stop: Stop, clock: Clock = time) -> RunResult:
    """Search for some items. Raise SourceLocked when the source is locked, or this process searches another.

    A GatewayError ends the run with its outcome and reason; the results until then are stored.
    """
    if not ONE_SOURCE.acquire(blocking=False):
        raise SourceLocked("The works of another source are searched for.")
    try:
        with run_lifecycle(instance, entry.name, STAGE, progress, stop, clock=clock) as run:
            before = int(clock()) - seconds_of(entry.recheck_every) if entry.recheck_every else 0
            order = SearchOrder((entry.name,), "", instance.settings.number("discover_items"), before)
            search_items(
                instance, order, run, run.log.counts, lambda _result: run.log.record_progress(None), clock=clock
            )
            with stop.breaking(break_off):
                copies = Copies(instance.folder)
                read_earlier(instance.store, instance.discovery(), copies, EARLIER, lambda: stop.is_asked)
        return run.ran
    finally:
        ONE_SOURCE.release()
