"""`sources.toml` in the instance folder: the entries of sources, edited by people and by `harvester source add`.

There is one table per source, with the fields in `FIELDS` of `source_fields`. Any other field stops the command with a
sentence that names file, source and field. A secret is never here: only its environment variable or its file is.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from gateway.core import durable
from gateway.core.errors import ConfigurationError, StoreUnwritable
from gateway.core.model import Source
from gateway.core.permissions import keep_owner
from gateway.core.secret_arguments import secret_argument
from gateway.core.xmltext import parse_utc_datetime
from harvester.harvest.source_fields import FIELDS, IN_WORDS, IS_A
from harvester.http.dates import SECONDS, bound
from harvester.http.urls import host_of
from harvester.runtime.locks import changing
from harvester.sources import kind_of

NAME = re.compile(r"[a-z0-9-]{1,32}")

_TYPES = {field.name: field.kind for field in FIELDS}

# Two changes within the resolution of a file system's clock may have the same time.
_SETTLED_SECONDS = 2.0

# Arguments of the protocol that people copy with an address; the harvester adds them (OAI-PMH 2.0 §3.1.1).
_PROTOCOL_ARGUMENTS = frozenset(("verb", "metadataPrefix", "set", "from", "until", "identifier", "resumptionToken"))

# By kind of credential: the fields it needs; of each inner tuple exactly one.
AUTH_KINDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "basic": (("user",), ("password_env", "password_file")),
    "bearer": (("token_env", "token_file"),),
    "header": (("name",), ("value_env", "value_file")),
    "query": (("name",), ("value_env", "value_file")),
    "certificate": (("certificate",), ("key",)),
}
_AUTH_OPTIONAL: dict[str, frozenset[str]] = {"certificate": frozenset(("key",))}


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """The entry of one source. None: the setting for all sources applies."""

    name: str
    url: str
    kind: str = "oai_pmh"
    formats: tuple[str, ...] = ("oai_dc",)
    sets: tuple[str, ...] = ()
    from_: str = ""
    until: str = ""
    overlap_seconds: int | None = None
    delay_seconds: float | None = None
    every: str = ""
    sweep_every: str = ""
    discover_every: str = ""
    recheck_every: str = ""
    hours: str = ""
    slice: str = ""
    connections: int = 1
    rights: str = ""
    notify_inbox: str = ""
    prefer: tuple[str, ...] = ()
    apart: bool = False
    auth: Mapping[str, str] = field(default_factory=dict)
    friend: bool | None = None
    verify: bool = True
    ca_bundle: str = ""
    address: str = ""
    allow: tuple[str, ...] = ()
    own: Mapping[str, object] = field(default_factory=dict)  # the fields that only its kind has

    @property
    def host(self) -> str:
        """The host of its address, without the port."""
        return host_of(self.url)

    @property
    def source(self) -> Source:
        """The source as the store knows it."""
        is_friend = not self.auth if self.friend is None else self.friend
        return Source(self.name, self.url, self.kind, is_friend=is_friend)


def checked_name(name: str) -> str:
    """Return a legal name of a source, or raise ConfigurationError."""
    if not NAME.fullmatch(name):
        raise ConfigurationError(f"A source's name is 1 to 32 of a-z, 0-9 and the hyphen, not {name!r}.")
    return name


_PUBLISHED = (
    "The argument {0} of the address looks like a secret, and the address is published. Leave it out, and say where "
    'the secret is: `--auth query --auth-name {0} --secret-env NAME`, or in sources.toml auth = {{kind = "query", '
    'name = "{0}", value_env = "NAME"}}.'
)


def checked_url(url: str, *, must_exist: bool = True) -> str:
    """Return the base URL without arguments of the protocol and fragment, or raise ConfigurationError.

    A path, or a `file:` address, becomes the address of something on this machine, which `must_exist`.

    Arguments of the server's own (`csw?mode=oaipmh`) stay. A password in the address is refused: it would be shown.
    """
    if url.startswith(("file:", "/", "./", "../")) or ("://" not in url and os.path.exists(url)):  # noqa: PTH110
        return _checked_path(url, must_exist=must_exist)
    if re.match(r"[^/?#]*//[^/?#]*@", url.strip()):
        raise ConfigurationError("The address must not hold user or password; name them with --auth.")
    if argument := secret_argument(url.strip()):
        raise ConfigurationError(_PUBLISHED.format(argument))
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigurationError(f"{url!r} is no address: {error}.") from error
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s<>\"]", url.strip()):
        raise ConfigurationError(f"{url!r} is no address: it must be http://host/path or https://host/path.")
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    own = [pair for pair in pairs if pair[0] not in _PROTOCOL_ARGUMENTS]
    query = urlencode(own) if len(own) < len(pairs) else parts.query
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def _checked_path(url: str, *, must_exist: bool) -> str:
    path = Path(unquote(urlsplit(url).path) if url.startswith("file:") else url).absolute()
    if must_exist and not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where a folder may not be read
        raise ConfigurationError(f"{url!r} is no address: there is no {path}.")
    return path.as_uri()


def checked_auth(auth: Mapping[str, str]) -> Mapping[str, str]:
    """Return credentials whose fields fit their kind, or raise ConfigurationError. An empty table means none."""
    if not auth:
        return {}
    kind = auth.get("kind", "")
    if kind not in AUTH_KINDS:
        raise ConfigurationError(f"The kind of credentials is one of {', '.join(AUTH_KINDS)}, not {kind!r}.")
    legal = {"kind"}.union(*AUTH_KINDS[kind])
    for name in auth:
        if name not in legal:
            raise ConfigurationError(f"Credentials of kind {kind} have no {name!r}.")
    for choice in AUTH_KINDS[kind]:
        given = [name for name in choice if auth.get(name)]
        if len(given) != 1 and not (not given and _AUTH_OPTIONAL.get(kind, frozenset()).issuperset(choice)):
            raise ConfigurationError(f"Credentials of kind {kind} need {' or '.join(choice)}.")
    return dict(auth)


class SourcesFile:
    """The file and its entries. Reading is strict; writing keeps comments and order."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._known: dict[str, SourceEntry] = {}
        self._known_by: tuple[int, ...] | None = None

    def entries(self) -> dict[str, SourceEntry]:
        """Return all sources by name. Raise ConfigurationError for any error in the file.

        A file that has not changed is not read again.
        """
        facts = self._facts()
        if facts is None or facts != self._known_by:
            self._known, self._known_by = self._entries(), facts
        return dict(self._known)

    def _facts(self) -> tuple[int, ...] | None:
        """Return facts that differ after each change of the file; None: it is missing, or was changed just now."""
        try:
            facts = self.file.stat()
        except OSError:
            return None
        is_settled = facts.st_ctime < time() - _SETTLED_SECONDS
        return (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns) if is_settled else None

    def _entries(self) -> dict[str, SourceEntry]:
        try:
            tables = tomllib.loads(self._text())
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"{self.file} cannot be read: {error}.") from error
        return {name: self._entry(name, table) for name, table in tables.items()}

    def entry(self, name: str) -> SourceEntry:
        """Return one source. Raise ConfigurationError when it is not there."""
        return self.chosen((name,))[0]

    def chosen(self, names: Collection[str]) -> tuple[SourceEntry, ...]:
        """Return some sources, from one reading of the file. Raise ConfigurationError when one is not there."""
        entries = self.entries()
        for name in names:
            if name not in entries:
                known = ", ".join(entries) or "none"
                raise ConfigurationError(f"There is no source {name!r} in {self.file}; there are: {known}.")
        return tuple(entries[name] for name in names)

    def add(self, entry: SourceEntry) -> None:
        """Write a new source. Raise ConfigurationError when its name is taken.

        Raise StoreUnwritable when the file cannot be written.
        """
        with self._edited() as document:
            if entry.name in self.entries():
                raise ConfigurationError(f"There is a source {entry.name!r} in {self.file} already.")
            document[entry.name] = _table(entry)

    def record_address(self, entry: SourceEntry, address: str) -> bool:
        """Write the class of address of a source that has none yet; return whether it was written.

        Nothing is written for a source that is not in the file, or has another url there. Raise ConfigurationError
        when the file cannot be read, StoreUnwritable when it cannot be written.
        """
        with self._edited() as document:
            there = self.entries().get(entry.name)
            is_new = there is not None and not there.address and there.url == entry.url
            if is_new:
                document[entry.name]["address"] = address
        return is_new

    def remove(self, name: str) -> None:
        """Remove a source from the file. Raise ConfigurationError when it is not there.

        Raise StoreUnwritable when the file cannot be written.
        """
        with self._edited() as document:
            self.entry(name)
            del document[name]

    @contextmanager
    def _edited(self) -> Iterator[Any]:
        """Lend the document of the file, and write it at the end of the block if it was changed."""
        import tomlkit  # noqa: PLC0415 - slow to import, and only who writes needs it

        with changing(self.file):
            document = tomlkit.parse(self._text())
            before = tomlkit.dumps(document)
            yield document
            if (text := tomlkit.dumps(document)) == before:
                return
            try:
                # An empty file would be taken for a damaged one.
                content = ((text.strip("\n") or "# No source is left.") + "\n").encode()
                durable.write(self.file, content, partial(keep_owner, folder=self.file.parent), mode=0o666)
            except OSError as error:
                raise StoreUnwritable(f"{self.file} cannot be written: {error.strerror}.") from error

    def _text(self) -> str:
        try:
            return self.file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{self.file} cannot be read: {error}.") from error

    def _entry(self, name: str, table: object) -> SourceEntry:
        try:
            checked_name(name)
            return entry_from(name, table, must_exist=False)  # a path that is gone concerns its own source alone
        except ConfigurationError as error:
            raise ConfigurationError(f"{self.file}, source {name!r}: {error}") from error


def entry_from(name: str, table: object, *, must_exist: bool = True) -> SourceEntry:
    """Read one table. Raise ConfigurationError for an unknown or missing field, a wrong type or an illegal value.

    `must_exist`: a path must be there.
    """
    if not isinstance(table, Mapping):
        raise ConfigurationError("it must be a table.")
    kind_name = table.get("kind", "oai_pmh")
    own = kind_of(kind_name).own if table.keys() - _TYPES.keys() and isinstance(kind_name, str) else {}
    for key, value in table.items():
        if key not in _TYPES and key not in own:
            raise ConfigurationError(f"there is no field {key!r}.")
        kind = _TYPES.get(key) or own[key]
        if not IS_A[kind](value):
            raise ConfigurationError(f"{key} must be {IN_WORDS[kind]}.")
    if "url" not in table:
        raise ConfigurationError("url is missing.")
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    values = {key: value for key, value in given.items() if key in _TYPES}
    values["own"] = {key: value for key, value in given.items() if key in own}
    values["url"] = checked_url(str(values["url"]), must_exist=must_exist)
    if argument := secret_argument(str(table.get("base_url", "")) if "base_url" in own else ""):
        raise ConfigurationError(_PUBLISHED.format(argument))
    values["auth"] = checked_auth(values.get("auth", {}))  # type: ignore[arg-type]  # its type was checked above
    values["from_"] = values.pop("from", "")
    _check_dates(str(values.get("from_", "")), str(values.get("until", "")))
    if not values.get("formats", ("oai_dc",)):
        raise ConfigurationError("formats must name at least one.")
    if "slice" in table and not kind_of(str(kind_name)).takes_dates:
        raise ConfigurationError(f"a source of the kind {kind_name} cannot be asked for dates, so it has no slice.")
    # An address with a secret is refused, too.
    if "notify_inbox" in table and checked_url(str(table["notify_inbox"]), must_exist=False).startswith("file:"):
        raise ConfigurationError("notify_inbox must be http://host/path or https://host/path.")
    return SourceEntry(name=name, **values)  # type: ignore[arg-type]  # FIELDS and IS_A are the types


def _check_dates(from_: str, until: str) -> None:
    for name, text in (("from", from_), ("until", until)):
        try:
            parse_utc_datetime(text or "1970-01-01")
        except ValueError as error:
            raise ConfigurationError(f"{name}: {error}.") from error
    if from_ and until and bound(from_, SECONDS) > bound(until, SECONDS, is_until=True):
        raise ConfigurationError("from is later than until: nothing would be asked for.")


def table_of(entry: SourceEntry) -> dict[str, object]:
    """Return the table of a source: its url, and the fields that differ from their defaults."""
    plain = SourceEntry(name=entry.name, url="")
    table: dict[str, object] = {}
    for entry_field in FIELDS:
        attribute = "from_" if entry_field.name == "from" else entry_field.name
        value = getattr(entry, attribute)
        if value != getattr(plain, attribute) or entry_field.name == "formats":
            table[entry_field.name] = list(value) if isinstance(value, tuple) else value
    return table | {name: list(value) if isinstance(value, tuple) else value for name, value in entry.own.items()}


def shown(entry: SourceEntry) -> str:
    """Return a source as TOML text."""
    import tomlkit  # noqa: PLC0415 - as above

    document = tomlkit.document()
    document[entry.name] = _table(entry)
    return tomlkit.dumps(document)


def _table(entry: SourceEntry) -> object:
    import tomlkit  # noqa: PLC0415 - as above

    table = tomlkit.table()
    for key, value in table_of(entry).items():
        if isinstance(value, Mapping):
            inline = tomlkit.inline_table()
            inline.update(value)
            table[key] = inline
        else:
            table[key] = value
    return table
