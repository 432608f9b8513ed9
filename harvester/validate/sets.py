"""Checks of ListSets and of membership in sets (OAI-PMH 2.0 §2.6, §2.7.2, §4.6)."""

import re
from collections.abc import Iterator
from itertools import islice

from gateway.core.xmlio import Element
from gateway.core.xmltext import OAI_PMH
from harvester.validate.answer import Header, elements, local_name, namespace, text
from harvester.validate.check import Checks, Finding, Findings, Undecided, Wrong
from harvester.validate.client import Exchange
from harvester.validate.repository import RULES, Repository

_SPEC = re.compile(r"[A-Za-z0-9\-_.!~*'()]+(:[A-Za-z0-9\-_.!~*'()]+)*")
_SET = re.compile(r"setSpec setName( setDescription)*")
CHECKS = Checks[Repository](RULES)


@CHECKS.add("sets.works")
def _works(repository: Repository) -> Findings:
    exchange = repository.ask("ListSets")
    answer = exchange.read()
    if not answer.sets and "noSetHierarchy" not in answer.codes:
        yield Finding(exchange, "The answer lists no set and does not say noSetHierarchy.")


def _listed(repository: Repository) -> Iterator[tuple[Exchange, Element]]:
    walk = repository.set_walk
    if walk is None:
        raise Undecided("The repository has no sets.")
    return ((page, element) for page in walk.pages for element in page.read().sets)


_set = CHECKS.each(_listed)


@_set("sets.structure")
def _structure(element: Element) -> Wrong:
    if not _SET.fullmatch(" ".join(map(local_name, elements(element)))):
        return "A set is not setSpec, setName, setDescription*."
    return not text(element, "setName") and "A setName is empty."


_set("sets.spec")(
    lambda element: not _SPEC.fullmatch(spec := text(element, "setSpec")) and f"The setSpec {spec!r} is illegal."
)


@CHECKS.add("sets.unique")
def _unique(repository: Repository) -> Findings:
    seen: set[str] = set()
    for page, element in _listed(repository):
        spec = text(element, "setSpec")
        if spec in seen:
            yield Finding(page, f"The setSpec {spec!r} is listed twice.")
        seen.add(spec)


@CHECKS.add("sets.parents")
def _parents(repository: Repository) -> Findings:
    specs = set(repository.sets)
    for spec in repository.sets:
        parent = spec.rpartition(":")[0]
        if parent and parent not in specs:
            yield Finding(repository.ask("ListSets"), f"The set {spec!r} is listed, but its parent {parent!r} is not.")


_set("sets.description")(
    lambda element: (
        "A setDescription does not have exactly one element of another namespace."
        for inside in map(elements, elements(element)[2:])
        if len(inside) != 1 or namespace(inside[0]) in ("", OAI_PMH)
    )
)


def _headers(repository: Repository) -> Iterator[tuple[Exchange, Header]]:
    return ((page, header) for page in repository.records.pages for header in page.read().headers)


@CHECKS.add("sets.listed")
def _headers_listed(repository: Repository) -> Findings:
    specs = set(repository.sets)
    for page, header in _headers(repository):
        for spec in header.sets:
            if spec not in specs:
                yield Finding(page, f"{header.identifier} is in the set {spec!r}, which is not listed.")


CHECKS.each(_headers)("sets.minimal")(
    lambda header: (
        f"{header.identifier} names {spec!r}, which a set below it implies."
        for spec in header.sets
        if any(other.startswith(f"{spec}:") for other in header.sets)
    )
)


def _sampled_sets(repository: Repository) -> list[str]:
    """Return a few sets: those in received headers first, because the others may be empty."""
    specs = repository.sets
    seen = dict.fromkeys(spec for header in repository.records.headers for spec in header.sets if spec in specs)
    return list(dict.fromkeys((*seen, *specs)))[: repository.limits.sets]


@CHECKS.add("sets.members")
def _members(repository: Repository) -> Findings:
    for spec in _sampled_sets(repository):
        exchange = repository.ask("ListIdentifiers", metadataPrefix="oai_dc", set=spec)
        for header in exchange.read().headers:
            if not any(f"{name}:".startswith(f"{spec}:") for name in header.sets):
                yield Finding(exchange, f"{header.identifier} is listed in {spec!r}, but its header does not say so.")


@CHECKS.add("sets.belongs")
def _belongs(repository: Repository) -> Findings:
    return _missing(repository, {spec: header for header, spec in _memberships(repository)})


@CHECKS.add("sets.hierarchy")
def _ancestors(repository: Repository) -> Findings:
    wanted: dict[str, Header] = {}
    for header, spec in _memberships(repository):
        while spec := spec.rpartition(":")[0]:
            wanted.setdefault(spec, header)
    if not wanted:
        raise Undecided("No received record is in a set below another.")
    return _missing(repository, wanted)


def _memberships(repository: Repository) -> Iterator[tuple[Header, str]]:
    memberships = [(header, spec) for header in repository.records.headers for spec in header.sets]
    if not memberships:
        raise Undecided("No received record is in a set.")
    return iter(memberships)


def _missing(repository: Repository, wanted: dict[str, Header]) -> Findings:
    for spec, header in islice(wanted.items(), repository.limits.sets):
        exchange = _window(repository, spec, header)
        if header.identifier not in (other.identifier for other in _in_window(repository, spec, header)) and (
            not repository.has_changed(header)
        ):
            yield Finding(exchange, f"{header.identifier} is not in the list of the set {spec!r}.")


def _window(repository: Repository, spec: str, header: Header) -> Exchange:
    return repository.ask("ListIdentifiers", **_arguments(spec, header))


def _in_window(repository: Repository, spec: str, header: Header) -> tuple[Header, ...]:
    if "noRecordsMatch" in _window(repository, spec, header).read().codes:
        return ()
    walk = repository.walk("ListIdentifiers", **_arguments(spec, header))
    if not walk.is_complete and header not in walk.headers:
        raise Undecided(f"The list of the set {spec!r} is longer than the limit of pages.")
    return walk.headers


def _arguments(spec: str, header: Header) -> dict[str, str]:
    return {"metadataPrefix": "oai_dc", "set": spec, "from_": header.datestamp, "until": header.datestamp}
