"""How one source is reached: `fetching.Web` takes one `Access` per source."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gateway.special_addresses import NAMEABLE
from harvester.http.credentials import Credentials


@dataclass(frozen=True, slots=True)
class Access:
    """How one source is reached.

    `url` is its own address. Its host may have an address of one of `classes`, and credentials are sent to its origin
    only. `delay_seconds` is the pause between requests (None: the setting); `verify` says whether TLS is verified.
    `allow` lists further hosts that its requests may reach. `ca_bundle` is a PEM file of further authorities.
    """

    url: str
    credentials: Credentials | None = None
    delay_seconds: float | None = None
    verify: bool = True
    classes: Collection[str] = NAMEABLE
    allow: tuple[str, ...] = ()
    ca_bundle: str = ""
