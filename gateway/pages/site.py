"""The site that pages belong to: its name, its addresses, its appearance."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from gateway.pages.style import Asset


@dataclass(frozen=True, slots=True)
class Site:
    """The values that all pages share.

    `url` is the address of `/` without the slash, from the settings. `style`, `logo` and `icon` are served
    below `/assets/`; browsers show the icon in their tabs.
    `capability_lists` are the Capability Lists of all records (ResourceSync 1.1 §9), by their metadataPrefix.
    `has_search`: the search is switched on. `is_indexed`: search engines may index items that have no file here.
    """

    name: str
    url: str
    base_url: str
    admin_email: str
    style: Asset
    logo: Asset | None = None
    icon: Asset | None = None
    language: str = "en"
    has_search: bool = False
    is_indexed: bool = False
    capability_lists: tuple[tuple[str, str], ...] = ()

    @property
    def root(self) -> str:
        """The path of `/` without the slash; it is not empty if a proxy serves the site below a path."""
        return urlsplit(self.url).path.rstrip("/")

    def capability_list(self, metadata_prefix: str) -> str:
        """Return the address of the Capability List of all records in a format, or an empty string."""
        return dict(self.capability_lists).get(metadata_prefix, "")
