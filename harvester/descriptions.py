"""What a source says about itself: its answers kept in the inbox, its sets made ours in the store."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.model import SetDescription
from gateway.publish import local_set
from harvester.instance import Instance
from harvester.sources import Description


def doubts_of_empty_set(set_spec: str, sets: Sequence[SetDescription]) -> tuple[str, ...]:
    """Return why an empty list proves nothing: the source lists its sets, and neither this one nor one below it.

    Most answer a name that was misspelt like a set that is empty.
    """
    if not set_spec or not sets or any(f"{each.spec}:".startswith(f"{set_spec}:") for each in sets):
        return ()
    return (f"Nothing came, and the set {set_spec} is not among the {len(sets)} that the source lists.",)


def keep_description(instance: Instance, source: str, description: Description) -> None:
    """Keep the answers as they came, and add the sets of the source to ours."""
    for page in description.pages:
        instance.inbox.receive(page, (), None)
    sets = local_sets(source, description)
    instance.store.add_sets(sets)
    instance.inbox.keep_sets(source, sets)


def local_sets(source: str, description: Description) -> tuple[SetDescription, ...]:
    """Return the sets of a source under our specs: first the one that holds the whole source.

    A setName is kept; the original spec stands behind it when ours had to be written differently, and alone when the
    source gave no name.
    """
    whole = SetDescription(f"source:{source}", description.repository_name or source)
    return (whole, *(_local(source, each) for each in description.sets))


def _local(source: str, upstream: SetDescription) -> SetDescription:
    spec = local_set(source, upstream.spec)
    name = upstream.name or upstream.spec
    if not spec.endswith(f":{upstream.spec}") and upstream.name:
        name = f"{name} ({upstream.spec})"
    return SetDescription(spec, name, upstream.description)
