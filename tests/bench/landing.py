"""How often the right PDF comes first on landing pages, by our rules and by the first link that says so.

The recorded pages were judged by people. The pages of platforms are the project's own; how many of them were right at
first sight stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin

from bs4 import BeautifulSoup

from harvester.fulltext.pages import landing_page
from tests.bench.table import Row, main
from tests.fulltext.platforms import answer, first, platforms
from tests.fulltext.recorded import DATA, body
from tests.fulltext.recorded_pages import PAGES, Recorded


def _ours(page: Recorded) -> str:
    return first(landing_page.read(body(f"landing/{page.file}.html"), page.url))


def _naive(page: Recorded) -> str:
    """Return what the first anchor leads to whose text or address holds `pdf`."""
    for tag in BeautifulSoup(body(f"landing/{page.file}.html"), "lxml").find_all("a", href=True):
        if "pdf" in f"{tag.get_text()} {tag['href']}".lower():
            return urljoin(page.url, str(tag["href"]))
    return "none"


def _rows(name: str, answers: list[tuple[str, str, str]], limit: float, most_wrong: float) -> Iterator[Row]:
    """Measure answers: (page, right, answer). A further page is no wrong answer: the search goes on there."""
    is_file = [(page, right, link) for page, right, link in answers if right != "none"]
    right_ones = [page for page, right, link in is_file if link == right]
    wrong = [
        f"{page} {link}" for page, right, link in answers if link != right and not link.startswith(("none", "page "))
    ]
    missed = [page for page, right, link in is_file if link != right and link.startswith(("none", "page "))]
    counted = f"{len(is_file)} pages with a PDF, {len(answers) - len(is_file)} without; right: {len(right_ones)}"
    note = f"{counted}; missed: {', '.join(missed) or 'none'}"
    yield Row(f"the right PDF comes first, {name}", len(right_ones) / len(is_file), limit, is_least=True, note=note)
    yield Row(f"another file comes first, {name}", len(wrong), most_wrong, note="; ".join(wrong) or "none")


def rows(_records: int) -> Iterator[Row]:
    """Measure the rules on all pages, and the naive rule on the recorded ones."""
    yield from _rows(
        "platforms", [(platform.name, platform.right, answer(platform)) for platform in platforms()], 0.9, 0
    )
    if not DATA.is_dir():
        return
    yield from _rows("recorded", [(page.file, page.pdf or "none", _ours(page)) for page in PAGES], 0.9, 0)
    naive = [(page.file, page.pdf or "none", _naive(page)) for page in PAGES]
    yield from _rows("recorded, by the first anchor with `pdf`", naive, 0, len(PAGES))


if __name__ == "__main__":
    main(rows)
