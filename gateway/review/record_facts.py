"""What the published record of an item says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from gateway.errors import NotXml
from gateway.model import Description, Work
from gateway.store.base import Store

Describe: TypeAlias = Callable[[bytes], Description]


def described_in(describe: Describe, content: bytes) -> Description | None:
    """Return what a published record says; None if it cannot be read."""
    try:
        return describe(content)
    except NotXml:
        return None


def work_of(store: Store, describe: Describe, identifier: str) -> Work | None:
    """Return the work of an item; None if it has no living record. Raise StoreError."""
    with store.view() as view:
        record = view.record(identifier, "oai_dc")
    if record is None or record.is_deleted:
        return None
    described = described_in(describe, record.content)
    return described.work if described else None
