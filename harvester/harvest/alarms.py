"""The substance alarms of an instance (see `harvester.fulltext.substance`), without what is taken down."""

from __future__ import annotations

from collections.abc import Collection

from gateway.model import Alarm
from harvester.harvest.instance import Instance
from harvester.harvest.takedowns.hide import is_named

_EVER = 1 << 62  # a day after all others


def alarms_of(instance: Instance, sources: Collection[str] = (), *, with_closed: bool = False) -> tuple[Alarm, ...]:
    """Return the alarms in force of some sources, or all that ever were; no sources: of all. Raise StoreError."""
    if not instance.has_searched:
        return ()
    alarms = instance.desk().alarms(with_closed=with_closed)
    return tuple(_without_hidden(instance, alarm) for alarm in alarms if not sources or alarm.source in sources)


def close_alarms(instance: Instance, source: str, now: int) -> None:
    """Close the alarms in force of a source that is removed; its counts lose their days. Raise StoreError."""
    if instance.has_searched:
        instance.desk().add_up_endings(_EVER, source)
    for alarm in alarms_of(instance, (source,)):
        instance.desk().close_alarm(alarm.number, now)


def _without_hidden(instance: Instance, alarm: Alarm) -> Alarm:
    states = filter(None, map(instance.desk().search, alarm.examples))
    return alarm._replace(
        examples=tuple(state.identifier for state in states if not is_named(instance, state.source, state.upstream))
    )
