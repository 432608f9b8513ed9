"""Checks of all received answers: HTTP, XML, the envelope (OAI-PMH 2.0 §3.1.2, §3.2, §3.6)."""

import re
from collections.abc import Iterator

from gateway.core.xmlio import Element
from gateway.core.xmltext import OAI_PMH, XSI
from harvester.http.dates import http_second
from harvester.validate.answer import Answer, local_name, namespace, texts
from harvester.validate.check import Checks, Finding, Findings, Wrong
from harvester.validate.client import ARGUMENTS, Exchange
from harvester.validate.repository import RULES, Repository, second_of

_OK = 200
_BUSY = (429, 503)
_SCHEMA = "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"
_DECLARATION = re.compile(
    rb"""(?:\xef\xbb\xbf)?<\?xml\s+version\s*=\s*["']1\.0["']\s+encoding\s*=\s*["']UTF-8["']""", re.IGNORECASE
)
_DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_SECOND = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_RETRY_AFTER = re.compile(r"[0-9]{1,4}|[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT")

# The Date header has whole seconds too, and may be one second older than the body.
_TOLERANCE_SECONDS = 1

_LISTS = frozenset({"ListIdentifiers", "ListRecords"})
_APPLICABLE = {
    "badArgument": frozenset(ARGUMENTS),
    "badResumptionToken": _LISTS | {"ListSets"},
    "badVerb": frozenset(),
    "cannotDisseminateFormat": _LISTS | {"GetRecord"},
    "idDoesNotExist": frozenset({"GetRecord", "ListMetadataFormats"}),
    "noRecordsMatch": _LISTS,
    "noMetadataFormats": frozenset({"ListMetadataFormats"}),
    "noSetHierarchy": _LISTS | {"ListSets"},
}
_SILENT = {"badVerb", "badArgument"}
CHECKS = Checks[Repository](RULES)


# --- HTTP ------------------------------------------------------------------------------------------------------


def _exchanges(repository: Repository) -> Iterator[tuple[Exchange, Exchange]]:
    return ((exchange, exchange) for exchange in repository.conversation.exchanges)


def _bodies(repository: Repository) -> Iterator[tuple[Exchange, Exchange]]:
    """Return the exchanges whose answers should be documents: those of an overloaded server need not be."""
    return (pair for pair in _exchanges(repository) if pair[0].has_body and pair[0].status not in _BUSY)


_exchange, _body = CHECKS.each(_exchanges), CHECKS.each(_bodies)

_exchange("answer.arrives")(lambda exchange: exchange.fetched is None and "No answer came.")
_body("answer.status")(lambda exchange: exchange.status != _OK and f"The HTTP status is {exchange.status}.")
_exchange("answer.retry-after")(
    lambda exchange: (
        exchange.status in _BUSY
        and not _RETRY_AFTER.fullmatch(exchange.header("Retry-After"))
        and "The answer has no usable Retry-After."
    )
)
_body("answer.media-type")(lambda exchange: exchange.media_type != "text/xml" and "The Content-Type is not text/xml.")
_body("answer.charset")(
    lambda exchange: (
        "charset=utf-8" not in exchange.header("Content-Type").lower().replace('"', "").replace(" ", "")
        and "The Content-Type does not say charset=UTF-8."
    )
)

# --- XML -------------------------------------------------------------------------------------------------------

_body("answer.well-formed")(lambda exchange: not _DOCTYPE.search(exchange.body[:1000]) and exchange.not_xml)
_body("answer.stand-alone")(
    lambda exchange: _DOCTYPE.search(exchange.body[:1000]) and "There is a document type declaration."
)
# A document that is declared as UTF-8 and was parsed is UTF-8.
_body("answer.utf-8")(
    lambda exchange: (
        exchange.answer is not None
        and not _DECLARATION.match(exchange.body)
        and "The XML declaration is not that of XML 1.0 in UTF-8."
    )
)

# --- the envelope ----------------------------------------------------------------------------------------------

_ROOT = f"{{{OAI_PMH}}}OAI-PMH"


def _answers(repository: Repository) -> Iterator[tuple[Exchange, Exchange, Answer]]:
    return ((one, one, one.answer) for one in repository.conversation.exchanges if one.answer is not None)


def _envelopes(repository: Repository) -> Iterator[tuple[Exchange, Exchange, Answer]]:
    return (parts for parts in _answers(repository) if parts[2].root.tag == _ROOT)


_envelope = CHECKS.each(_envelopes)

CHECKS.each(_answers)("answer.root")(lambda _, answer: answer.root.tag != _ROOT and f"The root is {answer.root.tag}.")
_envelope("answer.schema-location")(
    lambda _, answer: (
        answer.root.get(f"{{{XSI}}}schemaLocation", "").split()[:2] != [OAI_PMH, _SCHEMA]
        and "xsi:schemaLocation does not begin with the namespace and the schema of OAI-PMH."
    )
)


@_envelope("answer.structure")
def _structure(_: Exchange, answer: Answer) -> Wrong:
    names = [local_name(child) for child in answer.children if namespace(child) == OAI_PMH]
    content = names[2:]
    is_content = (len(content) == 1 and content[0] in ARGUMENTS) or set(content) == {"error"}
    is_right = names[:2] == ["responseDate", "request"] and len(names) == len(answer.children) and is_content
    return not is_right and f"The answer consists of: {' '.join(map(local_name, answer.children))}."


@_envelope("answer.verb")
def _verb(exchange: Exchange, answer: Answer) -> Wrong:
    contents = {local_name(child) for child in answer.children} & ARGUMENTS.keys()
    is_wrong = exchange.is_legal and bool(contents - {exchange.verb})
    return is_wrong and f"{exchange.verb} is answered with {' '.join(sorted(contents))}."


@_envelope("answer.date-form")
def _date_form(_: Exchange, answer: Answer) -> Wrong:
    dates = texts(answer.root, "responseDate")
    is_wrong = bool(dates) and (not _SECOND.fullmatch(dates[0]) or second_of(dates[0]) is None)
    return is_wrong and f"The responseDate is {dates[0]!r}."


@_envelope("answer.date-now")
def _date_now(exchange: Exchange, answer: Answer) -> Wrong:
    response_date, now = second_of(answer.response_date), http_second(exchange.header("Date"))
    is_late = response_date is not None and now is not None and response_date > now + _TOLERANCE_SECONDS
    return is_late and f"The responseDate {answer.response_date} is after {exchange.header('Date')}."


# --- the request element and the errors ------------------------------------------------------------------------


def _requests(repository: Repository) -> Iterator[tuple[Exchange, Exchange, Answer, Element]]:
    return ((*parts, parts[2].request) for parts in _envelopes(repository) if parts[2].request is not None)


@CHECKS.add("answer.request-url")
def _request_url(repository: Repository) -> Findings:
    identify = repository.ask("Identify")
    stated = texts(identify.content("Identify"), "baseURL") if identify.holds("Identify") else ()
    for exchange, _, _, request in _requests(repository):
        if (url := (request.text or "").strip()) not in (repository.base_url, *stated):
            yield Finding(exchange, f"The request element contains {url!r}.")


_request = CHECKS.each(_requests)


@_request("answer.request-attributes")
def _request_attributes(exchange: Exchange, answer: Answer, request: Element) -> Wrong:
    stated, asked = set(request.attrib.items()), set(exchange.arguments)
    is_right = stated <= asked if answer.errors else stated == asked or not exchange.is_legal
    is_wrong = not (is_right or answer.codes & _SILENT)
    return is_wrong and f"The request element has the attributes {dict(request.attrib.items())}."


_request("answer.request-silent")(
    lambda _, answer, request: (
        bool(answer.codes & _SILENT and request.attrib)
        and f"The request element has the attributes {dict(request.attrib.items())}."
    )
)
_envelope("answer.error-code")(
    lambda _, answer: (f"{code!r} is not an error code." for code in sorted(answer.codes - _APPLICABLE.keys()))
)
_envelope("answer.error-applicable")(
    lambda exchange, answer: (
        f"{code} does not apply to {exchange.verb}."
        for code in sorted(answer.codes & _APPLICABLE.keys())
        if exchange.verb and exchange.verb not in _APPLICABLE[code]
    )
)
_envelope("answer.error-text")(
    lambda _, answer: (
        any(not error.sentence and error.code != "noSetHierarchy" for error in answer.errors)
        and "An error has no text."
    )
)
