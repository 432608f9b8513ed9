"""Identifiers that are addresses already: where a system says how its files are named, nobody needs to be asked."""

from __future__ import annotations

import re
from typing import NamedTuple

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.wire.copies import Copy
from harvester.wire.http import Fetch


class _Recipe(NamedTuple):
    """Of which scheme, what the identifier looks like, the address of its file, and which version that is."""

    scheme: str
    pattern: re.Pattern[str]
    address: str
    version: str
    license: str = ""


def _recipe(scheme: str, pattern: str, address: str, version: str, license_: str = "") -> _Recipe:
    return _Recipe(scheme, re.compile(pattern), address, version, license_)


RECIPES = (
    _recipe("arxiv", r"(.+)", r"https://arxiv.org/pdf/\1", "submitted"),
    _recipe("pmcid", r"(PMC\d+)", r"https://europepmc.org/articles/\1?pdf=render", ""),
    _recipe("doi", r"10\.48550/arxiv\.(.+)", r"https://arxiv.org/pdf/\1", "submitted"),
    _recipe("doi", r"(10\.1101/.+)", r"https://www.biorxiv.org/content/\1v1.full.pdf", "submitted"),
    _recipe("doi", r"10\.31219/osf\.io/(\w+)", r"https://osf.io/\1/download", "submitted"),
    _recipe("doi", r"10\.7717/peerj\.(\d+)", r"https://peerj.com/articles/\1.pdf", "published", "cc-by"),
)


def _copies(known: Known) -> tuple[Copy, ...]:
    return tuple(
        Copy(
            match.expand(recipe.address),
            mime_type="application/pdf",
            version=recipe.version,
            license=recipe.license,
            evidence=f"{recipe.scheme}:{value}",
        )
        for recipe in RECIPES
        for value in known.identifiers.all(recipe.scheme)
        if (match := recipe.pattern.fullmatch(value))
    )


def _find(known: Known, _fetch: Fetch) -> Found:
    return Found(Outcome.SUCCESS, _copies(known))


STEP = Step(
    "recipes",
    40,
    "Knows the address of the file from an identifier.",
    lambda known: bool(_copies(known)),
    _find,
    is_first=True,
)
