"""The identity of a source, as its answers state it, and its clock."""

from __future__ import annotations

from typing import NamedTuple


class Identity(NamedTuple):
    """The identity that a repository states in Identify; a field is empty if it states none.

    `repository_identifier` is that of the oai-identifier guideline; several have spaces between them.
    """

    repository_identifier: str = ""
    repository_name: str = ""
    base_url: str = ""


class KnownIdentity(NamedTuple):
    """The known identity of a source: the one that was accepted, and the one that it stated last (`latest`).

    `strange` says why its records seem to be those of another repository; empty: they do not, or that was accepted.
    `is_strange_accepted`: the next whole list may begin with unknown records.
    """

    accepted: Identity
    latest: Identity
    strange: str = ""
    is_strange_accepted: bool = False


class SourceClock(NamedTuple):
    """The time that a source stated (`second`, since 1970), its host, and the clocks of this machine at that moment.

    `is_sure`: its responseDate and its HTTP Date agree. `monotonic` and `suspended` are seconds since the boot with
    the identifier `boot`.
    """

    host: str
    second: float
    is_sure: bool
    monotonic: float
    boot: str
    suspended: float
