"""DDI Codebook 1 to 2.5 (DDI Alliance): the study that a codebook describes, read only.

The codebook describes itself too (`docDscr`), its files, and its variables: none of them is the work.
"""

import re

from gateway.core.bibliography.dates import year_of
from gateway.core.bibliography.people import agent_of, is_organization, relator
from gateway.core.model import Agent, DateType, Work
from gateway.core.xmlio import Element, text_of
from gateway.formats._describing import Describing
from gateway.formats._paths import attribute_of, find, language, one, record_in, text, texts
from gateway.formats._tables import format_of, read_by, with_role

_PERSON = re.compile(r"([^\s,][^,]{0,60}, [^,]{1,60}), (.+)")  # `Family, Given, University …` (UK Data Service)
_DATES = ("distStmt/distDate", "verStmt/version", "prodStmt/prodDate", "distStmt/depDate")


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a codebook, or of the first one in a wrapper; None if it describes no study."""
    book = record_in(root, "codeBook")
    study = one(book, "stdyDscr")
    citation = one(study, "citation")
    if citation is None or study is None:
        return None
    known = Describing("ddi:fileDscr")
    known.coar_type = "dataset"
    read_by("ddi", study, known)
    own = language((find(citation, "titlStmt/titl") or [citation])[0])
    known.language(own)
    known.descriptions.sort(key=lambda entry: entry.language not in ("", own))
    for element in _in_language(citation, "rspStmt/AuthEnty", own):
        known.agent(_agent(element))
    for element in _in_language(citation, "rspStmt/othId", own):
        if stated := attribute_of(element, "role") or attribute_of(element, "type"):
            known.agent(with_role(agent_of(text_of(element)), relator(stated)))
    for path in ("distStmt/distrbtr", "prodStmt/producer"):
        for element in _in_language(citation, path, own) if not known.publishers else ():
            known.publisher(text_of(element))
    dates = [words for path in _DATES for words in texts(citation, f"{path}@date", path) if year_of(words)]
    for words in dates:  # of distribution, else of the version, of production, or of deposit
        known.date(words, DateType.OTHER if known.dates else DateType.ISSUED)
    for element in find(book, "fileDscr"):
        known.file(attribute_of(element, "URI"), text(element, "notes[type~CONTENTTYPE]", "fileTxt/fileType"))
    for element in find(book, "otherMat"):
        known.link(attribute_of(element, "URI"), text(element, "notes[type~CONTENTTYPE]"), may_be_page=False)
    return known.work()


def _in_language(citation: Element, path: str, own: str) -> list[Element]:
    """Return the elements in the language of the codebook: catalogues repeat them in every other one."""
    found = list(find(citation, path))
    same = [element for element in found if language(element) in ("", own)]
    return same or [element for element in found if language(element) == language(found[0])]


def _agent(element: Element) -> Agent:
    words, place = text_of(element), attribute_of(element, "affiliation")
    if (match := _PERSON.fullmatch(words)) and is_organization(match[2]) and not is_organization(match[1]):
        words, place = match[1], match[2]
    return agent_of(words)._replace(affiliations=(place,) if place else ())


FORMAT = format_of("ddi", read=read)
