"""The pages of platforms that were written for these tests, each with its address and the right answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from harvester.fulltext.pages import landing_page
from harvester.fulltext.pages.landing_page import Page

_FOLDER = Path(__file__).parent / "platforms"


class Platform(NamedTuple):
    """A page and what is right for it: an address of a file, `page` and an address, or `none`."""

    name: str
    url: str
    right: str
    body: bytes


def platforms() -> Iterator[Platform]:
    """Return the pages, in the order of their names."""
    for path in sorted(_FOLDER.glob("*.html")):
        url, right, body = path.read_text(encoding="utf-8").split("\n", 2)
        yield Platform(path.stem, url[5:-4], right[5:-4], body.encode())


def first(page: Page) -> str:
    """Return what the rules would ask for first: a file, else `page` and the address of a page, or `none`."""
    files = [copy.url for copy in page.copies if not copy.is_page]
    further = [f"page {copy.url}" for copy in page.copies if copy.is_page]
    return next(iter([*files, *further]), "none").rstrip("/")


def answer(platform: Platform) -> str:
    """Return what the rules would ask for first on this page."""
    return first(landing_page.read(platform.body, platform.url))
