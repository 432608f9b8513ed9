"""Make pages that delete records, as if the source had announced the deletions."""

from __future__ import annotations

from collections.abc import Iterable

from gateway.model import RawPage, Slice
from gateway.xmltext import escape, utc_datetime


def deletion_slice(identifier: str, deleted_at: int) -> Slice:
    """Return a slice that deletes a record at a second since 1970."""
    return Slice(identifier, utc_datetime(deleted_at), (), True, 0, 0)


def deletion_page(
    source: str, url: str, verb: str, element: str, metadata_prefix: str, identifiers: Iterable[str], made_at: int
) -> RawPage:
    """Return a page, made at a second since 1970, whose body is our own `element` with the deleted identifiers."""
    lines = "".join(f"<identifier>{escape(identifier)}</identifier>\n" for identifier in identifiers)
    opening = f'<{element} metadataPrefix="{escape(metadata_prefix)}" at="{utc_datetime(made_at)}">'
    body = f"{opening}\n{lines}</{element}>\n".encode("utf-8", "surrogatepass")
    return RawPage(source, verb, url, made_at, 0, (), body, metadata_prefix)
