"""Maps identifiers, sets and prefixes of sources to ours, one-to-one, so that the mapping can be reversed.

Items get identifiers of the guideline oai-identifier 2.0; setSpecs follow OAI-PMH 2.0 §2.6.
"""

import re
from functools import lru_cache
from urllib.parse import quote, unquote

SOURCES = "source"  # the set of everything
FULLTEXT = "fulltext"  # the set of items with at least one file

_SAFE = "-_.!~*'();/?:@&=+$,"  # the characters that oai-identifier allows besides letters and digits
_ALL_SAFE = re.compile(r"[A-Za-z0-9\-_.!~*'();/?:@&=+$,]*")
_ILLEGAL_IN_PREFIX = re.compile(rb"[^A-Za-z0-9\-_.!*'()]")
_ILLEGAL_IN_SET = re.compile(rb"[^A-Za-z0-9\-_.!*'():]")
_ESCAPED_IN_SET = re.compile(r"~([0-9A-F]{2})?")


def local_identifier(domain: str, source: str, upstream: str) -> str:
    """Return the identifier of an item here: `oai:<domain>:<source>/<upstream id>`, percent-encoded in upper case."""
    name = upstream if _ALL_SAFE.fullmatch(upstream) else quote(upstream, safe=_SAFE, errors="surrogatepass")
    return f"oai:{domain}:{source}/{name}"


def upstream_identifier(local: str) -> str:
    """Return the upstream identifier that `local_identifier` was given.

    An identifier that is none of ours may have bytes that are no UTF-8; each becomes a replacement character.
    """
    name = local.partition("/")[2]
    try:
        return unquote(name, errors="surrogatepass")
    except UnicodeDecodeError:
        return unquote(name, errors="replace")


def source_of(local: str) -> str:
    """Return the name of the source of an item, from its identifier here; an empty string for another identifier."""
    before, slash, _ = local.partition("/")
    return before.rpartition(":")[2] if slash and before.count(":") > 1 else ""


def set_label(spec: str, name: str) -> str:
    """Return what people call a set: its setName, else the setSpec of its source."""
    return name if name not in ("", spec) else original_spec(spec)


@lru_cache(maxsize=4096)
def local_set(source: str, upstream: str) -> str:
    """Return the setSpec here of a set of a source: `source:<name>:<upstream spec>`.

    A byte that is illegal in a setSpec becomes `~` and two hexadecimal digits, and so does `~`; an empty part becomes
    `~` alone.
    """
    parts = (part or "~" for part in _escaped(_ILLEGAL_IN_SET, upstream).split(":"))
    return f"{SOURCES}:{source}:{':'.join(parts)}"


def local_prefix(upstream: str) -> str:
    """Return the metadataPrefix here for one of a source: the same if it is legal (OAI-PMH 2.0 §3.4), else escaped."""
    return _escaped(_ILLEGAL_IN_PREFIX, upstream)


def upstream_set(local: str) -> str:
    """Return the setSpec that `local_set` was given."""
    escaped = local.split(":", 2)[2]
    raw = _ESCAPED_IN_SET.sub(lambda match: chr(int(match[1], 16)) if match[1] else "", escaped)
    return raw.encode("latin-1").decode("utf-8", "surrogatepass")


def original_spec(local: str) -> str:
    """Return the setSpec of the source for a set of a source; for any other set, and for none of ours, its own spec."""
    is_of_source = local.startswith(f"{SOURCES}:") and local.count(":") > 1
    try:
        return upstream_set(local) if is_of_source else local
    except UnicodeError:
        return local


def _escaped(illegal: re.Pattern[bytes], upstream: str) -> str:
    text = upstream.encode("utf-8", "surrogatepass")
    return illegal.sub(lambda match: b"~%02X" % match[0][0], text).decode("ascii")
