"""Names of sources that were used before: report the records that would return under them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from harvester.harvest.instance import Instance
from harvester.harvest.sources_toml import SourceEntry


class Former(NamedTuple):
    """The records under a former name. `is_other`: they came from another address than the present one."""

    sentence: str
    is_other: bool


def former(instance: Instance, name: str, url: str) -> Former | None:
    """Return the records that are stored under the name of a source; None when there are none."""
    with instance.store.view() as view:
        known = view.source(name)
    counts = instance.store.counts(name)
    if known is None or not counts["items"]:
        return None
    deleted, living = counts["deleted"], counts["items"] - counts["deleted"]
    held = [f"{deleted} deleted" * bool(deleted), f"{living} published" * bool(living)]
    what = f"{' and '.join(filter(None, held))} records are stored under it"
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
    """Report which records return when the entry of a removed source was written by hand."""
    with instance.store.view() as view:
        known = view.source(entry.name)
        is_removed = known is not None and known.is_removed
    if is_removed and (former_url := former(instance, entry.name, entry.url)):
        note(former_url.sentence)
