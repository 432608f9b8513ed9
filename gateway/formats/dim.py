"""`dim`: DSpace's Intermediate Metadata, its metadata fields as they are stored: read only. `xoai` has them, too."""

from collections.abc import Callable, Mapping

from gateway.core.bibliography.hosts import host_of
from gateway.core.bibliography.people import relator
from gateway.core.model import DateType, Host, TitleType, Work
from gateway.core.words import table
from gateway.core.xmlio import Element, text_of
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
        known.name(text, relator(qualifier) if meaning == "?" else meaning, language)
    elif kind:
        _ADDERS[kind](known, meaning, text, language)


_ADDERS: Mapping[str, Callable[[Describing, str, str, str], object]] = {
    "title": lambda known, meaning, text, language: known.title(text, TitleType(meaning), language),
    "date": lambda known, meaning, text, _: known.date(text, DateType(meaning)),
    "identifier": lambda known, meaning, text, _: known.identifier(text, meaning),
    "host": lambda known, meaning, text, _: known.host(**{meaning: text}),
    "journal": lambda known, _meaning, text, _: known.host(**(host_of(text) or Host(text))._asdict()),
    "description": lambda known, meaning, text, language: known.description(text, meaning, language),
    "subject": lambda known, _meaning, text, language: known.subject(text, language),
    "source": lambda known, _meaning, text, _: known.source(text),
    "more": lambda known, meaning, text, _: known.more(meaning, text),
    "text": lambda known, meaning, text, _: getattr(known, meaning)(text),
}


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first one in a list; None if there is none."""
    for record in root.iter("{*}dim"):
        if fields := list(record.iterfind("{*}field")):
            known = Describing("dim:field")
            for field in fields:
                name = (field.get("mdschema") or "", field.get("element") or "", field.get("qualifier") or "")
                add_field(known, name, text_of(field), field.get("lang") or "")
            return known.work()
    return None


FORMAT = MetadataFormat(namespaces=(_DIM,), rank=25, read=read, roots=("dim",))
