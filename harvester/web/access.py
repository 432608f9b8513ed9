"""How one source is reached: what `Web` is told of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from harvester.credentials import Credentials
from harvester.special_addresses import NAMEABLE


@dataclass(frozen=True, slots=True)
class Access:
    """How one source is reached: its own address, credentials, pace (None: the setting), and whether TLS is verified.

    Host and port of `url` may be at addresses of these classes, and credentials go to its origin only. `allow` names
    what else its requests may reach, `ca_bundle` a file of further authorities for their certificates.
    """

    url: str
    credentials: Credentials | None = None
    delay_seconds: float | None = None
    verify: bool = True
    classes: Collection[str] = NAMEABLE
    allow: tuple[str, ...] = ()
    ca_bundle: str = ""
