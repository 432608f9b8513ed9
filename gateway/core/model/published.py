"""Published things: items and their records, sets, formats, sources, the quarantine, and the log of changes.

Descriptions are what a published record says, for pages and other answers that show it to people.
"""

from dataclasses import dataclass
from enum import IntFlag
from typing import NamedTuple

from gateway.core.model.works import FileLink, Work


class Key(NamedTuple):
    """The position in a list: datestamp and number of its last record. All lists are sorted by it."""

    datestamp: int
    number: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The arguments of a list (OAI-PMH 2.0 §2.7.1). `from_` and `until` are inclusive seconds; None: no limit."""

    metadata_prefix: str
    set_spec: str | None = None
    from_: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list: whole `<record>` elements in UTF-8, and the key of the last one if more follow, else None."""

    records: tuple[bytes, ...]
    next: Key | None


class Compacted(NamedTuple):
    """What compaction has done: how many blocks were made anew, and how many bytes that has freed in the database.

    `damaged` blocks could not be made anew. `is_complete`: nothing is left to do. `smaller_by`: by how many bytes the
    file has become smaller. `kept_free`: how many bytes are free in a file that cannot become smaller.
    """

    blocks: int
    bytes: int
    damaged: int
    is_complete: bool
    smaller_by: int = 0
    kept_free: int = 0


class StoredRecord(NamedTuple):
    """One published record, as GetRecord answers it."""

    content: bytes
    datestamp: int
    digest: bytes
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class Format:
    """A metadata format that is served (OAI-PMH 2.0 §4.4). `source` and `upstream_prefix` are empty if it is ours."""

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
    """A source in the store. Identify names it in `friends` if `is_friend`, and its kind is `oai_pmh`."""

    name: str
    base_url: str
    kind: str = "oai_pmh"
    is_removed: bool = False
    is_friend: bool = True


class SourceCounts(NamedTuple):
    """The numbers of items of a source: all, those that are deleted, and those of the others that have full text."""

    items: int
    deleted: int
    fulltext: int

    @property
    def living(self) -> int:
        """How many items are not deleted."""
        return self.items - self.deleted


class Payload(NamedTuple):
    """The place of the last good payload of an item in one upstream format: a page of the inbox, and a slice in it."""

    metadata_prefix: str
    page: int
    slice: int  # its place among the slices of the page, from 0
    digest: bytes
    is_deleted: bool


class Record(NamedTuple):
    """One record ready to be published: `content` is the whole `<record>` element, in UTF-8.

    `digest` is made of everything except the datestamp and the harvestDate; the same digest means no change. `length`
    and `sha256` are those of the bytes between `<metadata>` and `</metadata>`; 0 and empty: deleted, or not known.
    """

    metadata_prefix: str
    digest: bytes
    is_deleted: bool
    content: bytes
    length: int = 0
    sha256: bytes = b""


class Content(NamedTuple):
    """A file to which the DIDL of an item refers. Empty strings and None mean: not known.

    `copy_url` is the address of our copy, if it is served. `is_supplement`: it accompanies the work.
    """

    url: str
    mime_type: str
    size: int | None = None  # bytes
    sha256: str = ""
    modified: str = ""
    copy_url: str = ""
    is_supplement: bool = False


class Lack(IntFlag):
    """What the published record of an item lacks.

    READER: no format of ours reads it, only the fallback. WORK: it describes something else than a work.
    """

    TITLE = 1
    DATE = 2
    AUTHOR = 4
    READER = 8
    WORK = 16


class Lacking(NamedTuple):
    """What an item lacks, and the source's prefix of the payload from which its record was made."""

    metadata_prefix: str
    lacks: Lack


class LackCount(NamedTuple):
    """How many items of a source in one format lack something, and the identifier of one of them."""

    metadata_prefix: str
    lack: Lack
    items: int
    example: str

    def facts(self) -> dict[str, object]:
        """Return the count for JSON."""
        return {**self._asdict(), "lack": str(self.lack.name).lower()}


class UnusedElement(NamedTuple):
    """A path of elements that no reader used, in how many of the records that were looked at, and one of these."""

    path: str
    records: int
    example: str


class Unused(NamedTuple):
    """How many of a source's items in one format have elements that no reader uses, of those that were looked at.

    `elements` are sorted: the most frequent one is first.
    """

    metadata_prefix: str
    items: int
    of: int
    elements: tuple[UnusedElement, ...] = ()

    def facts(self) -> dict[str, object]:
        """Return the counts for JSON."""
        return {**self._asdict(), "elements": [element._asdict() for element in self.elements]}


class ItemChange(NamedTuple):
    """The new state of one item. Records that are not in `records` stay unchanged.

    `is_withheld`: the item, or a part of it, is taken down. `contents` are the files to which its DIDL refers; None:
    the same as before. `cite_as` is the DOI of its work, as a URI; it belongs to the contents.
    """

    upstream: str
    identifier: str
    is_deleted: bool
    sets: tuple[str, ...]  # the most specific ones; their ancestors are implied
    payloads: tuple[Payload, ...]
    records: tuple[Record, ...]
    is_withheld: bool = False
    contents: tuple[Content, ...] | None = None
    cite_as: str = ""
    lacking: Lacking | None = None


class ItemFiles(NamedTuple):
    """The files of an item that are known besides its record: discovered ones, and facts about named ones."""

    upstream: str
    files: tuple[FileLink, ...]


class ItemState(NamedTuple):
    """The state of one item in the store; `files` are those of ItemFiles.

    `is_withheld`: the item, or a part of it, is taken down.
    """

    number: int
    upstream: str
    identifier: str
    is_deleted: bool
    payloads: tuple[Payload, ...]
    records: tuple[tuple[str, bytes, bool], ...]  # (metadataPrefix, digest, is_deleted)
    files: tuple[FileLink, ...] = ()
    is_withheld: bool = False
    lacking: Lacking | None = None

    @property
    def is_hidden(self) -> bool:
        """Return whether the item itself is taken down: its payloads are not deleted, but not served."""
        return self.is_withheld and self.is_deleted


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A record that could not be used: its place in the inbox, and the reason as a sentence."""

    source: str
    metadata_prefix: str
    identifier: str  # of the source; it may be empty if that is the reason
    page: int
    slice: int
    reason: str
    at: int = 0


class Deletion(NamedTuple):
    """A deletion that was not carried out, and its place in the inbox.

    `waits`: a person must confirm it; otherwise the record was unknown.
    """

    metadata_prefix: str
    identifier: str  # of the source
    page: int
    slice: int
    waits: bool


@dataclass(frozen=True, slots=True)
class Publication:
    """The contents of one publication, which is written in one transaction.

    `position` is (before, after): the number of the last published page of `source` before and after it. It is None if
    the publication does not come from the inbox. `edition` is the edition of the source's files that the records are
    made from; None: they do not depend on files. `files` replaces the known files of some items. `takedowns` is the
    revision of the list of takedowns that the records are made under; None: they do not depend on it.
    """

    source: str
    changes: tuple[ItemChange, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    released: tuple[tuple[str, str], ...] = ()  # (metadataPrefix, upstream identifier) that leave quarantine
    position: tuple[int, int] | None = None
    edition: int | None = None
    files: tuple[ItemFiles, ...] = ()
    takedowns: str | None = None
    deletions: tuple[Deletion, ...] = ()  # new ones that are not carried out
    settled: tuple[tuple[str, str], ...] = ()  # (metadataPrefix, upstream identifier) whose stored deletion is removed


@dataclass(frozen=True, slots=True)
class Intent:
    """The intent of a publication: its records will have `datestamp`, and no horizon passes it before they exist."""

    number: int
    datestamp: int


class Resource(NamedTuple):
    """The metadata of a living record as a resource (ResourceSync 1.1 §5); `item` is the number of its item.

    `length` and `sha256` are those of the bytes between `<metadata>` and `</metadata>`; 0 and empty: not known yet.
    """

    item: int
    identifier: str
    datestamp: int
    length: int
    sha256: bytes


class ResourceChange(NamedTuple):
    """A change of such a resource (ResourceSync 1.1 §12), with length and SHA-256 of that version.

    Both are 0 and empty if it was deleted, is taken down, or is not known. `number` is that of the line in the log, and
    `item` that of the item.
    """

    number: int
    identifier: str
    datestamp: int
    kind: str  # created, updated, deleted
    length: int
    sha256: bytes
    item: int = 0


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One line of the append-only log of changes."""

    number: int
    identifier: str
    metadata_prefix: str
    datestamp: int
    kind: str  # created, updated, deleted


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


# --- The rechecks of published files ---------------------------------------------------------------------------------

NEVER_DUE = 1 << 62  # a second that never comes
SHARES = 1 << 20  # the parts of a period among which files are spread


class FileRecheck(NamedTuple):
    """The last recheck of one published file, and when the next one is due.

    `sha256` is that of the published bytes. `is_named`: the record names the file; else a search found it. `share` is
    the place of the file in the period, in parts of `SHARES`. `final_url` is the address after all redirects,
    `entity_tag` and `modified` are the validators that it sent. `rounds` counts the rechecks that were possible,
    `failures` those in a row at which the file was not there, since `failing_since`. Without failures, no recheck was
    possible since then. `text_sha256` is the digest of its text, if it is known. `every` is the period in seconds, 0:
    none. Seconds are since 1970; `looked_at` and `whole_at` are 0 before the first recheck. A person asked for a file
    with `due` 0.
    """

    identifier: str
    url: str
    source: str
    host: str
    sha256: str
    is_named: bool
    share: int
    every: int = 0
    due: int = NEVER_DUE
    looked_at: int = 0
    whole_at: int = 0
    rounds: int = 0
    outcome: str = ""
    final_url: str = ""
    entity_tag: str = ""
    modified: str = ""
    failures: int = 0
    failing_since: int = 0
    text_sha256: str = ""

    def next_after(self, second: int) -> int:
        """Return the second at which it is due after a recheck: its place in the period, the same in every period."""
        if not self.every:
            return NEVER_DUE
        return second + self.every - (second - (self.share * self.every // SHARES)) % self.every


class RecheckCounts(NamedTuple):
    """The published files of a source, and when the next is due.

    These are all `files`, those that are `due`, those that are not there, and those that cannot be rechecked.
    """

    files: int
    due: int
    failing: int
    unseen: int
    next_at: int | None
