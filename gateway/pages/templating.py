"""Templates of pages: everything in them is escaped, and a name that is not there is an error."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gateway.core.bibliography.languages import language_tag
from gateway.core.states import of_search, of_step
from gateway.core.words import table
from gateway.pages import shown
from gateway.pages.charts import meter
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

    def __init__(self, site: Site, folder: Path) -> None:
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
            item_path=self._item_path,
            language=language_tag,
            step_name=self.step_name,
            of_step=of_step,
            searched=self._searched,
            language_name=self._language_name,
            format_name=lambda prefix: getattr(self.texts.format_names, prefix, prefix),
        )

    def render(self, template: str, **values: object) -> str:
        """Return the HTML of a page. Raise an error of Jinja if a value is missing."""
        return self._environment.get_template(template).render(_DEFAULTS | values)

    def _item_path(self, identifier: str) -> str:
        return plain_address(f"{self.site.root}/items/", identifier)

    def _searched(self, text: str) -> str:
        """Return the address of a search for the words of a text of a record."""
        return f"{self.site.root}/search?{urlencode({'q': shown.bare(text)[:_MOST_SEARCHED]})}"

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
