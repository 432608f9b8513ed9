"""The style sheet with the accent colours of the settings written into it; its name changes with its contents."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from gateway.pages.colours import accents


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
