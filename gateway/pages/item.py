"""One item as its page and its machine-readable forms show it: everything in one value, made of its record. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gateway.core.model import Description, Format, Hop, Tried
from gateway.core.names import FULLTEXT, source_of, upstream_identifier
from gateway.core.states import State, of_search
from gateway.pages.citations import Citation, citations
from gateway.pages.reference import Reference, reference_of
from gateway.pages.shown import bare
from gateway.pages.shown_files import License, ShownFile, license_named, shown_files


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
    Dublin Core statements. `tried` is the last search for a file, if there is none.
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
    )


def shown_sets(specs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sets of an item that a person would name: the most specific ones that its source has."""
    others = [spec for spec in specs if spec != FULLTEXT and spec.count(":") > 1]
    return tuple(spec for spec in others if not any(other.startswith(f"{spec}:") for other in others))
