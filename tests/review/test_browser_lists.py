"""A browser shows the lists: a hundred texts that would run stay texts, and Enter in a field decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from gateway.model import CopyFilter, CopyOrder, DecisionFilter, Role
from gateway.store.opening import open_discovery
from tests import live
from tests.chromium import Window, browser, complaints, faults, follow, sign_in
from tests.page_house import opened
from tests.payloads import PAYLOADS
from tests.publish.desk import make_databases
from tests.review_files import Files
from tests.review_house import PASSWORD, add_user
from tests.rows import each_row

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


@each_row("field", ["td input[type=checkbox]", "#reason", "#comment"])
def test_enter_in_a_field_decides_nothing(site: str, window: Window, folder: Path, field: str) -> None:
    """Browsers press the first button of the form then, which would be that of the first row."""
    with closing(open_discovery(folder)) as desk:
        before = desk.latest_decisions(DecisionFilter(), (1 << 53, 0), 1)
        window.get(f"{site}/review")
        window.find_element(By.CSS_SELECTOR, field).send_keys(Keys.ENTER)
        window.get(f"{site}/review/decisions")
        assert desk.latest_decisions(DecisionFilter(), (1 << 53, 0), 1) == before


def test_a_lost_race_is_explained_and_decided_again(site: str, window: Window, folder: Path) -> None:
    """The page that says so has no fault of accessibility, and neither has that of a batch that left a file out."""
    browser(360)
    with closing(open_discovery(folder)) as desk:
        window.get(f"{site}/review?order=title")
        button = window.find_elements(By.CSS_SELECTOR, "button[name=row][value^=accept]")[-1]
        number = int(button.get_attribute("value").split()[1])
        (listed,) = desk.copies_of_decisions([number])
        desk.decide(listed.decision._replace(verdict="reject", decided_by="A. Berg", reason="Not <b>open</b>."))
        follow(window, button.click)
        assert window.find_element(By.TAG_NAME, "h1").text == "There is a newer decision"
        assert "Not <b>open</b>." in window.find_element(By.TAG_NAME, "main").text
        assert faults(window) == []
        follow(window, window.find_element(By.CSS_SELECTOR, "button[name=verdict][value=accept]").click)
        assert "Accepted:" in window.find_element(By.CSS_SELECTOR, "[role=status]").text
        waiting = [listed.decision for listed in desk.listed_copies("review", CopyFilter(), CopyOrder.TITLE, None, 2)]
        numbers = "&".join(f"number={decision.number}" for decision in waiting)
        window.get(f"{site}/review/batch?verb=reject&{numbers}")
        desk.decide(waiting[0]._replace(decided_by="A. Berg", verdict="reject"))
        follow(window, window.find_element(By.CSS_SELECTOR, "main form button.primary").click)
        assert "1 file was left out" in window.find_element(By.CSS_SELECTOR, "[role=status]").text
        assert faults(window) == []
