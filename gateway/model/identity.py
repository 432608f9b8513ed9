"""Which repository a source is, by its own words, and what it says that it is o'clock."""

from __future__ import annotations

from typing import NamedTuple


class Identity(NamedTuple):
    """What a repository calls itself; empty where it says nothing.

    `repository_identifier` is that of the oai-identifier guidelines; several stand with spaces between.
    """

    repository_identifier: str = ""
    repository_name: str = ""
    base_url: str = ""


class KnownIdentity(NamedTuple):
    """What is known of the identity of a source: what was accepted, and what it said last.

    `strange` says why its records look like those of another repository; empty: they do not, or that was accepted.
    `is_strange_accepted`: the next whole list may begin with unknown records.
    """

    accepted: Identity
    said: Identity
    strange: str = ""
    is_strange_accepted: bool = False


class SourceClock(NamedTuple):
    """What a source said that it is o'clock (`second`), its host, and the clocks of this host at that moment.

    `is_sure`: it told the same in two ways, by its responseDate and by the Date of HTTP.
    """

    host: str
    second: float
    is_sure: bool
    monotonic: float
    boot: str
    suspended: float
