"""Answers of the review for programs: JSON, and CSV in which no cell is a formula. A Link header leads on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Final

from flask import Response

from gateway.spreadsheets import CSV_TYPE, as_csv

DATA: Final = (".json", ".csv")  # the endings of the addresses of data


def json_answer(document: object, following: str = "", *, status: int = HTTPStatus.OK) -> Response:
    """Return the answer with a document; `following` is the address of its next page."""
    body = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    return _linked(Response(body.encode("utf-8", "replace"), status, content_type="application/json"), following)


def csv_answer(
    name: str, columns: Sequence[str], rows: Iterable[Mapping[str, object]], following: str = ""
) -> Response:
    """Return the answer with a table, which a browser saves as a file with this name."""
    response = Response(as_csv(columns, rows).encode("utf-8", "replace"), content_type=CSV_TYPE)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return _linked(response, following)


def _linked(response: Response, following: str) -> Response:
    if following:
        response.headers["Link"] = f'<{following}>; rel="next"'
    return response
