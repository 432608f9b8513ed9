"""Charts as inline SVG without styles of their own: bars, and a line that shows a trend. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

_WIDTH, _HEIGHT = 640, 180
_TOP, _BOTTOM = 18, 20
_MOST_LABELS = 8
_WIDEST_BAR = 64
_SPARK_WIDTH, _SPARK_HEIGHT = 112, 28


class Bar(NamedTuple):
    """One bar: its label, its value, and the part of the value that is shown darker."""

    label: str
    value: int
    part: int = 0


def bars(data: Sequence[Bar], name: str) -> Markup:
    """Return a bar chart. `name` says in words what it shows; the caller also gives the numbers as a table."""
    most = max((bar.value for bar in data), default=0) or 1
    step = _WIDTH / max(len(data), 1)
    width = min(max(step * 0.86, 1), _WIDEST_BAR)
    room = _HEIGHT - _TOP - _BOTTOM
    every = max(1, -(-len(data) // _MOST_LABELS))
    shapes = []
    for place, bar in enumerate(data):
        left = place * step + (step - width) / 2
        shapes.append(_bar("bar", left, width, room * bar.value / most))
        shapes.append(_bar("bar part", left, width, room * bar.part / most))
        if place % every == 0:
            shapes.append(_label(place * step + step / 2, _HEIGHT - 5, bar.label))
    if data:
        highest = max(range(len(data)), key=lambda place: data[place].value)
        shapes.append(_label(highest * step + step / 2, _TOP - 6, f"{data[highest].value:,}"))
    axis = Markup('<line class="axis" x1="0" x2="{}" y1="{}" y2="{}"/>').format(
        _WIDTH, _HEIGHT - _BOTTOM, _HEIGHT - _BOTTOM
    )
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}</svg>').format(
        _WIDTH, _HEIGHT, name, Markup("").join(shapes), axis
    )


def line(values: Sequence[int], name: str) -> Markup:
    """Return a small line; `name` says its trend in words."""
    most, least = max(values, default=0), min(values, default=0)
    reach = (most - least) or 1
    step = (_SPARK_WIDTH - 4) / max(len(values) - 1, 1)
    points = " ".join(
        f"{2 + place * step:.1f},{_SPARK_HEIGHT - 3 - (_SPARK_HEIGHT - 6) * (value - least) / reach:.1f}"
        for place, value in enumerate(values)
    )
    return Markup(
        '<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}"><polyline points="{}"/></svg>'
    ).format(_SPARK_WIDTH, _SPARK_HEIGHT, name, points)


def meter(part: int, whole: int) -> Markup:
    """Return a share as a bar; the number stands beside it in words."""
    filled = 100 * part / whole if whole else 0
    return Markup(
        '<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<rect class="whole" width="100" height="8"/><rect class="bar" width="{}" height="8"/></svg>'
    ).format(f"{filled:.1f}")


def _bar(kind: str, left: float, width: float, height: float) -> Markup:
    if not height:
        return Markup("")
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        kind, f"{left:.1f}", f"{_HEIGHT - _BOTTOM - height:.1f}", f"{width:.1f}", f"{height:.1f}"
    )


def _label(x: float, y: float, text: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(f"{x:.1f}", y, text)
