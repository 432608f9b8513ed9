"""A browser shows the lists: a hundred texts that would run stay texts, and Enter in a field decides nothing."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium.webdriver.common.by import By

from gateway.core.model import Role
from tests import live
from tests.chromium import Window, browser, complaints, sign_in
from tests.page_house import opened
from tests.payloads import PAYLOADS
from tests.publish.harness import make_databases
from tests.review_house import PASSWORD, Files, add_user

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured, pytest.mark.needs("chromium", "chromedriver", "axe-core")]

SECRET = "x" * 40
PAGES = (
    "/review?verdict=any",
    "/review?verdict=any&order=title",
    "/review?verdict=any&reason_has=%3Cscript%3Ealert(1)&host=%22%3E%3Cimg+src=x+onerror=alert(1)%3E",
    "/review/decisions",
    "/review/decisions?by=%3Csvg/onload=alert(1)%3E",
    "/review/batch?verb=reject&all=1&reason=%22%3E%3Cscript%3E&comment=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    "/review/batch?verb=undo&all=1&verdict=accept",
    "/review/sample",
    "/review/precision",
    "/review?order=%3Cscript%3Ealert(1)%3C/script%3E",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an instance in which each payload is in every field of a file, and in a decision of a person."""
    made = tmp_path_factory.mktemp("payloads")
    make_databases(made)
    with opened(made) as house:
        files = Files(house)
        files.publish("another")  # else nothing is published of the source, and nothing can be decided
        for number, text in enumerate(PAYLOADS):
            scheme = ("https://x.example.net/", "javascript:alert(1)//", "data:text/html,")[number % 3]
            file = files.find(
                f"{number}/{text[:50]}", text, authors=text, reason=text, evidence=text, license=text, found_by=text,
                version=text, colour="green" if number % 2 else "", url=scheme + (quote(text) if number % 5 else text),
            )  # fmt: skip
            files.discovery.keep_first_page(file.sha256, text)
            if number % 2:
                last = files.last(file)
                files.discovery.decide(last._replace(verdict="accept", reason=text, decided_by=text or "x"))
    add_user(made, "B. Ito", Role.ADMINISTRATOR)
    (made / "config.toml").write_text("")
    assert live.called("gateway", made, "clock", "--accept", secret=SECRET).returncode == 0
    return made


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    with live.served(folder, secret=SECRET) as server:
        yield server.url.removesuffix("/oai")


@pytest.fixture
def window(site: str) -> Window:
    """Return a browser in which somebody has signed in."""
    window = browser(1280)
    sign_in(window, site, "B. Ito", PASSWORD)
    return window


def test_no_payload_in_any_field_runs_or_is_loaded(site: str, window: Window) -> None:
    """What the policy of our pages forbids is reported on the console; it must be empty, so nothing even tried."""
    window.get(f"{site}/review?verdict=any")
    item = window.find_element(By.CSS_SELECTOR, "main a[data-key=o]").get_attribute("href") or ""
    seen, items = 0, 0
    for start in (*PAGES, item.removeprefix(site)):
        page = f"{site}{start}"
        while page:
            complaints(window)
            window.get(page)
            assert window.execute_script("return window.ran") is None, page
            foreign = "main img, main iframe, main style, main base, main script:not([src]), main object, main embed"
            assert not window.find_elements(By.CSS_SELECTOR, foreign), page
            bad = "main a[href^='//'], main a:not([href^='http:']):not([href^='https:']):not([href^='/'])"
            assert not window.find_elements(By.CSS_SELECTOR, bad), page
            assert complaints(window, ("400",)) == [], page
            items += "/review/items/" in page  # each leads to the next one
            seen += len(window.find_elements(By.CSS_SELECTOR, "main tbody tr"))
            following = window.find_elements(By.CSS_SELECTOR, "main a[rel=next]")
            page = following[0].get_attribute("href") or "" if following else ""
    assert seen > 4 * len(PAYLOADS)
    assert items == len(PAYLOADS)
