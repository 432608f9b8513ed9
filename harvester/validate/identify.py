"""Checks of Identify (OAI-PMH 2.0 §4.2) with its descriptions, and of ListMetadataFormats."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from gateway.core.xmlio import Element
from gateway.core.xmltext import OAI_DC, OAI_IDENTIFIER, OAI_PMH, XSI
from harvester.validate.answer import elements, local_name, namespace, oai, record_header, texts
from harvester.validate.check import Checks, Finding, Findings, Undecided, Wrong
from harvester.validate.client import Exchange
from harvester.validate.repository import GRANULARITIES, RULES, ListedFormat, Repository, listed_formats, second_of

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
CHECKS = Checks[Repository](RULES)


_identify = CHECKS.each(lambda repository: ((repository.ask("Identify"), repository),))
_formats = CHECKS.each(lambda repository: ((repository.ask("ListMetadataFormats"), repository),))


def _once(name: str, is_right: Callable[[Repository, str], bool], wanted: str) -> Callable[[Repository], Wrong]:
    """Return a check of an element that must occur once, with a legal value."""

    def wrong_in(repository: Repository) -> Wrong:
        values = texts(repository.identify, name)
        if len(values) != 1:
            return f"There are {len(values)} {name} elements instead of one."
        return not is_right(repository, values[0]) and f"{name} is {values[0]!r} instead of {wanted}."

    return wrong_in


def _is_legal_earliest(repository: Repository, value: str) -> bool:
    return second_of(value) is not None and ("T" not in value) is repository.is_day_granular


_identify("identify.works")(
    lambda repository: not repository.ask("Identify").holds("Identify") and "The answer has no Identify element."
)
_identify("identify.repository-name")(_once("repositoryName", lambda _, value: bool(value), "a name"))
_identify("identify.base-url")(
    _once("baseURL", lambda repository, value: value == repository.base_url, "the requested URL")
)
_identify("identify.protocol-version")(_once("protocolVersion", lambda _, value: value == "2.0", "2.0"))


@_identify("identify.admin-email")
def _emails(repository: Repository) -> Wrong:
    emails = texts(repository.identify, "adminEmail")
    wrong = [email for email in emails if not _EMAIL.fullmatch(email)]
    return [f"The adminEmail {email!r} is not an email address on the Internet." for email in wrong] or (
        not emails and "There is no adminEmail."
    )


_identify("identify.admin-email-plain")(
    lambda repository: (
        f"The adminEmail {email!r} is a URL, not an address."
        for email in texts(repository.identify, "adminEmail")
        if email.startswith("mailto:")
    )
)
_identify("identify.earliest-datestamp")(
    _once("earliestDatestamp", _is_legal_earliest, "a datestamp of the repository's granularity")
)
_identify("identify.deleted-record")(
    _once("deletedRecord", lambda _, value: value in _DELETED_RECORD, "no, persistent or transient")
)


def _place(element: Element) -> int:
    name = local_name(element)
    return _ORDER.index(name) if namespace(element) == OAI_PMH and name in _ORDER else -1


@_identify("identify.deletions-announced")
def _deletions(repository: Repository) -> Wrong:
    is_silent = texts(repository.identify, "deletedRecord") == ("no",)
    has_deletions = is_silent and any(header.is_deleted for header in repository.records.headers)
    return is_silent and not has_deletions and "The repository never announces deletions."


_identify("identify.granularity")(
    _once("granularity", lambda _, value: value in GRANULARITIES, "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
)


@_identify("identify.order")
def _order(repository: Repository) -> Wrong:
    places = [_place(element) for element in elements(repository.identify)]
    return (-1 in places or places != sorted(places)) and "There are other elements, or their order is wrong."


_identify("identify.compression")(
    lambda repository: (
        f"The compression {name!r} is listed {count} times."
        for name, count in Counter(texts(repository.identify, "compression")).items()
        if not name or name == "identity" or count > 1
    )
)


@_identify("identify.description")
def _descriptions(repository: Repository) -> Iterator[str]:
    for description in repository.identify.findall(oai("description")):
        inside = elements(description)
        if len(inside) != 1 or namespace(inside[0]) in ("", OAI_PMH):
            yield "A description does not have exactly one element of another namespace."
        elif namespace(inside[0]) not in inside[0].get(f"{{{XSI}}}schemaLocation", "").split():
            yield f"{local_name(inside[0])} does not name its schema."


def _identifier_descriptions(repository: Repository) -> list[dict[str, str]]:
    descriptions = repository.identify.findall(f"{oai('description')}/{{{OAI_IDENTIFIER}}}oai-identifier")
    if not descriptions:
        raise Undecided("Identify has no oai-identifier description.")
    return [{local_name(part): (part.text or "").strip() for part in elements(element)} for element in descriptions]


@_identify("identify.oai-identifier")
def _oai_identifier(repository: Repository) -> Iterator[str]:
    descriptions = _identifier_descriptions(repository)
    if len(descriptions) > 1:
        yield f"There are {len(descriptions)} oai-identifier descriptions."
    yield from _wrong_parts(descriptions[0])


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


@CHECKS.add("identify.oai-identifier-used")
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


@_formats("formats.works")
def _lists_formats(repository: Repository) -> Wrong:
    is_wrong = repository.ask("ListMetadataFormats").read().errors or not repository.formats
    return bool(is_wrong) and "No format is listed."


@_formats("formats.structure")
def _structure(repository: Repository) -> Iterator[str]:
    for element in elements(repository.ask("ListMetadataFormats").content("ListMetadataFormats")):
        parts = elements(element)
        if local_name(element) != "metadataFormat" or tuple(map(local_name, parts)) != _PARTS:
            yield "An entry is not a metadataFormat of metadataPrefix, schema, metadataNamespace."
        elif not all((part.text or "").strip() for part in parts):
            yield "A metadataFormat has an empty part."


@_formats("formats.prefix")
def _prefixes(repository: Repository) -> Wrong:
    prefixes = [listed.prefix for listed in repository.formats]
    wrong = (one for one in prefixes if one and (not _PREFIX.fullmatch(one) or prefixes.count(one) > 1))
    return (f"The prefix {prefix!r} is illegal or listed twice." for prefix in wrong)


_formats("formats.oai-dc")(
    lambda repository: _OAI_DC not in repository.formats and "oai_dc is not listed with its schema and namespace."
)
_formats("formats.all-reserved")(
    lambda repository: "all" in (listed.prefix for listed in repository.formats) and "The prefix all is used."
)


def _of_item(repository: Repository) -> Exchange:
    return repository.ask("ListMetadataFormats", identifier=repository.example.identifier)


@CHECKS.add("formats.item")
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


@CHECKS.add("formats.item-truth")
def _item_truth(repository: Repository) -> Findings:
    has = {listed.prefix for listed in listed_formats(_of_item(repository))}
    identifier = repository.example.identifier
    others = [listed.prefix for listed in repository.formats if listed.prefix not in ("", "oai_dc")]
    for prefix in others[: repository.limits.formats]:
        exchange = repository.ask("GetRecord", identifier=identifier, metadataPrefix=prefix)
        records = exchange.read().records
        if (bool(records) and not record_header(records[0]).is_deleted) is not (prefix in has):
            yield Finding(exchange, f"The item's list of formats is wrong about {prefix}.")
