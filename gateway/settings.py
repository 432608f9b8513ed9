"""Every setting, once: name, default (whose type is its type) and one sentence; loader, help and documentation read it.

A value comes from, weakest first: the default, `config.toml` in the instance folder, the environment
(`GATEWAY_` and the name in capitals), the options of the command. Other variables that begin with `GATEWAY_` are left
alone, because platforms set some of their own (`GATEWAY_PORT=tcp://10.0.0.7:80`); `gateway check` names them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from gateway.errors import ConfigurationError

Value: TypeAlias = str | int | float | bool


_YEAR = 31_536_000  # seconds; clocks and sockets take longer ones in some places only
_MOST = 10**15  # of bytes and whatever else: what every library here can still count


class Setting(NamedTuple):
    """One setting; the type of its default is its type. A number lies from `least` to `most`.

    A secret is never shown.
    """

    name: str
    default: Value
    sentence: str
    least: float = 0
    most: float = _MOST
    is_secret: bool = False


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
        is_secret=True,
    ),
    Setting("oai_page_size", 500, "How many records or headers a page of a list holds.", least=1, most=1_000_000),
    Setting("oai_sets_page_size", 1000, "How many sets a page of ListSets holds.", least=1, most=1_000_000),
    Setting("oai_token_life_seconds", 0, "How long a resumptionToken lives; 0: for ever.", most=_YEAR * 100),
    Setting("oai_max_request_bytes", 1_000_000, "How long the arguments of a request may be.", least=1000),
    Setting("oai_show_departed", False, "Whether a record that left a set is shown in that set as deleted."),
    Setting("branding_icon_url", "", "The collectionIcon url of the branding description; empty: no branding."),
    Setting("branding_icon_link", "", "The collectionIcon link of the branding description."),
    Setting("branding_icon_title", "", "The collectionIcon title of the branding description."),
    Setting(
        "rights_manifest",
        "",
        "The address of a rights statement that applies to all records; empty: no rightsManifest.",
    ),
    Setting("serve_workers", 2, "How many web worker processes `gateway serve` starts.", least=1, most=1000),
    Setting("serve_threads", 4, "How many threads each web worker has.", least=1, most=1000),
    Setting(
        "serve_connections",
        1000,
        "How many connections each web worker has; one more ends the one that has waited longest.",
        least=10,
        most=100_000,
    ),
    Setting(
        "serve_memory_bytes",
        256_000_000,
        "How many bytes of requests and answers each web worker holds for its connections.",
        least=10_000_000,
    ),
    Setting("serve_max_body_bytes", 50_000_000, "How many bytes the body of a request may have.", least=1000),
    Setting("serve_head_seconds", 20.0, "How long a request line with its header may take to arrive.", least=0.1),
    Setting("serve_body_seconds", 60.0, "How long the body of a request may take to arrive.", least=0.1),
    Setting("serve_idle_seconds", 75.0, "How long a connection is kept between two requests.", least=0.1),
    Setting(
        "serve_write_seconds",
        60.0,
        "How often a client must have taken more of an answer, `serve_write_bytes_per_second` on average.",
        least=0.1,
    ),
    Setting("serve_write_bytes_per_second", 500, "How fast a client must read an answer."),
    Setting(
        "serve_trusted_proxies",
        "",
        "The proxies that name the client: addresses or networks, with spaces between; empty: none is believed.",
    ),
    Setting(
        "serve_proxy_header",
        "X-Forwarded-For",
        "The header in which trusted proxies name the client: X-Forwarded-For, or Forwarded (RFC 7239).",
    ),
    Setting(
        "metrics_listen",
        "",
        "The address and port, such as 127.0.0.1:9464, where `gateway serve` answers `/metrics` for Prometheus; "
        "empty: nowhere.",
    ),
    Setting("log_level", "info", "From which level on a line is logged: debug, info, warning or error."),
    Setting(
        "log_json",
        False,
        "Whether logs, and what `gateway serve` and `harvester` say on stderr, have a JSON object per line.",
    ),
    Setting(
        "notify_after_failures",
        3,
        "How many failed runs of a source in a row cause a notice; 0: none do.",
        most=1000,
    ),
    Setting(
        "notify_smtp_url",
        "",
        "The mail server of notices, as smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT; empty: no e-mail. "
        "Best given in the environment.",
        is_secret=True,
    ),
    Setting("notify_to", "", "The e-mail addresses that get the notices, with commas between."),
    Setting(
        "notify_webhook_url",
        "",
        "The address that notices are posted to as JSON; empty: none. Best given in the environment.",
        is_secret=True,
    ),
    Setting("fetch_user_agent", "", "The User-Agent of our requests; empty: our name, version and adminEmail."),
    Setting(
        "fetch_connect_timeout_seconds", 15.0, "How long a connection may take to be made.", least=0.001, most=_YEAR
    ),
    Setting("fetch_read_timeout_seconds", 120.0, "How long a server may be silent.", least=0.001, most=_YEAR),
    Setting("fetch_deadline_seconds", 900.0, "How long one whole request may take.", least=0.001, most=_YEAR),
    Setting(
        "fetch_min_bytes_per_second",
        0,
        "How slow an answer may be from its tenth second on; 0: as slow as it likes. Strangers must send 1,024.",
    ),
    Setting("fetch_max_bytes", 1_000_000_000, "How many bytes an answer may have, decompressed.", least=1),
    Setting(
        "fetch_document_max_bytes",
        200_000_000,
        "How many bytes one document of OAI-PMH, ResourceSync or Solr may have, decompressed.",
        least=1,
    ),
    Setting(
        "fetch_file_deadline_seconds",
        21_600.0,
        "How long one try at a file that is kept as it comes may take.",
        least=0.001,
        most=_YEAR,
    ),
    Setting(
        "fetch_file_max_bytes", 100_000_000_000, "How many bytes a file that is kept as it comes may have.", least=1
    ),
    Setting("fetch_retries", 5, "How often a request that failed in passing is repeated.", most=1000),
    Setting("fetch_backoff_seconds", 2.0, "The wait before the first repetition; it doubles.", most=_YEAR),
    Setting(
        "fetch_max_wait_seconds",
        3600.0,
        "The longest Retry-After that a run waits for; a longer one ends it with `try_later`.",
        most=_YEAR,
    ),
    Setting(
        "fetch_ca_bundle",
        "",
        "A file of certificates (PEM) of authorities that are trusted besides the public ones, in the instance folder "
        "unless its path is absolute.",
    ),
    Setting("fetch_delay_seconds", 0.0, "The pause between two requests to one host.", most=_YEAR),
    Setting("harvest_overlap_seconds", 86_400, "How far the next `from` lies before the last complete harvest."),
    Setting(
        "announced_tolerance",
        0.0,
        "Which share of the records that a source announces may not come before a run warns that its list is short.",
        most=1,
    ),
    Setting(
        "fallback_most_requests",
        200,
        "After how many requests in a row without a new record a run gives up the fallback steps of a failing list.",
        least=1,
    ),
    Setting(
        "fallback_most_seconds",
        600.0,
        "After how many seconds without a new record a run gives up the fallback steps of a failing list.",
        least=0.001,
        most=_YEAR,
    ),
    Setting(
        "harvest_threads",
        8,
        "How many sources are harvested at once; those at one host go one after the other.",
        least=1,
        most=1000,
    ),
    Setting("mirror_threads", 8, "How many files of a mirror are fetched at once.", least=1, most=1000),
    Setting(
        "mirror_doubtful_max_bytes",
        2**30,
        "How many bytes of doubtful files a mirror keeps aside; of more, only what is known of them.",
        least=0,
    ),
    Setting(
        "mirror_user_name",
        "",
        "Who makes the versions of mirrored objects, as their inventories name it; empty: `repository_name`, if set.",
    ),
    Setting(
        "mirror_user_address",
        "",
        "The URI of that user, such as `mailto:` or an ORCID; empty: that of `admin_email`, if set.",
    ),
    Setting(
        "unpack_max_ratio",
        200,
        "How many bytes a package may have unpacked for each packed byte, once it has 100,000,000; 0: any number.",
    ),
    Setting(
        "unpack_min_free_bytes",
        1_000_000_000,
        "How many bytes must stay free on the disk while a package is unpacked.",
    ),
    Setting(
        "recheck_whole_every",
        10,
        "In which round a recheck of a mirror fetches a file whole, unasked whether it has changed; 0: never.",
        most=1_000_000,
    ),
    Setting(
        "mirror_whole_again_max_bytes",
        10_000_000,
        "Up to which size a file that came in parts (Range) is fetched once more whole if no digest of it is stated.",
    ),
    Setting(
        "mirror_host_connections",
        2,
        "How many files of a mirror are fetched from one host at once.",
        least=1,
        most=1000,
    ),
    Setting(
        "sweep_most_share",
        0.1,
        "Which share of what is held of a source a harvest or a sweep may delete without --yes; a harvest always five.",
        most=1,
    ),
    Setting(
        "discover_email",
        "",
        "Who asks Crossref, Unpaywall and others; empty: adminEmail, unless that is one of examples.",
    ),
    Setting("audit_crossref_url", "https://api.crossref.org", "Where an audit asks what was published."),
    Setting("audit_doi_url", "https://doi.org", "Where an audit asks who registered a DOI."),
    Setting(
        "discover_openalex_key",
        "",
        "The key for OpenAlex; empty: works are asked for by DOI, which is free within limits, and none by title.",
    ),
    Setting("discover_core_key", "", "The key for CORE; empty: it is not asked."),
    Setting("discover_base_key", "", "The key for BASE; empty: it is not asked."),
    Setting("discover_semantic_scholar_key", "", "The key for Semantic Scholar; empty: it is not asked."),
    Setting(
        "discover_policy_url",
        "https://api.openpolicyfinder.jisc.ac.uk/retrieve",
        "Where the policies of publishers are asked for: Open Policy Finder, or a copy of SHERPA/RoMEO's `api29`.",
    ),
    Setting("discover_policy_key", "", "The key for Jisc's Open Policy Finder; empty: it is not asked."),
    Setting("discover_delay_seconds", 1.0, "The pause between two requests to a host that is no service.", most=_YEAR),
    Setting(
        "discover_ports",
        "80 443 8080 8443",
        "The ports at which strangers are asked, with spaces between: hosts that no source and no setting names.",
    ),
    Setting("discover_max_bytes", 50_000_000, "How many bytes a file may have.", least=1),
    Setting(
        "discover_text_seconds",
        30.0,
        "How long the text of a file may take to be read by one engine.",
        least=0.001,
        most=_YEAR,
    ),
    Setting(
        "discover_max_files",
        6,
        "How many PDFs of one work are fetched until one is it; refusals and known open copies do not count.",
        least=1,
    ),
    Setting(
        "discover_instead",
        "",
        "Where a search asks instead, perhaps a private place: `address=address`, of beginnings, with spaces between.",
    ),
    Setting("discover_items", 500, "How many items `harvester tend` searches for in one turn of a source.", least=1),
    Setting(
        "discover_named_files",
        True,
        "Whether files that a record itself names are fetched once, to know size and digest.",
    ),
    Setting(
        "clock_max_jump_seconds",
        604_800,
        "How far this machine's clock may jump ahead for no known reason and still be believed; 0: however far.",
    ),
    Setting(
        "clock_tolerance_seconds",
        300,
        "By how much this machine's clock may differ from what most sources say; 0: by however much.",
    ),
    Setting("files_keep", True, "Whether copies of files that were found are kept in the instance folder, for review."),
    Setting(
        "files_serve",
        False,
        "Whether openly licensed copies are served at `/files/` and named in DIDLs.",
    ),
    Setting(
        "didl_by_value_max_bytes",
        0,
        "Up to which size a kept copy stands in its DIDL itself, where a licence is open; 0: none does.",
    ),
    Setting("oai_dc_names_files", False, "Whether the address of a file that was found stands in oai_dc as well."),
    Setting(
        "review_accept_score",
        0.25,
        "From which score on a rule may accept a file; half is enough with the whole title and an author or DOI.",
        most=1,
    ),
    Setting(
        "review_reject_score",
        0.1,
        "Below which score a rule rejects a file, unless the DOI stands on its first pages.",
        most=1,
    ),
    Setting("review_rules", True, "Whether rules decide; else every file found is left to people."),
    Setting("discover_threads", 8, "How many works are searched for at once.", least=1, most=1000),
    Setting("websub_url", "", "The address under which hubs reach `/websub`; empty: beside `/oai` of the base_url."),
    Setting(
        "websub_lease_seconds",
        864_000,
        "How long hubs are asked to tell us of changes, until we ask again.",
        least=300,
        most=_YEAR,
    ),
    Setting(
        "publish_processes",
        2,
        "How many processes publish while a harvest runs; 0: the harvester does it itself, page by page.",
        most=1000,
    ),
)

_BY_NAME = {setting.name: setting for setting in SETTINGS}
_PREFIX = "GATEWAY_"
_INSTANCE = "GATEWAY_INSTANCE"
_VARIABLES = {f"{_PREFIX}{setting.name.upper()}": setting for setting in SETTINGS}


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


def place_of_copy(instance: Path, digest: str) -> Path:
    """Return where a copy of ours of a file with this SHA-256 lies in an instance folder."""
    return instance / "files" / digest[:2] / digest


def instance_folder(option: str | None = None, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the instance folder: the option, else `GATEWAY_INSTANCE`, else `instance` in the working directory."""
    return Path(option or environ.get(_INSTANCE) or "instance").absolute()


READY = "restoring/ready"  # in an instance folder: its files are being replaced by those of a backup


def load(
    instance: Path, environ: Mapping[str, str] = os.environ, options: Mapping[str, Value] | None = None
) -> Settings:
    """Return the settings in force.

    Raise ConfigurationError for a value of the wrong type, and for an unknown name in `config.toml` or `options`.
    """
    if (instance / READY).exists():
        raise ConfigurationError(
            f"A restore of {instance} was interrupted: run `gateway restore` with its folder again."
        )
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
    yield "environment", {setting.name: environ[name] for name, setting in _VARIABLES.items() if name in environ}
    yield "option", options


def unknown_variables(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names of variables that begin like ours and are no setting."""
    return sorted(name for name in environ if name.startswith(_PREFIX) and name not in {*_VARIABLES, _INSTANCE})


def _file_layer(file: Path) -> Mapping[str, object]:
    try:
        with file.open("rb") as stream:
            return tomllib.load(stream)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:  # ValueError: not TOML, or not UTF-8
        raise ConfigurationError(f"{file} cannot be read: {error}") from error


def _checked(name: str, value: object, origin: str) -> Value:
    setting = _BY_NAME.get(name)
    if setting is None:
        raise ConfigurationError(f"There is no setting {name!r} ({origin}).")
    wanted = type(setting.default)
    try:
        converted = _converted(value, wanted)
    except (ValueError, OverflowError) as error:
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[wanted]
        raise ConfigurationError(f"The setting {name} must be {kind}, not {value!r} ({origin}).") from error
    if not isinstance(converted, (bool, str)) and (fault := _out_of_bounds(setting, converted)):
        raise ConfigurationError(f"The setting {name} must be {fault}, not {value!r} ({origin}).")
    return converted


def _out_of_bounds(setting: Setting, number: float) -> str:
    """Return what the number must be, an empty string when it is."""
    if not number >= setting.least:  # so that what is no number at all is refused as well
        return f"at least {setting.least}"
    return "" if number <= setting.most else f"at most {setting.most}"


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
