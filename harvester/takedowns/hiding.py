"""What commands that show what is held must not show: items that are taken down, and files that are."""

from __future__ import annotations

import json

from gateway.errors import ConfigurationError
from gateway.model import Decision, ItemState, SearchState
from gateway.names import local_identifier
from harvester.instance import Instance


def is_hidden(instance: Instance, source: str, state: ItemState) -> bool:
    """Tell whether an item is taken down."""
    return state.is_hidden or instance.store.takedowns().names_item(state.identifier, source, state.upstream)


def is_named(instance: Instance, source: str, upstream: str) -> bool:
    """Tell whether a record of a source is that of an item that is taken down."""
    takedowns = instance.store.takedowns()
    if takedowns.is_empty:
        return False
    local = local_identifier(instance.settings.text("repository_domain"), source, upstream)
    if takedowns.names_item(local, source, upstream):
        return True
    state = instance.store.states(source, (upstream,)).get(upstream)
    return state is not None and state.is_hidden


def check_shown(instance: Instance, identifier: str) -> None:
    """Raise ConfigurationError for an item that is taken down, by its identifier here."""
    state = instance.desk().search(identifier) if instance.has_searched else None
    if state is not None and is_named(instance, state.source, state.upstream):
        raise ConfigurationError(f"{identifier} is taken down; `harvester takedown list` says why.")


def shown(instance: Instance, state: SearchState | None) -> SearchState | None:
    """Return what is known of a search, without the copies that are taken down."""
    takedowns = instance.store.takedowns()
    if state is None or not state.story or takedowns.is_empty:
        return state
    story = json.loads(state.story)
    story["candidates"] = [
        each
        for each in story["candidates"]
        if not takedowns.names_digest(each["sha256"])
        and not any(map(takedowns.names_address, (each["url"], each["final_url"], *each["hops"])))
    ]
    return state._replace(story=json.dumps(story))


def is_withdrawn(instance: Instance, decision: Decision) -> bool:
    """Tell whether a file that was decided on, or its item, is taken down."""
    takedowns = instance.store.takedowns()
    if takedowns.names_address(decision.url) or takedowns.names_digest(decision.sha256):
        return True
    state = None if takedowns.is_empty else instance.desk().search(decision.identifier)
    return state is not None and is_named(instance, state.source, state.upstream)
