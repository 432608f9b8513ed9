"""Docstrings have short sentences, and no phrase for which there is a plain one. `test_pages.py` does this for pages.

A code span counts as one word. Commands, tables and drawings do not count.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

MOST_WORDS = 25

# The longer sentences that are left in a file. No further one may join them.
LEFT = {
    "harvester/harvest/never_held.py": 1,
    "harvester/sources/oai_pmh/completeness.py": 1,
    "harvester/sources/oai_pmh/list_records.py": 1,
    "harvester/sources/oai_pmh/walk_list.py": 1,
}

# Phrases, and what to write instead.
PHRASES = {
    r"\bwhoever\b": "a harvester that",
    r"\bgoes of itself\b": "is scheduled",
    r"\b(?:source|server|host|hub|site|it) is (?:ill|busy|well)\b(?!-)": "is failing, overloaded, available",
    r"\bis well again\b": "is available again",
    r"\bheld against\b": "compared with",
    r"\bin rings\b": "loops",
    r"\bgravest\b": "worst",
    r"\bfor want of\b": "because ... is missing",
}

_DRAWING = re.compile(r"[├└│|]|->|<-|----|\S {2,}\S")  # a line of a drawing or of a table
_COMMENT = re.compile(r"(?m)^ *(?:#|--)")
_SPAN = re.compile(r"`[^`]*`")
_LINK_TO_FILE = re.compile(r"\[[^\] ]*\]\([^)]*\)")  # its text is one word, such as the name of the file
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ADDRESS = re.compile(r"https?://\S+[^\s.,)]")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.)\s)")
_END = re.compile(r"(?<=[.!?])[)\"'*]*\s+(?=[\"'(*A-Z0-9])")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text. An item of a list begins a new one."""
    text = _LINK.sub(r"\1", _LINK_TO_FILE.sub("FILE", _SPAN.sub("CODE", text)))
    for paragraph in _PARAGRAPH.split(_ADDRESS.sub("ADDRESS", text)):
        yield from filter(None, _END.split(" ".join(paragraph.split())))


def too_long(text: str) -> list[str]:
    """Return the sentences that have too many words."""
    return [sentence for sentence in sentences(text) if len(re.findall(r"\S*\w\S*", sentence)) > MOST_WORDS]


def docstrings(module: str) -> Iterator[str]:
    """Yield the prose of the docstrings of a module. Lines that are indented further are no prose."""
    for node in ast.walk(ast.parse(module)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (ast.get_docstring(node) or "").splitlines()
            yield "\n".join("" if line.startswith(" ") or _DRAWING.search(line) else line for line in lines)


def _modules(package: str, *endings: str) -> list[Path]:
    files = sorted(file for file in (ROOT / package).rglob("*") if file.suffix in endings)
    assert files
    return files


@pytest.mark.slow
@pytest.mark.parametrize("package", ["gateway", "harvester"])
def test_sentences_of_docstrings_are_short(package: str) -> None:
    longer = {
        str(file.relative_to(ROOT)): [
            sentence for docstring in docstrings(file.read_text("utf-8")) for sentence in too_long(docstring)
        ]
        for file in _modules(package, ".py")
    }
    assert {file: added for file, added in longer.items() if len(added) > LEFT.get(file, 0)} == {}


@pytest.mark.slow
@pytest.mark.parametrize("package", ["gateway", "harvester"])
def test_no_phrase_is_used_for_which_there_is_a_plain_one(package: str) -> None:
    used = Counter[str]()
    for file in _modules(package, ".py", ".sql"):
        text = " ".join(_COMMENT.sub("", file.read_text("utf-8")).split())
        for phrase, instead in PHRASES.items():
            for match in re.finditer(phrase, text, re.IGNORECASE):
                used[f"{file.relative_to(ROOT)}: {match[0]}; write: {instead}"] += 1
    assert used == {}


def test_a_long_sentence_is_found() -> None:
    words = " ".join(["word"] * MOST_WORDS)
    module = f'"""Return it.\n\nThe {words}.\n\n* An item is short: {words[:40]}.\n"""'
    assert [too_long(docstring) for docstring in docstrings(module)] == [[f"The {words}."]]


@pytest.mark.parametrize(
    "text",
    [
        "word " * 20 + "end. " + "Word " * 20,
        "word " * 20 + "(end.) " + "Word " * 20,
        "word " * 20 + "`a code span of many words` and [a link](of/many words).",
        "* " + "word " * 20 + "\n* " + "word " * 20,
        "word " * 20 + "\n\n" + "word " * 20,
    ],
)
def test_sentences_spans_and_items_are_counted_alone(text: str) -> None:
    assert too_long(text) == []


def test_tables_drawings_and_commands_do_not_count() -> None:
    lines = "\n".join(["DIR/file.json   a file that has something in it"] * 5)
    assert [too_long(docstring) for docstring in docstrings(f'"""Return it.\n\n{lines}\n"""')] == [[]]
