"""`gateway check`: checks the configuration, the store, and whatever else needs the attention of an administrator."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from time import time

from gateway.core import permissions, sandbox
from gateway.core.clock import THIS_HOST
from gateway.core.durable import digest_of
from gateway.core.errors import GatewayError, SearchUnavailable
from gateway.core.finding import Finding, guarded
from gateway.core.instance import base_url_doubt, check_settings, secret
from gateway.core.instance_folder import COPIES, DATABASES, ENDING, INBOX, IRREPLACEABLE, STORE, Instance, remedy
from gateway.core.settings import SETTINGS, Settings, load, place_of_copy, unknown_variables
from gateway.core.states import of_lacks, of_unused
from gateway.core.takedowns import UNERASED, UNSETTLED
from gateway.core.xmltext import utc_datetime
from gateway.formats import named
from gateway.hub import subscribers
from gateway.ops import schemas
from gateway.ops.backup import documents
from gateway.ops.clocks import ahead_of_machine, is_synchronized, judged
from gateway.publish.rebuild import outdated
from gateway.publish.source_facts import made, optional
from gateway.publish.step import INBOX_IS_OLD, check_domain, last_lost, store_lacks
from gateway.publish.unused import unused_elements
from gateway.resourcesync.addresses import resource_sets
from gateway.review import users
from gateway.search.sqlite_reader import open_search
from gateway.store.base import Databases, Inbox, Store, database_files
from gateway.takedowns.apply import pending
from gateway.takedowns.plans import Listed

_COPIES = 1_000  # copies of documents whose bytes a short check reads
_MOST_NAMED = 5
_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}


def findings(folder: Path, places: Sequence[Path] = schemas.PLACES, *, is_whole: bool = False) -> Iterator[Finding]:
    """Yield the findings of all checks, the configuration first; a failed check does not prevent later ones.

    `places` are the folders in which the schemas may be. `is_whole`: read all records, pages and copies, not a sample.
    It raises no GatewayError: each becomes a problem.
    """
    if not folder.is_dir():
        yield Finding("problem", f"There is no instance in {folder}; `gateway init` makes one.")
        return
    try:
        settings = load(folder)
        check_settings(settings)
    except GatewayError as error:
        yield Finding("problem", str(error))
        return
    yield Finding("fine", f"The configuration of {folder} can be read.")
    for name in unknown_variables():
        yield Finding("warning", f"The environment variable {name} is no setting and has no effect. Is it misspelt?")
    yield from _identity(settings)
    yield from _refused(lambda: secret(settings))
    yield from _certificates(settings)
    yield from _modes(folder)
    yield from _sandbox(settings)
    yield from _databases(settings, is_whole=is_whole)
    yield from _refused(lambda: schemas.folder(places))


def _identity(settings: Settings) -> Iterator[Finding]:
    if settings["repository_domain"] == _DEFAULTS["repository_domain"]:
        yield Finding(
            "warning",
            "The repository_domain is the default, which others use too, and every identifier will contain it for "
            "ever. `gateway init --domain` sets yours.",
        )
    if settings["admin_email"] == _DEFAULTS["admin_email"]:
        yield Finding(
            "warning", "The admin_email is the default, so harvesters cannot reach you. `gateway init --email` sets it."
        )
    if not settings["base_url"]:
        yield Finding(
            "warning",
            "There is no base_url, so Identify announces the address that `gateway serve` listens on. Set it if "
            "harvesters elsewhere cannot reach that address.",
        )
    if doubt := base_url_doubt(settings):
        yield Finding("warning", doubt)


def _certificates(settings: Settings) -> Iterator[Finding]:
    """Check the file of private authorities; without it, every harvest ends as misconfigured."""
    name = settings.text("fetch_ca_bundle")
    file = settings.instance / name
    if name and not file.is_file():
        yield Finding("problem", f"The setting fetch_ca_bundle names {file}, which does not exist.")
    elif name and b"CERTIFICATE-----" not in file.read_bytes():
        yield Finding("problem", f"The setting fetch_ca_bundle names {file}, which has no certificate in PEM.")


def _modes(folder: Path) -> Iterator[Finding]:
    for path, mode, wanted in permissions.exposed(folder):
        yield Finding(
            "warning",
            f"Other users can use {path}: it has mode {mode:04o}, not {wanted:04o}. `gateway init` repairs the modes.",
        )


def _sandbox(settings: Settings) -> Iterator[Finding]:
    try:
        layers, could = sandbox.in_force(settings.instance / "secret")
    except ChildProcessError as error:
        yield Finding("problem", str(error))
        return
    if could:
        deeds = ", ".join(could)
        yield Finding(
            "warning",
            f"The process that reads foreign PDF files has no complete sandbox here (in force: {_or_none(layers)}): it "
            f"could {deeds}. Use a kernel with Landlock (Linux 5.13 or newer), or install bubblewrap.",
        )
    else:
        yield Finding("fine", f"The process that reads foreign PDF files runs in a sandbox: {_or_none(layers)}.")


def _or_none(layers: Sequence[str]) -> str:
    return " and ".join(layers) or "nothing"


def _databases(settings: Settings, *, is_whole: bool) -> Iterator[Finding]:
    """Look at all files, then at what is in the databases that can be opened."""
    instance = Instance(settings.instance)
    yield from (Finding("problem", sentence) for sentence in instance.unusable())
    names = [name for name in IRREPLACEABLE if not (name in DATABASES and Databases(settings).are_on_server())]
    yield from guarded(_files(instance, names, is_whole=is_whole))
    yield from guarded(_copies(instance, is_whole=is_whole))
    with ExitStack() as opened:
        try:
            store = Databases(settings).store()
            opened.enter_context(closing(store))
        except GatewayError as error:
            yield Finding("problem", str(error))
            return
        for findings_ in (
            _store(store, settings, is_whole=is_whole),
            _takedowns(store, settings.instance),
            _clock(store),
            _search(store, settings),
            _hub(settings),
            _lists(store, settings),
            _people(store, settings),
            _inbox(store, settings, is_whole=is_whole),
        ):
            yield from guarded(findings_)


def _files(instance: Instance, names: Iterable[str], *, is_whole: bool) -> Iterator[Finding]:
    """Name the files that are lost, of some names, and the databases that are damaged, of all that a backup copies."""
    instance.known()  # raises if it cannot be read
    for name in names:
        yield from _refused(partial(instance.has, name))
    # The store has a check of its own, which reads more.
    databases = (name for name in (*DATABASES, *instance.names()) if name.endswith(ENDING) and name != STORE)
    for name in dict.fromkeys(databases):
        if instance.is_there(name) and (name in DATABASES or database_files.is_database(instance.path(name))):
            damages = database_files.damage(instance.path(name), is_whole=is_whole)
            yield from (Finding("problem", f"{sentence} {remedy(name)}") for sentence in damages)


def _copies(instance: Instance, *, is_whole: bool) -> Iterator[Finding]:
    """Name the copies of documents whose bytes have changed: of a sample, or of all."""
    copies = sorted(documents(instance.path(COPIES)))
    damaged = [copy for copy in copies if not copy.stat().st_size]
    for copy in copies[:: 1 if is_whole else max(1, len(copies) // _COPIES)]:
        if copy not in damaged and digest_of(copy) != copy.name:
            damaged.append(copy)
    if damaged:
        names = ", ".join(copy.name for copy in damaged[:_MOST_NAMED])
        yield Finding(
            "problem",
            f"The bytes of {len(damaged)} copies of documents have changed: {names}. Delete them; "
            "`gateway restore --missing` and `harvester recheck` fetch them again.",
        )


def _inbox(store: Store, settings: Settings, *, is_whole: bool) -> Iterator[Finding]:
    """Check the inbox, and whether it belongs to the store."""
    with closing(Databases(settings).inbox()) as inbox:
        yield from (Finding("problem", f"{sentence} {remedy(INBOX)}") for sentence in inbox.check(is_whole=is_whole))
        yield from _step(store, inbox)
        yield from _host_clock(inbox, settings)
        for name in store.standings() if is_whole else ():
            for sentence in of_unused(unused_elements(store, inbox, name)):
                yield Finding("fine", f"{name}: {sentence}")


def _step(store: Store, inbox: Inbox) -> Iterator[Finding]:
    """Compare the store with the inbox."""
    if last_lost(store, inbox):
        yield Finding("problem", INBOX_IS_OLD)
    if sentence := store_lacks(store, inbox):
        yield Finding("problem", sentence)
    with store.view() as view:
        names = [source.name for source in view.sources()]
    for name in names:
        position = store.position(name)
        if inbox.removal(name, position) is not None:
            sentence = f"The source {name} was removed, but its records are still published"
            yield Finding("problem", f"{sentence}. `gateway rebuild --from-inbox` withdraws them.")
        elif pending := inbox.pages_behind(name, position):
            yield Finding(
                "warning",
                f"Pages of the source {name} that are not published yet: {pending}. "
                f"`harvester publish {name}` publishes them, unless a harvest is doing so now.",
            )


def _takedowns(store: Store, folder: Path) -> Iterator[Finding]:
    takedowns = store.takedowns()
    new, lifted = pending(store)
    for takedown in new:
        yield Finding("problem", f"The takedown of {takedown.key} is not completed. `harvester publish` completes it.")
    for entry in takedowns.entries:
        if (state := Listed(entry, 0, entry not in new).state).name == "without-effect":
            yield Finding("warning", f"The takedown of {entry.key}: {state.words}")
    if lifted:
        yield Finding(
            "problem",
            f"Takedowns were lifted, but what they withheld is not published yet: {len(lifted)}. "
            "`harvester publish` publishes it.",
        )
    remaining = sum(place_of_copy(folder, digest).is_file() for digest in takedowns.digests)
    if remaining:
        yield Finding(
            "problem",
            f"Copies of files that are taken down still exist: {remaining}. `harvester publish` deletes them.",
        )
    if not takedowns.is_empty and (damaged := store.damaged_with_superseded()):
        yield Finding("problem", UNERASED % damaged)
    if store.has_open_erasure():
        yield Finding("problem", UNSETTLED)
    if not takedowns.is_empty:
        yield Finding("fine", f"The list of takedowns can be read: {len(takedowns.entries)} entries.")


def _store(store: Store, settings: Settings, *, is_whole: bool) -> Iterator[Finding]:
    check_domain(store, settings.text("repository_domain"))
    wrong = store.check(is_whole=is_whole)
    yield from (Finding("problem", sentence) for sentence in wrong)
    if not wrong:
        yield Finding("fine", "The store is sound.")
    if exposed := store.credentials(is_whole=is_whole):
        yield Finding("warning", exposed)
    if prefixes := outdated(store):
        yield Finding(
            "warning",
            f"Records in {', '.join(prefixes)} were made by an older mapping, or for an older value of formats_made. "
            "`gateway rebuild` makes all records again.",
        )
    standings = store.standings()
    lacks = store.lack_counts(standings)
    if other := optional(made(store)).symmetric_difference(named(settings.text("formats_made"))):
        sentence = f"formats_made has changed: {', '.join(sorted(other))}. `gateway rebuild` carries it out."
        yield Finding("warning", sentence)
    with store.view() as view:
        yield Finding("fine", f"The store serves everything up to {utc_datetime(view.horizon)}.")
        for source in view.sources():
            counts = ", ".join(f"{number} {what}" for what, number in standings[source.name][1].items())
            yield Finding("fine", f"Source {source.name}{' (removed)' if source.is_removed else ''}: {counts}.")
            for sentence in of_lacks(lacks.get(source.name, ())):
                yield Finding("fine", f"{source.name}: {sentence}")


def _hub(settings: Settings) -> Iterator[Finding]:
    """Say whether our hub has subscriptions, and whether somebody verifies requests."""
    if not settings.is_on("hub"):
        return
    sentence, warnings = subscribers.state(settings, int(time()))
    if sentence:
        yield Finding("fine", sentence)
    for warning in warnings:
        yield Finding("warning", warning)


def _people(store: Store, settings: Settings) -> Iterator[Finding]:
    """Say how many people may sign in, and what keeps them from it. Without a user there is nothing to say."""
    if number := users.count(settings):
        yield Finding("fine", f"People who may sign in at /review: {number}.")
    yield from (Finding("warning", doubt) for doubt in users.doubts(settings, store))


def _lists(store: Store, settings: Settings) -> Iterator[Finding]:
    """Name sets of resources whose format or set a store with records does not know: their lists are empty."""
    with store.view() as view:
        prefixes = {format_.metadata_prefix for format_ in view.formats()}
        wanted = resource_sets(settings.text("resourcesync_lists")) if view.last_change() else ()
        for resources in wanted:
            if resources.metadata_prefix not in prefixes:
                unknown = f"the format {resources.metadata_prefix!r}"
            elif resources.selected is not None and not view.has_set(resources.selected):
                unknown = f"the set {resources.selected!r}"
            else:
                continue
            yield Finding(
                "warning",
                f"The setting resourcesync_lists names {unknown}, which the store does not have. These ResourceSync "
                "documents are empty. Correct it, or publish such records.",
            )


def _search(store: Store, settings: Settings) -> Iterator[Finding]:
    """Compare the search index with the store."""
    if not settings.is_on("browse_search"):
        return
    with store.view() as view:
        last = view.last_change()
    try:
        state = open_search(settings.instance).state()
    except SearchUnavailable as error:
        if last:
            yield Finding("warning", str(error))
        return
    if state.position > last:
        yield Finding("warning", "The search index belongs to another store. `gateway index` makes it anew.")
    elif state.position < last:
        yield Finding(
            "warning",
            f"The search index lacks the last changes: {last - state.position}. `gateway index` writes them, unless a "
            "command that publishes is doing so now.",
        )
    else:
        yield Finding(
            "fine",
            f"The search index is complete up to {utc_datetime(state.reached)}: {state.items} items, "
            f"{state.bytes} bytes.",
        )


def _clock(store: Store) -> Iterator[Finding]:
    """Compare the clock of the store with that of this machine."""
    if refused := store.clock_problem():
        yield Finding("problem", refused)
    if doubt := store.standstill() or ahead_of_machine(store):
        yield Finding("warning", doubt)


def _host_clock(inbox: Inbox, settings: Settings) -> Iterator[Finding]:
    """Compare the clock of this machine with those of sources, and ask the kernel whether NTP synchronizes it."""
    state, tolerance = is_synchronized(), settings.number("clock_tolerance_seconds")
    judgement_ = judged(inbox.source_clocks().values(), THIS_HOST.moment(), tolerance, is_kept_by_ntp=state)
    if judgement_.is_wrong:
        yield Finding("warning", judgement_.sentence)
    if state:
        yield Finding("fine", "The clock of this machine is synchronized by NTP.")
    elif state is False:
        yield Finding(
            "warning",
            "The clock of this machine is not synchronized by NTP. Start chrony or systemd-timesyncd: a record that is "
            "published with a future datestamp keeps it.",
        )


def _refused(work: Callable[[], object]) -> Iterator[Finding]:
    """Yield the error that some work raises, if any, as a problem."""
    try:
        work()
    except GatewayError as error:
        yield Finding("problem", str(error))
