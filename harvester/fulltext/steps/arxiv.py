"""arXiv, asked for a work by its title and first author. Its API has no reliable search for DOIs.

An entry with the work's own DOI is taken. Every other one is compared like a work that a service names for a record
without a DOI. A preprint may be some years older than the article.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode

from gateway.model import Outcome
from harvester.fulltext.match_work import Sought, match_work, sought
from harvester.fulltext.services import arxiv
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import readable
from harvester.http.messages import Fetch, Request

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
    request = Request(f"https://export.arxiv.org/api/query?{query}", suits=readable(arxiv.read_list))
    described = arxiv.read_list(fetch(request))
    same = [
        description
        for description in described
        if known.doi and known.doi in description.also and description.doi not in known.refused
    ]
    if same:
        return StepResult(Outcome.SUCCESS, same[0].copies, note=f"arXiv names the DOI {known.doi} of {same[0].doi}.")
    others = [
        description for description in described if not (known.doi and description.also)
    ]  # those are of other articles
    matched = match_work(wanted, others, "arxiv", known.refused, years_before=_YEARS_BEFORE)
    if matched is None:
        return StepResult(Outcome.NOT_FOUND)
    claim = matched.match
    note = f"{claim.title!r} agrees by {claim.similarity:.2f}, the author {claim.author} and the year {claim.year} too."
    return StepResult(Outcome.SUCCESS, matched.description.copies, note=f"arXiv names {claim.doi}: {note}", match=claim)


STEP = Step("arxiv", 56, "Asks arXiv for the work by its title and first author.", _wants, _find)
