"""Checks of payloads: oai_dc, oai_didl, the namespace of any other format, and abouts.

Schemas are not fetched: code checks the rules of oai_dc and DIDL, so it works offline.
"""

import re
from collections.abc import Iterator

from gateway.core.xmlio import Element
from gateway.core.xmltext import DC, DIDL, NO_NAMESPACE, OAI_DC, OAI_PMH, PROVENANCE, XML, XSI
from harvester.validate.answer import elements, local_name, namespace, payload, record_header
from harvester.validate.check import Checks, Finding, Findings, Undecided, Wrong
from harvester.validate.client import Exchange
from harvester.validate.repository import RULES, ListedFormat, Repository, second_of

_DC_ELEMENTS = frozenset(
    (
        *("title", "creator", "subject", "description", "publisher", "contributor", "date", "type"),
        *("format", "identifier", "source", "language", "relation", "coverage", "rights"),
    )
)
_SCHEMA_LOCATION = f"{{{XSI}}}schemaLocation"

# The content models of ISO/IEC 21000-2 in records: names of children in the namespace, in order.
_DIDL_CHILDREN = {
    "DIDL": re.compile(r"(DIDLInfo )*(Declarations )?(Container |Item )"),
    "Container": re.compile(r"(Descriptor )*(Container )*(Item )*"),
    "Item": re.compile(r"(Condition )*(Descriptor )*(Choice )*((Item |Component )*)(Annotation )*"),
    "Descriptor": re.compile(r"(Condition )*(Descriptor )*(Component |Statement )"),
    "Component": re.compile(r"(Condition )*(Descriptor )*(Resource )+(Anchor )*"),
}
_DIDL_NEEDS_TYPE = ("Statement", "Resource")

_ORIGIN = re.compile(r"baseURL identifier datestamp metadataNamespace( originDescription)?")
CHECKS = Checks[Repository](RULES)


# --- every format ----------------------------------------------------------------------------------------------


def _payloads(repository: Repository) -> Iterator[tuple[Exchange, ListedFormat, str, Element]]:
    """Return the received payloads, each with its format, its page and the identifier of its item."""
    for listed, page, record in repository.samples:
        root = payload(record)
        if root is not None:
            yield page, listed, record_header(record).identifier, root


_payload = CHECKS.each(_payloads)


_payload("payload.namespace")(
    lambda listed, identifier, root: (
        (namespace(root) or NO_NAMESPACE) != listed.namespace
        and f"{identifier} in {listed.prefix} has the namespace {namespace(root)!r}."
    )
)
_payload("payload.own-namespace")(
    lambda listed, identifier, root: (
        any(namespace(part) == OAI_PMH for part in root.iterdescendants("*"))
        and f"{identifier} in {listed.prefix} has inner elements of the OAI-PMH namespace."
    )
)


def _unlocated(listed: ListedFormat, identifier: str, root: Element) -> Wrong:
    return not _locates(root, listed) and f"{identifier} in {listed.prefix} does not name the schema of its format."


_payload("payload.schema-location")(
    lambda listed, identifier, root: listed.prefix == "oai_dc" and _unlocated(listed, identifier, root)
)
_payload("payload.other-schema-location")(
    lambda listed, identifier, root: listed.prefix != "oai_dc" and _unlocated(listed, identifier, root)
)


def _locates(root: Element, listed: ListedFormat) -> bool:
    """Return whether a payload names the schema of its format; not required where schema and namespace are equal."""
    if listed.schema == listed.namespace or namespace(root) != listed.namespace:
        return True
    words = root.get(_SCHEMA_LOCATION, "").split()
    return (listed.namespace, listed.schema) in zip(words[::2], words[1::2], strict=False)


# --- oai_dc ----------------------------------------------------------------------------------------------------


@_payload("payload.oai-dc")
def _oai_dc(listed: ListedFormat, identifier: str, root: Element) -> Wrong:
    is_ours = listed.prefix == "oai_dc" and namespace(root) == OAI_DC
    return is_ours and (f"{identifier}: {wrong}" for wrong in _wrong_dc(root))


def _wrong_dc(root: Element) -> Iterator[str]:
    if local_name(root) != "dc" or set(root.attrib) - {_SCHEMA_LOCATION}:
        yield f"The root is {local_name(root)} with {sorted(map(str, root.attrib))}."
    if (root.text or "").strip():
        yield "There is text outside of the elements."
    for part in elements(root):
        if namespace(part) != DC or local_name(part) not in _DC_ELEMENTS:
            yield f"{part.tag} is not one of the fifteen elements."
        elif elements(part) or set(part.attrib) - {f"{{{XML}}}lang"} or (part.tail or "").strip():
            yield f"{local_name(part)} has more than text and a language."


# --- oai_didl --------------------------------------------------------------------------------------------------


@CHECKS.add("payload.oai-didl")
def _didl(repository: Repository) -> Findings:
    if "oai_didl" not in (listed.prefix for listed in repository.formats):
        raise Undecided("The repository does not offer oai_didl.")
    for page, listed, identifier, root in _payloads(repository):
        if listed.prefix == "oai_didl" and namespace(root) == listed.namespace:
            for wrong in _wrong_didl(root):
                yield Finding(page, f"{identifier}: {wrong}")


def _wrong_didl(root: Element) -> Iterator[str]:
    if root.tag != f"{{{DIDL}}}DIDL":
        yield f"The root is {root.tag}."
    for part in root.iter(f"{{{DIDL}}}*"):
        name = local_name(part)
        model = _DIDL_CHILDREN.get(name)
        children = "".join(f"{local_name(child)} " for child in elements(part))
        if model is not None and not model.fullmatch(children):
            yield f"{name} consists of: {children.strip() or 'nothing'}."
        if name in _DIDL_NEEDS_TYPE and not part.get("mimeType"):
            yield f"A {name} has no mimeType."
        if name == "Resource" and not _has_bytes_or_reference(part):
            yield "A Resource needs either a reference or content, not both."


def _has_bytes_or_reference(resource: Element) -> bool:
    has_content = bool(elements(resource)) or bool((resource.text or "").strip())
    return bool(resource.get("ref")) is not has_content


# --- about -----------------------------------------------------------------------------------------------------


def _abouts(repository: Repository) -> Iterator[tuple[Exchange, str, Element]]:
    for _, page, record in repository.samples:
        for part in elements(record):
            if local_name(part) == "about":
                yield page, record_header(record).identifier, part


_described = CHECKS.each(_abouts)


@_described("payload.about")
def _about(identifier: str, about: Element) -> Wrong:
    inside = elements(about)
    is_wrong = len(inside) != 1 or namespace(inside[0]) in ("", OAI_PMH)
    return is_wrong and f"An about of {identifier} does not have exactly one element of another namespace."


@_described("payload.provenance")
def _provenance(identifier: str, about: Element) -> Iterator[str]:
    for provenance in about.findall(f"{{{PROVENANCE}}}provenance"):
        origins = provenance.findall(f".//{{{PROVENANCE}}}originDescription")
        if len(elements(provenance)) != 1 or not origins or not all(map(_is_origin, origins)):
            yield f"The provenance of {identifier} is incomplete."


def _is_origin(origin: Element) -> bool:
    parts = elements(origin)
    if not _ORIGIN.fullmatch(" ".join(map(local_name, parts))):
        return False
    words = [(part.text or "").strip() for part in parts[:4]]
    return all(words) and second_of(origin.get("harvestDate", "")) is not None and _is_boolean(origin.get("altered"))


def _is_boolean(value: str | None) -> bool:
    return value in ("true", "false", "1", "0")
