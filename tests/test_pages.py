"""Pages (Markdown) are plain: short sentences, whole lines, and a link at the first use of a term of the glossary."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import pairwise
from textwrap import dedent

import pytest

from tests.conftest import ROOT

WORDS_OF_A_SENTENCE = 25
# A line of a paragraph that is shorter than this, although its next word fits, was broken by an edit.
WHOLE_LINE = 100

GLOSSARY = ROOT / "gateway/GLOSSARY.md"
# Terms that every reader understands without the glossary, or that are also common verbs.
PLAIN_TERMS = {"claim", "instance", "item", "offer", "record", "review", "set", "source", "step", "store"}
# Lists of what was changed and decided, which nobody reads from the beginning.
LISTS = {"CHANGELOG.md", "gateway/DECISIONS.md"}

PAGES = {
    str(file.relative_to(ROOT)): file
    for file in sorted(ROOT.rglob("*.md"))
    if not {".venv", ".pytest_cache", "build", "node_modules"} & set(file.relative_to(ROOT).parts)
}

_ITEM = re.compile(r"\s*(?:[*-]|\d+\.)\s+")
_MARK = re.compile(rf"^{_ITEM.pattern}")
_LINK = re.compile(r"!?\[([^\]]*)\]\(([^)]*)\)")
_NO_PROSE = (
    r"(?s)<!-- generated: .*?<!-- end -->",
    r"(?ms)^ *```.*?^ *```$",
    r"(?m)^#+ .*$",
)


def _prose(text: str, *further: str) -> str:
    """Return the text of a page with every character of code, headings and generated parts replaced by a blank."""
    for pattern in (*_NO_PROSE, *further):
        text = re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def _newest_release(text: str) -> str:
    """Return the part of CHANGELOG.md on the newest release; the others are history."""
    return "\n## ".join(text.split("\n## ")[:2])


def _blocks(text: str) -> Iterator[list[str]]:
    """Yield the lines of each paragraph and of each item of a list."""
    lines: list[str] = []
    for line in [*_prose(text, r"(?m)^\s*\|.*$", r"(?m)^<.*$").split("\n"), ""]:
        if (not line.strip() or _ITEM.match(line)) and lines:
            yield lines
            lines = []
        if line.strip():
            lines.append(line)


def _sentences(text: str) -> Iterator[str]:
    for block in _blocks(text):
        paragraph = re.sub(r"`[^`]*`", "CODE", _MARK.sub("", " ".join(block)))
        paragraph = _LINK.sub(lambda match: match[1][:1].upper() + match[1][1:], paragraph)
        yield from re.split(r"(?<=[.!?])[)*]*\s+(?=[A-Z(*\"])", paragraph)


def _long_sentences(text: str) -> list[str]:
    words = ((sentence, [word for word in sentence.split() if re.search(r"\w", word)]) for sentence in _sentences(text))
    return [" ".join(sentence.split()) for sentence, counted in words if len(counted) > WORDS_OF_A_SENTENCE]


@pytest.mark.parametrize("page", PAGES)
def test_no_sentence_of_a_page_has_more_than_25_words(page: str) -> None:
    """Code counts as one word. Tables, headings and generated parts are not counted."""
    text = PAGES[page].read_text(encoding="utf-8")
    assert _long_sentences(_newest_release(text) if page == "CHANGELOG.md" else text) == []


def test_a_sentence_ends_at_its_full_stop_and_code_is_one_word() -> None:
    sentence = " ".join(["word"] * 23)
    assert _long_sentences(f"A {sentence} `harvester run NAME --full`. A {sentence} [two](a.md).\n") == []
    assert _long_sentences(f"* A {sentence} [With a link](a.md).\n") == [f"A {sentence} With a link."]


def test_tables_headings_and_commands_of_a_page_do_not_count() -> None:
    page = f"""
        # {"Heading " * 30}
        | {"cell " * 30} |
        ```console
        $ {"word " * 30}
        ```
        <!-- generated: settings -->
        {"word " * 30}
        <!-- end -->
        """
    assert _long_sentences(dedent(page)) == []


@pytest.mark.parametrize("page", sorted(PAGES.keys() - {"CHANGELOG.md"}))
def test_no_line_of_a_paragraph_is_broken(page: str) -> None:
    broken = [
        line
        for block in _blocks(PAGES[page].read_text(encoding="utf-8"))
        for line, following in pairwise(block)
        if len(line) + 1 + len(following.split()[0]) <= WHOLE_LINE
    ]
    assert broken == []


def _anchors() -> dict[str, str]:
    """Return the anchor of each term of the glossary."""
    heads = re.findall(r"(?m)^### (.*)$", GLOSSARY.read_text(encoding="utf-8"))
    return {term: re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads for term in head.split(", ")}


def _first_uses(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield each term of the glossary that a page uses, its anchor, and where it first stands in the prose."""
    prose = _prose(text, r"`[^`]*`", r"!\[[^\]]*\]", r"\]\([^)]*\)", r"\w+\.md\b")
    for term, anchor in _anchors().items():
        flags = 0 if term[0].isupper() else re.IGNORECASE
        if term not in PLAIN_TERMS and (match := re.search(rf"(?<!-)\b{re.escape(term)}s?\b", prose, flags)):
            yield term, anchor, match.start()


@pytest.mark.parametrize("page", sorted(PAGES.keys() - LISTS - {"gateway/GLOSSARY.md"}))
def test_a_term_of_the_glossary_is_linked_where_it_first_stands(page: str) -> None:
    text = PAGES[page].read_text(encoding="utf-8")
    glossary = os.path.relpath(GLOSSARY, PAGES[page].parent)
    links = [(match.span(1), match[2]) for match in _LINK.finditer(text)]
    unlinked = [
        term
        for term, anchor, place in _first_uses(text)
        if not any(begin <= place < end and target == f"{glossary}#{anchor}" for (begin, end), target in links)
    ]
    assert unlinked == []


def test_plain_terms_are_terms_of_the_glossary() -> None:
    assert PLAIN_TERMS - _anchors().keys() == set()
