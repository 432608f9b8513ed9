"""arXiv, asked for a work by its title and first author. Its API has no reliable search for DOIs.

An entry with the work's own DOI is taken. Every other one is compared like a work that a service names for a record
without a DOI. A preprint may be some years older than the article.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlencode

from lxml import etree

from gateway.core.bibliography.identifiers import arxiv_in, dois_in
from gateway.core.errors import AnswerError, NotXml, RemoteRefuses, TryLater
from gateway.core.model import Outcome
from gateway.core.xmltext import clean
from harvester.fulltext.known_copies import Copy, Description
from harvester.fulltext.match_work import Sought, match_work, sought
from harvester.fulltext.retractions import by_statement, statement_in
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import readable
from harvester.http.messages import Fetch, Fetched, Request
from harvester.xml.parsing import strict

_WORD = re.compile(r"\w++")
_ROWS = 5
_FIRST_YEAR = 1991  # of arXiv
_YEARS_BEFORE = 4  # a preprint may be this much older than the article
_MOST_WORDS = 30  # of a title in a request
_ELSEWHERE = ("thesis", "book")


def _wants(known: Known) -> bool:
    wanted = sought(known.work)
    is_of_its_time = wanted.is_enough and wanted.years[-1] >= _FIRST_YEAR
    return is_of_its_time and wanted.kind not in _ELSEWHERE and not known.identifiers.value("arxiv")


def _question(wanted: Sought) -> str:
    """Return the query: the title as a phrase (words without quotes are alternatives), and a family name."""
    title = " ".join(_WORD.findall(wanted.titles[0])[:_MOST_WORDS])
    head, comma, _ = wanted.first_author.partition(",")
    words = _WORD.findall(head)
    family = max(words, key=len) if comma and words else next(iter(words[-1:]), "")
    return f'ti:"{title}"' + (f" AND au:{family}" if family else "")


def _find(known: Known, fetch: Fetch) -> StepResult:
    wanted = sought(known.work)
    query = urlencode({"search_query": _question(wanted), "max_results": str(_ROWS)})
    request = Request(f"https://export.arxiv.org/api/query?{query}", suits=readable(read_list))
    described = read_list(fetch(request))
    same = [
        description
        for description in described
        if known.doi and known.doi in description.also and description.doi not in known.refused
    ]
    if same:
        return StepResult(Outcome.SUCCESS, same[0].copies, note=f"arXiv names the DOI {known.doi} of {same[0].doi}.")
    # those are of other articles
    others = [description for description in described if not (known.doi and description.also)]
    matched = match_work(wanted, others, "arxiv", known.refused, years_before=_YEARS_BEFORE)
    if matched is None:
        return StepResult(Outcome.NOT_FOUND)
    claim = matched.match
    note = f"{claim.title!r} agrees by {claim.similarity:.2f}, the author {claim.author} and the year {claim.year} too."
    return StepResult(Outcome.SUCCESS, matched.description.copies, note=f"arXiv names {claim.doi}: {note}", match=claim)


STEP = Step("arxiv", 56, "Asks arXiv for the work by its title and first author.", _wants, _find)

# --- Answers of the interface of arXiv (`/api/query`), Atom with elements of its own. Pure ---------------------------

_ATOM, _ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
_OK, _NOT_FOUND, _TOO_MANY, _FAILING = 200, 404, 429, 500
_MOST_ENTRIES, _MOST_AUTHORS = 50, 500


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of an answer, each under its DOI at DataCite; `also` holds the DOI of the article.

    Raise TryLater for 429 and statuses from 500, RemoteRefuses for other statuses. Raise NotXml for an answer that is
    not XML, AnswerTooLarge for one that is too large, AnswerError for one that is not a feed. An entry that describes
    an error is not a work.
    """
    if fetched.status == _TOO_MANY or fetched.status >= _FAILING:
        raise TryLater(f"arXiv answers {fetched.status}.")
    if fetched.status == _NOT_FOUND:
        return ()
    if fetched.status != _OK:
        raise RemoteRefuses(f"arXiv answers {fetched.status}.")
    try:
        root = strict(fetched.body)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotXml(f"arXiv answers, but not with XML: {error}") from error
    if root.tag != f"{_ATOM}feed":
        raise AnswerError("arXiv answers, but not with a feed.")
    entries = root.findall(f"{_ATOM}entry")[:_MOST_ENTRIES]
    return tuple(work for entry in entries for work in _described(entry))


def _described(entry: etree._Element) -> Iterator[Description]:
    for identifier in arxiv_in(_text(entry, f"{_ATOM}id"))[:1]:
        copy = Copy(
            f"https://arxiv.org/pdf/{identifier}",
            mime_type="application/pdf",
            version="submitted",
            host_type="repository",
            evidence=f"arxiv:{identifier}",
            is_open=True,
        )
        elements = entry.findall(f"{_ATOM}author/{_ATOM}name")[:_MOST_AUTHORS]
        names = [words for name in elements if (words := _plain(name).split())]
        stated = [statement_in(_text(entry, path).lower()) for path in (f"{_ARXIV}comment", f"{_ATOM}summary")]
        yield Description(
            doi=f"10.48550/arxiv.{identifier}".lower(),
            title=_text(entry, f"{_ATOM}title"),
            authors=tuple(words[-1] for words in names),
            given_names=tuple(" ".join(words[:-1]) for words in names),
            year=_text(entry, f"{_ATOM}published")[:4],
            abstract=_text(entry, f"{_ATOM}summary"),
            copies=(copy,),
            also=dois_in(_text(entry, f"{_ARXIV}doi")),
            kind="preprint",
            retracted=next((by_statement(update, "arXiv", quote) for update, quote in stated if update), ""),
        )


def _text(entry: etree._Element, path: str) -> str:
    element = entry.find(path)
    return "" if element is None else _plain(element)


def _plain(element: etree._Element) -> str:
    """Return the text of an element without that of its children, with single spaces."""
    return " ".join(clean(element.text or "").split())
