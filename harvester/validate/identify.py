"""Checks of Identify (OAI-PMH 2.0 §4.2) with its descriptions, and of ListMetadataFormats."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from gateway.core.xmlio import Element
from gateway.core.xmltext import OAI_DC, OAI_IDENTIFIER, OAI_PMH, XSI
from harvester.validate.answer import elements, local_name, namespace, oai, record_header, texts
from harvester.validate.check import Checks, Finding, Findings, Undecided, Verdict
from harvester.validate.client import Exchange
from harvester.validate.repository import GRANULARITIES, ListedFormat, Repository, listed_formats, second_of

_ORDER = (
    "repositoryName",
    "baseURL",
    "protocolVersion",
    "adminEmail",
    "earliestDatestamp",
    "deletedRecord",
    "granularity",
    "compression",
    "description",
)
_DELETED_RECORD = ("no", "persistent", "transient")
_EMAIL = re.compile(r"(mailto:)?\w[\w.+-]*@(?!localhost)[A-Za-z0-9.-]+\.[A-Za-z]{2,}")
_DOMAIN = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*(\.[a-zA-Z][a-zA-Z0-9-]*)+")
_LOCAL_PART = re.compile(r"([A-Za-z0-9\-_.!~*'();/?:@&=+$,]|%[0-9A-F]{2})+")
CHECKS = Checks[Repository]("OAI-PMH 2.0")


@CHECKS.add("identify.works", "§4.2", "Identify is answered with an Identify element.")
def _works(repository: Repository) -> Findings:
    exchange = repository.ask("Identify")
    if not exchange.holds("Identify"):
        yield Finding(exchange, "The answer has no Identify element.")


def _once(name: str, is_right: Callable[[Repository, str], bool], wanted: str) -> Callable[[Repository], Findings]:
    """Return a check of an element that must occur once, with a legal value."""

    def check(repository: Repository) -> Findings:
        values = texts(repository.identify, name)
        if len(values) != 1:
            yield Finding(repository.ask("Identify"), f"There are {len(values)} {name} elements instead of one.")
        elif not is_right(repository, values[0]):
            yield Finding(repository.ask("Identify"), f"{name} is {values[0]!r} instead of {wanted}.")

    return check


CHECKS.add("identify.repository-name", "§4.2", "One repositoryName, not empty.")(
    _once("repositoryName", lambda _, value: bool(value), "a name")
)
CHECKS.add("identify.base-url", "§4.2", "One baseURL, exactly the requested URL.")(
    _once("baseURL", lambda repository, value: value == repository.base_url, "the requested URL")
)
CHECKS.add("identify.protocol-version", "§4.2", "One protocolVersion: 2.0.")(
    _once("protocolVersion", lambda _, value: value == "2.0", "2.0")
)


def _is_legal_earliest(repository: Repository, value: str) -> bool:
    return second_of(value) is not None and ("T" not in value) is repository.is_day_granular


@CHECKS.add("identify.admin-email", "§4.2", "At least one adminEmail, each an address on the Internet.")
def _emails(repository: Repository) -> Findings:
    emails = texts(repository.identify, "adminEmail")
    if not emails:
        yield Finding(repository.ask("Identify"), "There is no adminEmail.")
    for email in emails:
        if not _EMAIL.fullmatch(email):
            yield Finding(
                repository.ask("Identify"), f"The adminEmail {email!r} is not an email address on the Internet."
            )


@CHECKS.add(
    "identify.admin-email-plain",
    "practice of the field",
    "An adminEmail is an address without mailto:.",
    Verdict.WARNING,
)
def _mailto(repository: Repository) -> Findings:
    for email in texts(repository.identify, "adminEmail"):
        if email.startswith("mailto:"):
            yield Finding(repository.ask("Identify"), f"The adminEmail {email!r} is a URL, not an address.")


CHECKS.add(
    "identify.earliest-datestamp", "§4.2", "One earliestDatestamp, a valid date with the repository's granularity."
)(_once("earliestDatestamp", _is_legal_earliest, "a datestamp of the repository's granularity"))
CHECKS.add("identify.deleted-record", "§2.5.1", "One deletedRecord: no, persistent or transient.")(
    _once("deletedRecord", lambda _, value: value in _DELETED_RECORD, "no, persistent or transient")
)


def _place(element: Element) -> int:
    name = local_name(element)
    return _ORDER.index(name) if namespace(element) == OAI_PMH and name in _ORDER else -1


@CHECKS.add(
    "identify.deletions-announced", "practice of the field", "The repository announces deletions.", Verdict.WARNING
)
def _deletions(repository: Repository) -> Findings:
    declared = texts(repository.identify, "deletedRecord")
    if declared == ("no",) and not any(header.is_deleted for header in repository.records.headers):
        yield Finding(repository.ask("Identify"), "The repository never announces deletions.")


CHECKS.add("identify.granularity", "§4.2", "One granularity: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.")(
    _once("granularity", lambda _, value: value in GRANULARITIES, "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
)


@CHECKS.add("identify.order", "§3.2.1", "Identify has the elements of the schema, in their order.")
def _order(repository: Repository) -> Findings:
    places = [_place(element) for element in elements(repository.identify)]
    if -1 in places or places != sorted(places):
        yield Finding(repository.ask("Identify"), "There are other elements, or their order is wrong.")


@CHECKS.add(
    "identify.compression", "§4.2", "Each compression is listed once, and identity is not listed.", Verdict.WARNING
)
def _compressions(repository: Repository) -> Findings:
    compressions = Counter(texts(repository.identify, "compression"))
    for name, count in compressions.items():
        if not name or name == "identity" or count > 1:
            yield Finding(repository.ask("Identify"), f"The compression {name!r} is listed {count} times.")


@CHECKS.add(
    "identify.description", "§4.2", "Each description has one element of another namespace, which names its schema."
)
def _descriptions(repository: Repository) -> Findings:
    for description in repository.identify.findall(oai("description")):
        inside = elements(description)
        if len(inside) != 1 or namespace(inside[0]) in ("", OAI_PMH):
            yield Finding(
                repository.ask("Identify"), "A description does not have exactly one element of another namespace."
            )
        elif namespace(inside[0]) not in inside[0].get(f"{{{XSI}}}schemaLocation", "").split():
            yield Finding(repository.ask("Identify"), f"{local_name(inside[0])} does not name its schema.")


def _identifier_descriptions(repository: Repository) -> list[dict[str, str]]:
    descriptions = repository.identify.findall(f"{oai('description')}/{{{OAI_IDENTIFIER}}}oai-identifier")
    if not descriptions:
        raise Undecided("Identify has no oai-identifier description.")
    return [{local_name(part): (part.text or "").strip() for part in elements(element)} for element in descriptions]


@CHECKS.add(
    "identify.oai-identifier",
    "guidelines for oai-identifier §2",
    "At most one oai-identifier description, with a domain name and a sample that fits it.",
)
def _oai_identifier(repository: Repository) -> Findings:
    descriptions = _identifier_descriptions(repository)
    for wrong in (*_wrong_count(len(descriptions)), *_wrong_parts(descriptions[0])):
        yield Finding(repository.ask("Identify"), wrong)


def _wrong_count(count: int) -> Iterator[str]:
    if count > 1:
        yield f"There are {count} oai-identifier descriptions."


def _wrong_parts(parts: dict[str, str]) -> Iterator[str]:
    if tuple(parts) != ("scheme", "repositoryIdentifier", "delimiter", "sampleIdentifier"):
        yield "The oai-identifier description does not have the required parts."
        return
    domain = parts["repositoryIdentifier"]
    if (parts["scheme"], parts["delimiter"]) != ("oai", ":"):
        yield "The scheme is not oai, or the delimiter is not a colon."
    if not _DOMAIN.fullmatch(domain):
        yield f"The repositoryIdentifier {domain!r} is not a domain name."
    if not _is_oai_identifier(parts["sampleIdentifier"], domain):
        yield f"The sampleIdentifier {parts['sampleIdentifier']!r} is not an oai-identifier of {domain}."


def _is_oai_identifier(identifier: str, domain: str) -> bool:
    start = f"oai:{domain}:"
    return identifier.startswith(start) and _LOCAL_PART.fullmatch(identifier.removeprefix(start)) is not None


@CHECKS.add(
    "identify.oai-identifier-used",
    "guidelines for oai-identifier §2",
    "If there is an oai-identifier description, the identifiers of items follow it.",
)
def _identifiers_agree(repository: Repository) -> Findings:
    domain = _identifier_descriptions(repository)[0].get("repositoryIdentifier", "")
    if not _DOMAIN.fullmatch(domain):
        raise Undecided("The oai-identifier description has no legal repositoryIdentifier.")
    for page in repository.records.pages:
        for header in page.read().headers:
            if header.identifier and not _is_oai_identifier(header.identifier, domain):
                yield Finding(page, f"{header.identifier!r} is not an oai-identifier of {domain}.")


# --- ListMetadataFormats (OAI-PMH 2.0 §3.4, §4.4), of the repository and of one item ----------------------------------

_PREFIX = re.compile(r"[A-Za-z0-9\-_.!~*'()]+")
_PARTS = ("metadataPrefix", "schema", "metadataNamespace")
_OAI_DC = ListedFormat("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", OAI_DC)


@CHECKS.add("formats.works", "§4.4", "ListMetadataFormats lists at least one format.")
def _lists_formats(repository: Repository) -> Findings:
    exchange = repository.ask("ListMetadataFormats")
    if exchange.read().errors or not repository.formats:
        yield Finding(exchange, "No format is listed.")


@CHECKS.add(
    "formats.structure", "§3.2.1", "Each format has a metadataPrefix, a schema and a metadataNamespace, in this order."
)
def _structure(repository: Repository) -> Findings:
    exchange = repository.ask("ListMetadataFormats")
    for element in elements(exchange.content("ListMetadataFormats")):
        parts = elements(element)
        if local_name(element) != "metadataFormat" or tuple(map(local_name, parts)) != _PARTS:
            yield Finding(exchange, "An entry is not a metadataFormat of metadataPrefix, schema, metadataNamespace.")
        elif not all((part.text or "").strip() for part in parts):
            yield Finding(exchange, "A metadataFormat has an empty part.")


@CHECKS.add("formats.prefix", "§3.4", "Each prefix is of unreserved characters and listed once.")
def _prefixes(repository: Repository) -> Findings:
    prefixes = [listed.prefix for listed in repository.formats]
    for prefix in prefixes:
        if prefix and (not _PREFIX.fullmatch(prefix) or prefixes.count(prefix) > 1):
            yield Finding(repository.ask("ListMetadataFormats"), f"The prefix {prefix!r} is illegal or listed twice.")


@CHECKS.add("formats.oai-dc", "§3.4", "oai_dc is listed with the reserved schema and namespace.")
def _oai_dc(repository: Repository) -> Findings:
    if _OAI_DC not in repository.formats:
        yield Finding(repository.ask("ListMetadataFormats"), "oai_dc is not listed with its schema and namespace.")


@CHECKS.add("formats.all-reserved", "§3.4", "The prefix all is reserved, not used.", Verdict.WARNING)
def _all(repository: Repository) -> Findings:
    if "all" in (listed.prefix for listed in repository.formats):
        yield Finding(repository.ask("ListMetadataFormats"), "The prefix all is used.")


def _of_item(repository: Repository) -> Exchange:
    return repository.ask("ListMetadataFormats", identifier=repository.example.identifier)


@CHECKS.add(
    "formats.item", "§4.4", "The formats of an item are formats of the repository, and include those it was listed in."
)
def _item(repository: Repository) -> Findings:
    exchange = _of_item(repository)
    if exchange.read().errors:
        yield Finding(exchange, "The formats of an item that was listed are refused.")
        return
    prefixes = {listed.prefix for listed in listed_formats(exchange)}
    if "oai_dc" not in prefixes:
        yield Finding(exchange, "oai_dc is not among the formats of an item that was listed in oai_dc.")
    if unknown := prefixes - {listed.prefix for listed in repository.formats}:
        yield Finding(exchange, f"The item has formats that the repository does not list: {sorted(unknown)}.")


@CHECKS.add("formats.item-truth", "§4.1", "An item has a record in each format it lists, and in no other.")
def _item_truth(repository: Repository) -> Findings:
    has = {listed.prefix for listed in listed_formats(_of_item(repository))}
    identifier = repository.example.identifier
    others = [listed.prefix for listed in repository.formats if listed.prefix not in ("", "oai_dc")]
    for prefix in others[: repository.limits.formats]:
        exchange = repository.ask("GetRecord", identifier=identifier, metadataPrefix=prefix)
        records = exchange.read().records
        if (bool(records) and not record_header(records[0]).is_deleted) is not (prefix in has):
            yield Finding(exchange, f"The item's list of formats is wrong about {prefix}.")
