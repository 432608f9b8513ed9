"""The fields of a source's table in `sources.toml`: names, types and sentences, and what each type accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast

from gateway.core.address_rules import are_allowable
from gateway.core.special_addresses import CLASSES
from harvester.harvest.windows import UNITS
from harvester.runtime.durations import are_hours, is_duration, is_schedule

MOST_CONNECTIONS = 32  # to one host; more would overload a repository


class Field(NamedTuple):
    """One field of a source's table: its type in TOML, in words, and one sentence."""

    name: str
    kind: str
    sentence: str


FIELDS: tuple[Field, ...] = (
    Field("url", "text", "The address of the source; for OAI-PMH the base URL, without arguments of the protocol."),
    Field("kind", "text", "The kind of source: a module or package of `harvester/sources`; `oai_pmh` by default."),
    Field("formats", "texts", "The metadataPrefixes to harvest; `oai_dc` by default."),
    Field("sets", "texts", "The setSpecs to harvest; none: everything."),
    Field("from", "text", "Nothing older is asked for: a UTCdatetime."),
    Field("until", "text", "Nothing newer is asked for: a UTCdatetime."),
    Field("overlap_seconds", "number", "Instead of the setting `harvest_overlap_seconds`."),
    Field("delay_seconds", "number", "Instead of the setting `fetch_delay_seconds`."),
    Field(
        "every", "schedule", "How often `harvester tend` harvests it, or `never`; nothing: never, and it is reported."
    ),
    Field("sweep_every", "duration", "How often `harvester tend` sweeps it; nothing: never."),
    Field("discover_every", "duration", "How often `harvester tend` searches for its full text; nothing: never."),
    Field(
        "recheck_every",
        "duration",
        "The period in which `tend` searches again and rechecks each published file; nothing: never.",
    ),
    Field("hours", "hours", "The hours (UTC) in which it is asked, such as 21:00-05:00; without them: at any time."),
    Field("slice", "unit", "The length of the windows in which its lists are harvested at first: year, month or day."),
    Field("connections", "count", f"How many windows are requested at once: 1 (default) to {MOST_CONNECTIONS}."),
    Field("rights", "text", "The address of a rights statement that applies to every record of the source."),
    Field("notify_inbox", "text", "The inbox of the source (COAR Notify) to which discovered files are announced."),
    Field("prefer", "texts", "Which metadataPrefixes describe the works best, best first; none: the richest."),
    Field(
        "apart",
        "claim",
        "Whether its records in a format of `formats_made` are served as `<prefix>.<source>`, next to ours, and not in "
        "their place. Set it before the first harvest: a prefix that was published stays.",
    ),
    Field("auth", "table", "The credentials: their `kind` and where the secret is, never the secret itself."),
    Field(
        "friend",
        "claim",
        "Whether our Identify names it among the friends. The default is yes for a source without credentials.",
    ),
    Field("verify", "claim", "Whether the certificate of the server is verified."),
    Field("ca_bundle", "text", "A file of certificates (PEM) of authorities that are trusted besides the public ones."),
    Field("address", "class", "The class of address of its host, recorded when it is added; another class is refused."),
    Field("allow", "allowed", "What else its requests may reach: HOST, ADDRESS or NETWORK, each with :PORT or not."),
)

# By the kind of a field: the check of a value, and its description.
IS_A: dict[str, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "texts": lambda value: isinstance(value, list) and all(isinstance(item, str) and item for item in value),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0,
    "count": lambda value: type(value) is int and 1 <= value <= MOST_CONNECTIONS,
    "claim": lambda value: isinstance(value, bool),
    "unit": lambda value: value in UNITS,
    "duration": lambda value: isinstance(value, str) and is_duration(value),
    "schedule": lambda value: isinstance(value, str) and is_schedule(value),
    "hours": lambda value: isinstance(value, str) and are_hours(value),
    "class": lambda value: value in CLASSES,
    "allowed": lambda value: IS_A["texts"](value) and are_allowable(cast("list[str]", value)),
    "table": lambda value: isinstance(value, dict) and all(isinstance(item, str) for item in value.values()),
}
IN_WORDS = {
    "text": "text",
    "texts": "a list of texts",
    "number": "a number, not negative",
    "count": f"a whole number from 1 to {MOST_CONNECTIONS}",
    "claim": "true or false",
    "unit": "year, month or day",
    "duration": "a duration: a whole number and one of s, m, h, d and w, such as 6h",
    "schedule": "a duration such as 6h (a whole number and one of s, m, h, d and w), or never",
    "hours": "two times of the day, such as 21:00-05:00",
    "class": f"one of {', '.join(CLASSES)}",
    "allowed": 'a list of HOST, ADDRESS or NETWORK, each with :PORT or not, such as ["10.1.2.3:8080"]',
    "table": "a table of texts",
}
