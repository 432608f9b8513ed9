"""The resumptionToken (OAI-PMH 2.0 §3.5): it contains the whole state of a list, signed; the server stores none of it.

Any process that has the secret can answer any token, also an earlier one, and also after a restart. The text is a
version, a dot, and base64url of a JSON array with its HMAC. It has only characters that need no escaping in a URL,
because some harvesters forget to escape.
"""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from gateway.core.errors import BadResumptionToken
from gateway.core.model import Key, Selection

VERSION = "1"
_MAC_BYTES = 16
_LARGEST = 2**63


class ListState(NamedTuple):
    """The state of a ListRecords or ListIdentifiers list. Times are in seconds since 1970 (UTC).

    `until` was fixed at the first answer; `asked_until` is the `until` of the request, None if there was none.
    `datestamp` and `number` are the key of the last record. `cursor` is the number of records answered so far, `total`
    the completeListSize of the first answer.
    """

    metadata_prefix: str
    set_spec: str | None
    from_: int | None
    until: int
    asked_until: int | None
    datestamp: int
    number: int
    cursor: int
    total: int

    @property
    def selection(self) -> Selection:
        """The selection of the list, with its fixed `until`."""
        return Selection(self.metadata_prefix, self.set_spec, self.from_, self.until)

    @property
    def after(self) -> Key | None:
        """The key of the last record that was answered, None before the first answer."""
        return Key(self.datestamp, self.number) if self.cursor else None


class SetsState(NamedTuple):
    """The state of a ListSets list: the last setSpec that was answered, how many so far, and how many in all."""

    after: str | None
    cursor: int
    total: int


_TEXT, _NUMBER, _OR_NONE = (str,), (int,), (type(None),)
_LIST_TYPES = (
    _TEXT,
    _TEXT + _OR_NONE,
    _NUMBER + _OR_NONE,
    _NUMBER,
    _NUMBER + _OR_NONE,
    _NUMBER,
    _NUMBER,
    _NUMBER,
    _NUMBER,
)
_SETS_TYPES = (_TEXT, _NUMBER, _NUMBER)


def seal(verb: str, state: ListState | SetsState, expires: int, key: bytes) -> str:
    """Return the token for the rest of a list of `verb`, signed with `key`; `expires` is its last second, 0: never."""
    return _signed(json.dumps([verb, expires, *state], separators=(",", ":")).encode(), key)


def open_list(text: str, verb: str, now: int, key: bytes) -> ListState:
    """Return the state in a token of ListRecords or ListIdentifiers; `now` is in seconds since 1970.

    Raise BadResumptionToken if it was changed, has expired, or belongs to another verb.
    """
    return ListState(*_opened(text, verb, now, key, _LIST_TYPES))


def open_sets(text: str, now: int, key: bytes) -> SetsState:
    """Return the state in a token of ListSets. Raise BadResumptionToken, as `open_list` does."""
    return SetsState(*_opened(text, "ListSets", now, key, _SETS_TYPES))


def _signed(payload: bytes, key: bytes) -> str:
    mac = hmac.digest(key, VERSION.encode() + b"." + payload, sha256)[:_MAC_BYTES]
    return f"{VERSION}.{urlsafe_b64encode(mac + payload).decode().rstrip('=')}"


def _opened(text: str, verb: str, now: int, key: bytes, types: Sequence[tuple[type, ...]]) -> list[Any]:
    fields = _fields(text, key)
    token_verb, expires, *state = fields if len(fields) == len(types) + 2 else ("", 0)
    if token_verb != verb or not all(_is_a(value, kinds) for value, kinds in zip(state, types, strict=True)):
        raise BadResumptionToken("The resumptionToken belongs to another verb.")
    if not isinstance(expires, int) or 0 < expires < now:
        raise BadResumptionToken("The resumptionToken has expired; ask for the list again.")
    return list(state)


def _fields(text: str, key: bytes) -> list[Any]:
    version, _, body = text.partition(".")
    if version != VERSION or not body.isascii():
        raise BadResumptionToken
    try:
        payload = urlsafe_b64decode(body + "=" * (-len(body) % 4))[_MAC_BYTES:]
    except ValueError as error:
        raise BadResumptionToken from error
    # Sign again and compare as text: base64 has several spellings of the same bytes, and only ours is valid.
    if not hmac.compare_digest(_signed(payload, key).encode(), text.encode()):
        raise BadResumptionToken
    fields = json.loads(payload)
    return fields if isinstance(fields, list) else []


def _is_a(value: object, kinds: tuple[type, ...]) -> bool:
    return type(value) in kinds and (not isinstance(value, int) or -_LARGEST <= value < _LARGEST)
