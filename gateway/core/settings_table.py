"""The table of all settings: name, default (its type is that of the setting), one sentence, and limits.

`gateway.core.settings` loads their values. `SETTINGS.md` is made from this table.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from gateway.core.address_rules import Allowed, check_database_url

Value: TypeAlias = str | int | float | bool


_YEAR = 31_536_000  # seconds; not every clock and socket accepts longer times
_MOST = 10**15  # the largest number that every library here can count


class Setting(NamedTuple):
    """One setting; the type of its default is its type. A number is between `least` and `most`, both included.

    A secret is never shown. A duration is in seconds if its name says so. `check` raises ConfigurationError for
    an illegal text.
    """

    name: str
    default: Value
    sentence: str
    least: float = 0
    most: float = _MOST
    is_secret: bool = False
    check: Callable[[str], object] = str


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
        "Empty: the address that `gateway serve` listens on.",
    ),
    Setting(
        "secret",
        "",
        "The key that signs tokens; empty: the file `secret` in the instance folder. Best given in the environment.",
        is_secret=True,
    ),
    Setting(
        "store",
        "",
        "The PostgreSQL database of the repository, as `postgresql://USER@HOST/DATABASE`; empty: SQLite files in the "
        "instance folder.",
        is_secret=True,
        check=check_database_url,
    ),
    Setting(
        "oai_page_size",
        500,
        "How many records or headers a page of a list has; fewer if they have more than 32 MiB.",
        least=1,
        most=1_000_000,
    ),
    Setting(
        "oai_page_exact",
        False,
        "Whether pages of lists have exactly `oai_page_size` records, not up to a quarter more or less. Exact ones are "
        "slower.",
    ),
    Setting("oai_sets_page_size", 1000, "How many sets a page of ListSets has.", least=1, most=1_000_000),
    Setting("oai_token_life_seconds", 0, "How long a resumptionToken is valid; 0: for ever.", most=_YEAR * 100),
    Setting("oai_max_request_bytes", 1_000_000, "How many bytes the arguments of a request may have.", least=1000),
    Setting(
        "formats_made",
        "",
        "The metadata formats that are made for every item besides oai_dc and oai_didl, with spaces between: marcxml, "
        "mets, mods, oai_datacite, oai_openaire, rioxx. `gateway rebuild` carries out a change.",
    ),
    Setting("oai_show_departed", False, "Whether a record that left a set is shown in that set as deleted."),
    Setting(
        "browse_search",
        True,
        "Whether there is a search index, `search.sqlite`, which every command that publishes writes.",
    ),
    Setting("branding_icon_url", "", "The collectionIcon url of the branding description; empty: no branding."),
    Setting("branding_icon_link", "", "The collectionIcon link of the branding description."),
    Setting("branding_icon_title", "", "The collectionIcon title of the branding description."),
    Setting("pages_url", "", "The address of the start page `/`; empty: the baseURL without `/oai`, or its host."),
    Setting(
        "pages_colour",
        "#1d4f91",
        "The colour of links and buttons on pages, as #rrggbb. It is darker or lighter where it would be hard to read.",
    ),
    Setting(
        "pages_logo", "", "The logo on pages: a file in the instance folder (SVG, PNG, JPEG or WebP); empty: none."
    ),
    Setting(
        "landing_index",
        False,
        "Whether search engines may index the pages of items of which we neither found nor hold a file.",
    ),
    Setting(
        "resourcesync_lists",
        "oai_dc oai_didl",
        "The sets of resources of the ResourceSync source, with spaces between: a metadata format, or one with a set, "
        "such as `oai_dc/source:laro`; empty: there is no such source.",
    ),
    Setting(
        "resourcesync_files",
        False,
        "Whether the ResourceSync source also has a list of the files to which items refer, wherever they are.",
    ),
    Setting(
        "resourcesync_change_dump_days",
        90,
        "How many days `harvester tend` keeps the packages of Change Dumps; 0: there are no Change Dumps.",
        least=0,
        most=36_500,
    ),
    Setting(
        "resourcesync_dump_bytes",
        5_000_000_000,
        "How many bytes of packages of the Resource Dump `harvester tend` keeps for each set of resources; others are "
        "made at the request. 0: all of them.",
        least=0,
    ),
    Setting(
        "resourcesync_snapshot_days",
        0,
        "After how many days `harvester tend` archives the Resource Lists again; 0: it archives none.",
        least=0,
        most=36_500,
    ),
    Setting(
        "resourcesync_snapshots",
        12,
        "How many archived Resource Lists of each set of resources are kept.",
        least=1,
        most=1000,
    ),
    Setting("identify_friends_most", 200, "How many sources Identify names at most as friends.", most=100_000),
    Setting(
        "rights_manifest",
        "",
        "The address of a rights statement that applies to all records; empty: no rightsManifest.",
    ),
    Setting("serve_workers", 2, "How many web worker processes `gateway serve` starts.", least=1, most=1000),
    Setting("serve_threads", 4, "How many threads of each web worker answer harvesters.", least=1, most=1000),
    Setting(
        "serve_page_threads",
        2,
        "How many threads of each web worker make pages; harvesters do not wait for pages.",
        least=1,
        most=1000,
    ),
    Setting(
        "serve_connections",
        1000,
        "How many connections each web worker may have; beyond that, the one that has waited longest is closed.",
        least=10,
        most=100_000,
    ),
    Setting(
        "serve_memory_bytes",
        256_000_000,
        "How many bytes of requests and answers each web worker may hold for its connections.",
        least=10_000_000,
    ),
    Setting("serve_max_body_bytes", 50_000_000, "How many bytes the body of a request may have.", least=1000),
    Setting("serve_head_seconds", 20.0, "How long a request line with its header may take to arrive.", least=0.1),
    Setting("serve_body_seconds", 60.0, "How long the body of a request may take to arrive.", least=0.1),
    Setting("serve_idle_seconds", 75.0, "How long a connection stays open between two requests.", least=0.1),
    Setting(
        "serve_write_seconds",
        60.0,
        "In which interval a client must read more of an answer, `serve_write_bytes_per_second` on average.",
        least=0.1,
    ),
    Setting("serve_write_bytes_per_second", 500, "How fast a client must read an answer."),
    Setting(
        "serve_trusted_proxies",
        "",
        "The proxies that name the client: addresses or networks, with spaces between; empty: none is trusted.",
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
    Setting("log_level", "info", "The lowest level that is logged: debug, info, warning or error."),
    Setting(
        "log_json",
        False,
        "Whether logs, and the messages of `gateway serve` and `harvester` on stderr, are one JSON object per line.",
    ),
    Setting(
        "notify_after_failures",
        3,
        "After how many failed runs of a source in a row a notice is sent; 0: never.",
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
        "fetch_connect_timeout_seconds", 15.0, "How long it may take to connect to a server.", least=0.001, most=_YEAR
    ),
    Setting("fetch_read_timeout_seconds", 120.0, "How long a server may send nothing.", least=0.001, most=_YEAR),
    Setting("fetch_deadline_seconds", 900.0, "How long one whole request may take.", least=0.001, most=_YEAR),
    Setting(
        "fetch_min_bytes_per_second",
        0,
        "How fast an answer must be from its tenth second on; 0: no limit, but 1,024 for hosts that no source names.",
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
        "How long one attempt to fetch a file that is stored unchanged may take.",
        least=0.001,
        most=_YEAR,
    ),
    Setting(
        "fetch_file_max_bytes", 100_000_000_000, "How many bytes a file that is stored unchanged may have.", least=1
    ),
    Setting("fetch_retries", 5, "How often a request is repeated after a temporary failure.", most=1000),
    Setting("fetch_backoff_seconds", 2.0, "The wait before the first repetition; it doubles each time.", most=_YEAR),
    Setting(
        "fetch_max_wait_seconds",
        3600.0,
        "The longest Retry-After that a run waits for (at a terminal 90 s); a longer one ends it with `try_later`.",
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
        "Which share of the announced records of a source may be missing before a run warns that its list is short.",
        most=1,
    ),
    Setting(
        "fallback_most_requests",
        200,
        "After how many requests in a row without a new record a run stops the fallback steps of a failing list.",
        least=1,
    ),
    Setting(
        "fallback_most_seconds",
        600.0,
        "After how many seconds without a new record a run stops the fallback steps of a failing list.",
        least=0.001,
        most=_YEAR,
    ),
    Setting(
        "harvest_threads",
        8,
        "How many sources are harvested at once; sources at one host are harvested one after the other.",
        least=1,
        most=1000,
    ),
    Setting("mirror_threads", 8, "How many files of a mirror are fetched at once.", least=1, most=1000),
    Setting(
        "mirror_doubtful_max_bytes",
        2**30,
        "How many bytes of doubtful files a mirror stores aside; of further files, only what is known of them.",
        least=0,
    ),
    Setting(
        "mirror_user_name",
        "",
        "The name of the user in the versions of mirrored objects (OCFL); empty: `repository_name`, if set.",
    ),
    Setting(
        "mirror_user_address",
        "",
        "The URI of that user, such as `mailto:` or an ORCID; empty: that of `admin_email`, if set.",
    ),
    Setting(
        "unpack_max_ratio",
        200,
        "How many unpacked bytes a package may have per packed byte, from 100,000,000 bytes on; 0: any number.",
    ),
    Setting(
        "unpack_min_free_bytes", 1_000_000_000, "How many bytes must stay free on the disk while a package is unpacked."
    ),
    Setting(
        "recheck_whole_every",
        4,
        "After how many rounds a recheck fetches each file whole, without a condition; 0: never.",
        most=1_000_000,
    ),
    Setting(
        "recheck_grace_seconds",
        604_800,
        "For how long a published file must not be there until it counts as gone.",
        most=_YEAR,
    ),
    Setting(
        "recheck_grace_looks",
        3,
        "At how many rechecks in a row a published file must not be there until it counts as gone.",
        least=1,
        most=1000,
    ),
    Setting(
        "mirror_whole_again_max_bytes",
        10_000_000,
        "Up to which size a file that was fetched in parts (Range) is fetched again whole, if no digest is stated.",
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
        "Which share of the records of a source a harvest or a sweep may delete without --yes; a harvest always five.",
        most=1,
    ),
    Setting(
        "discover_email",
        "",
        "The e-mail address that Crossref, Unpaywall and others get; empty: adminEmail, unless it is an example.",
    ),
    Setting(
        "audit_crossref_url", "https://api.crossref.org", "The address of Crossref, where an audit looks up works."
    ),
    Setting("audit_doi_url", "https://doi.org", "The address where an audit looks up who registered a DOI."),
    Setting(
        "discover_openalex_key",
        "",
        "The key for OpenAlex; empty: works are looked up by DOI, which is free within limits, but not by title.",
        is_secret=True,
    ),
    Setting("discover_core_key", "", "The key for CORE; empty: it is not asked.", is_secret=True),
    Setting("discover_base_key", "", "The key for BASE; empty: it is not asked.", is_secret=True),
    Setting(
        "discover_semantic_scholar_key", "", "The key for Semantic Scholar; empty: it is not asked.", is_secret=True
    ),
    Setting(
        "discover_policy_url",
        "https://api.openpolicyfinder.jisc.ac.uk/retrieve",
        "The address of Open Policy Finder, which has the policies of publishers.",
    ),
    Setting(
        "discover_policy_key", "", "The key for Jisc's Open Policy Finder; empty: it is not asked.", is_secret=True
    ),
    Setting("discover_delay_seconds", 1.0, "The pause between two requests to a host that is no service.", most=_YEAR),
    Setting(
        "discover_ports",
        "80 443 8080 8443",
        "The allowed ports of hosts that no source and no setting names, with spaces between.",
    ),
    Setting("discover_max_bytes", 50_000_000, "How many bytes a file may have.", least=1),
    Setting(
        "discover_text_seconds",
        30.0,
        "How long one engine may take to read the text of a file.",
        least=0.001,
        most=_YEAR,
    ),
    Setting(
        "discover_max_files",
        6,
        "How many PDFs are fetched to find the one of a work; refusals and known open copies do not count.",
        least=1,
    ),
    Setting(
        "discover_instead",
        "",
        "Beginnings of addresses that a search replaces (`old=new`, with spaces between); a new one may be private.",
    ),
    Setting("discover_supplements", False, "Whether pages are visited for supplements also if the file is known."),
    Setting("discover_items", 500, "How many items `harvester tend` searches for in one turn of a source.", least=1),
    Setting(
        "discover_named_files",
        True,
        "Whether files that a record itself names are fetched once, to know size and digest.",
    ),
    Setting(
        "clock_max_jump_seconds",
        604_800,
        "How far this machine's clock may jump ahead without a known reason before nothing is published; 0: any time.",
    ),
    Setting(
        "clock_tolerance_seconds",
        300,
        "By how much this machine's clock may differ from that of most sources; 0: by any time.",
    ),
    Setting("files_keep", True, "Whether copies of discovered files are stored in the instance folder, for review."),
    Setting("files_serve", False, "Whether openly licensed copies are served at `/files/` and named in DIDLs."),
    Setting(
        "didl_by_value_max_bytes",
        0,
        "Up to which size the bytes of a stored copy are in its DIDL, if its licence is open; 0: never.",
    ),
    Setting("oai_dc_names_files", False, "Whether oai_dc also has the address of a discovered file."),
    Setting(
        "review_accept_score",
        0.25,
        "From which share of common words on a rule may accept a file that an earlier release has read.",
        most=1,
    ),
    Setting(
        "review_reject_score",
        0.1,
        "Without effect: a file is rejected if nothing on its first pages is of the work.",
        most=1,
    ),
    Setting("review_rules", True, "Whether rules decide on discovered files; otherwise people decide on all of them."),
    Setting("discover_threads", 8, "How many works are searched for at once.", least=1, most=1000),
    Setting("websub_url", "", "The address under which hubs reach `/websub`; empty: beside `/oai` of the base_url."),
    Setting(
        "websub_lease_seconds",
        864_000,
        "The hub.lease_seconds of subscriptions to hubs (WebSub), which are renewed before it ends.",
        least=300,
        most=_YEAR,
    ),
    Setting("hub", True, "Whether there is a WebSub hub at `/hub`; it needs base_url, and `harvester tend` delivers."),
    Setting(
        "offer_inbox",
        "",
        "The inbox of this repository (COAR Notify) that announcements to sources name; empty: they name none.",
    ),
    Setting(
        "hub_lease_seconds",
        864_000,
        "How long a subscription at our hub is valid if the subscriber does not say.",
        least=300,
        most=2_592_000,
    ),
    Setting(
        "hub_give_up_after",
        10,
        "After how many days without a successful delivery our hub ends a subscription.",
        least=1,
        most=3650,
    ),
    Setting("hub_subscriptions", 10_000, "How many subscriptions our hub has at most.", least=1, most=1_000_000),
    Setting(
        "hub_subscriptions_of_network",
        100,
        "How many subscriptions at our hub one network (/24 or /48) may ask for.",
        least=1,
        most=1_000_000,
    ),
    Setting(
        "hub_allow",
        "",
        "The private hosts, addresses and networks that callbacks at our hub may have, with spaces between.",
        check=lambda text: Allowed(text.split()),
    ),
    Setting("hub_threads", 16, "How many subscribers our hub calls at once.", least=1, most=1000),
    Setting(
        "publish_processes",
        2,
        "How many processes publish while a harvest runs; 0: the harvester itself publishes, page by page.",
        most=1000,
    ),
)
