"""Templates escape what they show; texts of pages choose the form of a number."""

import re
from pathlib import Path

import gateway
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
