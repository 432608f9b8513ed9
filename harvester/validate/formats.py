"""Checks of ListMetadataFormats (OAI-PMH 2.0 §3.4, §4.4), of the repository and of one item."""

import re

from gateway.core.xmltext import OAI_DC
from harvester.validate.answer import elements, local_name, record_header
from harvester.validate.check import Checks, Finding, Findings, Verdict
from harvester.validate.client import Exchange
from harvester.validate.repository import ListedFormat, Repository, listed_formats

_PREFIX = re.compile(r"[A-Za-z0-9\-_.!~*'()]+")
_PARTS = ("metadataPrefix", "schema", "metadataNamespace")
_OAI_DC = ListedFormat("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", OAI_DC)
CHECKS = Checks[Repository]("OAI-PMH 2.0")


@CHECKS.add("formats.works", "§4.4", "ListMetadataFormats lists at least one format.")
def _works(repository: Repository) -> Findings:
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
        if _disseminates(exchange) is not (prefix in has):
            yield Finding(exchange, f"The item's list of formats is wrong about {prefix}.")


def _disseminates(exchange: Exchange) -> bool:
    records = exchange.read().records
    return bool(records) and not record_header(records[0]).is_deleted
