"""The page at `/`, for people who open the address in a browser. Its links are relative, to work behind proxies."""

from __future__ import annotations

from flask import Blueprint, render_template_string

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{{ name }}</title>
<h1>{{ name }}</h1>
<p>This is an OAI-PMH 2.0 repository. Harvesters use <code>{{ base_url }}</code>.</p>
<ul>
{% for verb, words in links %}<li><a href="oai?verb={{ verb }}">{{ words }}</a></li>
{% endfor %}</ul>
"""
_LINKS = (
    ("Identify", "What this repository is"),
    ("ListMetadataFormats", "Its metadata formats"),
    ("ListSets", "Its sets"),
    ("ListRecords&metadataPrefix=oai_dc", "Its records as Dublin Core"),
    ("ListRecords&metadataPrefix=oai_didl", "Its records as MPEG-21 DIDL"),
)


def blueprint(name: str, base_url: str) -> Blueprint:
    """Return the Flask blueprint of `/`; the page shows the name of the repository and the baseURL."""
    face = Blueprint("welcome", __name__)

    @face.route("/")
    def page() -> str:
        return render_template_string(_PAGE, name=name, base_url=base_url, links=_LINKS)

    return face
