"""What a published record says, for pages and other answers that show it to people."""

from __future__ import annotations

from typing import NamedTuple

from gateway.model.works import Work


class Hop(NamedTuple):
    """One originDescription of a record's provenance (guideline *provenance*); texts are as the record has them."""

    base_url: str
    identifier: str
    datestamp: str
    namespace: str
    harvest_date: str
    is_altered: bool


class Description(NamedTuple):
    """The contents of one published record.

    `hops` leads from us to the origin: the first is what we harvested. `metadata` are the bytes between `<metadata>`
    and `</metadata>`; they are empty, and the Work too, for a deleted record. `rights` are addresses or texts of the
    `rights` containers. `is_too_large`: the metadata need more memory than one record may, so the Work is empty.
    """

    identifier: str
    datestamp: str
    sets: tuple[str, ...]
    is_deleted: bool
    work: Work = Work()
    hops: tuple[Hop, ...] = ()
    rights: tuple[str, ...] = ()
    metadata: bytes = b""
    is_too_large: bool = False
