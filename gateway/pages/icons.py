"""The shapes beside the words of chips, as inline SVG, so that no status is shown by colour alone."""

from __future__ import annotations

from markupsafe import Markup

_SHAPES = {
    "good": '<path d="m2 6.5 2.8 2.8L10 3.5"/>',
    "caution": '<path d="M6 1.5 11 10.5H1zM6 5v2.5M6 9v.1"/>',
    "bad": '<path d="m2.5 2.5 7 7m0-7-7 7"/>',
    "neutral": '<circle cx="6" cy="6" r="4"/>',
    "file": '<path d="M2.5 1h4.5l2.5 2.5V11h-7zM7 1v2.5h2.5"/>',
}


def icon(name: str) -> Markup:
    """Return a shape of 12 by 12 pixels; screen readers read the word beside it."""
    return Markup('<svg viewBox="0 0 12 12" aria-hidden="true" focusable="false">{}</svg>').format(
        Markup(_SHAPES[name])  # noqa: S704 - the shapes are above
    )
