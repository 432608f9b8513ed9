"""`dim`: DSpace's Intermediate Metadata, its metadata fields as they are stored: read only. `xoai` has them, too."""

from typing import Any

from gateway.core.bibliography.hosts import host_of
from gateway.core.bibliography.people import OTHER, agent_of, relator
from gateway.core.model import DateType, TitleType, Work
from gateway.core.words import table
from gateway.core.xmlio import Element, name_of, text_of
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing

_DIM = "http://www.dspace.org/xmlns/dspace/dim"

_TABLE: dict[str, dict[str, str]] = table(__file__, "dspace_fields")
_BY_FIELD: dict[str, tuple[str, str]] = {
    field: (kind, meaning) for kind, fields in _TABLE.items() for field, meaning in fields.items()
}


def add_field(known: Describing, field: tuple[str, str, str], text: str, language: str = "") -> None:
    """Add what one metadata field says; `field` is its schema, element and qualifier, the last may be empty."""
    schema, element, qualifier = field
    name = ".".join(filter(None, field))
    kind, meaning = _BY_FIELD.get(name) or (_BY_FIELD.get(f"{schema}.{element}.*") if qualifier else None) or ("", "")
    language = "" if language in ("*", "none") else language.replace("_", "-")
    if kind == "agent":
        role = (relator(qualifier) or OTHER) if meaning == "?" else meaning
        known.agent(agent_of(text, language, role))
    elif kind:
        _ADDERS[kind](known, meaning, text, language)


def _title(known: Describing, meaning: str, text: str, language: str) -> None:
    known.title(text, TitleType(meaning), language)


def _date(known: Describing, meaning: str, text: str, _language: str) -> None:
    known.date(text, DateType(meaning))


def _identifier(known: Describing, meaning: str, text: str, _language: str) -> None:
    known.identifier(text, meaning)


def _host(known: Describing, meaning: str, text: str, _language: str) -> None:
    if meaning == "title" and (host := host_of(text)):
        known.host(**host._asdict())
    else:
        known.host(**{meaning: text})


def _description(known: Describing, meaning: str, text: str, language: str) -> None:
    known.description(text, meaning, language)


def _text(known: Describing, meaning: str, text: str, language: str) -> None:
    if meaning == "citation":
        if host := host_of(text):
            known.host(**host._asdict())
        else:
            known.more("sources", text)
    elif meaning in ("places", "formats", "relations"):
        known.more(meaning, text)
    elif meaning == "subject":
        known.subject(text, language)
    else:
        getattr(known, meaning)(text)


_ADDERS: dict[str, Any] = {
    "title": _title,
    "date": _date,
    "identifier": _identifier,
    "host": _host,
    "description": _description,
    "text": _text,
}


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first one in a list; None if there is none."""
    record = root
    if name_of(root)[1] != "dim" or root.find("{*}field") is None:
        found = next((element for element in root.iter("{*}dim") if element.find("{*}field") is not None), None)
        if found is None:
            return None
        record = found
    known = Describing("dim:field")
    for field in record.iterfind("{*}field"):
        name = (field.get("mdschema") or "", field.get("element") or "", field.get("qualifier") or "")
        add_field(known, name, text_of(field), field.get("lang") or "")
    return known.work()


FORMAT = MetadataFormat(namespaces=(_DIM,), rank=25, read=read, roots=("dim",))
