"""The recorded PDFs that are somebody's work, each with the metadata that a repository would have of it."""

import json

from harvester.fulltext.known_copies import Description
from harvester.fulltext.pdf.judge import Expected
from harvester.fulltext.pdf.work_names import Named
from harvester.fulltext.steps import crossref
from harvester.http.messages import Fetched
from tests.fulltext.web import exchanges

TITLES = {
    "grobid__0807.3577.pdf": (
        "Apparent and average accelerations of the Universe",
        ("Bolejko", "Andersson"),
        "Journal of Cosmology and Astroparticle Physics",
    ),
    "grobid__1001._0908.0054.pdf": (
        "Ultra light bosonic dark matter and cosmic microwave background",
        ("Rodríguez-Montoya", "Magaña", "Matos", "Pérez-Lorenzana"),
        "The Astrophysical Journal",
    ),
    "grobid__Wang-paperAVE2008.pdf": (
        "Information Synthesis for Answer Validation",
        ("Wang", "Neumann"),
        "Lecture Notes in Computer Science",
    ),
    "grobid__submission_363.pdf": (
        "Coherence properties of quantum dot resonance fluorescence",
        ("Matthiesen", "Humphreys", "Vamivakas", "Atatüre"),
        "Cavendish Laboratory",
    ),
    "grobid__two_pages.pdf": (
        "Ability of different obturation techniques to fill canal irregularities using gutta-percha and RealSeal",
        ("Alabsi", "Alhadainy", "Darrag", "Mohammed"),
        "International Endodontic Journal",
    ),
    "format-corpus__427330.pdf": (
        "Guidelines for the use of adjuvants in laboratory animals",
        (),
        "Portland Veterans Affairs Medical Center",
    ),
    "format-corpus__032270.pdf": (
        "Guidelines for maintenance of tumor cell lines and hybridomas in rodents",
        (),
        "Portland Veterans Affairs Medical Center",
    ),
}
EFSA = "10.2903/j.efsa.2014.3550"


def described() -> dict[str, Description]:
    """Return the metadata of each recorded PDF by the name of its file."""
    descriptions = {
        name: Description(title=title, authors=authors, container=place)
        for name, (title, authors, place) in TITLES.items()
    }
    return {"crminer__10.2903%2Fj.efsa.2014.3550.pdf": others()[EFSA], **descriptions}


def others() -> dict[str, Description]:
    """Return the works of all recorded answers of Crossref by their DOI: what each PDF is not."""
    descriptions: dict[str, Description] = {}
    for exchange in exchanges("crossref/http", "*api.crossref.org_*"):
        if exchange.status == 200 and "transform" not in exchange.url and "/agency" not in exchange.url:
            descriptions |= {work.doi: work for work in works_of_crossref(exchange) if work.title}
    return descriptions


def works_of_crossref(answer: Fetched) -> tuple[Description, ...]:
    """Return the works of a recorded answer of Crossref, whether it is about one or many; of a member it has none."""
    message = json.loads(answer.body)["message"]
    if "DOI" in message:
        return tuple(filter(None, (crossref.read(answer),)))
    return crossref.read_list(answer) if "items" in message else ()


def texts(work: Description) -> tuple[str, ...]:
    """Return all words of a description."""
    return tuple(filter(None, (work.title, work.abstract, work.container, work.publisher, *work.authors)))


def wanted(doi: str, work: Description) -> Expected:
    """Return what a document is compared with, of a description."""
    named = Named((("doi", doi),), (work.title,), work.authors, (work.year,), (work.container,))
    return Expected((doi,), (work.title,), texts(work), named=named)
