"""Names of sources that were used before: which records would come to life again under them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from harvester.instance import Instance
from harvester.sources_file import SourceEntry


class Former(NamedTuple):
    """What is held under a name already. `is_other`: it came from another address than the one that is added now."""

    sentence: str
    is_other: bool


def former(instance: Instance, name: str, url: str) -> Former | None:
    """Return what is held under the name of a source that is to be added or harvested; None when nothing is."""
    with instance.store.view() as view:
        known = next((each for each in view.sources() if each.name == name), None)
    counts = instance.store.counts(name)
    if known is None or not counts["items"]:
        return None
    deleted, living = counts["deleted"], counts["items"] - counts["deleted"]
    held = [f"{deleted} deleted" * bool(deleted), f"{living} published" * bool(living)]
    what = f"{' and '.join(filter(None, held))} records are held under it"
    if known.base_url == url:
        return Former(
            f"The name {name} was used before for the same address: {what}. Deleted records that the source still has "
            "come to life again at its next harvest, under their old identifiers.",
            is_other=False,
        )
    return Former(
        f"The name {name} was used before for ANOTHER address, {known.base_url}: {what}. A record of {url} with the "
        "identifier of one of them takes its place, and deleted ones come to life again.",
        is_other=True,
    )


def note_former(instance: Instance, entry: SourceEntry, note: Callable[[str], None]) -> None:
    """Say what comes to life again when the entry of a removed source was written by hand, and nobody was asked."""
    with instance.store.view() as view:
        is_removed = any(each.name == entry.name and each.is_removed for each in view.sources())
    if is_removed and (found := former(instance, entry.name, entry.url)):
        note(found.sentence)
