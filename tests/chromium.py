"""Starts Debian's chromium for tests that need a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

_OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


def started(profile: Path, *, dark: bool = False, has_scripts: bool = True, letters: int = 16) -> webdriver.Chrome:
    """Return a new browser with its own profile folder; the caller ends it.

    `dark`: in dark mode. `letters` is the size in pixels that a reader has chosen in the settings of the browser.
    """
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for word in (*_OPTIONS, f"--user-data-dir={profile}"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    preferences = {"webkit.webprefs.default_font_size": letters}
    if not has_scripts:
        preferences["profile.managed_default_content_settings.javascript"] = 2
    options.add_experimental_option("prefs", preferences)
    window = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    if dark:
        media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        window.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    return window


def follow(window: webdriver.Chrome, act: Callable[[], object]) -> None:
    """Do something that leads to another page, and return when that page is there, to its footer."""
    page = window.find_element(By.TAG_NAME, "html")
    act()
    WebDriverWait(window, 60).until(lambda _: _is_gone(page))
    WebDriverWait(window, 60).until(lambda _: window.find_elements(By.CSS_SELECTOR, "footer a"))


def _is_gone(element: WebElement) -> bool:
    try:
        element.is_enabled()
    except Exception:  # noqa: BLE001 - the browser has several ways to say that a page is gone
        return True
    return False
