"""Templates escape what they show; texts of pages choose the form of a number."""

from __future__ import annotations

import re
from pathlib import Path

import gateway
from gateway.pages.texts import counted, texts
from tests.rows import each_row

HERE = Path(gateway.__file__).parent
TEMPLATES = sorted(HERE.glob("*/templates/*.html"))


@each_row("template", TEMPLATES)
def test_a_template_escapes_everything_and_has_no_style_or_script_of_its_own(template):
    text = template.read_text("utf-8")
    assert "|safe" not in text.replace(" ", "")
    assert "autoescape" not in text
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=|javascript:|target=", text)
    for script in re.findall(r"<script[^>]*>", text):
        assert 'type="application/ld+json"' in script or "src=" in script


def test_numbers_choose_their_form():
    assert [counted(number, ("{n} file", "{n} files")) for number in (0, 1, 2, 1234)] == [
        "0 files",
        "1 file",
        "2 files",
        "1,234 files",
    ]


def test_texts_are_a_tree_of_attributes():
    assert texts().item.full_text == "Full text"
