"""XML is shown one element a line, and never changed otherwise."""

import re
from random import Random

from gateway.pages.list_pages import xml_lines
from tests.seeds import SEED


def test_an_element_with_only_text_is_one_line():
    text = '<record><header status="x"><identifier>oai:a</identifier><setSpec/></header><metadata/></record>'
    shown, is_cut = xml_lines(text, 1000)
    assert shown.splitlines() == [
        "<record>", '  <header status="x">', "    <identifier>oai:a</identifier>", "    <setSpec/>", "  </header>",
        "  <metadata/>", "</record>",
    ]  # fmt: skip
    assert not is_cut


def test_what_is_too_long_is_cut_between_lines():
    shown, is_cut = xml_lines("<a>" + "<b>text</b>" * 100 + "</a>", 60)
    assert is_cut
    assert len(shown) <= 60
    assert shown.endswith("</b>")


def test_nothing_is_added_or_lost_but_white_space():
    random = Random(SEED)
    for _ in range(500):
        text = "".join(
            random.choices(["<a>", "</a>", "<b/>", "x", " ", "\n", "é", "<", ">", "&lt;", "<c d='e'>"], k=20)
        )
        shown, _ = xml_lines(text, 10_000)
        assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", text), f"seed {SEED}"
