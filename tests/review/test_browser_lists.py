"""A browser shows the lists: a hundred texts that would run stay texts, and Enter in a field decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from gateway.model import CopyFilter, CopyOrder, DecisionFilter, Role
from gateway.store.opening import open_discovery
from tests import live
from tests.chromium import follow, started
from tests.conftest import AXE
from tests.page_house import opened
from tests.pages.test_browser import JUDGED
from tests.payloads import PAYLOADS
from tests.publish.desk import make_databases
from tests.review_files import Files
from tests.review_house import PASSWORD, add_user

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium", "chromedriver", "axe-core")]

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
            files.desk.keep_first_page(file.sha256, text)
            if number % 2:
                last = files.last(file)
                files.desk.decide(last._replace(verdict="accept", reason=text, decided_by=text or "x"))
    add_user(made, "B. Ito", Role.ADMINISTRATOR)
    (made / "config.toml").write_text("")
    assert live.called("gateway", made, "clock", "--accept", secret=SECRET).returncode == 0
    return made


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    with live.served(folder, secret=SECRET) as server:
        yield server.url.removesuffix("/oai")


@pytest.fixture
def browser(site: str, tmp_path: Path) -> Iterator[webdriver.Chrome]:
    """Return a browser in which somebody has signed in."""
    window = started(tmp_path)
    window.get(f"{site}/review/login")
    window.find_element(By.ID, "name").send_keys("B. Ito")
    window.find_element(By.ID, "password").send_keys(PASSWORD)
    follow(window, window.find_element(By.CSS_SELECTOR, "form.login button").click)
    yield window
    window.quit()


def test_no_payload_in_any_field_runs_or_is_loaded(site: str, browser: webdriver.Chrome) -> None:
    """What the policy of our pages forbids is reported on the console; it must be empty, so nothing even tried."""
    browser.get(f"{site}/review?verdict=any")
    item = browser.find_element(By.CSS_SELECTOR, "main a[data-key=o]").get_attribute("href") or ""
    seen, items = 0, 0
    for start in (*PAGES, item.removeprefix(site)):
        page = f"{site}{start}"
        while page:
            browser.get_log("browser")
            browser.get(page)
            assert browser.execute_script("return window.ran") is None, page
            foreign = "main img, main iframe, main style, main base, main script:not([src]), main object, main embed"
            assert not browser.find_elements(By.CSS_SELECTOR, foreign), page
            bad = "main a[href^='//'], main a:not([href^='http:']):not([href^='https:']):not([href^='/'])"
            assert not browser.find_elements(By.CSS_SELECTOR, bad), page
            log = [entry["message"] for entry in browser.get_log("browser") if "400" not in entry["message"]]
            assert log == [], page
            items += "/review/items/" in page  # each leads to the next one
            seen += len(browser.find_elements(By.CSS_SELECTOR, "main tbody tr"))
            following = browser.find_elements(By.CSS_SELECTOR, "main a[rel=next]")
            page = following[0].get_attribute("href") or "" if following else ""
    assert seen > 4 * len(PAYLOADS)
    assert items == len(PAYLOADS)


@pytest.mark.parametrize("field", ["td input[type=checkbox]", "#reason", "#comment"])
def test_enter_in_a_field_decides_nothing(site: str, browser: webdriver.Chrome, folder: Path, field: str) -> None:
    """Browsers press the first button of the form then, which would be that of the first row."""
    with closing(open_discovery(folder)) as desk:
        before = desk.latest_decisions(DecisionFilter(), (1 << 53, 0), 1)
        browser.get(f"{site}/review")
        browser.find_element(By.CSS_SELECTOR, field).send_keys(Keys.ENTER)
        browser.get(f"{site}/review/decisions")
        assert desk.latest_decisions(DecisionFilter(), (1 << 53, 0), 1) == before


@pytest.mark.parametrize("width", [360, 1280])
def test_a_lost_race_is_explained_and_decided_again(
    site: str, browser: webdriver.Chrome, folder: Path, width: int
) -> None:
    """The page that says so has no fault of accessibility, and neither has that of a batch that left a file out."""
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 700}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    with closing(open_discovery(folder)) as desk:
        browser.get(f"{site}/review?order=title")
        button = browser.find_elements(By.CSS_SELECTOR, "button[name=row][value^=accept]")[-1]
        number = int(button.get_attribute("value").split()[1])
        (listed,) = desk.copies_of_decisions([number])
        desk.decide(listed.decision._replace(verdict="reject", decided_by="A. Berg", reason="Not <b>open</b>."))
        follow(browser, button.click)
        assert browser.find_element(By.TAG_NAME, "h1").text == "There is a newer decision"
        assert "Not <b>open</b>." in browser.find_element(By.TAG_NAME, "main").text
        assert _faults(browser) == []
        follow(browser, browser.find_element(By.CSS_SELECTOR, "button[name=verdict][value=accept]").click)
        assert "Accepted:" in browser.find_element(By.CSS_SELECTOR, "[role=status]").text
        waiting = [listed.decision for listed in desk.listed_copies("review", CopyFilter(), CopyOrder.TITLE, None, 2)]
        numbers = "&".join(f"number={decision.number}" for decision in waiting)
        browser.get(f"{site}/review/batch?verb=reject&{numbers}")
        desk.decide(waiting[0]._replace(decided_by="A. Berg", verdict="reject"))
        follow(browser, browser.find_element(By.CSS_SELECTOR, "main form button.primary").click)
        assert "1 file was left out" in browser.find_element(By.CSS_SELECTOR, "[role=status]").text
        assert _faults(browser) == []


def _faults(browser: webdriver.Chrome) -> list[str]:
    browser.execute_script(AXE.read_text("utf-8"))
    return list(browser.execute_async_script(JUDGED))
