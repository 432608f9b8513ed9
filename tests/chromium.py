"""Debian's chromium for tests that need a real browser; each process of the tests starts it once, and ends it."""

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterable
from functools import cache

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.conftest import AXE

Window = webdriver.Chrome
_PATIENCE_SECONDS = 240
_OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip
_JUDGED = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
  .then(result => done(result.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 200)).join(' | '))));
"""
# What WCAG 2.2, 1.4.12 lets a reader set; written by the browser itself, since our policy forbids styles in a page.
_SPACING = """
const sheet = new CSSStyleSheet();
sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; }'
  + ' * { word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }');
document.adoptedStyleSheets = [sheet];
"""
_TOO_WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


@cache
def _started() -> Window:
    profile = tempfile.mkdtemp(prefix="chromium-")
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for word in (*_OPTIONS, f"--user-data-dir={profile}"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    window = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    window.set_script_timeout(_PATIENCE_SECONDS)
    atexit.register(shutil.rmtree, profile, ignore_errors=True)
    atexit.register(window.quit)  # what is registered last is done first
    return window


def browser(width: int, *, dark: bool = False, has_scripts: bool = True, letters: int = 16) -> Window:
    """Return the browser of this process with a window of some width, in light or dark mode.

    `letters` is the size in pixels that a reader has chosen in the settings of the browser.
    """
    window = _started()
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 700}
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    for command, parameters in (
        ("Emulation.setDeviceMetricsOverride", screen),
        ("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]}),
        ("Emulation.setScriptExecutionDisabled", {"value": not has_scripts}),
        ("Page.setFontSizes", {"fontSizes": {"standard": letters}}),
    ):
        window.execute_cdp_cmd(command, parameters)
    return window


def follow(window: Window, act: Callable[[], object]) -> None:
    """Do something that leads to another page, and return when that page is there, to its footer."""
    page = window.find_element(By.TAG_NAME, "html")
    act()
    WebDriverWait(window, _PATIENCE_SECONDS).until(lambda _: _is_gone(page))
    WebDriverWait(window, _PATIENCE_SECONDS).until(lambda _: window.find_elements(By.CSS_SELECTOR, "footer a"))


def _is_gone(element: WebElement) -> bool:
    try:
        element.is_enabled()
    except Exception:  # noqa: BLE001 - the browser has several ways to say that a page is gone
        return True
    return False


def sign_in(window: Window, site: str, name: str, password: str) -> None:
    """Sign in to the review of a site as if nobody had signed in to another one."""
    window.get(f"{site}/review/login")
    window.delete_all_cookies()
    window.get(f"{site}/review/login")
    window.find_element(By.ID, "name").send_keys(name)
    window.find_element(By.ID, "password").send_keys(password)
    follow(window, window.find_element(By.CSS_SELECTOR, "form.login button").click)


def faults(window: Window) -> list[str]:
    """Return the faults of accessibility of a page (WCAG 2.2 AA, by axe-core), with everything on it opened."""
    for drawer in window.find_elements(By.TAG_NAME, "details"):
        window.execute_script("arguments[0].open = true", drawer)
    window.execute_script(AXE.read_text("utf-8"))
    return list(window.execute_async_script(_JUDGED))


def too_wide(window: Window, *, has_spacing: bool = True) -> list[int]:
    """Return by how many pixels a page is wider than its window: as it is, and with the spacing of WCAG 2.2, 1.4.12."""
    widths = [window.execute_script(_TOO_WIDE)]
    if has_spacing:
        window.execute_script(_SPACING)
        widths.append(window.execute_script(_TOO_WIDE))
    return [pixels for pixels in widths if pixels > 0]


def complaints(window: Window, expected: Iterable[str] = ()) -> list[str]:
    """Return what the browser has written to its console: what the policy of a page forbids, or cannot be loaded."""
    messages = [entry["message"] for entry in window.get_log("browser")]
    return [text for text in messages if not any(part in text for part in expected)]
