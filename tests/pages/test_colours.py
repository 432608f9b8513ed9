"""Whatever colour the settings have, text in it can be read, in light and in dark mode (WCAG 2.2, 1.4.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.pages.site import DARK, LEAST_CONTRAST, LIGHT, accents, contrast, is_colour
from tests.rows import each_row


@given(st.integers(0, 0xFFFFFF))
def test_every_colour_becomes_readable_in_both_modes(number):
    light, dark = accents(f"#{number:06x}")
    assert min(contrast(light, ground) for ground in LIGHT) >= LEAST_CONTRAST
    assert min(contrast(dark, ground) for ground in DARK) >= LEAST_CONTRAST


def test_the_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@each_row("text", ["", "red", "#fff", "#12345g", "#1234567", "#123456;"])
def test_only_six_digits_are_a_colour(text):
    assert not is_colour(text)
    assert is_colour("#0A1b2c")
