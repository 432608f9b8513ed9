"""Charts are SVG that every policy allows, with a name in words."""

from __future__ import annotations

import pytest
from lxml import etree

from gateway.pages.charts import Bar, bars, line, meter


def parsed(svg: str) -> etree._Element:
    return etree.fromstring(str(svg))


@pytest.mark.parametrize("count", [0, 1, 3, 200])
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


def test_the_highest_bar_has_its_number():
    root = parsed(bars([Bar("a", 10), Bar("b", 12_345)], "name"))
    assert "12,345" in [text.text for text in root.iter("text")]


@pytest.mark.parametrize("values", [[], [0], [5], [1, 2, 3], [7, 7, 7], list(range(1000))])
def test_a_line_shows_any_row_of_numbers(values):
    root = parsed(line(values, "rising"))
    points = root.find("polyline").get("points").split()
    assert len(points) == len(values)
    assert all(0 <= float(number) <= 112 for point in points for number in point.split(","))


def test_a_meter_is_read_from_the_words_beside_it():
    root = parsed(meter(1, 4))
    assert root.get("aria-hidden") == "true"
    assert root.findall("rect")[1].get("width") == "25.0"
    assert parsed(meter(0, 0)).findall("rect")[1].get("width") == "0.0"
