"""Other versions of the work that Crossref and DataCite name: its preprint, its article, an earlier or later version.

An address derived from the identifier comes first. Else a service is asked for one version, and for one more if that is
unknown or has no file.
"""

from collections.abc import Iterator
from dataclasses import replace

from gateway.core.errors import GatewayError
from gateway.core.model import Outcome
from harvester.fulltext.identifiers import Identifier, Identifiers
from harvester.fulltext.known_copies import Copy, Related
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps.openrxiv import STEP as OPENRXIV
from harvester.fulltext.steps.osf import STEP as OSF
from harvester.fulltext.steps.recipes import STEP as RECIPES
from harvester.fulltext.steps.unpaywall import STEP as UNPAYWALL
from harvester.http.messages import Fetch

_SERVICES = (OPENRXIV, OSF, UNPAYWALL)  # the most specific service first
_MOST = 3  # versions that are looked up
_MOST_ASKED = 2  # versions for which a service is asked: each is one request
_VERSIONS = {"has-preprint": "submitted"}  # by relation, if the version of a copy is not stated


def _related(known: Known) -> tuple[Related, ...]:
    """Return the other versions of the work by identifiers that it does not have itself."""
    return tuple(version for version in known.versions if version.value not in known.identifiers.all(version.scheme))[
        :_MOST
    ]


def _of_version(related: Related, copies: tuple[Copy, ...]) -> Iterator[Copy]:
    for copy in copies:
        version = copy.version or _VERSIONS.get(related.relation, "")
        evidence = f"{related.relation} {related.scheme}:{related.value}, {copy.evidence}"
        yield copy._replace(version=version, evidence=evidence)


def _find(known: Known, fetch: Fetch) -> StepResult:
    bare = replace(known, described=(), pages=(), matches=())
    named = [(related, Identifier(related.scheme, related.value, related.relation)) for related in _related(known)]
    others = [(related, replace(bare, identifiers=Identifiers((identifier,)))) for related, identifier in named]
    following = [
        copy
        for related, other in others
        if RECIPES.wants(other)
        for copy in _of_version(related, RECIPES.find(other, fetch).copies)
    ]
    if following:
        return StepResult(Outcome.SUCCESS, tuple(following))
    return _asked(others, fetch)


def _asked(others: list[tuple[Related, Known]], fetch: Fetch) -> StepResult:
    """Return the results of services for versions, one service each, until one has a file.

    Raise the error of a service if no other version has a file.
    """
    errors: list[GatewayError] = []
    results: list[StepResult] = []
    served = [(related, other, service) for related, other in others if (service := _service(other)) is not None]
    for related, other, service in served[:_MOST_ASKED]:
        try:
            answer = service.find(other, fetch)
        except GatewayError as error:
            errors.append(error)
            continue
        results.append(StepResult(answer.outcome, tuple(_of_version(related, answer.copies)), note=answer.note))
        if answer.outcome is Outcome.SUCCESS:
            return _together(results)
    if errors:
        raise errors[0]
    return _together(results)


def _service(other: Known) -> Step | None:
    """Return the step that asks for a version, or None."""
    able = (service for service in _SERVICES if not service.needs or other.settings.get(service.needs))
    return next((rule for rule in able if rule.wants(other)), None)


def _together(results: list[StepResult]) -> StepResult:
    """Return the copies of all versions, with the outcome of the last known one."""
    if not results:
        return StepResult(Outcome.NOT_FOUND)
    known = [result for result in results if result.outcome is not Outcome.NOT_FOUND]
    return replace((known or results)[-1], copies=tuple(copy for result in results for copy in result.copies))


STEP = Step(
    "versions",
    54,
    "Looks for copies of the versions of the work that Crossref and DataCite name.",
    lambda known: bool(_related(known)),
    _find,
)
