"""Carry out the list of takedowns in an instance that a command has opened; `gateway.fulltext.withdrawing` does it."""

from __future__ import annotations

from collections.abc import Callable

from gateway.apply_takedowns import pending
from gateway.fulltext.withdrawing import Finished, carry_out
from harvester.harvest.instance import Instance


def finish(instance: Instance, progress: Callable[[int], None] = lambda _: None) -> Finished:
    """Carry out the rest of the list. It may be killed and repeated. Raise StoreError."""
    desk = instance.desk if instance.has_searched else None
    return carry_out(instance.store, instance.inbox, desk, instance.settings, progress)


def finish_opened(instance: Instance) -> None:
    """Carry out entries that were added while a search got files that they concern. Raise StoreError."""
    if any(pending(instance.store)):
        finish(instance)
