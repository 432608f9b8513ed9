"""The site that pages belong to: its name, its addresses, its appearance; and how it is made of the settings."""

from __future__ import annotations

import logging
import re
from colorsys import hls_to_rgb, rgb_to_hls
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from gateway.core.addresses import site_url
from gateway.core.errors import ConfigurationError
from gateway.core.settings import Settings


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


# --- The style sheet with the accent colours of the settings written into it -----------------------------------------

LEAST_CONTRAST = 4.5  # WCAG 2.2, success criterion 1.4.3
DEFAULT = "#1d4f91"
_DEFAULT_IN_DARK = "#8ab8f5"
# The page and its panels, which the style sheet has too.
LIGHT, DARK = ("#ffffff", "#f5f6f8"), ("#14181e", "#1d232b")
_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_STEPS = 200
_LINEAR_UNTIL = 0.03928


def is_colour(text: str) -> bool:
    """Return whether a text is a colour as `#rrggbb`."""
    return _HEX.fullmatch(text) is not None


def accents(colour: str) -> tuple[str, str]:
    """Return a colour for the light and one for the dark mode, each with the contrast that text needs.

    `colour` is `#rrggbb`.
    """
    dark = _DEFAULT_IN_DARK if colour.lower() == DEFAULT else readable(colour, DARK)
    return readable(colour, LIGHT), dark


def readable(colour: str, backgrounds: tuple[str, ...]) -> str:
    """Return the colour whose lightness is nearest to that of `colour` and that is readable on all backgrounds."""
    if _is_readable(colour, backgrounds):
        return colour.lower()
    hue, lightness, saturation = rgb_to_hls(*_parts(colour))
    is_dark_ground = luminance(backgrounds[0]) < luminance("#808080")
    end = 1.0 if is_dark_ground else 0.0
    for step in range(1, _STEPS + 1):
        moved = _hex(hls_to_rgb(hue, lightness + (end - lightness) * step / _STEPS, saturation))
        if _is_readable(moved, backgrounds):
            return moved
    return _hex((end, end, end))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21 (WCAG 2.2, *contrast ratio*)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, from 0 to 1 (WCAG 2.2, *relative luminance*)."""
    red, green, blue = (
        part / 12.92 if part <= _LINEAR_UNTIL else ((part + 0.055) / 1.055) ** 2.4 for part in _parts(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _is_readable(colour: str, backgrounds: tuple[str, ...]) -> bool:
    return all(contrast(colour, background) >= LEAST_CONTRAST for background in backgrounds)


def _parts(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def _hex(parts: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)


class Asset(NamedTuple):
    """A file that pages use. Its name contains a digest of its bytes, so it may be cached for ever."""

    name: str
    content: bytes
    content_type: str


def style_sheet(colour: str) -> Asset:
    """Return the style sheet with an accent colour, given as `#rrggbb`."""
    light, dark = accents(colour)
    text = Path(__file__).with_name("style.css").read_text("utf-8")
    content = text.replace("#accent-light", light).replace("#accent-dark", dark).encode()
    return named("style", "css", content, "text/css; charset=UTF-8")


def icon_of(colour: str) -> Asset:
    """Return the icon of a site without a logo, for the tabs of browsers: lines on a square in the accent colour."""
    light, _ = accents(colour)
    content = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
        f'<rect width="16" height="16" rx="3" fill="{light}"/>'
        '<path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.5" stroke-linecap="round"/></svg>'
    )
    return named("icon", "svg", content.encode(), "image/svg+xml")


def named(stem: str, ending: str, content: bytes, content_type: str) -> Asset:
    """Return a file whose name has a digest of its bytes."""
    return Asset(f"{stem}-{blake2b(content, digest_size=8).hexdigest()}.{ending}", content, content_type)
