"""Charts are SVG that every policy allows, with a name in words."""

from __future__ import annotations

from itertools import pairwise

from lxml import etree

from gateway.pages.charts import NARROW, Bar, bars, meter
from tests.rows import each_row


def parsed(svg: str) -> etree._Element:
    return etree.fromstring(str(svg))


@each_row("count", [0, 1, 3, 200])
def test_bars_stay_in_the_picture(count):
    root = parsed(bars([Bar(f"<{number}>", number, number // 2) for number in range(count)], 'a "name" & more'))
    assert (root.get("role"), root.get("aria-label")) == ("img", 'a "name" & more')
    _, _, width, height = map(float, root.get("viewBox").split())
    for bar in root.iter("rect"):
        left, top, wide, high = (float(bar.get(name)) for name in ("x", "y", "width", "height"))
        assert left >= 0
        assert left + wide <= width + 0.1
        assert top >= 0
        assert top + high <= height
    assert len(list(root.iter("text"))) <= 9 + 1
    assert b"style=" not in etree.tostring(root)


def test_a_part_is_filled_and_the_rest_has_an_edge():
    """So the parts differ in light, dark and forced colours, and on paper."""
    shapes = [bar.get("class") for bar in parsed(bars([Bar("a", 10, 4), Bar("b", 3)], "name")).iter("rect")]
    assert shapes == ["bar rest", "bar part", "bar rest"]
    assert [bar.get("class") for bar in parsed(bars([Bar("a", 10), Bar("b", 3)], "name")).iter("rect")] == ["bar"] * 2


def test_the_highest_bar_has_its_number():
    root = parsed(bars([Bar("a", 10), Bar("b", 12_345)], "name"))
    assert "12,345" in [text.text for text in root.iter("text")]


@each_row("width", [NARROW, 400])
def test_labels_stay_in_the_picture_and_apart(width):
    data = [Bar("a long name of a source", 1) for _ in range(30)]
    root = parsed(bars(data, "name", width))
    ends = []
    for text in root.iter("text"):
        half = len(text.text) * 3.5
        ends.append((float(text.get("x")) - half, float(text.get("x")) + half, float(text.get("y"))))
    assert all(0 <= first <= last <= width for first, last, _ in ends)
    below = sorted(end for end in ends if end[2] > 30)
    assert all(one[1] <= other[0] for one, other in pairwise(below))


def test_a_meter_is_read_from_the_words_beside_it():
    root = parsed(meter(1, 4))
    assert root.get("aria-hidden") == "true"
    assert root.findall("rect")[1].get("width") == "25.0"
    assert parsed(meter(0, 0)).findall("rect")[1].get("width") == "0.0"
