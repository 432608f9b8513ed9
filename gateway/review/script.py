"""The one script of ours: the keys of the review."""

from __future__ import annotations

from pathlib import Path

from gateway.pages.style import Asset, named


def review_script() -> Asset:
    """Return the script; its name changes with its contents."""
    content = Path(__file__).with_name("review.js").read_bytes()
    return named("review", "js", content, "text/javascript; charset=UTF-8")
