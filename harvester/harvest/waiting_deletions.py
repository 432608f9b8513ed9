"""Deletions that wait for a confirmation: count them, report them, and release them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from time import time

from gateway.core.errors import GatewayError, PageLost
from gateway.core.model import Deletion, RawPage, RunOutcome, Slice
from gateway.core.xmltext import escape, utc_datetime
from harvester.harvest.instance import Instance
from harvester.harvest.run_lifecycle import SourceRun

_AT_ONCE = 1000  # on one page


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
