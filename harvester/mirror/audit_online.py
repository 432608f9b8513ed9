"""Audit of a mirror at its provider: compare the datestamps of all objects, and report missing files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gateway.core.model import Cursor
from harvester.http.messages import Fetch
from harvester.mirror.audit_object import AuditFinding, Finding
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.object_state import Holding
from harvester.sources import Options, SourceKind


class ListedRecord(NamedTuple):
    """The header of one object in the list of the provider (OAI-PMH 2.0 §2.5)."""

    datestamp: str
    is_deleted: bool


def listed(
    place: MirrorFolder, kind: SourceKind, options: Options, fetch: Fetch
) -> tuple[dict[str, ListedRecord], list[str]]:
    """Return the objects of the provider by identifier, and the reasons why the list may be incomplete.

    Raise a GatewayError when the provider cannot be harvested.
    """
    assert kind.listed is not None
    by_identifier: dict[str, ListedRecord] = {}
    doubts: list[str] = []
    for set_spec in place.order.sets or ("",):
        cursor = Cursor("", place.order.metadata_prefix, set_spec, place.states.get(set_spec, ""))
        for page in kind.listed(options, cursor, fetch):
            by_identifier |= {
                record.identifier: ListedRecord(record.datestamp, record.is_deleted)
                for record in page.slices
                if not record.problem
            }
            doubts += page.doubts
    return by_identifier, doubts


def compared(
    holdings: Iterable[Holding], now: Mapping[str, ListedRecord], *, is_whole: bool = True
) -> Iterator[AuditFinding]:
    """Compare the stored objects with those of the provider.

    With an incomplete list, no object is reported as extra.
    """
    ours = {held_item.identifier: held_item for held_item in holdings}
    for identifier, theirs in now.items():
        holding = ours.get(identifier)
        if holding is None:
            if not theirs.is_deleted:
                yield AuditFinding(Finding.MISSING, identifier, f"The provider has it since {theirs.datestamp}.")
        elif theirs.is_deleted != holding.is_deleted:
            yield _other_side(identifier, theirs)
        elif theirs.datestamp != holding.datestamp:
            reason = f"The provider's is of {theirs.datestamp}, this one of {holding.datestamp}."
            yield AuditFinding(Finding.STALE, identifier, reason)
    for identifier, holding in ours.items():
        if identifier not in now and not holding.is_deleted and is_whole:
            yield AuditFinding(Finding.EXTRA, identifier, "The provider does not list it.")


def _other_side(identifier: str, theirs: ListedRecord) -> AuditFinding:
    if theirs.is_deleted:
        return AuditFinding(Finding.EXTRA, identifier, f"The provider deleted it ({theirs.datestamp}).")
    return AuditFinding(Finding.MISSING, identifier, f"The provider has it again since {theirs.datestamp}.")


def incomplete(holding: Holding) -> Iterator[AuditFinding]:
    """Return the missing files of an object."""
    if holding.problem:
        yield AuditFinding(Finding.INCOMPLETE, holding.identifier, holding.problem)
    for file in holding.missing:
        yield AuditFinding(
            Finding.INCOMPLETE, holding.identifier, f"{next(iter(file.locations), file.path)}: {file.reason}"
        )
