"""arXiv, asked for a work by its title and first author. Its interface has no dependable search for DOIs.

An entry with the work's own DOI is taken. Every other one is compared like a work that a service names for a record
without a DOI. A preprint may be some years older than the article.
"""

from __future__ import annotations

import re
from urllib.parse import urlencode

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.verification.matching import Sought, match, sought
from harvester.wire import arxiv
from harvester.wire.http import Fetch, Request

_WORD = re.compile(r"\w++")
_ROWS = 5
_FIRST_YEAR = 1991  # of arXiv
_YEARS_BEFORE = 4  # a preprint may be so much older than the article
_MOST_WORDS = 30  # of a title that is asked for
_ELSEWHERE = ("thesis", "book")


def _wants(known: Known) -> bool:
    wanted = sought(known.work)
    is_of_its_time = wanted.is_enough and wanted.years[-1] >= _FIRST_YEAR
    return is_of_its_time and wanted.kind not in _ELSEWHERE and not known.identifiers.value("arxiv")


def _question(wanted: Sought) -> str:
    """Return the question: the title as a phrase, since words without quotes are alternatives, and a family name."""
    title = " ".join(_WORD.findall(wanted.titles[0])[:_MOST_WORDS])
    head, comma, _ = wanted.first_author.partition(",")
    words = _WORD.findall(head)
    family = max(words, key=len) if comma and words else next(iter(words[-1:]), "")
    return f'ti:"{title}"' + (f" AND au:{family}" if family else "")


def _find(known: Known, fetch: Fetch) -> Found:
    wanted = sought(known.work)
    query = urlencode({"search_query": _question(wanted), "max_results": str(_ROWS)})
    described = arxiv.read_list(fetch(Request(f"https://export.arxiv.org/api/query?{query}")))
    same = [each for each in described if known.doi and known.doi in each.also and each.doi not in known.refused]
    if same:
        return Found(Outcome.SUCCESS, same[0].copies, note=f"arXiv names the DOI {known.doi} of {same[0].doi}.")
    others = [each for each in described if not (known.doi and each.also)]  # those are of other articles
    found = match(wanted, others, "arxiv", known.refused, years_before=_YEARS_BEFORE)
    if found is None:
        return Found(Outcome.NOT_FOUND)
    claim = found.match
    note = f"{claim.title!r} agrees by {claim.similarity:.2f}, the author {claim.author} and the year {claim.year} too."
    return Found(Outcome.SUCCESS, found.description.copies, note=f"arXiv names {claim.doi}: {note}", match=claim)


STEP = Step("arxiv", 56, "Asks arXiv for the work by its title and first author.", _wants, _find)
