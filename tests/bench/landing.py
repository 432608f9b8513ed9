"""How often the right PDF comes first on the recorded landing pages, by our rules and the first link that says so."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin

from bs4 import BeautifulSoup

from harvester.wire import landing_page
from tests.bench.table import Row, main
from tests.discovery.pages import PAGES, Recorded
from tests.discovery.recorded import DATA, body


def _ours(page: Recorded) -> str:
    copies = landing_page.read(body(f"landing/{page.file}.html"), page.url).copies
    return next((copy.url for copy in copies if not copy.is_page), "")


def _naive(page: Recorded) -> str:
    """Return what the first anchor leads to whose text or address holds `pdf`."""
    for tag in BeautifulSoup(body(f"landing/{page.file}.html"), "lxml").find_all("a", href=True):
        if "pdf" in f"{tag.get_text()} {tag['href']}".lower():
            return urljoin(page.url, str(tag["href"]))
    return ""


def rows(_records: int) -> Iterator[Row]:
    """Measure both rules on the pages that people judged."""
    if not DATA.is_dir():
        return
    offering = [page for page in PAGES if page.pdf]
    for name, rule, limit in (("landing_page", _ours, 0.74), ("the first anchor with `pdf`", _naive, 0)):
        answers = {page: rule(page) for page in PAGES}
        wrong = [f"{page.file} {answers[page] or 'none'}" for page in PAGES if answers[page] != page.pdf]
        share = sum(answers[page] == page.pdf for page in offering) / len(offering)
        counted = f"{len(offering)} pages with a PDF, {len(PAGES) - len(offering)} without"
        note = f"{counted}; wrong: {'; '.join(wrong) or 'none'}"
        yield Row(f"the right PDF comes first, by {name}", share, limit, is_least=True, note=note)


if __name__ == "__main__":
    main(rows)
