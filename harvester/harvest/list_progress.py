"""The progress of a harvest: the begin of each of its lists, and the number of deletions that may still pass.

It is stored in the inbox, in the transaction of each page. A run that continues an interrupted one has the same lists
and the same count of deletions. So the pages alone show which versions came with one list, and which deletions wait for
a confirmation, also when publication is repeated. The lists of a full harvest are remembered until all have ended.

Stored records that a full harvest did not list are then counted, without a request, and stay as they are: a harvest
deletes only what the source says is deleted, and a source may list nothing any more, or much less.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from time import time
from typing import NamedTuple

from gateway.core.errors import GatewayError, PageLost
from gateway.core.model import Cursor, Deletion, RawPage, Run, RunOutcome, Slice
from gateway.core.xmltext import escape, utc_datetime
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import SourceRun
from harvester.sources import Step
from harvester.sources.seen import Seen

FEW_DELETIONS = 5  # always pass: a source of ten records may lose one
_STAGES = ("harvest", "part")
_ENDED = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)
_AT_ONCE = 1000


class FullList(NamedTuple):
    """A list in a full harvest: the number of the last page before it, and whether it has come to its end."""

    begun: int
    has_ended: bool


class HarvestInProgress:
    """The state of a harvest between pages. `most_deletions` is the number of deletions that may pass; None: all."""

    def __init__(self, instance: Instance, source: str, *, is_sure: bool, is_part: bool = False) -> None:
        """Continue the harvest in progress, or begin another. All received records must be published already.

        `is_sure`: a person has confirmed all deletions. `is_part`: the lists of this run are separate, and do not
        change the lists of the harvest.
        """
        self._instance, self._source, self._is_part = instance, source, is_part
        known = json.loads(instance.inbox.harvest(source) or "{}")
        self._lists = {(prefix, spec): begun for prefix, spec, begun in known.get("lists", ())}
        self._parts: dict[tuple[str, str], int] = {}
        self._full = {(prefix, spec): FullList(begun, ended) for prefix, spec, begun, ended in known.get("full", ())}
        is_anew = is_sure or _has_ended(instance, source)
        counts = instance.store.counts(source)
        living = counts["items"] - counts["deleted"]
        self._held = living if is_anew else max(living, known.get("held", 0))
        self._passed = 0 if is_anew else known.get("passed", 0)
        self._let: set[str] = set()  # identifiers whose deletions pass
        self._is_stored = (known.get("held"), known.get("passed")) == (self._held, self._passed)
        self.most_deletions = None if is_sure else self._most()

    def _most(self) -> float | None:
        if waiting_deletions(self._instance, self._source):
            return 0
        share = self._instance.settings.share("sweep_most_share")
        return max(FEW_DELETIONS, share * self._held) if self._held else None

    def begin_again(self, cursor: Cursor) -> None:
        """Note that a list is harvested from its beginning, in full."""
        key = cursor.metadata_prefix, cursor.set_spec
        self._lists.pop(key, None)
        if not self._is_part:
            self._full[key] = FullList(self._instance.inbox.last_number(), False)

    def full_since(self, lists: Iterable[tuple[str, str]]) -> int | None:
        """Return the number of the last page before a full harvest of these lists, if all of them have ended in it.

        None: one of them was not harvested in full, or has not ended, or its end was in doubt.
        """
        full = [self._full.get(key) for key in lists]
        return min(list_.begun for list_ in full if list_) if all(list_ and list_.has_ended for list_ in full) else None

    def forget_full(self, lists: Iterable[tuple[str, str]]) -> None:
        """Forget a full harvest of these lists, so that no later run counts it."""
        for key in lists:
            del self._full[key]
        self._instance.inbox.keep_harvest(self._source, self._state())

    def taken(self, step: Step) -> tuple[RawPage, tuple[Slice, ...], str | None]:
        """Return the page and the slices of a step for the inbox, and the new state, or None if it is unchanged."""
        key, lists = (step.cursor.metadata_prefix, step.cursor.set_spec), self._parts if self._is_part else self._lists
        before = (self._is_stored, self._passed, dict(self._lists), dict(self._full))
        begun = lists.setdefault(key, self._instance.inbox.last_number())
        slices = self.marked(step)
        if step.is_last and not step.cursor.window:
            del lists[key]
            if key in self._full and not self._is_part:
                self._full[key] = self._full[key]._replace(has_ended=step.is_complete)
        is_news = before != (True, self._passed, self._lists, self._full)
        self._is_stored = True
        return replace(step.page, list_begun=begun), slices, self._state() if is_news else None

    def marked(self, step: Step) -> tuple[Slice, ...]:
        """Return the slices of a step; deletions that must wait for a confirmation are marked."""
        gone = [record.identifier for record in step.slices if record.is_deleted and not record.problem]
        if self.most_deletions is None or not gone:
            return tuple(step.slices)
        living = self._living(step.cursor.metadata_prefix, gone)
        return tuple(
            record._replace(waits=True)
            if record.is_deleted and record.identifier in living and not self._may(record)
            else record
            for record in step.slices
        )

    def _may(self, deletion: Slice) -> bool:
        """Return whether a deletion passes, and count it once."""
        if deletion.identifier in self._let:
            return True
        assert self.most_deletions is not None
        if self._passed >= int(self.most_deletions):
            return False
        self._passed += 1
        self._let.add(deletion.identifier)
        return True

    def _living(self, metadata_prefix: str, identifiers: Iterable[str]) -> set[str]:
        states = self._instance.store.states(self._source, tuple(identifiers))
        return {
            upstream
            for upstream, state in states.items()
            if not state.is_deleted
            and any(payload.metadata_prefix == metadata_prefix and not payload.is_deleted for payload in state.payloads)
        }

    def _state(self) -> str:
        lists = [[*key, begun] for key, begun in self._lists.items()]
        full = [[*key, *list_] for key, list_ in self._full.items()]
        return json.dumps({"held": self._held, "passed": self._passed, "lists": lists, "full": full})


def _has_ended(instance: Instance, source: str) -> bool:
    """Return whether the last harvest of a source has ended; True when there was none."""
    runs: list[Run] = []
    for stage in _STAGES:
        runs_ = instance.inbox.runs(source, 2, stage)
        runs += [run for run in runs_ if run.outcome is not RunOutcome.RUNNING]  # this one is in progress
    return not runs or max(runs, key=lambda run: run.number).outcome in _ENDED


class Unlisted(NamedTuple):
    """How many records are stored as living in a format, and how many of them a full harvest did not list."""

    metadata_prefix: str
    unlisted: int
    stored: int

    def are_many(self, share: float) -> bool:
        """Return whether these are more than so large a share of the stored records, and more than a few."""
        return self.unlisted > max(FEW_DELETIONS, share * self.stored)

    def reason(self, source: str) -> str:
        """Return what is not known of them, and what to do."""
        return (
            f"{self.metadata_prefix}: {self.unlisted} of {self.stored} stored records were not listed in this full "
            f"harvest, and stay as they are. If the source has deleted them, `harvester source sweep {source}` deletes "
            "them."
        )


def covers_earlier(instance: Instance, source: str, lists: Collection[tuple[str, str]]) -> bool:
    """Return whether lists of one format include every list of it that was harvested before.

    Otherwise the selection has changed, and nothing may be said of the records outside it.
    """
    prefixes, sets = {prefix for prefix, _ in lists}, {spec for _, spec in lists}
    cursors = instance.inbox.cursors(source)
    return "" in sets or all(cursor.set_spec in sets for cursor in cursors if cursor.metadata_prefix in prefixes)


def unlisted_records(instance: Instance, source: str, metadata_prefix: str, begun: int) -> Unlisted:
    """Count the stored records of a format that no page after the page `begun` lists, not even as deleted.

    It takes sixteen bytes of memory for each of their records. Raise StoreError.
    """
    listed = Seen()
    for identifier in instance.inbox.identifiers(source, metadata_prefix, begun):
        listed.add(identifier)
    unlisted = stored = 0
    for names in _stored(instance, source, metadata_prefix):
        stored += len(names)
        unlisted += sum(name not in listed for name in names)
    return Unlisted(metadata_prefix, unlisted, stored)


def _stored(instance: Instance, source: str, metadata_prefix: str) -> Iterator[tuple[str, ...]]:
    names: tuple[str, ...] = ("",)
    while names := instance.store.living(source, metadata_prefix, names[-1], _AT_ONCE):
        yield names


# --- Deletions that wait for a confirmation: count them, report them, and release them --------------------------------


def waiting_deletions(instance: Instance, source: str) -> int:
    """Return the number of deletions of a source that wait for `harvester run NAME --yes`."""
    return instance.store.counts(source)["waiting"]


def waiting_in_words(instance: Instance, source: str) -> str:
    """Return a sentence with the number of waiting deletions, an example, and what to do; empty when none waits."""
    number = waiting_deletions(instance, source)
    if not number:
        return ""
    (first, *_) = instance.store.waiting(source, ("", ""), 1)
    return (
        f"Deletions that wait for a decision: {number} ({first.identifier}, say); these records are still published. "
        f"If the source means it, `harvester run {source} --yes` deletes them."
    )


def report_waiting(instance: Instance, run: SourceRun) -> None:
    """Report at the end of a run the number of waiting deletions, also of earlier runs."""
    source = run.log.source
    with suppress(GatewayError):  # what is wrong with the store was reported
        if reason := waiting_in_words(instance, source):
            run.log.counts["waiting"] = waiting_deletions(instance, source)
            run.fail(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)


def release(instance: Instance, source: str, url: str) -> int:
    """Put pages with the waiting deletions into the inbox, as the source announced them; return their number.

    All pages in the inbox must be published before.
    """
    released = 0
    for batch in _batches(instance, source):
        for metadata_prefix, several in groupby(batch, key=lambda cursor: cursor.metadata_prefix):
            deletions = tuple(several)
            slices = tuple(_deletion(instance, deletion) for deletion in deletions)
            names = (deletion.identifier for deletion in deletions)
            page = deletion_page(source, url, "Release", "released", metadata_prefix, names, int(time()))
            instance.inbox.receive(page, slices, None)
            released += len(slices)
    return released


def _batches(instance: Instance, source: str) -> Iterator[Sequence[Deletion]]:
    after = ("", "")
    while batch := instance.store.waiting(source, after, _AT_ONCE):
        yield batch
        after = (batch[-1].metadata_prefix, batch[-1].identifier)


def _deletion(instance: Instance, waiting: Deletion) -> Slice:
    try:
        return instance.inbox.headers(waiting.page).slices[waiting.slice]._replace(abouts=(), waits=False)
    except (PageLost, IndexError):  # the inbox was lost since
        return deletion_slice(waiting.identifier, int(time()))


# --- Make pages that delete records, as if the source had announced the deletions ------------------------------------


def deletion_slice(identifier: str, deleted_at: int) -> Slice:
    """Return a slice that deletes a record at a second since 1970."""
    return Slice(identifier, utc_datetime(deleted_at), (), True, 0, 0)


def deletion_page(
    source: str, url: str, verb: str, element: str, metadata_prefix: str, identifiers: Iterable[str], made_at: int
) -> RawPage:
    """Return a page, made at a second since 1970, whose body is our own `element` with the deleted identifiers."""
    lines = "".join(f"<identifier>{escape(identifier)}</identifier>\n" for identifier in identifiers)
    opening = f'<{element} metadataPrefix="{escape(metadata_prefix)}" at="{utc_datetime(made_at)}">'
    body = f"{opening}\n{lines}</{element}>\n".encode("utf-8", "surrogatepass")
    return RawPage(source, verb, url, made_at, 0, (), body, metadata_prefix)
