"""How the lists of the review look at every width, on paper, and to those who walk through them by Tab."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.review.test_browser_review import (  # noqa: F401 - fixtures
    browser,
    folder,
    site,
)

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium", "chromedriver", "axe-core")]

LISTS = ("/review?verdict=any", "/review/decisions", "/review/batch?verb=reject&all=1")
# Words of headings that are broken in the middle, and chips and scores that leave their cell; cards have none of them.
SQUEEZED = """
const heads = [...document.querySelectorAll('main thead th')].filter(cell => cell.getBoundingClientRect().width > 1);
const lines = cell => { const range = document.createRange(); range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size; };
const broken = heads.filter(cell => !cell.querySelector('.unseen')
  && lines(cell) > cell.textContent.trim().split(/\\s+/).length);
const out = [...document.querySelectorAll('td .chip')].filter(chip =>
  chip.getBoundingClientRect().right > chip.closest('td').getBoundingClientRect().right + 1);
const wide = [...document.querySelectorAll('td.number')].filter(cell => {
  const range = document.createRange(); range.selectNodeContents(cell);
  const text = range.getBoundingClientRect(), box = cell.getBoundingClientRect();
  return text.left < box.left - 1 || text.right > box.right - parseFloat(getComputedStyle(cell).paddingRight) + 1; });
return [...broken, ...out, ...wide].map(element => element.textContent.trim());
"""
# The lines of the times in the list of decisions.
LINES = """
return [...document.querySelectorAll('main tbody td:first-child > div')].map(cell => {
  const range = document.createRange(); range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size; });
"""
# Whether something lies over the middle of the element with the focus.
IS_COVERED = """
const element = document.activeElement, box = element.getBoundingClientRect();
if (element === document.body) return false;
const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
return !top || !(element.contains(top) || top.contains(element));
"""


@pytest.mark.parametrize("width", [360, 704, 800, 959, 960, 1024, 1280])
@pytest.mark.parametrize("address", LISTS)
def test_no_column_is_squeezed(site, browser, address, width):  # noqa: F811 - the fixtures
    window = browser(width)
    window.get(site + address)
    assert window.execute_script(SQUEEZED) == []


@pytest.mark.parametrize("width", [960, 1280])
def test_the_time_of_a_decision_is_in_one_line(site, browser, width):  # noqa: F811 - the fixtures
    window = browser(width)
    window.get(f"{site}/review/decisions")
    window.execute_script(
        "document.querySelectorAll('main tbody td:nth-child(5) bdi').forEach(e => e.textContent += ' words'.repeat(90))"
    )
    assert set(window.execute_script(LINES)) == {1}


@pytest.mark.parametrize("address", LISTS)
def test_a_list_on_paper_has_its_rows_and_no_controls(site, browser, address):  # noqa: F811 - the fixtures
    window = browser(800)
    window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        window.get(site + address)
        main = window.find_element(By.TAG_NAME, "main")
        rows = main.find_elements(By.CSS_SELECTOR, "tbody tr")
        assert len(rows) > 2
        assert all(row.is_displayed() for row in rows)
        controls = main.find_elements(By.CSS_SELECTOR, "button, input, select, textarea, nav, .button")
        assert [one.get_attribute("outerHTML") for one in controls if one.is_displayed()] == []
        assert "The next page shows first" not in main.text
    finally:
        window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("width", [720, 1000, 1280])
def test_the_bar_of_a_batch_covers_nothing_that_has_the_focus(site, browser, width):  # noqa: F811 - the fixtures
    window = browser(width)
    window.get(f"{site}/review")
    window.find_element(By.CSS_SELECTOR, "[data-row] input").click()
    for _ in range(60):
        window.switch_to.active_element.send_keys(Keys.TAB)
        assert not window.execute_script(IS_COVERED), window.switch_to.active_element.get_attribute("outerHTML")
    for _ in range(50):
        window.switch_to.active_element.send_keys(Keys.SHIFT, Keys.TAB)
        assert not window.execute_script(IS_COVERED), window.switch_to.active_element.get_attribute("outerHTML")
