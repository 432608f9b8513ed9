"""Credentials of a source: their kind, and the place of the secret. Its value is read at the moment of use.

No object here contains a secret, so none can be shown, logged or stored by accident.
"""

import os
from base64 import b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, quote_plus

from gateway.core.errors import ConfigurationError
from gateway.core.special_addresses import NAMEABLE
from gateway.core.xmltext import escape


@dataclass(frozen=True, slots=True)
class Secret:
    """The place of a secret: the name of an environment variable, or a file."""

    variable: str = ""
    file: str = ""

    def value(self, environ: Mapping[str, str] | None = None) -> str:
        """Return the secret. Raise ConfigurationError when it is missing, unreadable, or longer than one line."""
        if self.variable:
            value = (os.environ if environ is None else environ).get(self.variable, "")
            place = f"The environment variable {self.variable}"
        else:
            value, place = self._read(), f"The file {self.file}"
        value = value.strip()
        if not value or not value.isprintable():
            raise ConfigurationError(f"{place} has no secret of one line. Write the secret there.")
        return value

    def _read(self) -> str:
        try:
            return Path(self.file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"The secret in {self.file} cannot be read: {error}.") from error


@dataclass(frozen=True, slots=True)
class Credentials:
    """The credentials for one source. `kind` is basic, bearer, header, query or certificate.

    `name` is the name of the header or of the argument, `user` that of Basic; `certificate` and `key` are PEM files.
    """

    kind: str
    secret: Secret = Secret()
    user: str = ""
    name: str = ""
    certificate: str = ""
    key: str = ""

    def headers(self) -> dict[str, str]:
        """Return the headers with the secret: Basic (RFC 7617), Bearer (RFC 6750), or a header of that name.

        Raise ConfigurationError as `Secret.value` does.
        """
        if self.kind == "basic":
            pair = f"{self.user}:{self.secret.value()}".encode()
            return {"Authorization": "Basic " + b64encode(pair).decode("ascii")}
        if self.kind == "bearer":
            return {"Authorization": "Bearer " + self.secret.value()}
        return {self.name: self.secret.value()} if self.kind == "header" else {}

    def argument(self) -> tuple[str, str] | None:
        """Return the query argument with the secret, or None. Raise ConfigurationError as `Secret.value` does."""
        return (self.name, self.secret.value()) if self.kind == "query" else None

    def blotted(self, data: bytes) -> bytes:
        """Return an answer with stars instead of the secret argument, wherever the server repeats the address.

        Servers repeat it in `request`, in headers and in error texts, which are all stored and shown. Only the value
        after the argument's name is replaced: elsewhere it may be a word of a record. Raise ConfigurationError as
        `Secret.value` does.
        """
        if self.kind != "query":
            return data
        value = self.secret.value()
        for text in {value, quote(value), quote(value, safe=""), quote_plus(value), escape(value)}:
            for sign in ("=", "%3D", "%3d"):
                key = f"{self.name}{sign}{text}".encode()
                data = data.replace(key, key[: -len(text.encode())] + b"*" * len(text.encode()))
        return data

    def client_certificate(self) -> tuple[str, str] | str | None:
        """Return the files of the client certificate, in the form that requests takes, or None.

        Raise ConfigurationError when a file is missing.
        """
        if self.kind != "certificate":
            return None
        for file in filter(None, (self.certificate, self.key)):
            if not Path(file).is_file():
                raise ConfigurationError(f"The client certificate needs the file {file}, which does not exist.")
        return (self.certificate, self.key) if self.key else self.certificate


def credentials_from(table: Mapping[str, str]) -> Credentials | None:
    """Return the credentials that a checked `auth` table describes; None when it is empty."""
    if not table:
        return None
    secret = Secret(
        next((value for key, value in table.items() if key.endswith("_env")), ""),
        next((value for key, value in table.items() if key.endswith("_file")), ""),
    )
    return Credentials(
        table.get("kind", ""),
        secret,
        table.get("user", ""),
        table.get("name", ""),
        table.get("certificate", ""),
        table.get("key", ""),
    )


# --- How one source is reached: `fetching.Web` takes one `Access` per source -----------------------------------------


@dataclass(frozen=True, slots=True)
class Access:
    """How one source is reached.

    `url` is its own address, if it has one. Its host may have an address of one of `classes`, and credentials are sent
    to its origin only. `delay_seconds` is the pause between requests (None: the setting); `verify` says whether TLS is
    verified. `allow` lists further hosts that its requests may reach. `ca_bundle` is a PEM file of further authorities.
    """

    url: str
    credentials: Credentials | None = None
    delay_seconds: float | None = None
    verify: bool = True
    classes: Collection[str] = NAMEABLE
    allow: tuple[str, ...] = ()
    ca_bundle: str = ""
