"""Whatever colour the settings have, text in it can be read, in light and in dark mode (WCAG 2.2, 1.4.3)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gateway.pages
from gateway.pages.colours import DARK, LEAST_CONTRAST, LIGHT, accents, contrast, is_colour, readable
from gateway.pages.style import style_sheet
from tests.rows import each_row

SHEET = Path(gateway.pages.__file__).with_name("style.css").read_text("utf-8")


@given(st.integers(0, 0xFFFFFF))
def test_every_colour_becomes_readable_in_both_modes(number):
    light, dark = accents(f"#{number:06x}")
    assert min(contrast(light, ground) for ground in LIGHT) >= LEAST_CONTRAST
    assert min(contrast(dark, ground) for ground in DARK) >= LEAST_CONTRAST


def test_a_readable_colour_stays_as_it_is():
    assert readable("#1D4F91", LIGHT) == "#1d4f91"
    assert accents("#1d4f91") == ("#1d4f91", "#8ab8f5")


def test_a_colour_keeps_its_hue():
    light, dark = accents("#ff6600")
    red, green, blue = (int(light[place : place + 2], 16) for place in (1, 3, 5))
    assert red > green > blue
    assert dark == "#ff6600"  # bright enough for a dark page


def test_the_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@each_row("text", ["", "red", "#fff", "#12345g", "#1234567", "#123456;"])
def test_only_six_digits_are_a_colour(text):
    assert not is_colour(text)
    assert is_colour("#0A1b2c")


def _colours(part: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", part))


@each_row("mode", ["light", "dark"])
def test_the_colours_of_the_sheet_can_be_read_on_their_grounds(mode):
    light, _, rest = SHEET.partition("@media screen and (prefers-color-scheme: dark)")
    known = _colours(light) if mode == "light" else _colours(rest.partition("/* Ground */")[0])
    assert (known["page"], known["panel"]) == (LIGHT if mode == "light" else DARK)
    for text in ("ink", "soft", "visited"):
        assert min(contrast(known[text], known[ground]) for ground in ("page", "panel")) >= LEAST_CONTRAST, text
    for tone in ("good", "caution", "bad", "neutral"):
        assert contrast(known[tone], known[f"{tone}-tint"]) >= LEAST_CONTRAST, tone
    assert contrast(known["edge"], known["page"]) >= 3  # edges of controls (1.4.11)
    assert contrast(known["bar"], known["page"]) >= 3
    assert contrast(known["ink"], known["mark"]) >= LEAST_CONTRAST


def test_the_sheet_is_small_and_has_the_colours_of_the_settings():
    sheet = style_sheet("#ff6600")
    assert len(sheet.content) <= 20_000
    assert b"accent-light" not in sheet.content
    assert b"--accent: #ff6600" in sheet.content
    assert re.fullmatch(r"style-[0-9a-f]{16}\.css", sheet.name)
    assert sheet.name != style_sheet("#1d4f91").name
