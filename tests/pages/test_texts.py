"""All texts stand in one file; templates and code use no other, and use every one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import gateway
from gateway.pages.texts import counted, texts

HERE = Path(gateway.__file__).parent
TEMPLATES = sorted(HERE.glob("*/templates/*.html"))
TEXTS = tomllib.loads((HERE / "pages/texts.toml").read_text("utf-8"))
# Their keys are values of records, outcomes, or kinds; a page looks for them by name.
BY_NAME = (
    "kinds",
    "languages",
    "schemes",
    "outcomes",
    "trends",
    "kinds_of_source",
    "format_names",
    "help",
    "steps",
    "step_outcomes",
    "search_outcomes",
    "review_all",
    "review_headings",
    "review_verdicts",
    "review_colours",
    "review_orders",
    "review_status",
    "review_batch",
    "review_race",
    "review_facts",
    "review_judged",
    "review_rules",
    "review_takedown_kinds",
    "review_takedown_reasons",
)


def _keys(entries: dict, above: str = "") -> Iterator[str]:
    for name, value in entries.items():
        if isinstance(value, dict):
            yield from _keys(value, f"{above}{name}.")
        else:
            yield above + name


def test_every_text_is_used():
    sources = "\n".join(file.read_text("utf-8") for file in (*TEMPLATES, *HERE.glob("*/*.py")))
    used = set(re.findall(r"(?:\bt|texts)\.([a-z_]+\.[a-z_]+)", sources))
    used |= set(re.findall(r"\b(?:texts|errors)\.([a-z_]+)", sources))
    unused = [
        key
        for key in _keys(TEXTS)
        if key.split(".")[0] not in BY_NAME
        and key.count(".") == 1
        and key not in used
        and key.split(".")[1] not in used
    ]
    assert unused == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda file: f"{file.parent.parent.name}-{file.stem}")
def test_a_template_has_no_text_of_its_own(template):
    text = re.sub(r"(?s)\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<script.*?</script>", " ", template.read_text("utf-8"))
    words = re.sub(r"(?s)<pre.*?</pre>|<!doctype html>|<[^>]*>|lang=\"", " ", text)
    # The names of formats and of the protocol are the same in every language.
    words = re.sub(r"BibTeX|RIS|CSL|JSON-LD|JSON|Signposting|ORCID|ListMetadataFormats|&amp;|CSV|Atom", " ", words)
    assert re.findall(r"[A-Za-z]{2,}", words) == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda file: f"{file.parent.parent.name}-{file.stem}")
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
