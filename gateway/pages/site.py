"""The site that pages belong to: its name, its addresses, its appearance; and how it is made of the settings."""

import logging
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from gateway.core.addresses import site_url
from gateway.core.errors import ConfigurationError
from gateway.core.settings import Settings
from gateway.pages.style import Asset, accents, icon_of, is_colour, named, style_sheet


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


log = logging.getLogger("gateway.pages")

_MOST_LOGO_BYTES = 200_000
_LOGO_TYPES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
}


def site_of(settings: Settings, base_url: str) -> Site:
    """Return the site of an instance. Raise ConfigurationError if its colour or its logo cannot be used."""
    colour = settings.text("pages_colour")
    if not is_colour(colour):
        raise ConfigurationError(f"The setting pages_colour is {colour!r}; write it as #rrggbb, such as #1d4f91.")
    light, dark = accents(colour)
    if light != colour.lower():
        log.info(
            "The colour %s is hard to read on white, so links are %s there, and %s in dark mode.", colour, light, dark
        )
    logo = _logo(settings.instance, settings.text("pages_logo"))
    return Site(
        name=settings.text("repository_name"),
        url=site_url(base_url, settings.text("pages_url")),
        base_url=base_url,
        admin_email=settings.text("admin_email"),
        style=style_sheet(colour),
        logo=logo,
        icon=logo or icon_of(colour),
        has_search=settings.is_on("browse_search"),
        is_indexed=settings.is_on("landing_index"),
    )


def _logo(instance: Path, name: str) -> Asset | None:
    if not name:
        return None
    file = instance / name
    content_type = _LOGO_TYPES.get(file.suffix.lower())
    if content_type is None:
        raise ConfigurationError(
            f"The setting pages_logo names {name!r}; use a file that ends in .svg, .png, .jpg or .webp."
        )
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"The logo {file} cannot be read: {error.strerror}.") from error
    if len(content) > _MOST_LOGO_BYTES:
        raise ConfigurationError(f"The logo {file} has {len(content)} bytes; at most {_MOST_LOGO_BYTES} are served.")
    return named("logo", file.suffix.lower().lstrip("."), content, content_type)
