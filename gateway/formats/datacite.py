"""DataCite's metadata: kernel 2 to 4 is read, bare or in the wrapper of its own OAI-PMH provider; kernel 4 is written.

[DataCite Metadata Schema 4.6 §2; OpenAIRE Guidelines for Literature Repositories 4, which takes its elements from it.]
Elements are found by local names: real documents leave out the namespace of some parts. `oai_datacite` is kernel 4
alone, as OpenAIRE harvests it, without the wrapper of DataCite, which names a data centre that we are not. The journal
is a `relatedItem`, files are parts of the work (`HasPart`). What is mandatory and unknown is `:unav`, or the year
`0000` (Appendix 3).
"""

from collections.abc import Mapping

from gateway.core.bibliography.dates import iso_of, year_of
from gateway.core.model import Agent, DateType, Identifier, WorkDate
from gateway.core.xmlio import Element, text_of
from gateway.formats._describing import Describing, first
from gateway.formats._paths import find
from gateway.formats._tables import format_of, read_by
from gateway.formats._templates import TABLES, legal_tag
from gateway.formats._writing import UNKNOWN, Facts


def _more(resource: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    # The date of publication is its year, exactly if a date of issue is in it.
    for element in held["publicationYear"]:
        year = year_of(text_of(element))
        exact = [date for date in known.dates if date.type is DateType.ISSUED and year_of(date.text) == year]
        before = [date for date in known.dates if date not in exact]
        known.dates = exact[:1]
        if not exact:
            known.date(text_of(element))
        known.dates += before
    add_host(resource, known)


def add_host(resource: Element, known: Describing) -> None:
    """Add the item in which a resource was published: a related item that is said to be it, else a journal."""
    items = find(resource, "relatedItems/relatedItem[relationType=IsPublishedIn]")
    items += find(resource, "relatedItems/relatedItem[relationType=IsPartOf]")
    for item in (items or find(resource, "relatedItems/relatedItem[relatedItemType=Journal]"))[:1]:
        read_by("datacite_host", item, known)


# --- writing ---------------------------------------------------------------------------------------------------------


def values(facts: Facts, embargo_end: str = "") -> Mapping[str, object]:
    """Return what the templates of DataCite and OpenAIRE have besides the facts of a work.

    The date to cite is the date of issue. Where an embargo ends, OpenAIRE has that as the date of availability, and no
    other one.
    """
    best, *others = facts.identifiers or (Identifier("other", UNKNOWN),)
    dates = [WorkDate(facts.date, DateType.ISSUED), WorkDate(embargo_end, DateType.AVAILABLE)]
    left_out = (DateType.ISSUED, DateType.AVAILABLE) if embargo_end else (DateType.ISSUED,)
    dates += [WorkDate(iso_of(text), type_) for text, type_ in facts.known.dates if type_ not in left_out]
    host = facts.known.host
    return {
        "best": best,
        "alternates": others,
        "creators": facts.authors or (Agent(UNKNOWN),),
        "dates": dict.fromkeys(date for date in dates if date.type in TABLES["datacite_dates"]),
        "language": first(map(legal_tag, facts.known.languages)),
        "host_type": "Book" if host.isbn and not host.issn else "Journal",
    }


FORMAT = format_of("datacite", _more, written="oai_datacite", values=values)
