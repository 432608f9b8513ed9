"""The rows of the list of files: each copy of each item, with its work, to filter and sort by. Pure."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from gateway.core.model import Candidate, FoundCopy, SearchState, Work
from gateway.core.xmltext import clean
from gateway.fulltext.policies import Colour
from gateway.fulltext.search_result import SearchResult
from gateway.fulltext.stored_search import candidates_of, parsed_search

_MOST = 500  # characters of a title, or of authors

HostOf: TypeAlias = Callable[[str], str]


def copies_of_result(identifier: str, source: str, searched: SearchResult, host_of: HostOf) -> Iterator[FoundCopy]:
    """Yield the rows of a search that has ended. `host_of` returns the host in an address."""
    colour = searched.policy.colour if searched.policy else ""
    for candidate in searched.candidates:
        yield copy_of(identifier, source, searched.title, searched.authors, colour, candidate, host_of)


def copies_of_state(state: SearchState, work: Work | None, host_of: HostOf) -> Iterator[FoundCopy]:
    """Yield the rows of a stored search; `work` is None if the item is deleted."""
    policy = parsed_search(state).get("policy")
    title, authors = described(work)
    for candidate in candidates_of(state):
        yield copy_of(
            state.identifier, state.source, title, authors, policy["colour"] if policy else "", candidate, host_of
        )


def described(work: Work | None) -> tuple[str, str]:
    """Return the title and the authors of a work, as one text each."""
    if work is None:
        return "", ""
    return _short(" ".join(work.texts("title")[:1])), _short("; ".join(work.texts("creator")))


def _short(text: str) -> str:
    return " ".join(clean(text).split())[:_MOST]


def copy_of(
    identifier: str, source: str, title: str, authors: str, colour: Colour | str, candidate: Candidate, host_of: HostOf
) -> FoundCopy:
    """Return the row of one copy; `title` and `authors` are those of the record, `colour` that of the policy."""
    return FoundCopy(
        identifier,
        candidate.url,
        source,
        title,
        authors,
        candidate.found_by,
        host_of(candidate.final_url or candidate.url),
        str(candidate.outcome),
        candidate.likeness if candidate.has_likeness else None,
        candidate.kind,
        str(colour),
        candidate.license,
        candidate.version or candidate.text_version,
        candidate.size,
        candidate.sha256,
        candidate.judge,
    )
