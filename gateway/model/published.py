"""What is published: items and their records, sets and formats, sources, quarantine, the log of changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gateway.model.works import FileLink


@dataclass(frozen=True, slots=True)
class Format:
    """A metadata format that is exposed (OAI-PMH 2.0 §4.4). `source` and `upstream_prefix` tell whose, if not ours."""

    metadata_prefix: str
    schema: str
    namespace: str
    version: int = 1
    source: str = ""
    upstream_prefix: str = ""


@dataclass(frozen=True, slots=True)
class SetDescription:
    """A set (OAI-PMH 2.0 §2.6). `description` is ready XML for setDescription, or empty."""

    spec: str
    name: str
    description: bytes = b""


@dataclass(frozen=True, slots=True)
class Source:
    """A source as the store knows it. Identify lists it as a friend when it may, and its protocol is OAI-PMH."""

    name: str
    base_url: str
    kind: str = "oai_pmh"
    is_removed: bool = False
    is_friend: bool = True


class Payload(NamedTuple):
    """Where the last good payload of an item in one upstream format lies, and what it says of itself."""

    metadata_prefix: str
    page: int
    slice: int  # its place among the slices of the page, from 0
    digest: bytes
    is_deleted: bool


class Record(NamedTuple):
    """One record ready to be published: `content` is the whole `<record>` element, in UTF-8.

    `digest` says what the content means, whatever its datestamp and harvestDate; the same digest is no change.
    """

    metadata_prefix: str
    digest: bytes
    is_deleted: bool
    content: bytes


class ItemChange(NamedTuple):
    """All that is to be written of one item. Records that are not named stay as they are.

    `is_withheld`: the item, or something of it, is taken down.
    """

    upstream: str
    identifier: str
    is_deleted: bool
    sets: tuple[str, ...]  # the most specific ones; their ancestors are implied
    payloads: tuple[Payload, ...]
    records: tuple[Record, ...]
    is_withheld: bool = False


class ItemFiles(NamedTuple):
    """What is known of an item's files besides what its upstream says: those that were found, and what was learned."""

    upstream: str
    files: tuple[FileLink, ...]


class ItemState(NamedTuple):
    """What the store holds of one item; `files` is what is known of them besides what the upstream says.

    `is_withheld`: the item, or something of it, is taken down.
    """

    number: int
    upstream: str
    identifier: str
    is_deleted: bool
    payloads: tuple[Payload, ...]
    records: tuple[tuple[str, bytes, bool], ...]  # (metadataPrefix, digest, is_deleted)
    files: tuple[FileLink, ...] = ()
    is_withheld: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether the item itself is taken down: what arrived of it is not deleted, and not exposed."""
        return self.is_withheld and self.is_deleted


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A record that could not be used: where it lies in the inbox, and why, in a sentence."""

    source: str
    metadata_prefix: str
    identifier: str  # upstream's; may be empty when that is the reason
    page: int
    slice: int
    reason: str
    at: int = 0


class Deletion(NamedTuple):
    """A deletion that was not carried out, and where it lies in the inbox.

    `waits`: a person is to decide on it; else nothing was held of the record.
    """

    metadata_prefix: str
    identifier: str  # upstream's
    page: int
    slice: int
    waits: bool


@dataclass(frozen=True, slots=True)
class Publication:
    """What one publication writes in one transaction.

    `position` is (before, after): the number of the last page of `source` published before and after; None when
    the publication does not come from the inbox. `edition` is that of the source's files when they were looked at;
    None: nobody looked. `files` replaces all that is known of some items' files. `takedowns` is the revision of the
    list of takedowns under which the records were made; None: they would be the same under any.
    """

    source: str
    changes: tuple[ItemChange, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    released: tuple[tuple[str, str], ...] = ()  # (metadataPrefix, upstream identifier) that is good again
    position: tuple[int, int] | None = None
    edition: int | None = None
    files: tuple[ItemFiles, ...] = ()
    takedowns: str | None = None
    deletions: tuple[Deletion, ...] = ()  # that are not carried out
    settled: tuple[tuple[str, str], ...] = ()  # (metadataPrefix, upstream identifier) of which there is none any more


@dataclass(frozen=True, slots=True)
class Intent:
    """The promise of a publication: its records will carry `datestamp`, which no reader passes meanwhile."""

    number: int
    datestamp: int


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One line of the append-only log of changes."""

    number: int
    identifier: str
    metadata_prefix: str
    datestamp: int
    kind: str  # created, updated, deleted
