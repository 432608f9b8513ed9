"""The search for full text, and the recheck of published files: the loop of each, and its stage for one source.

A run of a stage searches at most `discover_items` items, or lasts some minutes, so that the other stages of the source
have their turn, and a large source takes days. Items whose services failed wait for a later run. A process works on one
source at a time, so that each server gets the requests of one polite client. `harvester discover` and `recheck` call
the same loops, with a lifecycle of their own.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from threading import Lock
from time import time
from typing import NamedTuple

from gateway.core.model import Outcome, RunOutcome
from gateway.fulltext.release import BATCH, Releaser
from gateway.fulltext.stored_files import Copies
from harvester.fulltext.judge_again import judge_again
from harvester.fulltext.pdf.extraction import break_off
from harvester.fulltext.polite_fetch import only_stored, polite, polite_anew, web_for_other_hosts
from harvester.fulltext.recheck import run as rechecks
from harvester.fulltext.recheck.one_file import Effect
from harvester.fulltext.run import FullTextSearch, Result, read_earlier
from harvester.fulltext.step_order import steps
from harvester.fulltext.steps import Step
from harvester.fulltext.substance import watch
from harvester.harvest.access import access_to_files
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import Clock, RunResult, run_lifecycle
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.takedowns import finish_opened
from harvester.http.fetching import Web
from harvester.runtime.durations import seconds_of
from harvester.runtime.exit_status import RunLifecycle, SourceLocked
from harvester.runtime.interrupts import Stop, breakable, insisting
from harvester.runtime.progress import Progress

EARLIER = 50  # files of an earlier release that are read at each turn, which takes half a minute
ONE_SOURCE = Lock()


@contextmanager
def _one_source(message: str) -> Iterator[None]:
    """Raise SourceLocked while this process searches or rechecks another source."""
    if not ONE_SOURCE.acquire(blocking=False):
        raise SourceLocked(message)
    try:
        yield
    finally:
        ONE_SOURCE.release()


@contextmanager
def _web(instance: Instance, stop: Stop) -> Iterator[Web]:
    """Return what reaches the hosts of files. An immediate stop breaks off its requests, and the reading of files."""
    access = access_to_files(instance.sources.entries().values())
    web_of_files = web_for_other_hosts(instance.settings, stop.pause, access)
    with web_of_files as web, stop.breaking(web.break_off), stop.breaking(break_off):
        yield web


def _finish(
    instance: Instance, releaser: Releaser, sources: tuple[str, ...], counts: Counter[str], clock: Clock
) -> None:
    counts["stamped"] += releaser.release(sources)
    finish_opened(instance)
    watch(instance.discovery(), int(clock()))


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
    with _web(instance, stop) as web:
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
        _finish(instance, releaser, order.sources, counts, clock)


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
    with (
        _one_source("The works of another source are searched for."),
        run_lifecycle(instance, entry.name, "discovery", progress, stop, clock=clock) as run,
    ):
        before = int(clock()) - seconds_of(entry.recheck_every) if entry.recheck_every else 0
        order = SearchOrder((entry.name,), "", instance.settings.number("discover_items"), before)
        search_items(instance, order, run, run.log.counts, lambda _result: run.log.record_progress(None), clock=clock)
        with stop.breaking(break_off):
            copies = Copies(instance.folder)
            read_earlier(instance.store, instance.discovery(), copies, EARLIER, lambda: stop.is_asked)
    return run.ran


# --- The recheck of published files: the loop of every recheck, and the stage that rechecks due files of one source ---

_LONGEST_SECONDS = 600.0  # of one run of the stage
# Effects that change what is published, or may soon do so.
_NEWS = frozenset((Effect.CHANGED, Effect.LOST, Effect.RETURNED))


def period_of(entry: SourceEntry) -> int:
    """Return the period of the rechecks of a source in seconds; 0: there is none."""
    return seconds_of(entry.recheck_every) if entry.recheck_every else 0


def recheck_files(
    instance: Instance,
    order: rechecks.Order,
    run: RunLifecycle,
    counts: Counter[str],
    shown: Callable[[rechecks.Result], None],
    *,
    clock: Clock = time,
    is_over: Callable[[], bool] = lambda: False,
    is_alone: bool = False,
) -> None:
    """Recheck files, publish what was decided, and call `shown` with each result.

    `counts` gets the rechecks, their effects, and the records that were stamped for their files. `is_over` ends them
    early. `is_alone`: no other work shares the `stop` of the run, so an error breaks off all requests at once. Raise a
    GatewayError when the recheck cannot continue; the results until then are stored.
    """
    discovery, settings, stop = instance.discovery(), instance.settings, run.stop
    releaser = Releaser(instance.store, instance.inbox, discovery, settings)
    sources = tuple(order.every)
    news, flagged = 0, list[str]()
    with _web(instance, stop) as web:
        polite = polite_anew(web, discovery, settings, stop.pause)
        work = rechecks.Recheck(
            instance.store, discovery, breakable(polite, stop), settings, wait=polite.wait, clock=clock
        )
        results = work.run(order, is_asked_to_stop=lambda: stop.is_asked or is_over())
        try:
            with closing(results), insisting(stop) if is_alone else nullcontext():
                for result in results:
                    counts.update(("looked", str(result.effect)))
                    shown(result)
                    news += result.effect in _NEWS
                    flagged += [result.file.url] * result.is_flagged
                    if news >= BATCH and not order.is_dry:
                        counts["stamped"] += releaser.release(sources)
                        news = 0
        finally:
            if faults := counts[Effect.FAULT]:
                run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, f"Faults of this program: {faults}, each at one file.")
            if flagged:
                reason = f"Files that records name are not there any more: {len(flagged)}, such as {flagged[0]}."
                run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)
    if counts["looked"] and not order.is_dry:
        _finish(instance, releaser, sources, counts, clock)


def recheck(instance: Instance, entry: SourceEntry, progress: Progress, stop: Stop, clock: Clock = time) -> RunResult:
    """Recheck due files. Raise SourceLocked when the source is locked, or this process searches or rechecks another.

    A GatewayError ends the run with its outcome and reason; the results until then are stored.
    """
    with (
        _one_source("The files of another source are looked at."),
        run_lifecycle(instance, entry.name, "recheck", progress, stop, clock=clock) as run,
    ):
        end = clock() + _LONGEST_SECONDS
        order = rechecks.Order({entry.name: period_of(entry)})
        recheck_files(
            instance,
            order,
            run,
            run.log.counts,
            lambda _result: run.log.record_progress(None),
            clock=clock,
            is_over=lambda: clock() > end,
        )
    return run.ran
