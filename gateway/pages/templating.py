"""Templates of pages: everything in them is escaped, and a name that is not there is an error. Charts in SVG."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gateway.core.bibliography.languages import language_tag
from gateway.core.states import of_search, of_step
from gateway.core.words import table
from gateway.pages import shown
from gateway.pages.item_places import plain_address
from gateway.pages.shown import number
from gateway.pages.site import Site


def texts() -> SimpleNamespace:
    """Return the texts as a tree of attributes."""
    return _tree(table(__file__, "texts"))


def counted(count: int, forms: tuple[str, str]) -> str:
    """Return a text with a number in it; `forms` are the one for a single thing and the one for all other numbers."""
    return forms[count != 1].format(n=number(count))


def _tree(entries: dict[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(
        **{name: _tree(value) if isinstance(value, dict) else value for name, value in entries.items()}
    )


_FRAME = Path(__file__).parent / "templates"
_MOST_SEARCHED: Final = 200  # letters of a text of a record
# What the frame asks of every page.
_DEFAULTS: dict[str, object] = {"is_home": False, "query": "", "place": "", "hint": "", "asked": "", "links": ()}


class Pages:
    """The templates of some pages, with the frame around them, for one site."""

    def __init__(self, site: Site, folder: Path = _FRAME) -> None:
        self.site = site
        self.texts: SimpleNamespace = texts()
        self._environment = Environment(
            loader=FileSystemLoader([folder, _FRAME]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(
            site=site, t=self.texts, icon=icon, meter=meter, not_searched=of_search(None).headline
        )
        self._environment.filters.update(
            marked=shown.marked,
            bare=shown.bare,
            plain=shown.plain,
            revealed=shown.revealed,
            revealed_lines=shown.revealed_lines,
            bare_revealed=shown.bare_revealed,
            breakable=shown.breakable,
            number=shown.number,
            bytesize=shown.size,
            date=shown.date,
            moment=shown.moment,
            moment_of=shown.moment_of,
            clock=shown.clock,
            day=shown.day,
            percent=shown.percent,
            is_web=shown.is_web,
            shortened=shown.shortened,
            counted=counted,
            host=shown.host,
            item_path=lambda identifier: plain_address(f"{site.root}/items/", identifier),
            language=language_tag,
            step_name=self.step_name,
            of_step=of_step,
            searched=lambda text: f"{site.root}/search?{urlencode({'q': shown.bare(text)[:_MOST_SEARCHED]})}",
            language_name=self._language_name,
            format_name=lambda prefix: getattr(self.texts.format_names, prefix, prefix),
        )

    def render(self, template: str, **values: object) -> str:
        """Return the HTML of a page. Raise an error of Jinja if a value is missing."""
        return self._environment.get_template(template).render(_DEFAULTS | values)

    def step_name(self, text: str) -> str:
        """Return what readers call a step of the search; what follows it in brackets stays."""
        step, bracket, evidence = text.partition(" (")
        return f"{getattr(self.texts.steps, step, step.replace('_', ' '))}{bracket}{evidence}"

    def _language_name(self, code: str) -> str:
        """Return the name of a language; a code without one as the record has it."""
        primary = language_tag(code).partition("-")[0]
        return str(getattr(self.texts.languages, primary, code)) if primary else code


# --- The shapes beside the words of chips, as inline SVG, so that no status is shown by colour alone -----------------

_SHAPES = {
    "good": '<path d="m2 6.5 2.8 2.8L10 3.5"/>',
    "caution": '<path d="M6 1.5 11 10.5H1zM6 5v2.5M6 9v.1"/>',
    "bad": '<path d="m2.5 2.5 7 7m0-7-7 7"/>',
    "neutral": '<circle cx="6" cy="6" r="4"/>',
    "file": '<path d="M2.5 1h4.5l2.5 2.5V11h-7zM7 1v2.5h2.5"/>',
}


def icon(name: str) -> Markup:
    """Return a shape of 12 by 12 pixels; screen readers read the word beside it."""
    return Markup('<svg viewBox="0 0 12 12" aria-hidden="true" focusable="false">{}</svg>').format(
        Markup(_SHAPES[name])  # noqa: S704 - the shapes are above
    )


# --- Charts as inline SVG without styles of their own: bars, and a meter that shows a share --------------------------

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
