"""How many files the page of an item shows, so that it stays small: at most 50, fewer beside long metadata. Pure."""

from collections.abc import Sequence
from typing import Final

from gateway.pages.item import Item, ShownFile

MOST_BYTES: Final = 50_000
MOST_FILES: Final = 50
MOST_LISTED: Final = 40  # on one page of the list of all files
MOST_ABSTRACTS: Final = 5
MOST_PARAGRAPHS: Final = 20  # of an abstract; the last one has the rest
MOST_SUBJECTS: Final = 20
MOST_IDENTIFIERS: Final = 10
_FEWEST_FILES = 5
# What the templates write around each text, and the least size of a page; all measured, and rounded up.
_FRAME, _FILE, _DIGEST, _SUBJECT, _IDENTIFIER, _TAG, _PARAGRAPH = 14_000, 540, 130, 200, 120, 40, 40


def shown_files_of(item: Item, tags: Sequence[tuple[str, str]], json_ld: str) -> tuple[ShownFile, ...]:
    """Return the files that the page shows beside these `meta` elements and this JSON-LD."""
    reference = item.reference
    room = MOST_BYTES - _FRAME - len(json_ld)
    room -= sum(len(name) + len(content) + _TAG for name, content in tags)
    for entry in reference.abstracts[:MOST_ABSTRACTS]:
        room -= len(entry.text) + _PARAGRAPH * min(MOST_PARAGRAPHS, 1 + entry.text.count("\n\n"))
    room -= sum(_SUBJECT + 2 * len(entry.text) for entry in reference.subjects[:MOST_SUBJECTS])
    room -= sum(_IDENTIFIER + 2 * len(entry.text) for entry in reference.identifiers[:MOST_IDENTIFIERS])
    shown = 0
    for file in item.files[:MOST_FILES]:
        room -= _FILE + len(file.url) + 2 * len(file.name) + (_DIGEST if file.sha256 else 0)
        if room < 0 and shown >= _FEWEST_FILES:
            break
        shown += 1
    return item.files[:shown]
