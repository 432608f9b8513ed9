"""Addresses of files that can be derived from an identifier or from the address of a page. No service is asked.

Only rules that always hold are here. No recipe states a licence: none of these publishers has one for all works. Other
sites have no recipe. The DOIs of F1000 and eLife do not name volume and version; Crossref names their files. The
address needs an asset's number at ChemRxiv, and a file's name at Zenodo (see `inveniordm`). It needs a version at
bioRxiv and medRxiv (see `openrxiv`), and a file's number at PsyArXiv, SocArXiv and all of OSF (see `osf`). A DOI of
MDPI can be cut in several ways.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gateway.core.model import Outcome
from gateway.core.words import table
from harvester.fulltext.known_copies import Copy, without_repetitions
from harvester.fulltext.steps import Known, Step, StepResult


class _Recipe(NamedTuple):
    """A scheme (`page`: an address), the pattern of its identifiers, the address of the file, its version."""

    scheme: str
    pattern: re.Pattern[str]
    address: str
    version: str


RECIPES = tuple(
    _Recipe(scheme, re.compile(pattern), address, version)
    for scheme, pattern, address, version in table(__file__, "recipes")["recipes"]
)


def _values(known: Known, scheme: str) -> Iterator[str]:
    yield from (copy.url for copy in known.pages) if scheme == "page" else known.identifiers.all(scheme)


def _copies(known: Known) -> tuple[Copy, ...]:
    copies = [
        Copy(
            match.expand(recipe.address),
            mime_type="application/pdf",
            version=recipe.version,
            evidence=f"{recipe.scheme}:{value}",
            is_open=True,
        )
        for recipe in RECIPES
        for value in _values(known, recipe.scheme)
        if (match := recipe.pattern.fullmatch(value))
    ]
    return without_repetitions(copies)


STEP = Step(
    "recipes",
    40,
    "Knows the address of the file from an identifier.",
    lambda known: bool(_copies(known)),
    lambda known, _fetch: StepResult(Outcome.SUCCESS, _copies(known)),
    is_first=True,
)
