"""Carry out the list of takedowns in an instance that a command has opened; `gateway.fulltext.withdrawing` does it."""

from __future__ import annotations

from collections.abc import Callable

from gateway.fulltext.withdrawing import Finished, carry_out
from harvester.harvest.instance import Instance


def finish(instance: Instance, progress: Callable[[int], None] = lambda _: None) -> Finished:
    """Carry out the rest of the list. It may be killed and repeated. Raise StoreError."""
    desk = instance.desk if instance.has_searched else None
    return carry_out(instance.store, instance.inbox, desk, instance.settings, progress)
