"""Starts Debian's chromium for tests that need a real browser."""

from __future__ import annotations

from pathlib import Path

from selenium import webdriver

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
