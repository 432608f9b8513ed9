"""The result of a search: its outcome, whether it is over, and other facts about the work. Pure."""

from collections.abc import Collection, Iterable

from gateway.core.model import Candidate, Outcome, Trace
from gateway.fulltext.licenses import is_open
from gateway.fulltext.policies import VERSIONS, Colour, Policy
from gateway.fulltext.search_result import is_identified
from harvester.fulltext.known_copies import IS_ARTICLE, Description
from harvester.fulltext.pdf.trusted_descriptions import agree
from harvester.fulltext.retractions import UPDATES, by_notice, by_title, is_notice, update_of
from harvester.fulltext.steps import Known
from harvester.fulltext.steps._pages import own_pages_of

# Outcomes that may differ tomorrow: the search is then not over, and waits.
PASSING = frozenset((Outcome.RATE_LIMITED, Outcome.TIMEOUT, Outcome.DNS_ERROR, Outcome.BAD_STATUS, Outcome.TLS_ERROR))

# If there are several outcomes, the one nearest to a file decides the outcome of the search.
_TELLING = (
    Outcome.LOW_SCORE, Outcome.NO_TEXT, Outcome.ENCRYPTED_PDF, Outcome.EMBARGOED_UNTIL, Outcome.FULL_TEXT_XML,
    Outcome.FULL_TEXT_HTML, Outcome.ROBOTS_DENIED,
    Outcome.BLOCKED_CAPTCHA, Outcome.BLOCKED_COOKIE, Outcome.BLOCKED_WALL, Outcome.FORBIDDEN, Outcome.SUPPLEMENT,
    Outcome.WRONG_DOCUMENT,
    Outcome.BROKEN_PDF, Outcome.PARSE_MEMORY, Outcome.PARSE_TIMEOUT, Outcome.BODY_TOO_LARGE, Outcome.RATE_LIMITED,
    Outcome.TIMEOUT, Outcome.TLS_ERROR, Outcome.DNS_ERROR, Outcome.BAD_STATUS, Outcome.EMPTY_BODY, Outcome.NOT_PDF,
    Outcome.WRONG_MIMETYPE, Outcome.REDIRECT_LOOP, Outcome.TOO_MANY_REDIRECTS, Outcome.MAX_HOPS, Outcome.LINK_LOOP,
    Outcome.GONE, Outcome.TAKEN_DOWN, Outcome.SKIP_HOST, Outcome.PRIVATE_ADDRESS, Outcome.BAD_SCHEME, Outcome.NOT_OA,
    Outcome.NO_PDF_LINK, Outcome.NOT_FOUND,
)  # fmt: skip


_REGISTRIES = ("crossref", "datacite")  # the steps that know retractions
_NOTICE = "update-to:"  # before the type of the update, in relations of notices
_DIGITS = 4  # of a year


def works_among(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the copies that are the work."""
    return [one for one in candidates if one.outcome is Outcome.SUCCESS and not one.is_auxiliary]


def outcome_of_search(
    known: Known, candidates: Collection[Candidate], addresses: Iterable[Candidate], ends: Collection[Outcome]
) -> Outcome:
    """Return the outcome of a search.

    `candidates` are the checked copies, `addresses` those that were only noted, `ends` the outcomes of the steps for
    files.
    """
    if works := works_among(candidates):
        return Outcome.POLICY_FORBIDS if _is_forbidden(known.policy, works) else Outcome.SUCCESS
    articles = [address for address in addresses if address.evidence == IS_ARTICLE]
    outcomes = {candidate.outcome for candidate in (*candidates, *articles)} or ends
    if not outcomes:
        return Outcome.NO_DOI
    return next((outcome for outcome in _TELLING if outcome in outcomes), Outcome.NO_PDF_LINK)


def _is_forbidden(policy: Policy | None, works: Iterable[Candidate]) -> bool:
    """Return whether no copy has an open licence, and the policy forbids repositories its version."""
    if policy is None or policy.colour is Colour.GRAY:
        return False
    permitted = {version for version in VERSIONS if policy.for_version(version)}
    return not any(
        is_open(work.license) or (work.version in permitted if work.version else permitted) for work in works
    )


def is_over(candidates: Collection[Candidate], traces: Collection[Trace]) -> bool:
    """Return whether a search need not be repeated soon, because its outcomes are final."""
    is_known = bool(works_among(candidates)) and not silent_registry(traces)
    outcomes = {*(trace.outcome for trace in traces), *(candidate.outcome for candidate in candidates)}
    return is_known or PASSING.isdisjoint(outcomes)


def retraction_of(known: Known, candidates: Collection[Candidate]) -> str:
    """Return a service's sentence about a retraction of the work, else that of its title, file or page, or nothing.

    A service's statement counts if it has the title of the work, or a DOI that identifies one of its files. That of a
    file counts if the file has the title or an identifier of the work. That of a page counts if it is the work's own.
    """
    titles = known.work.texts("title")
    is_shown = any("doi" in candidate.identified_by for candidate in candidates)
    dois = known.own_identifiers.all("doi") if is_shown else ()
    own = [one for one in known.described if one.doi in dois or agree(titles, one.title)]
    stated = [one.retracted or by_title(one.title, "a service") for one in own]
    stated += [by_title(title, "the record") for title in titles]
    if not any(map(is_notice, titles)):
        stated += [_by_own_notice(one) for one in known.described if one.doi in known.own_identifiers.all("doi")]
        stated += [
            candidate.retracted
            for candidate in candidates
            if is_identified(candidate.identified_by) or candidate.has_title or candidate.has_doi
        ]
        stated += [page.retracted for page in known.pages if page.url in own_pages_of(known)]
    return next(filter(None, stated), "")


def _by_own_notice(described: Description) -> str:
    """Return the sentence if the DOI of a record is that of a notice that retracts another work; else empty."""
    others = (related for related in described.related if related.value != described.doi)
    updated = (
        related
        for related in others
        if related.relation.startswith(_NOTICE) and update_of(related.relation.removeprefix(_NOTICE)) in UPDATES
    )
    return next((by_notice(related.relation, related.value) for related in updated), "")


def silent_registry(traces: Iterable[Trace]) -> str:
    """Return the step of a registry that failed for now, or an empty text."""
    return next((trace.step for trace in traces if trace.step in _REGISTRIES and trace.outcome in PASSING), "")


def year_of(known: Known) -> str:
    """Return the year of publication (`2026`) from a service, else from the record, or an empty text."""
    years = [description.year for description in known.described]
    years += [date[:_DIGITS] for date in known.work.texts("date")]
    return next((year for year in years if len(year) == _DIGITS and year.isdecimal()), "")


def subjects_of(known: Known) -> tuple[str, ...]:
    """Return the subjects that Crossref states for a DOI of the work."""
    dois = known.own_identifiers.all("doi")
    return tuple(dict.fromkeys(subject for one in known.described if one.doi in dois for subject in one.subjects))
