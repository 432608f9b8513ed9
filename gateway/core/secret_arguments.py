"""Finds arguments of an address that look like a secret: addresses are published and shown, secrets never. Pure."""

import re
from collections import Counter
from math import log2
from urllib.parse import unquote_plus

from gateway.core.words import table

_NAMES = frozenset(table(__file__, "secret_arguments")["names"])
_ENDINGS = ("apikey", "token", "secret", "password", "signature", "subscriptionkey")
_PROTOCOL = frozenset(("resumptiontoken",))  # OAI-PMH 2.0 §3.5
_SIGNS = str.maketrans("", "", "-_. []~")
_ARGUMENT = re.compile(r"([?&;])([A-Za-z0-9_.\-~%+\[\]]{1,60})=([^&;#\s\"'<>]*)")
_HEXADECIMAL = re.compile(r"[0-9a-f]{32,}|[0-9A-F]{32,}")
_ONE_WORD = re.compile(r"[A-Za-z0-9_\-+/=.~]{28,}")
_LEAST_BITS = 3.5  # of entropy per character: text in a language has about 3, and names repeat letters


def secret_argument(url: str) -> str:
    """Return the name of the first argument of an address that looks like a secret, or an empty string."""
    _, sign, query = url.partition("?")
    matches = (match for match in _ARGUMENT.finditer(sign + query) if _is_secret(match[2], match[3]))
    return next((unquote_plus(match[2]) for match in matches), "")


def without_secrets(text: str) -> str:
    """Return a text in which the value of every argument that looks like a secret is `...`, in all addresses in it."""
    if "=" not in text:
        return text
    return _ARGUMENT.sub(_blotted, text)


def _blotted(match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}=..." if match[3] and _is_secret(match[2], match[3]) else match[0]


def _is_secret(name: str, value: str) -> bool:
    plain = unquote_plus(name).lower().translate(_SIGNS)
    if plain in _PROTOCOL or not value:
        return False
    return plain in _NAMES or plain.endswith(_ENDINGS) or _is_random(unquote_plus(value))


def _is_random(value: str) -> bool:
    """Return whether a value looks like a key: hexadecimal, or letters of both cases and digits without a pattern."""
    if _HEXADECIMAL.fullmatch(value):
        return True
    kinds = (any(map(str.isdigit, value)), any(map(str.islower, value)), any(map(str.isupper, value)))
    if not _ONE_WORD.fullmatch(value) or not all(kinds):
        return False
    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * log2(share) for share in shares) >= _LEAST_BITS
