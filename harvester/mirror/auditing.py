"""Whether what a mirror holds is what its provider has now, and what it could not have when it was received."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gateway.model import Cursor
from harvester.mirror.findings import Finding, Found
from harvester.mirror.holding import Holding
from harvester.mirror.place import Place
from harvester.sources import Options, SourceKind
from harvester.wire.http import Fetch


class Now(NamedTuple):
    """What a provider lists of one object."""

    datestamp: str
    is_deleted: bool


def listed(place: Place, kind: SourceKind, options: Options, fetch: Fetch) -> tuple[dict[str, Now], list[str]]:
    """Return what the provider has now, by identifier, and the reasons why that may not be all."""
    assert kind.listed is not None
    found: dict[str, Now] = {}
    doubts: list[str] = []
    for set_spec in place.order.sets or ("",):
        cursor = Cursor("", place.order.metadata_prefix, set_spec, place.states.get(set_spec, ""))
        for page in kind.listed(options, cursor, fetch):
            found |= {each.identifier: Now(each.datestamp, each.is_deleted) for each in page.slices if not each.problem}
            doubts += page.doubts
    return found, doubts


def compared(holdings: Iterable[Holding], now: Mapping[str, Now], *, is_whole: bool = True) -> Iterator[Found]:
    """Hold what is held against what the provider has; of a list that is not whole, nothing is concluded to be gone."""
    ours = {each.identifier: each for each in holdings}
    for identifier, theirs in now.items():
        holding = ours.get(identifier)
        if holding is None:
            if not theirs.is_deleted:
                yield Found(Finding.MISSING, identifier, f"The provider has it since {theirs.datestamp}.")
        elif theirs.is_deleted != holding.is_deleted:
            yield _other_side(identifier, theirs)
        elif theirs.datestamp != holding.datestamp:
            reason = f"The provider's is of {theirs.datestamp}, this one of {holding.datestamp}."
            yield Found(Finding.STALE, identifier, reason)
    for identifier, holding in ours.items():
        if identifier not in now and not holding.is_deleted and is_whole:
            yield Found(Finding.EXTRA, identifier, "The provider does not list it.")


def _other_side(identifier: str, theirs: Now) -> Found:
    if theirs.is_deleted:
        return Found(Finding.EXTRA, identifier, f"The provider deleted it ({theirs.datestamp}).")
    return Found(Finding.MISSING, identifier, f"The provider has it again since {theirs.datestamp}.")


def incomplete(holding: Holding) -> Iterator[Found]:
    """Return what could not be had when an object was received."""
    if holding.problem:
        yield Found(Finding.INCOMPLETE, holding.identifier, holding.problem)
    for file in holding.missing:
        yield Found(Finding.INCOMPLETE, holding.identifier, f"{next(iter(file.locations), file.path)}: {file.reason}")
