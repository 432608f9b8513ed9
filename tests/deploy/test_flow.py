"""The drawing of the flow, `deploy/flow.svg`: its text stays in its boxes, whatever font a browser has."""

from __future__ import annotations

from typing import NamedTuple
from xml.etree import ElementTree as ET

from tests.conftest import ROOT

SVG = "{http://www.w3.org/2000/svg}"
# The mean width of a letter, as a share of the size of the font, in DejaVu Sans: of usual fonts the widest.
WIDTH, WIDTH_OF_TITLE = 0.60, 0.63
SIZES = {"": 13, "title": 15, "command": 12}


class Box(NamedTuple):
    """A box of the drawing, in pixels."""

    left: float
    top: float
    right: float
    bottom: float


def _drawing() -> ET.Element:
    return ET.parse(ROOT / "deploy/flow.svg").getroot()


def _boxes() -> list[Box]:
    places = (
        [float(rect.get(name, "0")) for name in ("x", "y", "width", "height")]
        for rect in _drawing().iter(f"{SVG}rect")
        if rect.get("class") in ("inside", "outside")
    )
    return [Box(left, top, left + width, top + height) for left, top, width, height in places]


def _lines() -> list[tuple[str, float, float, float]]:
    """Return each line of text in a box with its left end, its right end and its base line."""
    lines = []
    for text in _drawing().iter(f"{SVG}text"):
        style = text.get("class", "")
        if style in SIZES:
            width = SIZES[style] * (WIDTH_OF_TITLE if style == "title" else WIDTH) * len(text.text or "")
            left = float(text.get("x", "0"))
            lines.append((text.text or "", left, left + width, float(text.get("y", "0"))))
    return lines


def test_every_line_of_text_stays_in_its_box() -> None:
    boxes, lines = _boxes(), _lines()
    assert len(boxes) == 8
    assert len(lines) > 30
    outside = [
        text
        for text, left, right, base in lines
        if not any(box.left < left and right < box.right and box.top < base < box.bottom for box in boxes)
    ]
    assert outside == []


def test_no_two_boxes_touch() -> None:
    boxes = _boxes()
    touching = [
        (one, other)
        for place, one in enumerate(boxes)
        for other in boxes[place + 1 :]
        if one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
    ]
    assert touching == []


def test_the_drawing_names_the_two_programs_and_describes_itself() -> None:
    text = " ".join(_drawing().itertext())
    assert "gateway serve" in text
    assert "harvester run" in text
    assert _drawing().find(f"{SVG}title") is not None
    assert _drawing().find(f"{SVG}desc") is not None
