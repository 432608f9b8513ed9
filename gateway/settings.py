"""Every setting, once: name, default (whose type is its type) and one sentence; loader, help and documentation read it.

A value comes from, weakest first: the default, `config.toml` in the instance folder, the environment
(`GATEWAY_` and the name in capitals), the options of the command.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from gateway.errors import ConfigurationError

Value: TypeAlias = str | int | float | bool


class Setting(NamedTuple):
    """One setting; the type of its default is its type."""

    name: str
    default: Value
    sentence: str


SETTINGS: tuple[Setting, ...] = (
    Setting("repository_name", "A gateway", "The repositoryName of Identify."),
    Setting(
        "repository_domain",
        "gateway.example.org",
        "The namespace-identifier of our oai-identifiers; fixed once something is published.",
    ),
    Setting("admin_email", "admin@gateway.example.org", "The adminEmail of Identify, and the From of our requests."),
    Setting(
        "base_url",
        "",
        "The baseURL exactly as answers announce it; it ends in `/oai`, unless a proxy maps another address there. "
        "Empty: the address it serves on.",
    ),
    Setting(
        "secret",
        "",
        "The key that signs tokens; empty: the file `secret` in the instance folder. Best given in the environment.",
    ),
    Setting("oai_page_size", 500, "How many records or headers a page of a list holds."),
    Setting("oai_sets_page_size", 1000, "How many sets a page of ListSets holds."),
    Setting("oai_token_life_seconds", 0, "How long a resumptionToken lives; 0: for ever."),
    Setting("oai_max_request_bytes", 1_000_000, "How long the arguments of a request may be."),
    Setting("oai_show_departed", False, "Whether a record that left a set is shown in that set as deleted."),
    Setting("branding_icon_url", "", "The collectionIcon url of the branding description; empty: no branding."),
    Setting("branding_icon_link", "", "The collectionIcon link of the branding description."),
    Setting("branding_icon_title", "", "The collectionIcon title of the branding description."),
    Setting(
        "rights_manifest",
        "",
        "The address of a rights statement that applies to all records; empty: no rightsManifest.",
    ),
    Setting("serve_workers", 2, "How many web worker processes `gateway serve` starts."),
    Setting("serve_threads", 4, "How many threads each web worker has."),
    Setting("fetch_user_agent", "", "The User-Agent of our requests; empty: our name, version and adminEmail."),
    Setting("fetch_connect_timeout_seconds", 30.0, "How long a connection may take to be made."),
    Setting("fetch_read_timeout_seconds", 120.0, "How long a server may be silent."),
    Setting("fetch_deadline_seconds", 900.0, "How long one whole request may take."),
    Setting("fetch_max_bytes", 1_000_000_000, "How many bytes an answer may have, decompressed."),
    Setting("fetch_file_deadline_seconds", 21_600.0, "How long one try at a file that is kept as it comes may take."),
    Setting("fetch_file_max_bytes", 100_000_000_000, "How many bytes a file that is kept as it comes may have."),
    Setting("fetch_retries", 5, "How often a request that failed in passing is repeated."),
    Setting("fetch_backoff_seconds", 2.0, "The wait before the first repetition; it doubles."),
    Setting(
        "fetch_max_wait_seconds",
        3600.0,
        "The longest Retry-After that a run waits for; a longer one ends it with `try_later`.",
    ),
    Setting("fetch_delay_seconds", 0.0, "The pause between two requests to one host."),
    Setting("harvest_overlap_seconds", 86_400, "How far the next `from` lies before the last complete harvest."),
    Setting(
        "harvest_threads",
        8,
        "How many sources are harvested at once; those at one host go one after the other.",
    ),
    Setting("mirror_threads", 8, "How many files of a mirror are fetched at once."),
    Setting("mirror_host_connections", 2, "How many files of a mirror are fetched from one host at once."),
    Setting(
        "sweep_most_share",
        0.1,
        "Which share of what is held of a source a sweep may delete without being told to.",
    ),
    Setting(
        "discover_email",
        "",
        "Who asks Crossref, Unpaywall and others; empty: adminEmail, unless that is one of examples.",
    ),
    Setting("discover_openalex_key", "", "The key for OpenAlex; empty: it is not asked."),
    Setting("discover_policy_key", "", "The key for Jisc's Open Policy Finder; empty: it is not asked."),
    Setting("discover_delay_seconds", 1.0, "The pause between two requests to a host that is no service."),
    Setting("discover_max_bytes", 50_000_000, "How many bytes a file may have."),
    Setting("discover_max_files", 6, "How many copies of one work are fetched until one is the work."),
    Setting("review_accept_score", 0.5, "From which score on a rule may accept a file."),
    Setting("review_reject_score", 0.1, "Below which score a rule rejects a file."),
    Setting("review_rules", True, "Whether rules decide; else every file found is left to people."),
    Setting("discover_threads", 8, "How many works are searched for at once."),
    Setting(
        "publish_processes",
        2,
        "How many processes publish while a harvest runs; 0: the harvester does it itself, page by page.",
    ),
)

_BY_NAME = {setting.name: setting for setting in SETTINGS}


class Settings(Mapping[str, Value]):
    """The settings in force, by name, and the instance folder they belong to."""

    def __init__(self, instance: Path, values: Mapping[str, Value], origins: Mapping[str, str]) -> None:
        """Take checked values and, by name, where each came from."""
        self.instance = instance
        self.origins = dict(origins)
        self._values = dict(values)

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def text(self, name: str) -> str:
        """Return a setting that is text."""
        return str(self._values[name])

    def number(self, name: str) -> int:
        """Return a setting that is a whole number."""
        return int(self._values[name])

    def seconds(self, name: str) -> float:
        """Return a setting that is a duration."""
        return float(self._values[name])

    def share(self, name: str) -> float:
        """Return a setting that is a share of a whole."""
        return float(self._values[name])

    def is_on(self, name: str) -> bool:
        """Return a setting that is a claim."""
        return bool(self._values[name])


def instance_folder(option: str | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the instance folder: the option, else `GATEWAY_INSTANCE`, else `instance` in the working directory."""
    return Path(option or environ.get("GATEWAY_INSTANCE") or "instance").absolute()


def load(
    instance: Path, environ: Mapping[str, str] = os.environ, options: Mapping[str, Value] | None = None
) -> Settings:
    """Return the settings in force. Raise ConfigurationError for an unknown name or a value of the wrong type."""
    values: dict[str, Value] = {setting.name: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")
    for origin, layer in _layers(instance, environ, options or {}):
        for name, value in layer.items():
            values[name] = _checked(name, value, origin)
            origins[name] = origin
    return Settings(instance, values, origins)


def _layers(
    instance: Path, environ: Mapping[str, str], options: Mapping[str, Value]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    file = instance / "config.toml"
    yield str(file), _file_layer(file)
    prefix = "GATEWAY_"
    named = {key: value for key, value in environ.items() if key.startswith(prefix) and key != "GATEWAY_INSTANCE"}
    yield "environment", {key.removeprefix(prefix).lower(): value for key, value in named.items()}
    yield "option", options


def _file_layer(file: Path) -> Mapping[str, object]:
    try:
        with file.open("rb") as stream:
            return tomllib.load(stream)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:  # ValueError: not TOML, or not UTF-8
        raise ConfigurationError(f"{file} cannot be read: {error}") from error


def _checked(name: str, value: object, origin: str) -> Value:
    setting = _BY_NAME.get(name)
    if setting is None:
        raise ConfigurationError(f"There is no setting {name!r} ({origin}).")
    wanted = type(setting.default)
    try:
        return _converted(value, wanted)
    except ValueError as error:
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[wanted]
        raise ConfigurationError(f"The setting {name} must be {kind}, not {value!r} ({origin}).") from error


def _converted(value: object, wanted: type) -> Value:
    if wanted is bool and isinstance(value, str) and value.lower() in ("true", "false", "1", "0", "yes", "no"):
        return value.lower() in ("true", "1", "yes")
    if isinstance(value, str) and wanted in (int, float):
        return int(value) if wanted is int else float(value)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, (str, int, float)) and type(value) is wanted:
        return value
    raise ValueError(value)
