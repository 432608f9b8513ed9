"""Checks of all received answers: HTTP, XML, the envelope (OAI-PMH 2.0 §3.1.2, §3.2, §3.6)."""

import re
from collections.abc import Iterator

from gateway.core.xmlio import Element
from gateway.core.xmltext import OAI_PMH, XSI
from harvester.http.dates import http_second
from harvester.validate.answer import Answer, local_name, namespace, texts
from harvester.validate.check import Checks, Finding, Findings, Verdict
from harvester.validate.client import ARGUMENTS, Exchange
from harvester.validate.repository import Repository, second_of

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
CHECKS = Checks[Repository]("OAI-PMH 2.0")


# --- HTTP ------------------------------------------------------------------------------------------------------


@CHECKS.add("answer.arrives", "§3.1", "Every request is answered.")
def _arrives(repository: Repository) -> Findings:
    for exchange in repository.conversation.exchanges:
        if exchange.fetched is None:
            yield Finding(exchange, "No answer came.")


@CHECKS.add("answer.status", "§3.1.2.2", "OAI-PMH answers and errors come with HTTP status 200.")
def _status(repository: Repository) -> Findings:
    for exchange in _bodies(repository):
        if exchange.status != _OK:
            yield Finding(exchange, f"The HTTP status is {exchange.status}.")


@CHECKS.add("answer.retry-after", "§3.1.2.2", "An overloaded server sends Retry-After.")
def _retry_after(repository: Repository) -> Findings:
    for exchange in repository.conversation.exchanges:
        if exchange.status in _BUSY and not _RETRY_AFTER.fullmatch(exchange.header("Retry-After")):
            yield Finding(exchange, "The answer has no usable Retry-After.")


def _bodies(repository: Repository) -> Iterator[Exchange]:
    """Return the exchanges whose answers should be documents: those of an overloaded server need not be."""
    return (
        exchange for exchange in repository.conversation.exchanges if exchange.has_body and exchange.status not in _BUSY
    )


@CHECKS.add("answer.media-type", "§3.1.2.1", "The Content-Type is text/xml.")
def _media_type(repository: Repository) -> Findings:
    for exchange in _bodies(repository):
        if exchange.header("Content-Type").partition(";")[0].strip().lower() != "text/xml":
            yield Finding(exchange, "The Content-Type is not text/xml.")


@CHECKS.add("answer.charset", "RFC 7303 §3", "The Content-Type says charset=UTF-8.", Verdict.WARNING)
def _charset(repository: Repository) -> Findings:
    for exchange in _bodies(repository):
        if "charset=utf-8" not in exchange.header("Content-Type").lower().replace('"', "").replace(" ", ""):
            yield Finding(exchange, "The Content-Type does not say charset=UTF-8.")


# --- XML -------------------------------------------------------------------------------------------------------


@CHECKS.add("answer.well-formed", "§3.2", "Every answer is well-formed XML.")
def _well_formed(repository: Repository) -> Findings:
    for exchange in _bodies(repository):
        if exchange.not_xml and not _DOCTYPE.search(exchange.body[:1000]):
            yield Finding(exchange, exchange.not_xml)


@CHECKS.add("answer.stand-alone", "§3.2", "No answer depends on a document type.")
def _stand_alone(repository: Repository) -> Findings:
    for exchange in _bodies(repository):
        if _DOCTYPE.search(exchange.body[:1000]):
            yield Finding(exchange, "There is a document type declaration.")


@CHECKS.add("answer.utf-8", "§3.2", "Every answer is declared as XML 1.0 in UTF-8, and is.")
def _utf_8(repository: Repository) -> Findings:
    for exchange in _bodies(repository):
        # A document that is declared as UTF-8 and was parsed is UTF-8.
        if exchange.answer is not None and not _DECLARATION.match(exchange.body):
            yield Finding(exchange, "The XML declaration is not that of XML 1.0 in UTF-8.")


# --- the envelope ----------------------------------------------------------------------------------------------


def _answers(repository: Repository) -> Iterator[tuple[Exchange, Answer]]:
    return (
        (exchange, exchange.answer) for exchange in repository.conversation.exchanges if exchange.answer is not None
    )


def _envelopes(repository: Repository) -> Iterator[tuple[Exchange, Answer]]:
    return (
        (exchange, answer) for exchange, answer in _answers(repository) if answer.root.tag == f"{{{OAI_PMH}}}OAI-PMH"
    )


@CHECKS.add("answer.root", "§3.2", "The root is OAI-PMH, of the OAI-PMH namespace.")
def _root(repository: Repository) -> Findings:
    for exchange, answer in _answers(repository):
        if answer.root.tag != f"{{{OAI_PMH}}}OAI-PMH":
            yield Finding(exchange, f"The root is {answer.root.tag}.")


@CHECKS.add("answer.schema-location", "§3.2", "The root names the schema of OAI-PMH.")
def _schema_location(repository: Repository) -> Findings:
    for exchange, answer in _envelopes(repository):
        if answer.root.get(f"{{{XSI}}}schemaLocation", "").split()[:2] != [OAI_PMH, _SCHEMA]:
            yield Finding(exchange, "xsi:schemaLocation does not begin with the namespace and the schema of OAI-PMH.")


@CHECKS.add(
    "answer.structure", "§3.2", "An answer is responseDate, request, then errors or one element named after a verb."
)
def _structure(repository: Repository) -> Findings:
    for exchange, answer in _envelopes(repository):
        names = [local_name(child) for child in answer.children if namespace(child) == OAI_PMH]
        content = names[2:]
        is_content = len(content) == 1 and content[0] in ARGUMENTS
        is_error = bool(content) and set(content) == {"error"}
        if (
            names[:2] != ["responseDate", "request"]
            or len(names) != len(answer.children)
            or not (is_content or is_error)
        ):
            yield Finding(exchange, f"The answer consists of: {' '.join(map(local_name, answer.children))}.")


@CHECKS.add("answer.verb", "§3.2", "The content is named after the requested verb.")
def _verb(repository: Repository) -> Findings:
    for exchange, answer in _envelopes(repository):
        contents = {local_name(child) for child in answer.children} & ARGUMENTS.keys()
        if exchange.is_legal and contents - {exchange.verb}:
            yield Finding(exchange, f"{exchange.verb} is answered with {' '.join(sorted(contents))}.")


@CHECKS.add("answer.date-form", "§3.3.2", "The responseDate is YYYY-MM-DDThh:mm:ssZ.")
def _date_form(repository: Repository) -> Findings:
    for exchange, answer in _envelopes(repository):
        dates = texts(answer.root, "responseDate")
        if dates and (not _SECOND.fullmatch(dates[0]) or second_of(dates[0]) is None):
            yield Finding(exchange, f"The responseDate is {dates[0]!r}.")


@CHECKS.add("answer.date-now", "§3.2", "The responseDate is not after the Date of the HTTP answer.")
def _date_now(repository: Repository) -> Findings:
    for exchange, answer in _envelopes(repository):
        response_date, now = second_of(answer.response_date), http_second(exchange.header("Date"))
        if response_date is not None and now is not None and response_date > now + _TOLERANCE_SECONDS:
            yield Finding(exchange, f"The responseDate {answer.response_date} is after {exchange.header('Date')}.")


# --- the request element and the errors ------------------------------------------------------------------------


def _requests(repository: Repository) -> Iterator[tuple[Exchange, Answer, Element]]:
    for exchange, answer in _envelopes(repository):
        if answer.request is not None:
            yield exchange, answer, answer.request


@CHECKS.add("answer.request-url", "§3.2", "The request element contains the base URL.")
def _request_url(repository: Repository) -> Findings:
    exchange = repository.ask("Identify")
    stated = texts(exchange.content("Identify"), "baseURL") if exchange.holds("Identify") else ()
    known = {repository.base_url, *stated}
    for exchange, _, request in _requests(repository):
        if (request.text or "").strip() not in known:
            yield Finding(exchange, f"The request element contains {(request.text or '').strip()!r}.")


@CHECKS.add(
    "answer.request-attributes", "§3.2", "The attributes of the request element are the arguments of the request."
)
def _request_attributes(repository: Repository) -> Findings:
    for exchange, answer, request in _requests(repository):
        stated, asked = set(request.attrib.items()), set(exchange.arguments)
        is_right = stated <= asked if answer.errors else stated == asked or not exchange.is_legal
        if not (is_right or answer.codes & _SILENT):
            yield Finding(exchange, f"The request element has the attributes {dict(request.attrib.items())}.")


@CHECKS.add("answer.request-silent", "§3.2", "With badVerb and badArgument the request element has no attributes.")
def _request_silent(repository: Repository) -> Findings:
    for exchange, answer, request in _requests(repository):
        if answer.codes & _SILENT and request.attrib:
            yield Finding(exchange, f"The request element has the attributes {dict(request.attrib.items())}.")


@CHECKS.add("answer.error-code", "§3.6", "The error codes are those of the standard.")
def _error_code(repository: Repository) -> Findings:
    for exchange, answer in _envelopes(repository):
        for code in sorted(answer.codes - _APPLICABLE.keys()):
            yield Finding(exchange, f"{code!r} is not an error code.")


@CHECKS.add("answer.error-applicable", "§3.6", "An error code applies to the requested verb.")
def _error_applicable(repository: Repository) -> Findings:
    for exchange, answer in _envelopes(repository):
        for code in sorted(answer.codes & _APPLICABLE.keys()):
            if exchange.verb and exchange.verb not in _APPLICABLE[code]:
                yield Finding(exchange, f"{code} does not apply to {exchange.verb}.")


@CHECKS.add("answer.error-text", "practice of the field", "Every error has a text.", Verdict.WARNING)
def _error_text(repository: Repository) -> Findings:
    for exchange, answer in _envelopes(repository):
        if any(not error.sentence and error.code != "noSetHierarchy" for error in answer.errors):
            yield Finding(exchange, "An error has no text.")
