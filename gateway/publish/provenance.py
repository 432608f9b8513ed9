"""The `about` containers of a record (OAI-PMH 2.0 §2.5): its provenance, and the stated rights.

Both follow the OAI implementation guidelines *provenance* and *rights*. The provenance of a source is nested in ours.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from gateway.core import xmlio
from gateway.core.addresses import any_uri
from gateway.core.errors import NotXml
from gateway.core.xmlio import Element
from gateway.core.xmltext import OAI_PMH, PROVENANCE, RIGHTS, SITEMAP, XSI, escape, escape_attribute, utc_datetime

_SCHEMAS = "http://www.openarchives.org/OAI/2.0/"
_DESCRIPTION = f"{{{PROVENANCE}}}originDescription"
_FIELDS = ("baseURL", "identifier", "datestamp", "metadataNamespace")
_OPENING = (
    f'<about><provenance xmlns="{PROVENANCE}" xmlns:xsi="{XSI}" '
    f'xsi:schemaLocation="{PROVENANCE} {_SCHEMAS}provenance.xsd">'
)
_SCHEMA_LOCATION = f"{{{XSI}}}schemaLocation"
MOST_ABOUT_BYTES = 1_000_000  # they are repeated in every format of a record; real ones have some hundred bytes
MOST_HOPS = 20  # a longer chain is a loop of gateways
# The union of date and dateTime in the schema, including days and hours that do not exist.
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?)?")
_DAY_FIRST = re.compile(r"\d{4}-\d\d-\d\d")


class Origin(NamedTuple):
    """One originDescription of the guideline *provenance*. Dates are UTCdatetimes as text."""

    base_url: str
    identifier: str
    datestamp: str
    namespace: str
    harvest_date: str
    is_altered: bool = False


class AboutContents(NamedTuple):
    """The contents of the about containers of a source's record: an originDescription and a rights element, or empty.

    `others` are all other valid contents, unchanged and in their order, with their parsed roots.
    """

    origin: str = ""
    rights: str = ""
    others: tuple[tuple[bytes, Element], ...] = ()


NOTHING = AboutContents()


def containers(origin: Origin, nested: str, rights: str = "", others: Iterable[bytes] = ()) -> tuple[bytes, bytes]:
    """Return the about containers for unchanged and for altered metadata: provenance, `rights`, `others`.

    `nested` is the originDescription of the source, or empty.
    """
    base_url, identifier, datestamp, namespace, harvest_date, _ = origin
    as_it_came, after = _common(base_url, namespace, harvest_date, False)
    altered, _ = _common(base_url, namespace, harvest_date, True)
    named = f"{escape(any_uri(identifier))}</identifier><datestamp>{datestamp}"
    rest = f"{named}{after}{nested}</originDescription></provenance></about>{rights}"
    behind = b"".join((rest.encode(), *others))
    return f"{_OPENING}{as_it_came}".encode() + behind, f"{_OPENING}{altered}".encode() + behind


def described(origin: Origin) -> str:
    """Return an originDescription for nesting; an empty string if its dates cannot be read (provenance.xsd)."""
    datestamp, harvest_date = _readable(origin.datestamp), _readable(origin.harvest_date)
    whole = origin._replace(datestamp=datestamp, harvest_date=harvest_date)
    return _described(whole, "") if datestamp and harvest_date else ""


def _described(origin: Origin, nested: str) -> str:
    base_url, identifier, datestamp, namespace, harvest_date, is_altered = origin
    before, after = _common(base_url, namespace, harvest_date, is_altered)
    named = f"{before}{escape(any_uri(identifier))}</identifier>"
    return f"{named}<datestamp>{datestamp}{after}{nested}</originDescription>"


@lru_cache(maxsize=256)
def _common(base_url: str, namespace: str, harvest_date: str, is_altered: bool) -> tuple[str, str]:
    """Return the parts before the identifier and after the datestamp, which all records of a page have in common."""
    tag = f'<originDescription harvestDate="{harvest_date}" altered="{"true" if is_altered else "false"}">'
    before = f"{tag}{_uri('baseURL', base_url)}<identifier>"
    return before, f"</datestamp>{_uri('metadataNamespace', namespace)}"


def _uri(name: str, text: str) -> str:
    return f"<{name}>{escape(any_uri(text))}</{name}>"


def rights_container(content: str) -> str:
    """Return the `<about>` with one rights element (guideline *rights*)."""
    return f"<about>{content}</about>"


def rights_reference(address: str) -> str:
    """Return a rights element with a rightsReference to the address of a statement."""
    location = f'xmlns:xsi="{XSI}" xsi:schemaLocation="{RIGHTS} {_SCHEMAS}rights.xsd"'
    return f'<rights xmlns="{RIGHTS}" {location}><rightsReference ref="{escape_attribute(any_uri(address))}"/></rights>'


@lru_cache(maxsize=4096)
def datestamp_of(text: str, otherwise: int) -> str:
    """Return a datestamp that is valid in the schema: unchanged, else as far as it can be read, else `otherwise`.

    `otherwise` is in seconds since 1970.
    """
    return _readable(text) or utc_datetime(otherwise)


def _readable(text: str) -> str:
    """Return a date that is valid in the schema: unchanged, else converted to UTC, else its day; empty if none."""
    text = text.strip()
    moment = _moment(text)
    if moment is None:
        day = _DAY_FIRST.match(text)
        return day[0] if day and _moment(day[0]) else ""
    if _DATE.fullmatch(text):
        return text
    if len(text) <= len("YYYY-MM-DD"):
        return f"{moment.year:04}-{moment:%m-%d}"
    return f"{moment.year:04}-{moment:%m-%dT%H:%M:%SZ}"


def _moment(text: str) -> datetime | None:
    """Return the moment in a text of any form of ISO 8601, in UTC; None if there is none."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment
    except (ValueError, OverflowError):
        return None


def read(abouts: Iterable[bytes]) -> AboutContents:
    """Return the contents of the about containers of a source's record. Unreadable ones are ignored.

    If there are several rights, the first counts: a record must not have more (guideline *rights*, §3). Other contents
    are passed on unchanged, up to `MOST_ABOUT_BYTES` per record.
    """
    origin = rights = ""
    others: list[tuple[bytes, Element]] = []
    room = MOST_ABOUT_BYTES
    for content in abouts:
        try:
            root = xmlio.parse(content)
        except NotXml:
            continue
        if root.tag == f"{{{PROVENANCE}}}provenance":
            description = None if origin else root.find(_DESCRIPTION)
            origin = origin if description is None else _nested(description, MOST_HOPS)
        elif root.tag == f"{{{RIGHTS}}}rights":
            rights = rights or (_standing_alone(root) if _is_rights(root) else "")
        elif _is_carried(root) and len(content) <= room:
            room -= len(content)
            others.append((content, root))
    return AboutContents(origin, rights, tuple(others))


def _is_carried(root: Element) -> bool:
    """Return whether an about may contain this element: it must be in another namespace (OAI-PMH 2.0 §3.2.1).

    Entries of ResourceSync lists are stored as abouts in the inbox, but the source did not send them as such.
    """
    return xmlio.name_of(root)[0] not in ("", OAI_PMH, SITEMAP)


def _nested(element: Element, hops: int) -> str:
    """Return the originDescription of a source, made valid; an empty string if a required part is missing."""
    values = [(element.findtext(f"{{{PROVENANCE}}}{name}") or "").strip() for name in _FIELDS]
    base_url, identifier, datestamp, namespace = values
    datestamp, harvest_date = _readable(datestamp), _readable(element.get("harvestDate") or "")
    if not all((base_url, identifier, datestamp, namespace, harvest_date, hops)):
        return ""
    inner = element.find(_DESCRIPTION)
    altered = (element.get("altered") or "").strip() in ("true", "1")
    origin = Origin(base_url, identifier, datestamp, namespace, harvest_date, altered)
    return _described(origin, _nested(inner, hops - 1) if inner is not None else "")


def _is_rights(root: Element) -> bool:
    """Return whether a rights element is valid: one rightsReference with a ref, or one rightsDefinition."""
    parts = list(xmlio.children(root))
    if len(parts) != 1 or set(root.attrib) - {_SCHEMA_LOCATION} or _has_text(root):
        return False
    (part,) = parts
    inside = list(xmlio.children(part))
    if part.tag == f"{{{RIGHTS}}}rightsReference":
        ref = part.get("ref", "")
        is_legal = bool(ref) and any_uri(ref) == ref
        return is_legal and list(part.attrib) == ["ref"] and not inside and not part.text
    if part.tag != f"{{{RIGHTS}}}rightsDefinition" or part.attrib or len(inside) != 1 or _has_text(part):
        return False
    return xmlio.name_of(inside[0])[0] not in ("", RIGHTS)


def _has_text(element: Element) -> bool:
    """Return whether an element has text between its children."""
    return any(text and text.strip() for text in (element.text, *(child.tail for child in element)))


def _standing_alone(root: Element) -> str:
    etree.cleanup_namespaces(root, keep_ns_prefixes=["xsi"])
    return etree.tostring(root, encoding="unicode", with_tail=False)
