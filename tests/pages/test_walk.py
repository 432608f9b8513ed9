"""A walk through the site in a real browser: what a reviewer accepts, a reader sees."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from gateway.cli.main import main
from gateway.core.settings import load
from gateway.search.indexing import make
from tests import live
from tests.chromium import browser, complaints, follow, sign_in
from tests.page_house import opened
from tests.publish.harness import make_databases
from tests.review_house import PASSWORD, Files, add_user

SECRET = "x" * 40


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an instance with an item, a file of which waits for a decision."""
    make_databases(tmp_path)
    with opened(tmp_path) as house:
        Files(house).add("1", "Thermal tolerance of corals")
    (tmp_path / "config.toml").write_text("")
    make(load(tmp_path), is_anew=True)
    add_user(tmp_path)
    done = CliRunner().invoke(main, ["--instance", str(tmp_path), "clock", "--accept"], env={"GATEWAY_SECRET": SECRET})
    assert done.exit_code == 0, done.output
    return tmp_path


@pytest.mark.needs("chromium", "chromedriver")
def test_a_reader_finds_an_item_and_sees_its_file_when_a_reviewer_has_accepted_it(folder):
    with live.served(folder, secret=SECRET) as server:
        site, window = server.url.removesuffix("/oai"), browser(1280)
        complaints(window)
        window.get(site)
        field = window.find_element(By.NAME, "q")
        field.send_keys("corals")
        follow(window, lambda: field.send_keys(Keys.ENTER))
        follow(window, window.find_element(By.CSS_SELECTOR, ".hits a").click)
        item = window.current_url
        assert "A file was found, and a decision is missing" in window.find_element(By.TAG_NAME, "main").text
        sign_in(window, site, "B. Ito", PASSWORD)
        window.get(f"{site}/review")
        window.switch_to.active_element.send_keys("j")
        follow(window, lambda: window.switch_to.active_element.send_keys("a"))
        assert "Accepted: Thermal tolerance" in window.find_element(By.CSS_SELECTOR, "[role=status]").text
        window.get(item)
        follow(window, window.refresh)  # a browser may show the page that it has, for some minutes
        assert "Found by Unpaywall" in window.find_element(By.TAG_NAME, "main").text
        assert complaints(window) == []
