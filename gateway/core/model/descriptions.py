"""What a published record says, for pages and other answers that show it to people."""

from __future__ import annotations

from typing import NamedTuple

from gateway.core.model.published import SetDescription
from gateway.core.model.works import Work


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


# --- An answer of OAI-PMH, read for people: what its page shows ------------------------------------------------------


class FormatLine(NamedTuple):
    """One metadataFormat of ListMetadataFormats."""

    metadata_prefix: str
    schema: str
    namespace: str


class OaiAnswer(NamedTuple):
    """One answer. `errors` are (code, sentence); `facts` are the elements of Identify as (name, text).

    `token` is the resumptionToken for the next part, empty at the end; `total` is the completeListSize, if stated.
    """

    verb: str = ""
    response_date: str = ""
    errors: tuple[tuple[str, str], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    formats: tuple[FormatLine, ...] = ()
    sets: tuple[SetDescription, ...] = ()
    records: tuple[Description, ...] = ()
    token: str = ""
    total: int | None = None
    cursor: int = 0
