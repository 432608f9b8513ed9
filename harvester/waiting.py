"""Deletions that wait for a person: how many there are of a source, what is said of them, and how they are released."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from time import time

from gateway.errors import GatewayError, PageLost
from gateway.model import Deletion, RawPage, RunOutcome, Slice
from gateway.xmltext import escape, utc_datetime
from harvester.instance import Instance
from harvester.story import Story

_AT_ONCE = 1000  # on one page


def waiting_deletions(instance: Instance, source: str) -> int:
    """Return how many deletions of a source wait for `harvester run NAME --yes`."""
    return instance.store.counts(source)["waiting"]


def waiting_in_words(instance: Instance, source: str) -> str:
    """Return how many deletions wait, which one for example, and what to do; empty when none waits."""
    number = waiting_deletions(instance, source)
    if not number:
        return ""
    (first, *_) = instance.store.waiting(source, ("", ""), 1)
    return (
        f"Deletions that wait for a decision: {number} ({first.identifier}, say); these records are still published. "
        f"If the source means it, `harvester run {source} --yes` deletes them."
    )


def tell_waiting(instance: Instance, source: str, story: Story, ended: Callable[[RunOutcome, str], None]) -> None:
    """Tell at the end of a run how many deletions wait, of this run or of an earlier one."""
    with suppress(GatewayError):  # what is wrong with the store has been told
        if reason := waiting_in_words(instance, source):
            story.counts["waiting"] = waiting_deletions(instance, source)
            ended(RunOutcome.SUCCEEDED_WITH_ERRORS, reason)


def release(instance: Instance, source: str, url: str) -> int:
    """Put pages into the inbox that delete what waits, as the source told it; return how many deletions these are.

    Everything that is in the inbox must be published before.
    """
    released = 0
    for batch in _batches(instance, source):
        for metadata_prefix, several in groupby(batch, key=lambda each: each.metadata_prefix):
            deletions = tuple(several)
            slices = tuple(_deletion(instance, each) for each in deletions)
            instance.inbox.receive(_page(source, url, metadata_prefix, deletions), slices, None)
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
        return Slice(waiting.identifier, utc_datetime(int(time())), (), True, 0, 0)


def _page(source: str, url: str, metadata_prefix: str, deletions: Sequence[Deletion]) -> RawPage:
    """Return a page of our own making that says which deletions a person has released."""
    now = int(time())
    lines = "".join(f"<identifier>{escape(each.identifier)}</identifier>\n" for each in deletions)
    opening = f'<released metadataPrefix="{escape(metadata_prefix)}" at="{utc_datetime(now)}">'
    body = f"{opening}\n{lines}</released>\n".encode("utf-8", "surrogatepass")
    return RawPage(source, "Release", url, now, 0, (), body, metadata_prefix)
