"""The folder of our own XML Schemas (XSD), and the address `/schemas/` that serves it.

In a checkout, the folder is beside the package. An installed package has it in the data folder of its environment
(`data-files` in pyproject.toml).
"""

from __future__ import annotations

import logging
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path

from flask import Blueprint, Response, abort, send_from_directory

from gateway.core.errors import ConfigurationError, GatewayError

PLACES = (
    Path(__file__).resolve().parent.parent.parent / "schemas",
    Path(sysconfig.get_path("data")) / "share" / "oai-gateway" / "schemas",
)


def folder(places: Sequence[Path] = PLACES) -> Path:
    """Return the first of `places` that exists. Raise ConfigurationError if none does."""
    for place in places:
        if place.is_dir():
            return place
    raise ConfigurationError(
        f"The folder of schemas is missing ({', '.join(map(str, places))}). Install the program again."
    )


def blueprint(place: Path) -> Blueprint:
    """Return the Flask blueprint of `/schemas/<file>`: the XSDs in `place`, and no other file."""
    blueprint = Blueprint("schemas", __name__)

    @blueprint.route("/schemas/<path:name>")
    def schema(name: str) -> Response:
        if not name.endswith(".xsd"):
            abort(404)
        return send_from_directory(place, name, mimetype="application/xml")

    return blueprint


# --- `/healthz` and `/readyz`, for supervisors and load balancers. The answers reveal nothing about the instance

log = logging.getLogger("gateway.probes")


def probes(ready: Callable[[], object]) -> Blueprint:
    """Return the Flask blueprint: `/healthz` always answers 200, `/readyz` 503 if `ready` raises a GatewayError."""
    blueprint = Blueprint("probes", __name__)

    @blueprint.get("/healthz")
    def healthz() -> Response:
        return _answer(200, "This process answers.")

    @blueprint.get("/readyz")
    def readyz() -> Response:
        try:
            ready()
        except GatewayError as error:
            log.warning("/readyz answered 503: %s `gateway check` checks the instance.", error)
            return _answer(503, "The repository cannot answer now.")
        return _answer(200, "The repository can answer.")

    return blueprint


def _answer(status: int, sentence: str) -> Response:
    return Response(f"{sentence}\n", status, {"Cache-Control": "no-store"}, content_type="text/plain; charset=UTF-8")
