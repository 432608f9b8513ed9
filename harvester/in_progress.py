"""The harvest of a source that is in progress: where each of its lists began, and how many deletions may still pass.

It is remembered in the inbox, in the transaction of each page: a run that goes on after another one was killed or
stopped goes on with the same lists and the same count of deletions. So publication knows from the pages alone which
versions came with one list and which deletions wait for a person, however often it is done again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from gateway.model import Cursor, RawPage, Run, RunOutcome, Slice
from harvester.instance import Instance
from harvester.sources import Step
from harvester.waiting import waiting_deletions

FEW_DELETIONS = 5  # always pass: a source of ten records may lose one
_STAGES = ("harvest", "part")
_ENDED = (RunOutcome.SUCCEEDED, RunOutcome.SUCCEEDED_WITH_ERRORS)


class HarvestInProgress:
    """What is remembered of a harvest from page to page. `most_deletions` is how many may pass; None: all."""

    def __init__(self, instance: Instance, source: str, *, is_sure: bool, is_part: bool = False) -> None:
        """Go on with the harvest that is in progress, or begin another; everything received must be published.

        `is_sure`: a person has said that the source may delete whatever it wants. `is_part`: the lists of this run are
        its own, and leave those of the harvest where they are.
        """
        self._instance, self._source, self._is_part = instance, source, is_part
        known = json.loads(instance.inbox.harvest(source) or "{}")
        self._lists = {(prefix, spec): begun for prefix, spec, begun in known.get("lists", ())}
        self._parts: dict[tuple[str, str], int] = {}
        is_anew = is_sure or _has_ended(instance, source)
        living = _living_items(instance, source)
        self._held = living if is_anew else max(living, known.get("held", 0))
        self._passed = 0 if is_anew else known.get("passed", 0)
        self._let: set[str] = set()  # identifiers whose deletions pass
        self._is_told = (known.get("held"), known.get("passed")) == (self._held, self._passed)
        self.most_deletions = None if is_sure else self._most()

    def _most(self) -> float | None:
        if waiting_deletions(self._instance, self._source):
            return 0
        share = self._instance.settings.share("sweep_most_share")
        return max(FEW_DELETIONS, share * self._held) if self._held else None

    def begin_again(self, cursor: Cursor) -> None:
        """Note that a list is read from its beginning, whether or not it was in progress."""
        self._lists.pop((cursor.metadata_prefix, cursor.set_spec), None)

    def taken(self, step: Step) -> tuple[RawPage, tuple[Slice, ...], str | None]:
        """Return the page and the slices of a step as the inbox is to keep them, and what to remember with them."""
        key, lists = (step.cursor.metadata_prefix, step.cursor.set_spec), self._parts if self._is_part else self._lists
        before = (self._is_told, self._passed, dict(self._lists))
        begun = lists.setdefault(key, self._instance.inbox.last_number())
        slices = self.marked(step)
        if step.is_last and not step.cursor.window:
            del lists[key]
        is_news = before != (True, self._passed, self._lists)
        self._is_told = True
        return replace(step.page, list_begun=begun), slices, self._state() if is_news else None

    def marked(self, step: Step) -> tuple[Slice, ...]:
        """Return the slices of a step, with those deletions marked that are to wait for a person."""
        gone = [each.identifier for each in step.slices if each.is_deleted and not each.problem]
        if self.most_deletions is None or not gone:
            return tuple(step.slices)
        living = self._living(step.cursor.metadata_prefix, gone)
        return tuple(
            each._replace(waits=True) if each.is_deleted and each.identifier in living and not self._may(each) else each
            for each in step.slices
        )

    def _may(self, deletion: Slice) -> bool:
        """Tell whether a deletion passes, and count it once."""
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
            and any(each.metadata_prefix == metadata_prefix and not each.is_deleted for each in state.payloads)
        }

    def _state(self) -> str:
        lists = [[*key, begun] for key, begun in self._lists.items()]
        return json.dumps({"held": self._held, "passed": self._passed, "lists": lists})


def _living_items(instance: Instance, source: str) -> int:
    counts = instance.store.counts(source)
    return counts["items"] - counts["deleted"]


def _has_ended(instance: Instance, source: str) -> bool:
    """Tell whether the last harvest of a source came to its end; also when there was none."""
    runs: list[Run] = []
    for stage in _STAGES:
        found = instance.inbox.runs(source, 2, stage)
        runs += [each for each in found if each.outcome is not RunOutcome.RUNNING]  # this one is in progress
    return not runs or max(runs, key=lambda each: each.number).outcome in _ENDED
