"""Name, colour and logo of the settings are those of the pages, and can be read; wrong ones stop the start."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.addresses import site_url
from gateway.core.errors import ConfigurationError
from gateway.pages.site import DARK, LEAST_CONTRAST, LIGHT, accents, contrast, is_colour
from tests.page_house import opened
from tests.publish.harness import make_databases
from tests.rows import each_row

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture
def folder(tmp_path, ready_made):
    ready_made(tmp_path, make_databases)
    return tmp_path


def test_the_sheet_and_the_logo_are_served_for_ever(folder):
    (folder / "our.svg").write_bytes(SVG)
    with opened(folder, pages_logo="our.svg", pages_colour="#ff6600", repository_name="Polar <Archive>") as house:
        html = house.page("/")
        assert "Polar &lt;Archive&gt;" in html
        for part, content_type in (("style-", "text/css; charset=UTF-8"), ("logo-", "image/svg+xml")):
            path = next(text for text in html.split('"') if f"/assets/{part}" in text)
            answer = house.get(path)
            assert (answer.status_code, answer.content_type) == (200, content_type)
            assert "immutable" in answer.headers["Cache-Control"]
            assert "sandbox" in answer.headers["Content-Security-Policy"]
        assert house.get("/assets/style-0.css").status_code == 404


@each_row(
    "setting, value, words",
    [
        ("pages_colour", "red", "pages_colour is 'red'"),
        ("pages_logo", "logo.gif", "use a file that ends in .svg"),
        ("pages_logo", "nothing.png", "nothing.png cannot be read"),
        ("pages_logo", "large.png", "at most 200000 are served"),
    ],
)
def test_a_setting_that_cannot_be_used_stops_the_start(folder, setting, value, words):
    (folder / "large.png").write_bytes(b"x" * 200_001)
    with pytest.raises(ConfigurationError, match=words.replace(".", r"\.")), opened(folder, **{setting: value}):
        pass


@each_row(
    "base_url, stated, url",
    [
        ("https://x.org/oai", "", "https://x.org"),
        ("https://x.org/gateway/oai", "", "https://x.org/gateway"),
        ("https://x.org/provider", "", "https://x.org"),
        ("https://x.org/provider", "https://x.org/pages/", "https://x.org/pages"),
    ],
)
def test_the_start_page_is_where_the_settings_say(base_url, stated, url):
    assert site_url(base_url, stated) == url


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
