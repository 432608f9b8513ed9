"""Charts as inline SVG without styles of their own: bars, and a meter that shows a share. Pure."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from markupsafe import Markup

WIDE: Final = 400  # half a page; a letter of a label then has its size on a phone, too
NARROW: Final = 240  # the column of filters
_TOP, _BOTTOM = 18, 20
_ROOM_OF_A_LABEL = 56
_LETTER = 7.0
_WIDEST_BAR = 56


class Bar(NamedTuple):
    """One bar: its label, its value, and the part of it that is filled."""

    label: str
    value: int
    part: int = 0


def bars(data: Sequence[Bar], name: str, width: int = WIDE) -> Markup:
    """Return a bar chart. `name` says in words what it shows; the caller also gives the numbers as a table."""
    most = max((bar.value for bar in data), default=0) or 1
    height = width * 2 // 5
    step = width / max(len(data), 1)
    wide = min(max(step * 0.86, 1), _WIDEST_BAR)
    room = height - _TOP - _BOTTOM
    floor = height - _BOTTOM
    every = max(1, -(-len(data) * _ROOM_OF_A_LABEL // width))
    kind = "bar rest" if any(bar.part for bar in data) else "bar"
    shapes = []
    for place, bar in enumerate(data):
        left = place * step + (step - wide) / 2
        shapes.append(_bar(kind, left, floor, wide, room * bar.value / most))
        shapes.append(_bar("bar part", left, floor, wide, room * bar.part / most))
        if place % every == every // 2 and place - every // 2 + every <= len(data):  # in the middle of its room
            text = _short(bar.label, every * step)
            shapes.append(_label(place * step + step / 2, height - 5, text, width))
    if data:
        highest = max(range(len(data)), key=lambda place: (data[place].value, place))
        shapes.append(_label(highest * step + step / 2, _TOP - 6, f"{data[highest].value:,}", width))
    axis = Markup('<line class="axis" x1="0" x2="{}" y1="{}" y2="{}"/>').format(width, floor, floor)
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}</svg>').format(
        width, height, name, Markup("").join(shapes), axis
    )


def meter(part: int, whole: int) -> Markup:
    """Return a share as a bar; the number stands beside it in words."""
    filled = 100 * part / whole if whole else 0
    return Markup(
        '<svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<rect class="whole" width="100" height="8"/><rect class="bar" width="{}" height="8"/></svg>'
    ).format(f"{filled:.1f}")


def _bar(kind: str, left: float, floor: int, width: float, height: float) -> Markup:
    if not height:
        return Markup("")
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        kind, f"{left:.1f}", f"{floor - height:.1f}", f"{width:.1f}", f"{height:.1f}"
    )


def _short(label: str, room: float) -> str:
    """Return as much of a label as has room."""
    letters = max(int(room / _LETTER), 4)
    return label if len(label) <= letters else f"{label[: letters - 1]}\u2026"


def _label(x: float, y: float, text: str, width: int) -> Markup:
    """Return a label below or above a bar, moved so far that it stays in the picture."""
    half = len(text) * _LETTER / 2
    middle = min(max(x, half), max(width - half, half))
    return Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(f"{middle:.1f}", y, text)
