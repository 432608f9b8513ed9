"""The pages of sets and of metadata formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

from flask import Response, request

from gateway.core.model import Selection
from gateway.pages.answers import answer
from gateway.pages.browse_answers import SHOWN_ROWS, as_json, may_be_key, missing, no_such_page, plain, table
from gateway.pages.tables import children_of, format_rows, set_path, set_rows
from gateway.pages.templating import Pages
from gateway.store.base import Store, View

_MOST_SETS = 500  # in one answer as JSON
_EXAMPLE_LETTERS = 4_000
_READ_BYTES = 5 * _EXAMPLE_LETTERS


class ListPages:
    """`/sets`, `/formats` and `/formats/<prefix>`."""

    def __init__(self, store: Store, pages: Pages) -> None:
        self._store = store
        self._pages = pages

    def sets(self, *, is_json: bool) -> Response:
        """Answer with the tree of sets, as many levels as fit; of a level that is too long, in pages."""
        spec, after = request.args.get("set", ""), request.args.get("after")
        with self._store.view() as view:
            known = view.set_named(spec) if spec else None
            if spec and known is None:
                return missing(self._pages, self._pages.texts.sets.missing, spec)
            if after is not None and not self._is_below(view, spec, after):
                return no_such_page(self._pages, after)
            below, more = children_of(view, spec, after, _MOST_SETS if is_json else SHOWN_ROWS)
            rows = set_rows(below, {entry.spec: view.count(Selection("oai_dc", entry.spec)) for entry in below})
            own = set_rows([known], {spec: view.count(Selection("oai_dc", spec))})[0] if known else None
        following = {**({"set": spec} if spec else {}), "after": below[-1].spec} if more else {}
        if is_json:
            url = f"{self._pages.site.url}/sets.json?{urlencode(following)}" if more else None
            return as_json({"sets": plain(rows), "next": url})
        body = self._pages.render(
            "sets.html",
            place="sets",
            own=own,
            path=set_path(spec),
            sets=rows,
            previous_url="",
            next_url=f"{self._pages.site.root}/sets?{urlencode(following)}" if more else "",
        )
        return answer(body)

    @staticmethod
    def _is_below(view: View, spec: str, after: str) -> bool:
        """Return whether `after` is or was a set below the other one (empty: any set), so a page can begin after it."""
        is_known = may_be_key(after) or view.set_named(after) is not None
        return is_known and after.startswith(f"{spec}:" if spec else "")

    def formats(self, *, is_json: bool) -> Response:
        """Answer with the table of metadata formats."""
        with self._store.view() as view:
            counts = {known.metadata_prefix: view.count(Selection(known.metadata_prefix)) for known in view.formats()}
            rows = format_rows(view.formats(), counts)
        if is_json:
            return as_json({"formats": plain(rows)})
        return table(self._pages, "formats", rows, lambda row: row.metadata_prefix)

    def format(self, prefix: str) -> Response:
        """Answer with one metadata format: its schema, how many records have it, and an example."""
        with self._store.view() as view:
            formats = {known.metadata_prefix: known for known in view.formats()}
            is_json = prefix not in formats and prefix.endswith(".json")
            prefix = prefix.removesuffix(".json") if is_json else prefix
            known = formats.get(prefix)
            if known is None:
                return missing(self._pages, self._pages.texts.formats.missing, prefix)
            (row,) = format_rows((known,), {prefix: view.count(Selection(prefix))})
            page = view.page(Selection(prefix), None, 1)
        if is_json:
            return as_json(row._asdict())
        record = page.records[0][:_READ_BYTES].decode("utf-8", "ignore") if page.records else ""
        example, is_cut = xml_lines(record, _EXAMPLE_LETTERS)
        body = self._pages.render("format.html", place="formats", format=row, example=example, is_cut=is_cut)
        return answer(body)


# --- XML as people read it --------------------------------------------------------------------------------------------

_PIECE = re.compile(r"<[^<>]*>|[^<>]+|[<>]")
_DEEPEST = 20
_NOT_ELEMENTS = ("<?", "<!")


def xml_lines(text: str, most: int) -> tuple[str, bool]:
    """Return the first lines of well-formed XML, at most `most` characters, and whether there are more."""
    lines: list[str] = []
    length = 0
    for line in _lines(text):
        length += len(line) + 1
        if length > most and lines:
            return "\n".join(lines), True
        lines.append(line[:most])
    return "\n".join(lines), False


def _lines(text: str) -> Iterator[str]:
    """Yield the lines: an element that has only text is one line."""
    depth, line, is_open = 0, "", False
    for piece in _PIECE.findall(text):
        if not piece.strip():
            continue
        if piece.startswith("</"):
            depth -= 1
            if is_open:
                line += piece
            else:
                yield from _indented(line, depth + 1)
                line = piece
            yield from _indented(line, depth)
            line, is_open = "", False
        elif piece.startswith("<") and len(piece) > 1:
            yield from _indented(line, depth - is_open)
            line, is_open = piece, not piece.endswith("/>") and not piece.startswith(_NOT_ELEMENTS)
            depth += is_open
        else:
            line += " ".join(piece.split())
    yield from _indented(line, depth - is_open)


def _indented(line: str, depth: int) -> Iterator[str]:
    if line:
        yield "  " * min(max(depth, 0), _DEEPEST) + line
