"""Hide items and files that are taken down from the output of commands."""

from __future__ import annotations

import json

from gateway.core.errors import ConfigurationError
from gateway.core.model import ItemState, SearchState
from gateway.core.names import local_identifier
from harvester.harvest.instance import Instance


def is_hidden(instance: Instance, source: str, state: ItemState) -> bool:
    """Return whether an item is taken down. Raise TakedownsUnreadable."""
    return state.is_hidden or instance.store.takedowns().names_item(state.identifier, source, state.upstream)


def is_named(instance: Instance, source: str, upstream: str) -> bool:
    """Return whether a record of a source belongs to an item that is taken down. Raise TakedownsUnreadable."""
    takedowns = instance.store.takedowns()
    if takedowns.is_empty:
        return False
    local = local_identifier(instance.settings.text("repository_domain"), source, upstream)
    if takedowns.names_item(local, source, upstream):
        return True
    state = instance.store.states(source, (upstream,)).get(upstream)
    return state is not None and state.is_hidden


def check_shown(instance: Instance, identifier: str) -> None:
    """Raise ConfigurationError for an item that is taken down; `identifier` is its local one.

    Raise TakedownsUnreadable.
    """
    state = instance.discovery().search(identifier) if instance.has_searched else None
    if state is not None and is_named(instance, state.source, state.upstream):
        raise ConfigurationError(f"{identifier} is taken down; `harvester takedown list` says why.")


def shown(instance: Instance, state: SearchState | None) -> SearchState | None:
    """Return the state of a search without copies that are taken down. Raise TakedownsUnreadable."""
    takedowns = instance.store.takedowns()
    if state is None or not state.search_json or takedowns.is_empty:
        return state
    search = json.loads(state.search_json)
    search["candidates"] = [
        candidate
        for candidate in search["candidates"]
        if not takedowns.names_digest(candidate["sha256"])
        and not any(map(takedowns.names_address, (candidate["url"], candidate["final_url"], *candidate["hops"])))
    ]
    return state._replace(search_json=json.dumps(search))
