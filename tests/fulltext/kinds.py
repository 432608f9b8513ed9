"""Works by how open they are, each with the web that knows it, and how many requests its search may take.

All services have their keys. One request is for the policy where a file without an open licence is found.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from gateway.core.model import Outcome, Work
from harvester.fulltext.steps import semantic_scholar
from tests.fulltext.web import Answer, a_pdf, answer, to, work

DOI = "10.1234/x"
TITLE = "Coherence properties of quantum dot resonance fluorescence"
PUBLISHER, REPOSITORY = "https://publisher.example.com", "https://repository.example.org"
PAGE, FILE = f"{PUBLISHER}/article/x", f"{PUBLISHER}/article/x.pdf"
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
GOOD = answer(a_pdf(*[TITLE] * 60), Content_Type="application/pdf")


def crossref(*links: Mapping[str, str], doi: str = DOI, page: str = PAGE, **more: object) -> dict[str, Answer]:
    message = {"DOI": doi, "title": [TITLE], "ISSN": ["0378-5955"], "link": list(links), **more}
    if page:
        message["resource"] = {"primary": {"URL": page}}
    return {f"https://api.crossref.org/works/{doi}": answer(json.dumps({"message": message}))}


def link(url: str, content_type: str = "unspecified", purpose: str = "text-mining") -> dict[str, str]:
    return {"URL": url, "content-type": content_type, "intended-application": purpose, "content-version": "vor"}


def unpaywall(*locations: Mapping[str, str], doi: str = DOI) -> dict[str, Answer]:
    document = {"doi": doi, "is_oa": bool(locations), "oa_locations": list(locations)}
    return {f"https://api.unpaywall.org/v2/{doi}": answer(json.dumps(document))}


def location(url: str = "", page: str = "", license_: str = "", host_type: str = "publisher") -> dict[str, str]:
    return {
        "url_for_pdf": url, "url_for_landing_page": page, "license": license_, "host_type": host_type,
        "version": "publishedVersion",
    }  # fmt: skip


CLOSED = {
    f"https://api.openalex.org/works/https://doi.org/{DOI}?api_key=k": answer(
        json.dumps({"doi": DOI, "locations": [{"landing_page_url": PAGE, "is_oa": False}]})
    ),
    f"https://api.semanticscholar.org/graph/v1/paper/DOI:{DOI}?fields={semantic_scholar.FIELDS}": answer(
        json.dumps({"title": TITLE, "isOpenAccess": False, "openAccessPdf": None})
    ),
    PAGE: answer("<p>Buy this article."),
}


class Kind(NamedTuple):
    """A work, its web, the requests that it takes, and how its search ends."""

    about: Work
    own: dict[str, Answer]
    requests: int
    outcome: Outcome


POLICIES = "https://api.openpolicyfinder.jisc.ac.uk/retrieve?item-type=publication&format=Json&filter="
POLICY = {f'{POLICIES}[["issn","equals","0378-5955"]]': answer("{}")}
RIGHTS = {"rightsList": [{"rightsUri": CC_BY}], "contentUrl": [FILE]}


def datacite(**more: object) -> dict[str, Answer]:
    attributes = {"doi": DOI, "titles": [{"title": TITLE}], "url": PAGE, **more}
    return {f"https://api.datacite.org/dois/{DOI}": answer(json.dumps({"data": {"attributes": attributes}}))}


# Services that each add at most one request to these figures, and none to a work of which an open copy is known.
FURTHER = frozenset(
    (
        "www.ebi.ac.uk",
        "api.archives-ouvertes.fr",
        "api.core.ac.uk",
        "api.base-search.net",
        "doaj.org",
        "api.fatcat.wiki",
        "api.biorxiv.org",
    )
)
KNOWN_OPEN = frozenset(("gold", "green in a repository", "bronze"))
OF_DOI = work(TITLE, doi=DOI)
PREPRINT = "10.1101/119180"
PAGE_OF_PREPRINT = f"https://www.biorxiv.org/lookup/doi/{PREPRINT}"
KINDS: dict[str, Kind] = {
    "gold": Kind(OF_DOI, {**crossref(), **unpaywall(location(FILE, PAGE, "cc-by")), FILE: GOOD}, 3, Outcome.SUCCESS),
    "green in a repository": Kind(
        OF_DOI,
        {**crossref(), **unpaywall(location(f"{REPOSITORY}/1.pdf", license_="cc-by")), f"{REPOSITORY}/1.pdf": GOOD},
        3,
        Outcome.SUCCESS,
    ),
    "bronze": Kind(OF_DOI, {**crossref(), **unpaywall(location(FILE)), FILE: GOOD}, 4, Outcome.SUCCESS),
    "closed": Kind(OF_DOI, {**crossref(), **unpaywall(), **CLOSED}, 6, Outcome.NOT_OA),
    "closed, and Crossref names no page": Kind(
        OF_DOI, {**crossref(page=""), **unpaywall(), **CLOSED, f"https://doi.org/{DOI}": to(PAGE)}, 7, Outcome.NOT_OA
    ),
    "a preprint, and neither its server nor Crossref names a page": Kind(
        work(TITLE, doi=PREPRINT),
        {
            **crossref(doi=PREPRINT, page=""),
            **unpaywall(doi=PREPRINT),
            f"https://doi.org/{PREPRINT}": to(PAGE_OF_PREPRINT),
            PAGE_OF_PREPRINT: answer("<p>no file"),
        },
        6,
        Outcome.NOT_OA,
    ),
    "closed, with three other versions": Kind(
        OF_DOI,
        {
            **crossref(relation={"has-preprint": [{"id": f"10.5555/{n}", "id-type": "doi"} for n in range(3)]}),
            **unpaywall(),
            **CLOSED,
        },
        8,  # two are for versions
        Outcome.NOT_OA,
    ),
    "of DataCite": Kind(OF_DOI, {**datacite(**RIGHTS), FILE: GOOD}, 4, Outcome.SUCCESS),
    "without DOI": Kind(
        work(TITLE, page=PAGE), {PAGE: answer(f'<a href="{FILE}">PDF</a>'), FILE: GOOD}, 2, Outcome.SUCCESS
    ),
}
