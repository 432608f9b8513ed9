"""Checks that compare ListRecords, ListIdentifiers and GetRecord, and checks of every received header and record."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from gateway.core.xmlio import Element
from gateway.core.xmltext import OAI_PMH
from harvester.validate.answer import Header, canonical, elements, local_name, namespace, oai, record_header, texts
from harvester.validate.check import Checks, Finding, Findings, Undecided, Wrong
from harvester.validate.client import Exchange
from harvester.validate.repository import RULES, Repository, second_of

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
_HEADER = re.compile(r"identifier datestamp( setSpec)*")
_LIVE = re.compile(r"header metadata( about)*")
_DELETED = re.compile(r"header( metadata| about)*")
ASKING = Checks[Repository](RULES)
SEEN = Checks[Repository](RULES)


# --- the verbs against each other ------------------------------------------------------------------------------


def _works(verb: str) -> Callable[[Repository], Findings]:
    def check(repository: Repository) -> Findings:
        exchange = repository.ask(verb, metadataPrefix="oai_dc")
        if exchange.read().errors or not exchange.read().headers:
            yield Finding(exchange, f"{verb} in oai_dc lists no record.")

    return check


ASKING.add("list-records.works")(_works("ListRecords"))
ASKING.add("list-identifiers.works")(_works("ListIdentifiers"))


def _get(repository: Repository, header: Header) -> Exchange:
    return repository.ask("GetRecord", identifier=header.identifier, metadataPrefix="oai_dc")


@ASKING.add("list-identifiers.same")
def _headers_same(repository: Repository) -> Findings:
    records, identifiers = repository.records, repository.identifiers
    listed = {header.identifier: header for header in records.headers}
    for page in identifiers.pages:
        for header in page.read().headers:
            other = listed.get(header.identifier)
            if (other or records.is_complete) and other != header and not repository.has_changed(header):
                yield Finding(page, f"{header.identifier}: {header} here, {other} in ListRecords.")
    if identifiers.is_complete:
        names = {header.identifier for header in identifiers.headers}
        for missing in listed.keys() - names:
            yield Finding(identifiers.pages[-1], f"{missing} is in ListRecords but not in ListIdentifiers.")


@ASKING.add("list-records.live")
def _live(repository: Repository) -> Findings:
    if all(header.is_deleted for header in repository.records.headers):
        yield Finding(repository.records.pages[-1], "All received records are deleted, so other checks are impossible.")


@ASKING.add("get-record.works")
def _get_record_works(repository: Repository) -> Findings:
    exchange = _get(repository, repository.example)
    if exchange.read().errors or len(exchange.read().records) != 1:
        yield Finding(exchange, "GetRecord does not return the one record that ListRecords lists.")


@ASKING.add("get-record.same")
def _get_record_same(repository: Repository) -> Findings:
    header = repository.example
    exchange = _get(repository, header)
    exchange.content("GetRecord")
    listed = next(record for _, record in repository.records.records if record_header(record) == header)
    for record in exchange.read().records[:1]:
        if canonical(record) != canonical(listed) and not repository.has_changed(header):
            yield Finding(exchange, "GetRecord returns another record than ListRecords.")


@ASKING.add("get-record.deleted")
def _get_record_deleted(repository: Repository) -> Findings:
    exchange = _get(repository, repository.deleted_example)
    if not any(record_header(record).is_deleted for record in exchange.read().records):
        yield Finding(exchange, "The record is listed as deleted; GetRecord does not say so.")


@ASKING.add("records.unique")
def _unique(repository: Repository) -> Findings:
    for walk in (repository.records, repository.identifiers):
        counts = Counter(header.identifier for header in walk.headers if header.identifier)
        for identifier, count in counts.items():
            if count > 1:
                yield Finding(walk.pages[-1], f"{identifier} is listed {count} times.")


# --- every header and record that was seen ---------------------------------------------------------------------


def _seen_headers(repository: Repository) -> Iterator[tuple[Exchange, Exchange, Element, Header]]:
    for exchange in repository.conversation.exchanges:
        if exchange.answer is not None:
            pairs = zip(exchange.answer.header_elements, exchange.answer.headers, strict=True)
            yield from ((exchange, exchange, element, header) for element, header in pairs)


def _seen_records(repository: Repository) -> Iterator[tuple[Exchange, Element, Header]]:
    for exchange in repository.conversation.exchanges:
        if exchange.answer is not None:
            yield from ((exchange, record, record_header(record)) for record in exchange.answer.records)


_header, _record = SEEN.each(_seen_headers), SEEN.each(_seen_records)


@_header("records.header")
def _header_structure(_: Exchange, element: Element, header: Header) -> Wrong:
    parts = elements(element)
    if not _HEADER.fullmatch(" ".join(map(local_name, parts))) or any(namespace(p) != OAI_PMH for p in parts):
        return f"A header is not identifier, datestamp, setSpec*: {header}."
    is_strange = element.attrib and (list(element.attrib), header.is_deleted) != (["status"], True)
    return bool(is_strange) and f"A header has another attribute than status='deleted': {header}."


_header("records.identifier")(
    lambda _, element, header: (
        element.find(oai("identifier")) is not None
        and not _URI.fullmatch(header.identifier)
        and f"The identifier {header.identifier!r} is not a URI."
    )
)


@SEEN.add("records.datestamp")
def _datestamp(repository: Repository) -> Findings:
    is_day = repository.is_day_granular
    for exchange, _, element, header in _seen_headers(repository):
        is_legal = second_of(header.datestamp) is not None and ("T" not in header.datestamp) is is_day
        if element.find(oai("datestamp")) is not None and not is_legal:
            yield Finding(exchange, f"The datestamp {header.datestamp!r} is illegal or of another granularity.")


@SEEN.add("records.earliest-datestamp")
def _not_before_earliest(repository: Repository) -> Findings:
    earliest, limit = repository.earliest
    for exchange, _, _, header in _seen_headers(repository):
        if (second_of(header.datestamp) or limit) < limit:
            yield Finding(exchange, f"{header.identifier} has {header.datestamp}, before {earliest}.")


@_header("records.not-in-future")
def _not_in_future(exchange: Exchange, _: Element, header: Header) -> Wrong:
    second, now = second_of(header.datestamp), second_of(exchange.read().response_date)
    is_late = second is not None and now is not None and second > now
    return is_late and f"{header.identifier} has {header.datestamp}, after the responseDate."


@_record("records.structure")
def _record_structure(record: Element, header: Header) -> Wrong:
    parts = " ".join(local_name(part) for part in elements(record))
    if not (_DELETED if header.is_deleted else _LIVE).fullmatch(parts):
        return f"The record {header.identifier} consists of: {parts}."
    is_wrong = any(len(elements(part)) != 1 for part in record.findall(oai("metadata")))
    return is_wrong and f"The metadata of {header.identifier} is not one element."


_record("records.deleted-empty")(
    lambda record, header: (
        header.is_deleted and len(elements(record)) > 1 and f"{header.identifier} is deleted and has metadata or about."
    )
)


@SEEN.add("records.deleted-declared")
def _deleted_is_declared(repository: Repository) -> Findings:
    declared = texts(repository.identify, "deletedRecord")
    if declared not in (("no",), ("transient",), ("persistent",)):
        raise Undecided("Identify does not state exactly one legal deletedRecord.")
    for exchange, _, _, header in _seen_headers(repository):
        if header.is_deleted and declared == ("no",):
            yield Finding(exchange, f"{header.identifier} is marked as deleted.")
