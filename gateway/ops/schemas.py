"""The folder of our own XML Schemas (XSD), and the address `/schemas/` that serves it.

In a checkout, the folder is beside the package. An installed package has it in the data folder of its environment
(`data-files` in pyproject.toml).
"""

import sysconfig
from collections.abc import Sequence
from pathlib import Path

from flask import Blueprint, Response, abort, send_from_directory

from gateway.core.errors import ConfigurationError

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
