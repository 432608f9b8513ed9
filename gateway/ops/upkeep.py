"""Makes an instance, and makes its records again: the work of `gateway init` and `gateway rebuild`.

It is not part of `instance`, because it needs the formats and their XML library, which web workers never load.
"""

import gc
import json
import secrets
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from time import gmtime, strftime, time

import tomlkit

from gateway.core import permissions
from gateway.core.ceiling import Ceiling
from gateway.core.durable import write
from gateway.core.errors import ConfigurationError, GatewayError, StoreError, TakedownsUnreadable
from gateway.core.instance import check_settings
from gateway.core.instance_folder import ASIDE, COPIES, DISCOVERY, INBOX, STORE, Instance
from gateway.core.model import Compacted, Lack
from gateway.core.settings import SETTINGS, Settings, Value, load
from gateway.core.states import of_lacks
from gateway.core.waiting import leave_with_parent, locked
from gateway.formats import named, written
from gateway.ops import recovery
from gateway.publish import rebuild as again
from gateway.publish.rebuild import LOCK, RebuildProcesses, Rebuilt, processors
from gateway.publish.source_facts import add_format, adopt, made, noted, optional
from gateway.publish.step import check_domain, check_whole, fix_domain, is_published, store_lacks, unfinished
from gateway.search.indexing import OBJECTS_BEFORE_COLLECTION, Following, following
from gateway.store.base import Databases, DiscoveryOnDemand, Inbox, Store, database_files
from gateway.takedowns.apply import pending
from gateway.takedowns.withdrawing import carry_out, finish_erasure

_MANY = 3_000  # items; they take about as long as the start of a child process
_IDENTITY = ("repository_name", "repository_domain", "admin_email")


def make(folder: Path, options: Mapping[str, Value], group: str | None = None) -> Settings:
    """Make the instance, or its missing parts, with `options` as settings; return the settings in force.

    Only its owner may use the folder, and `group`, if one is given or was given before. Raise ConfigurationError for a
    wrong setting, for a domain other than that of published records, and if the folder cannot be made. Raise StoreError
    if a database cannot be made.
    """
    settings = load(folder, options=options)
    check_settings(settings)
    if (databases := Databases(settings)).are_on_server():
        databases.has(STORE)  # raises before anything is made if the database cannot be used
    try:
        is_ours = not folder.exists() or not any(folder.iterdir()) or (folder / "config.toml").exists()
        (folder / COPIES).mkdir(parents=True, exist_ok=True)
        Instance(folder).accept_losses()
        make_secret(folder)
        with (
            closing(Databases(settings).store(create=True)) as store,
            closing(Databases(settings).inbox(create=True)) as inbox,
        ):
            fix_domain(store, settings.text("repository_domain"))
            _introduce(store, inbox, named(settings.text("formats_made")))
        is_new = not (folder / "config.toml").exists()
        write_config(folder, {**{name: settings[name] for name in _IDENTITY if is_new}, **options})
        if is_ours:  # a folder with other files keeps its mode; `gateway check` warns
            permissions.repair(folder, group)
    except OSError as error:
        raise ConfigurationError(
            f"The instance cannot be made in {folder}: {error.strerror} ({error.filename})."
        ) from error
    return settings


def _introduce(store: Store, inbox: Inbox, wanted: Iterable[str]) -> None:
    """Add our formats to a store that is still empty, so that ListMetadataFormats has them before the first harvest."""
    if not is_published(store):
        for format_ in written().values():
            if not format_.is_optional:
                add_format(store, format_)
        adopt(store, inbox, wanted)
        again.rebuild(store, inbox)  # makes no records here; it stores the versions of our mappings


def count_items(folder: Path) -> int:
    """Return how many items are in the store, including deleted ones. Raise StoreError if it cannot be opened."""
    with closing(Databases(load(folder)).store()) as store, store.view() as view:
        return sum(store.counts(source.name)["items"] for source in view.sources())


def changed_formats(folder: Path) -> Iterator[str]:
    """Yield what a rebuild does because `formats_made` has changed, as sentences.

    Raise StoreError if the store cannot be opened, and ConfigurationError for wrong settings.
    """
    settings = load(folder)
    wanted = frozenset(named(settings.text("formats_made")))
    with closing(Databases(settings).store()) as store:
        present = optional(made(store))
    if new := sorted(wanted - present):
        yield f"Records in {', '.join(new)} are made, because formats_made names them."
    if gone := sorted(present - wanted):
        yield f"Records in {', '.join(gone)} become tombstones, because formats_made does not name them."


def rebuild(folder: Path, metadata_prefix: str | None, progress: Callable[[int], None]) -> int:
    """Map every item again, in one of our formats or in all; return how many records changed.

    The formats are those of the setting `formats_made` and the two that every item has; records in others that were
    made become tombstones. `progress` is called with the number of items that were processed so far. Raise
    ConfigurationError for a prefix that is not ours, and if records are published under another domain; StoreError if
    the store cannot be written.
    """
    settings = load(folder)
    check_settings(settings)
    wanted = named(settings.text("formats_made"))
    with following(settings) as index, closing(Databases(settings).inbox()) as inbox:
        check_domain(index.store, settings.text("repository_domain"))
        check_whole(index.store, inbox)
        _check_prefix(index.store, metadata_prefix, wanted)
        adopt(index.store, inbox, wanted)
        with index.store.view() as view:
            last = view.last_item()
        number = processors()
        if last < _MANY or number == 1:
            return again.rebuild(index.store, inbox, metadata_prefix, progress)
        with closing(_by_processes(folder, index, inbox, metadata_prefix, last, number)) as parts:
            return again.rebuild(index.store, inbox, metadata_prefix, progress, parts)


def non_works(folder: Path, *, withdraws: bool) -> tuple[int, tuple[str, ...]]:
    """Withdraw the items that describe no work, if asked; return how many, and a sentence for each source with more.

    Raise as `rebuild`.
    """
    with following(load(folder)) as index:
        store = index.store
        withdrawn = again.withdraw_non_works(store) if withdraws else 0
        with store.view() as view:
            names = [source.name for source in view.sources()]
        lacks = store.lack_counts(names).items()
        others = ((name, [count for count in several if count.lack is Lack.WORK]) for name, several in lacks)
        return withdrawn, tuple(f"{name}: {sentence}" for name, several in others for sentence in of_lacks(several))


def _check_prefix(store: Store, metadata_prefix: str | None, wanted: Iterable[str]) -> None:
    """Raise ConfigurationError for a prefix that is neither made nor was."""
    present = made(store)
    ours = dict.fromkeys((*present.prefixes, *wanted, *present.withdrawn))
    if metadata_prefix is not None and metadata_prefix not in ours:
        raise ConfigurationError(
            f"{metadata_prefix} is not a format that the gateway writes. Choose one of: {', '.join(ours)}."
        )


def _by_processes(
    folder: Path, index: Following, inbox: Inbox, metadata_prefix: str | None, last: int, number: int
) -> Generator[Rebuilt, None, None]:
    """Make the items up to the last one again by so many child processes, and those that have come since."""
    with closing(RebuildProcesses(folder, number, metadata_prefix)) as processes:
        parts = ((after, min(after + again.BATCH, last)) for after in range(0, last, again.BATCH))
        for part in processes.run(parts):
            index.expect(part.items if part.stamped else 0)
            yield part
    yield from again.Remaker(index.store, inbox, metadata_prefix).parts(after=last)


def rebuild_parts(folder: str, metadata_prefix: str | None = None) -> int:
    """Make the parts of an instance again that the parent process names (`RebuildProcesses`); return the exit status.

    None stands for all of our formats. An error is a line on standard output, which ends the work.
    """
    leave_with_parent()
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    with suppress(BrokenPipeError):  # the parent process has ended
        try:
            for result in _rebuilt(Path(folder), metadata_prefix):
                _say(result._asdict())
        except GatewayError as error:
            _say({"error": str(error)})
            return 1
    return 0


def _rebuilt(folder: Path, metadata_prefix: str | None) -> Iterator[Rebuilt]:
    settings = load(folder)
    turn = partial(locked, folder / "locks" / LOCK)
    with following(settings, completes=False) as index, closing(Databases(settings).inbox()) as inbox:
        remaker = again.Remaker(index.store, inbox, metadata_prefix, turn)
        for line in sys.stdin:
            after, until = json.loads(line)
            done = list(remaker.parts(after, until))
            yield Rebuilt(sum(part.items for part in done), sum(part.stamped for part in done))


def _say(result: dict[str, object]) -> None:
    sys.stdout.write(f"{json.dumps(result)}\n")
    sys.stdout.flush()


def rebuild_from_inbox(folder: Path, progress: recovery.Progress) -> recovery.Made:
    """Publish everything that is in the inbox and not in the store; make the store if it is missing.

    Raise ConfigurationError for wrong settings, StoreMissing if there is no inbox, and the errors of `make_again`.
    """
    settings = load(folder)
    check_settings(settings)
    if not Databases(settings).are_on_server():
        database_files.check_not_served(folder / STORE)
    Instance(folder).accept_losses(STORE)
    with closing(Databases(settings).inbox()) as inbox, following(settings, create=True) as index:
        store = index.store
        check_domain(store, settings.text("repository_domain"))
        wanted = named(settings.text("formats_made"))
        adopt(store, inbox, {*wanted, *noted(inbox)})  # those of former settings get tombstones by a rebuild
        result = recovery.make_again(store, inbox, settings.text("repository_domain"), progress)
        adopt(store, inbox, wanted)
        _withdraw(store, inbox, settings)  # records that are taken down become tombstones again
        return result


def _withdraw(store: Store, inbox: Inbox, settings: Settings) -> None:
    """Carry out the list of takedowns, also for files of searches. Raise StoreError."""
    with closing(DiscoveryOnDemand(settings)) as discovery:
        has_searched = Databases(settings).has(DISCOVERY)
        carry_out(store, inbox, discovery.open if has_searched else None, settings)


def complete_takedowns(folder: Path) -> str:
    """Carry out the takedowns that a killed process has not; return a message if that failed, else an empty string.

    Raise StoreError if a record or file that is taken down cannot be withdrawn, because it must not be served, and
    ConfigurationError for wrong settings.
    """
    settings = load(folder)
    if not _has_inbox(settings):
        return ""
    is_to_be_withdrawn = False
    with following(settings, completes=False) as index:
        store = index.store
        try:
            new, lifted = pending(store)
            is_to_be_withdrawn = bool(new)
            with closing(Databases(settings).inbox()) as inbox:
                if new or lifted:
                    _withdraw(store, inbox, settings)
                else:
                    finish_erasure(store)
        except TakedownsUnreadable as error:
            return str(error)
        except StoreError as error:
            if is_to_be_withdrawn:
                raise StoreError(f"Nothing is served, because a takedown cannot be applied: {error}") from error
            return str(error)
    return ""


def _has_inbox(settings: Settings) -> bool:
    """Return whether there is an inbox, lost or not: a copy that only serves has none."""
    return Databases(settings).are_on_server() or Instance(settings.instance).is_there(INBOX)


def clock(folder: Path, *, is_accepted: bool) -> tuple[int, str]:
    """Return the time of the store in seconds since 1970, and the problem with this machine's clock or an empty string.

    `is_accepted`: accept the clock of this machine, however far it has jumped. Raise ClockAhead if only this process
    sees that time, another StoreError if the store cannot be opened, and ConfigurationError for wrong settings.
    """
    with closing(Databases(load(folder)).store()) as store:
        if is_accepted:
            store.believe()
        with store.view() as view:
            return view.horizon, store.clock_problem()


def doubt_of_store(folder: Path) -> str:
    """Return a message if the store lacks pages of the inbox, else an empty string, as when there is no inbox.

    Raise StoreError if the store cannot be read.
    """
    settings = load(folder)
    with closing(Databases(settings).store()) as store:
        if not _has_inbox(settings):
            return unfinished(store)
        try:
            with closing(Databases(settings).inbox()) as inbox:
                return store_lacks(store, inbox)
        except StoreError:  # a damaged inbox is no problem of the store; `gateway check` reports it
            return ""


def check_store(folder: Path) -> None:
    """Raise StoreError if the store lacks pages of the inbox: harvesters would find records missing."""
    if doubt := doubt_of_store(folder):
        raise StoreError(doubt)


def compact(folder: Path, progress: Callable[[int, int], None], *, is_anew: bool = False) -> Compacted:
    """Make all blocks of the store anew that have holes or few records, or could be smaller; return what was done.

    With `is_anew`, write the whole file anew at the end, so that the disk has all that is free. `progress` is called
    with how many blocks were looked at, and of how many. It is not complete if the disk gets the space only when a
    reader has finished. Raise StoreError, and ConfigurationError for wrong settings.
    """
    with closing(Databases(load(folder)).store()) as store:
        done = store.compact(is_thorough=True, progress=progress)
        if is_anew:
            done = done._replace(smaller_by=done.smaller_by + store.vacuum(), kept_free=0)
        is_given_back = store.finish_erasure() or not done.smaller_by
        return done._replace(is_complete=done.is_complete and is_given_back)


def put_store_aside(folder: Path) -> Path | None:
    """Move the store aside, so that a new one can be made; return its new path, or None if there is no store.

    Raise StoreBusy if another program has it open, and ConfigurationError if it is no file.
    """
    Databases(load(folder)).check_on_files(
        "Run `alter schema store rename to store_former` in psql, and repeat without --anew."
    )
    file = folder / STORE
    if not file.exists():
        return None
    answered = 0
    with suppress(StoreError, TypeError):  # it is damaged, or its making was interrupted
        answered = database_files.ceiling(file)  # opening the store would move the records of an earlier release first
    aside = folder / ASIDE / strftime("%Y%m%dT%H%M%SZ", gmtime(time()))
    with database_files.unused(file):
        if answered > Ceiling(file).read():
            Ceiling(file).write(answered)
        Instance(folder).put_aside(STORE, aside)
    return aside / STORE


def write_config(folder: Path, values: Mapping[str, Value]) -> Path:
    """Write `values` into config.toml and keep everything else; return its path. A new file explains every setting."""
    file = folder / "config.toml"
    text = file.read_text("utf-8") if file.exists() else _template(values)
    document = tomlkit.parse(text)
    for name, value in values.items():
        document[name] = value
    file.write_text(tomlkit.dumps(document), "utf-8")
    return file


def _template(values: Mapping[str, Value]) -> str:
    head = "# The settings of this gateway. A line that begins with # has the default; `gateway settings` shows all.\n"
    shown = [setting for setting in SETTINGS if setting.name != "secret"]  # the secret is in a file of its own
    for setting in shown:
        value = json.dumps(values.get(setting.name, setting.default), ensure_ascii=False)
        mark = "" if setting.name in values else "# "
        head += f"\n# {setting.sentence}\n{mark}{setting.name} = {value}\n"
    return head


def make_secret(folder: Path) -> None:
    """Make the file with the key that signs tokens (mode 0600), if it is missing or empty. Raise OSError."""
    file = folder / "secret"
    if not file.exists() or not file.stat().st_size:
        write(file, f"{secrets.token_urlsafe(48)}\n".encode())
