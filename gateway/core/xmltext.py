"""XML as text, with the standard library only: namespaces, escaping, timestamps, removal of illegal characters.

Answers are built with these functions; nothing here parses XML.
"""

import re
from datetime import UTC, datetime
from time import gmtime, strftime

OAI_PMH = "http://www.openarchives.org/OAI/2.0/"
OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
DIDL = "urn:mpeg:mpeg21:2002:02-DIDL-NS"
DII = "urn:mpeg:mpeg21:2002:01-DII-NS"
PROVENANCE = "http://www.openarchives.org/OAI/2.0/provenance"
RIGHTS = "http://www.openarchives.org/OAI/2.0/rights/"
OAI_IDENTIFIER = "http://www.openarchives.org/OAI/2.0/oai-identifier"
FRIENDS = "http://www.openarchives.org/OAI/2.0/friends/"
BRANDING = "http://www.openarchives.org/OAI/2.0/branding/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XML = "http://www.w3.org/XML/1998/namespace"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
PREMIS = "http://www.loc.gov/premis/v3"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
JSON = "http://www.w3.org/2005/xpath-functions"  # of the XML that XPath makes of JSON
SOLR = "http://lucene.apache.org/solr/"  # ours: Solr itself gives its documents no namespace
# The metadataNamespace of metadata without a namespace: OAI-PMH requires an address there, not an empty element.
NO_NAMESPACE = "http://www.w3.org/TR/xml-names/#defaulting"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TELLING = re.compile('[&<>"\t\n\r]')
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SECOND = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def escape(text: str) -> str:
    """Return `text` with `& < >` escaped, for element content. It must have no illegal characters (see `clean`)."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    return text


def escape_attribute(text: str) -> str:
    """Return `text` escaped for an attribute in double quotes; white space survives normalization (XML 1.0 §3.3.3)."""
    if _TELLING.search(text) is None:
        return text
    text = escape(text).replace('"', "&quot;")
    return text.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")


def clean(text: str) -> str:
    """Return `text` without the characters that XML 1.0 §2.2 forbids (control characters, surrogates, U+FFFE)."""
    return _ILLEGAL.sub("", text)


def is_legal(text: str) -> bool:
    """Return whether XML 1.0 §2.2 allows every character of `text`."""
    return _ILLEGAL.search(text) is None


def utc_datetime(second: int) -> str:
    """Return seconds since 1970 as a UTCdatetime with seconds granularity (OAI-PMH 2.0 §3.3)."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(second)) if second >= 0 else _early(second)


def _early(second: int) -> str:
    moment = datetime.fromtimestamp(second, UTC)
    return f"{moment.year:04}-{moment:%m-%dT%H:%M:%SZ}"


def parse_utc_datetime(text: str) -> tuple[int, bool]:
    """Return a UTCdatetime (`YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ssZ`, OAI-PMH 2.0 §3.3) as (seconds since 1970, is_day).

    Raise ValueError for any other form and for dates that do not exist.
    """
    is_day = _DAY.fullmatch(text) is not None
    if is_day or _SECOND.fullmatch(text):
        moment = datetime.fromisoformat(text[:19]).replace(tzinfo=UTC)
        return int((moment - _EPOCH).total_seconds()), is_day
    raise ValueError(f"{text!r} is not a UTCdatetime")
