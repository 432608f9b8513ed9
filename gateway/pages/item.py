"""One item as its page and its machine-readable forms show it: everything in one value, made of its record. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from gateway.core.model import Description, FileLink, FileOrigin, Format, Hop, Outcome, Tried
from gateway.core.names import FULLTEXT, source_of, upstream_identifier
from gateway.core.states import SENTENCES, State, of_search
from gateway.pages.citations import Citation, citations
from gateway.pages.reference import Reference, reference_of
from gateway.pages.shown import bare, host, shortened

_CC = re.compile(r"(?i)https?://creativecommons\.org/licenses/([a-z-]{2,12})/(\d\.\d)(?:/([a-z]{2,6})(?:/|$))?")
_CC_ZERO = re.compile(r"(?i)https?://creativecommons\.org/publicdomain/zero/")
_PUBLIC_DOMAIN = re.compile(r"(?i)https?://creativecommons\.org/publicdomain/mark/")
_STATEMENT = re.compile(r"(?i)https?://rightsstatements\.org/(?:vocab|page)/([A-Z-]{2,14})/")
_OPEN = ("cc0", "pd", "cc-by", "cc-by-sa", "cc-by-nc", "cc-by-nd", "cc-by-nc-sa", "cc-by-nc-nd")
_VERSIONS = {"submittedversion": "submitted", "acceptedversion": "accepted", "publishedversion": "published"}
_TYPES = {
    "application/pdf": "PDF", "text/html": "HTML", "text/plain": "text", "text/csv": "CSV", "application/zip": "ZIP",
    "application/xml": "XML", "text/xml": "XML", "application/postscript": "PostScript", "application/epub+zip": "EPUB",
    "application/msword": "Word", "application/gzip": "gzip", "application/octet-stream": "",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
}  # fmt: skip
_MISSING = re.compile(r"since (\d{4}-\d\d-\d\d) \(([a-z-]{1,40})\)$")
_MOST_NAME = 60


class License(NamedTuple):
    """A licence: a short name, its address if that is stated, and whether everybody may pass the work on."""

    name: str
    url: str
    is_open: bool


class ShownFile(NamedTuple):
    """One file; `name` is the last part of its address, `host` where it lies, `copy_url` the address of our copy.

    `missing` says since when the record names it in vain, and why; empty: it was there when we last looked.
    """

    url: str
    name: str
    type_name: str
    mime_type: str
    version: str
    license: License | None
    size: int | None
    sha256: str
    digests: tuple[tuple[str, str], ...]
    host: str
    is_found: bool
    found_in: str
    found_at: str
    modified: str
    retracted: str
    copy_url: str
    is_embedded: bool
    missing: str = ""

    @property
    def missing_since(self) -> str:
        """Return the day since which the file is missing; empty if that is not stated."""
        return match[1] if (match := _MISSING.match(self.missing)) else ""

    @property
    def missing_sentence(self) -> str:
        """Return how the last request for a missing file ended, as a sentence; empty if that is not stated."""
        match = _MISSING.match(self.missing)
        return SENTENCES[Outcome(match[2])] if match and match[2] in list(Outcome) else ""

    @property
    def is_held(self) -> bool:
        """Return whether we found the file, serve a copy of it, or embed it."""
        return self.is_found or bool(self.copy_url) or self.is_embedded


def shown_files(files: Iterable[FileLink]) -> tuple[ShownFile, ...]:
    """Return the files in the order of the record, PDFs that have a licence first, and missing files last."""
    return tuple(
        sorted(
            map(_shown, files),
            key=lambda file: (bool(file.missing), file.type_name != "PDF", not (file.license and file.license.is_open)),
        )
    )


def license_named(text: str) -> License | None:
    """Return the licence that an address or an abbreviation such as `cc-by` means; None for an empty text."""
    if not text:
        return None
    if not text.lower().startswith(("http://", "https://")):
        name = bare(text)
        is_open = name.lower() in _OPEN
        return License(name.upper().replace("-", " ", 1) if is_open else shortened(name, _MOST_NAME), "", is_open)
    return _at(text)


def _at(url: str) -> License:
    if match := _CC.match(url):
        country = f" {match[3].upper()}" if match[3] and match[3] not in ("deed", "legal") else ""
        return License(f"CC {match[1].upper()} {match[2]}{country}", url, is_open=True)
    if _CC_ZERO.match(url):
        return License("CC0 1.0", url, is_open=True)
    if _PUBLIC_DOMAIN.match(url):
        return License("Public domain", url, is_open=True)
    if match := _STATEMENT.match(url):
        return License(match[1].upper(), url, is_open=False)
    return License(host(url), url, is_open=False)


def _shown(file: FileLink) -> ShownFile:
    return ShownFile(
        url=file.url,
        name=_name(file.url),
        type_name=_type_name(file.mime_type),
        mime_type=file.mime_type,
        version=_VERSIONS.get(file.version.rpartition("/")[2].lower(), file.version),
        license=license_named(file.license),
        size=file.size,
        sha256=file.sha256,
        digests=file.digests,
        host=host(file.url),
        is_found=file.origin is FileOrigin.DISCOVERED,
        found_in=file.found_in,
        found_at=file.found_at,
        modified=file.modified,
        retracted=file.retracted,
        copy_url=file.copy_url,
        is_embedded=bool(file.content),
        missing=file.missing,
    )


def _type_name(mime_type: str) -> str:
    known = mime_type.partition(";")[0].strip().lower()
    if known in _TYPES:
        return _TYPES[known]
    tail = known.rpartition("/")[2].removeprefix("x-").rpartition(".")[2].partition("+")[0]
    return tail.upper() if len(tail) <= 5 else tail  # noqa: PLR2004 - the length of the longest usual abbreviation


def _name(url: str) -> str:
    """Return the last part of the path of an address, else its host."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return url
    tail = bare(unquote(path.rstrip("/").rpartition("/")[2]))
    return shortened(tail, _MOST_NAME) if tail else host(url)


class SetOfItem(NamedTuple):
    """A set that an item is in; `records` is the number of those in it, deleted ones included."""

    spec: str
    name: str
    records: int


class Item(NamedTuple):
    """Everything that is shown of one item.

    `url` is the address of its page. `persistent_url` is the one to cite; it leads to the page. `canonical` is the one
    that search engines show: of our page, or of the page at its source. `forms` has those of its other forms by their
    endings, `metadata` those of its metadata by prefix. `origin` is the address of the page at its source, `source` the
    name of the source here. `is_too_large`: not everything in its record is known. `statements` is the number of its
    Dublin Core statements. `tried` is the last search for a file, if there is none. `supplements` are not `files`.
    """

    identifier: str
    upstream: str
    source: str
    source_url: str
    url: str
    persistent_url: str
    canonical: str
    origin: str
    datestamp: str
    reference: Reference
    files: tuple[ShownFile, ...]
    hops: tuple[Hop, ...]
    license: License | None
    rights: tuple[str, ...]
    sets: tuple[SetOfItem, ...]
    formats: tuple[Format, ...]
    metadata: Mapping[str, str]
    forms: Mapping[str, str]
    citations: tuple[Citation, ...]
    is_too_large: bool
    statements: int = 0
    before: str = ""
    after: str = ""
    tried: Tried | None = None
    supplements: tuple[ShownFile, ...] = ()

    @property
    def title(self) -> str:
        """The title without markup, else the best identifier of the work, else our own."""
        reference = self.reference
        best = next((entry.text for entry in reference.identifiers), self.identifier)
        return bare(reference.title) or best

    @property
    def search(self) -> State:
        """The state of the search for a file of the work."""
        return of_search(self.tried)

    @property
    def main_file(self) -> ShownFile | None:
        """The file that most people want: the first PDF, else the first file, of those that are not missing."""
        return next((file for file in self.files if not file.missing), None)

    @property
    def is_retracted(self) -> bool:
        """Return whether a file says that the work was retracted."""
        return any(file.retracted for file in self.files)

    @property
    def has_held_file(self) -> bool:
        """Return whether we found a file of the item or hold one; search engines may index its page then."""
        return any(file.is_held for file in self.files)


def item_of(
    description: Description,
    *,
    url: str,
    persistent_url: str,
    is_indexed: bool,
    source_url: str,
    sets: tuple[SetOfItem, ...],
    formats: tuple[Format, ...],
    metadata: Mapping[str, str],
    forms: Mapping[str, str],
    neighbours: tuple[str, str],
    tried: Tried | None = None,
) -> Item:
    """Return an item made of its published `oai_didl` record and of what the store says beside it.

    `is_indexed`: search engines may show the pages of all items, so a page without a copy names that of its source.
    """
    reference = reference_of(description.work)
    before, after = neighbours
    origin = description.work.landing_page
    has_copy = any(file.copy_url for file in description.work.files)
    return Item(
        identifier=description.identifier,
        upstream=upstream_identifier(description.identifier),
        source=source_of(description.identifier),
        source_url=source_url,
        url=url,
        persistent_url=persistent_url,
        canonical=origin if is_indexed and origin and not has_copy else url,
        origin=origin,
        datestamp=description.datestamp,
        reference=reference,
        files=shown_files(description.work.files),
        hops=description.hops,
        license=license_named(description.work.license),
        rights=description.rights,
        sets=sets,
        formats=formats,
        metadata=metadata,
        forms=forms,
        is_too_large=description.is_too_large,
        citations=citations(reference, url),
        statements=len(description.work.statements),
        before=before,
        after=after,
        tried=tried,
        supplements=shown_files(description.work.supplements),
    )


def shown_sets(specs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sets of an item that a person would name: the most specific ones that its source has."""
    others = [spec for spec in specs if spec != FULLTEXT and spec.count(":") > 1]
    return tuple(spec for spec in others if not any(other.startswith(f"{spec}:") for other in others))
