"""The description of a source: its answers are stored in the inbox, its sets in the store."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.core.model import SetDescription
from gateway.publish.publish import local_set
from harvester.harvest.instance import Instance
from harvester.sources import Description


def doubts_of_empty_set(set_spec: str, sets: Sequence[SetDescription]) -> tuple[str, ...]:
    """Return why an empty list proves nothing: the source lists its sets, but neither this set nor one below it.

    Most sources answer a misspelt set like an empty set.
    """
    if not set_spec or not sets or any(f"{set_.spec}:".startswith(f"{set_spec}:") for set_ in sets):
        return ()
    return (f"Nothing came, and the set {set_spec} is not among the {len(sets)} that the source lists.",)


def keep_description(instance: Instance, source: str, description: Description) -> None:
    """Store the answers unchanged, and add the sets of the source to the store."""
    for page in description.pages:
        instance.inbox.receive(page, (), None)
    sets = local_sets(source, description)
    instance.store.add_sets(sets)
    instance.inbox.keep_sets(source, sets)


def local_sets(source: str, description: Description) -> tuple[SetDescription, ...]:
    """Return the sets of a source with local setSpecs: first the set of the whole source.

    The setName is unchanged; the original setSpec is added to it when the local one differs, and replaces a missing
    setName.
    """
    whole = SetDescription(f"source:{source}", description.repository_name or source)
    return (whole, *(_local(source, spec) for spec in description.sets))


def _local(source: str, upstream: SetDescription) -> SetDescription:
    spec = local_set(source, upstream.spec)
    name = upstream.name or upstream.spec
    if not spec.endswith(f":{upstream.spec}") and upstream.name:
        name = f"{name} ({upstream.spec})"
    return SetDescription(spec, name, upstream.description)
