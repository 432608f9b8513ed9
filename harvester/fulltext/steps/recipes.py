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
from harvester.fulltext.known_copies import Copy, without_repetitions
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.http.messages import Fetch


class _Recipe(NamedTuple):
    """A scheme (`page`: an address), the pattern of its identifiers, the address of the file, its version."""

    scheme: str
    pattern: re.Pattern[str]
    address: str
    version: str


def _recipe(scheme: str, pattern: str, address: str, version: str) -> _Recipe:
    return _Recipe(scheme, re.compile(pattern), address, version)


# The journals of PLOS: their code in a DOI, and their name in an address.
_PLOS = {
    "pone": "plosone",
    "pbio": "plosbiology",
    "pmed": "plosmedicine",
    "pcbi": "ploscompbiol",
    "pgen": "plosgenetics",
    "ppat": "plospathogens",
    "pntd": "plosntds",
    "pclm": "climate",
    "pdig": "digitalhealth",
    "pgph": "globalpublichealth",
    "pwat": "water",
    "pstr": "sustainabilitytransformation",
    "pcsy": "complexsystems",
    "pmen": "mentalhealth",
}
_F1000 = r"f1000research\.com|(?:wellcome|gates|hrb)openresearch\.org|open-research-europe\.ec\.europa\.eu|verixiv\.org"
# Copernicus' journals for discussion papers end in d, such as `acpd` for `acp`. Five other journals end in d too.
_DISCUSSIONS = r"(?!(?:esd|essd|gmd|sd|wcd)-)[a-z]{1,5}d-"

RECIPES = (
    _recipe("arxiv", r"(.+)", r"https://arxiv.org/pdf/\1", "submitted"),
    _recipe("doi", r"10\.48550/arxiv\.(.+)", r"https://arxiv.org/pdf/\1", "submitted"),
    _recipe("doi", r"10\.21203/rs\.3\.(rs-\d+/v\d+)", r"https://www.researchsquare.com/article/\1.pdf", "submitted"),
    _recipe("doi", r"10\.7717/peerj\.(\d+)", r"https://peerj.com/articles/\1.pdf", "published"),
    _recipe("doi", r"10\.7717/peerj-cs\.(\d+)", r"https://peerj.com/articles/cs-\1.pdf", "published"),
    *(
        _recipe(
            "doi",
            rf"(10\.1371/journal\.{code}\.\d{{7}})",
            rf"https://journals.plos.org/{name}/article/file?id=\1&type=printable",
            "published",
        )
        for code, name in _PLOS.items()
    ),
    _recipe("doi", r"(10\.3389/f[a-z]+\.\d{4}\.\d{5,7})", r"https://www.frontiersin.org/articles/\1/pdf", "published"),
    # BMC
    _recipe("doi", r"(10\.1186/(?!isrctn)[a-z0-9-]+)", r"https://link.springer.com/content/pdf/\1.pdf", "published"),
    _recipe(
        "doi",
        rf"10\.5194/(?!{_DISCUSSIONS})([a-z]{{2,5}})-(\d{{1,3}})-(\d{{1,5}})-(\d{{4}})",
        r"https://\1.copernicus.org/articles/\2/\3/\4/\1-\2-\3-\4.pdf",
        "published",
    ),
    _recipe(
        "doi",
        rf"10\.5194/(?={_DISCUSSIONS})([a-z]{{1,5}})d-(\d{{1,3}})-(\d{{1,5}})-(\d{{4}})",
        r"https://\1.copernicus.org/preprints/\2/\3/\4/\1d-\2-\3-\4.pdf",
        "submitted",
    ),
    _recipe(
        "doi",
        r"10\.5194/([a-z]{2,5})-(\d{4})-(\d{1,5})",
        r"https://\1.copernicus.org/preprints/\1-\2-\3/\1-\2-\3.pdf",
        "submitted",
    ),
    _recipe(
        "doi",
        r"10\.5194/(egusphere-(\d{4})-\d{1,5})",
        r"https://egusphere.copernicus.org/preprints/\2/\1/\1.pdf",
        "submitted",
    ),
    _recipe("page", rf"https?://({_F1000})/articles/(\d+-\d+)/(v\d+)/?", r"https://\1/articles/\2/\3/pdf", ""),
    _recipe(
        "page",
        r"https?://www\.((?:bio|med)rxiv)\.org/content/(10\.\d{4,5}/[\d.]+v\d+)(?:\.(?:full|abstract|full-text))?",
        r"https://www.\1.org/content/\2.full.pdf",
        "submitted",
    ),
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


def _find(known: Known, _fetch: Fetch) -> StepResult:
    return StepResult(Outcome.SUCCESS, _copies(known))


STEP = Step(
    "recipes",
    40,
    "Knows the address of the file from an identifier.",
    lambda known: bool(_copies(known)),
    _find,
    is_first=True,
)
