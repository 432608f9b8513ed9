"""An answer of OAI-PMH, read for people: what its page shows."""

from __future__ import annotations

from typing import NamedTuple

from gateway.model.descriptions import Description
from gateway.model.published import SetDescription


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
