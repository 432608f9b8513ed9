"""A real browser reviews files: by keyboard and by mouse, with and without JavaScript, on a phone and on a desk.

A judge of accessibility (axe-core, WCAG 2.2 AA) looks at every page of the review, light and dark.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from gateway.core.model import Role
from gateway.core.takedown_file import TakedownFile
from gateway.core.takedowns import Kind, Takedown
from tests import live
from tests.chromium import Window, browser, complaints, faults, follow, sign_in, too_wide
from tests.page_house import opened, statement
from tests.publish.harness import Sent, dc, make_databases, pdf
from tests.review_house import PASSWORD, Files, add_user
from tests.rows import each_row

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured, pytest.mark.needs("chromium", "chromedriver", "axe-core")]

ITEM = "/review/items/oai:gateway.example.org:laro/"
WAITING = 60  # more than a page of the list has
SECRET = "x" * 40
PAGES = {
    "copies": "/review",
    "a filter that is none": "/review?least_score=high",
    "item": f"{ITEM}w0",
    "item with a text": f"{ITEM}full",
    "item after a decision": f"{ITEM}done",
    "hostile item": f"{ITEM}hostile",
    "no such item": f"{ITEM}nothing",
    "decisions": "/review/decisions",
    "our copy is not there": f"/review/copies/{'0' * 64}",
    "a form that is none": "/review/batch",
    "batch": "/review/batch?verb=accept&all=1&host=repository.example.net",
    "precision": "/review/precision",
    "sample": "/review/sample",
    "takedowns, and removed ones": "/review/takedowns?removed=with",
    "a takedown of an item": "/review/takedowns/new?item=oai:gateway.example.org:laro/w0",
    "item with a file that nobody has fetched": f"{ITEM}named",
    "a takedown of an address": f"/review/takedowns/new?item={ITEM[14:]}named&address=http://laro.example.org/x.pdf",
    "a hostile address": f"/review/takedowns/new?item={ITEM[14:]}named&address=javascript:%E2%80%AEx",
    "a takedown of a file": f"/review/takedowns/new?file={sha256(b'%PDF-1.7 w0').hexdigest()}",
}
FIRST_PAGE = (
    """Journal of Reef Science 12 (2023) 45-67
Thermal Tolerance of Soft Corals in the Red Sea
M\u00e4rta Lindqvist 2 and Max Stranger 1
https://doi.org/10.5555/reef.2. Received 3 May 2023
Abstract. Marine heatwaves strike reefs every second summer."""
    + " Reefs are warm." * 60
)
HOSTILE = "<script>document.title='run'</script>\u202e\"><img src=x onerror=document.title='run'>"


def furnished(folder: Path) -> None:
    """Make an instance with files that wait, that rules accepted, and with users."""
    make_databases(folder)
    with opened(folder) as house:
        files = Files(house)
        for number in range(WAITING):
            files.add(f"w{number}", f"Work {number:02} on the reefs of the Red Sea", score=0.1 + number / 100)
        files.add("unread", "A work whose file was not read", score=None)
        for number in range(3):
            files.add(
                f"a{number}", f"Accepted work {number}", verdict="accept",
                reason="The licence cc-by was stated for this copy.",
            )  # fmt: skip
        record = dc(
            "Thermal tolerance of reef-building corals in the Red Sea", statement("creator", "Okafor, Ada"),
            statement("creator", "Lindqvist, M\u00e4rta"), statement("date", "2024"),
            statement("identifier", "doi:10.5555/reef.1"),
        )  # fmt: skip
        named = dc("A work whose file nobody has fetched", pdf("x"), pdf("y"))
        house.harness.send(Sent("full", record), Sent("named", named))
        house.harness.publish()
        full = files.find("full", "Thermal tolerance of reef-building corals in the Red Sea", text_version="published")
        files.discovery.keep_first_page(full.sha256, FIRST_PAGE)
        files.add("done", "Decided work", by="A. Reader", verdict="reject", reason="It is another work.")
        files.add("hostile", HOSTILE, url="https://h.example/%3Cscript%3E", evidence=HOSTILE, reason=HOSTILE)
    add_user(folder, "B. Ito", Role.ADMINISTRATOR)
    entry = Takedown(
        Kind.URL, "elsewhere.example.org/1.pdf", at="2026-01-01T00:00:00Z", by="A. Reader", reason="Asked."
    )
    removed = entry._replace(value="elsewhere.example.org/2.pdf", removed_at="2026-01-02T00:00:00Z", removed_by=HOSTILE)
    TakedownFile(folder).change(lambda _: (entry, removed))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("review")
    furnished(made)
    (made / "config.toml").write_text("")
    done = live.called("gateway", made, "clock", "--accept", secret=SECRET)
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    with live.served(folder, secret=SECRET) as server:
        yield server.url.removesuffix("/oai")


@pytest.fixture(autouse=True)
def user(site: str) -> None:
    """Sign in, unless another test here has done it: then `/review` leads nowhere else."""
    window = browser(1280)
    window.get(f"{site}/review")
    if "/review/login" in window.current_url:
        sign_in(window, site, "B. Ito", PASSWORD)


@pytest.fixture(autouse=True)
def fresh(folder: Path) -> Iterator[None]:
    """Take back what people decide in a test: all files wait again, as at the beginning."""
    yield
    with closing(sqlite3.connect(folder / "discovery.sqlite")) as connection, connection:
        connection.execute("delete from decision where decided_by = 'B. Ito'")
        connection.execute(
            "update copy set (verdict, decision, decided_by) = (select verdict, number, decided_by from decision"
            " where decision.identifier = copy.identifier and decision.url = copy.url order by number desc limit 1)"
        )


def verdicts(folder: Path, by: str = "B. Ito") -> list[str]:
    """Return what a user has decided, in order."""
    with closing(sqlite3.connect(folder / "discovery.sqlite")) as connection:
        rows = connection.execute(
            "select verdict, is_undoing from decision where decided_by = ? order by number", (by,)
        )
        return [f"undo to {verdict}" if is_undoing else verdict for verdict, is_undoing in rows]


def reasons(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "discovery.sqlite")) as connection:
        rows = connection.execute("select reason from decision where decided_by = 'B. Ito' order by number")
        return [reason for (reason,) in rows]


def press(window: Window, *keys: str) -> None:
    """Press keys where the focus is, one after the other."""
    for key in keys:
        window.switch_to.active_element.send_keys(key)


def status(window: Window) -> WebElement:
    """Return the message about the last decision, when it is there."""
    return WebDriverWait(window, 240).until(lambda _: window.find_element(By.CSS_SELECTOR, "[role=status]"))


def decide(window: Window, act: Callable[[], object]) -> None:
    """Do something that decides, and wait for the page after it, which says so."""
    follow(window, act)
    status(window)


@pytest.mark.parametrize(("start", "width"), [("list", 1280), ("item", 360)])
def test_three_files_by_keyboard_and_one_undone(site, folder, start, width):
    window = browser(width)
    window.get(f"{site}/review" if start == "list" else f"{site}{ITEM}w0")
    if start == "list":
        press(window, "j", "j")
        assert window.find_element(By.CSS_SELECTOR, "[data-current] a[data-key=o]") == window.switch_to.active_element
    decide(window, lambda: press(window, "a"))
    if start == "item":
        assert window.switch_to.active_element == window.find_element(By.TAG_NAME, "h1")
    press(window, "r")
    field = window.switch_to.active_element
    assert field.get_attribute("name") == "reason"
    Select(field).select_by_index(5)
    decide(window, lambda: press(window, Keys.ENTER))
    decide(window, lambda: press(window, "a"))
    decide(window, lambda: press(window, "u"))
    assert verdicts(folder) == ["accept", "reject", "accept", "undo to review"]
    assert reasons(folder)[1] != "No reason was given."


@pytest.mark.parametrize(("has_scripts", "width"), [(True, 360), (False, 1280)], ids=["scripts", "no scripts"])
def test_three_files_by_mouse_and_one_undone(site, folder, width, has_scripts):
    window = browser(width, has_scripts=has_scripts)
    window.get(f"{site}/review")
    decide(window, lambda: click(window, "tr:nth-of-type(2) button[data-key=a]"))
    follow(window, lambda: click(window, "tr:nth-of-type(3) a[data-key=o]"))
    click(window, "section[data-row] textarea").send_keys("Seen by mouse.")
    decide(window, lambda: click(window, "section[data-row] button[data-key=r]"))
    decide(window, lambda: click(window, "section[data-row] button[data-key=a]"))
    decide(window, lambda: click(window, "[role=status] [data-key=u]"))
    assert verdicts(folder) == ["accept", "reject", "accept", "undo to review"]
    assert "Seen by mouse." in reasons(folder)[1]


def click(window: Window, selector: str) -> WebElement:
    element = WebDriverWait(window, 240).until(lambda _: window.find_element(By.CSS_SELECTOR, selector))
    element.click()
    return element


def test_twenty_files_are_accepted_at_once_and_undone(site, folder):
    window = browser(1280)
    window.get(f"{site}/review")
    boxes = window.find_elements(By.CSS_SELECTOR, "[data-row] input[type=checkbox]")[:20]
    for _ in boxes:
        press(window, "j", "x")
    assert all(box.is_selected() for box in boxes)
    follow(window, lambda: click(window, "button[name=batch][value=accept]"))
    assert "20" in window.find_element(By.TAG_NAME, "h1").text
    assert len(window.find_elements(By.CSS_SELECTOR, "tbody tr")) == 20
    assert verdicts(folder) == []
    decide(window, lambda: click(window, "main form[method=post][action$='/review/batch'] button.primary"))
    assert verdicts(folder) == ["accept"] * 20
    follow(window, lambda: click(window, "[role=status] [data-key=u]"))
    decide(window, lambda: click(window, "main form[method=post][action$='/review/batch'] button.primary"))
    assert verdicts(folder) == ["accept"] * 20 + ["undo to review"] * 20


def test_keys_do_nothing_in_fields_with_modifiers_or_when_they_are_off(site, folder):
    window = browser(1280)
    window.get(f"{site}{ITEM}w0")
    click(window, "section[data-row] textarea").send_keys("a u r j ? ")
    press(window, Keys.ESCAPE)
    for modifier in (Keys.ALT, Keys.CONTROL, Keys.META):
        ActionChains(window).key_down(modifier).send_keys("a").key_up(modifier).perform()
    assert verdicts(folder) == []
    press(window, "?")
    assert window.find_element(By.TAG_NAME, "dialog").is_displayed()
    press(window, "a")
    assert verdicts(folder) == []
    press(window, Keys.ESCAPE)
    assert not window.find_element(By.TAG_NAME, "dialog").is_displayed()
    switch = window.find_element(By.CSS_SELECTOR, "#keys input")
    switch.click()
    window.refresh()
    press(window, "a")
    window.find_element(By.TAG_NAME, "body").send_keys("a")
    assert verdicts(folder) == []
    assert not window.find_element(By.CSS_SELECTOR, "#keys input").is_selected()
    window.find_element(By.CSS_SELECTOR, "#keys input").click()
    decide(window, lambda: window.find_element(By.TAG_NAME, "body").send_keys("a"))
    assert verdicts(folder) == ["accept"]


def test_a_key_that_is_held_or_pressed_twice_decides_once(site, folder):
    window = browser(1280)
    window.get(f"{site}{ITEM}w0")
    held = "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true, repeat: true}))"
    composed = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true, isComposing: true}))"
    window.execute_script(f"document.body.focus(); {composed}; {held.replace('document.', 'document.body.', 1)}")
    assert verdicts(folder) == []
    twice = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true}));"
    decide(window, lambda: window.execute_script(twice + twice))
    assert verdicts(folder) == ["accept"]


def test_undo_means_the_last_decision_and_never_that_on_the_next_file(site, folder):
    """After the last step back, the key does nothing, although the file of the page has a decision to undo."""
    window = browser(1280)
    for name in ("w11", "w10"):
        window.get(f"{site}{ITEM}{name}?host=repository.example.net&verdict=any")
        decide(window, lambda: press(window, "a"))
    assert window.find_element(By.CSS_SELECTOR, "section[data-row] button[data-key=u]").is_displayed()
    decide(window, lambda: press(window, "u"))
    press(window, "u")
    window.refresh()
    assert verdicts(folder) == ["accept", "accept", "undo to review"]


# --- how the pages look -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@each_row("name", ["login", *PAGES])
def test_the_judge_of_accessibility_finds_nothing(site, name, dark):
    window = browser(360 if dark else 1280, dark=dark)
    _visit(window, site, name)
    assert faults(window) == []
    if name in ("copies", "item"):
        press(window, "?")
        assert faults(window) == []


@each_row("name", ["login", *PAGES])
def test_no_page_is_wider_than_the_smallest_phone_and_nothing_is_forbidden(site, name):
    window = browser(320)
    complaints(window)
    _visit(window, site, name)
    assert window.title != "run"
    assert complaints(window, ["status of 4"]) == []
    assert too_wide(window) == []


def _visit(window: Window, site: str, name: str) -> None:
    """Open a page; that to sign in as a stranger sees it."""
    if name != "login":
        window.get(site + PAGES[name])
        return
    window.get(f"{site}/review")
    cookies = window.get_cookies()
    window.delete_all_cookies()
    window.get(f"{site}/review/login")
    for cookie in cookies:
        window.add_cookie(cookie)
