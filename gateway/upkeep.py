"""Making an instance and making its records again: what `gateway init` and `gateway rebuild` do.

Apart from `instance`, because this needs the formats and their XML library, which web workers never load.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import tomlkit

from gateway import rebuild as again
from gateway.errors import ConfigurationError
from gateway.formats import written
from gateway.instance import check_domain, check_settings, fix_domain, is_published
from gateway.items import add_format
from gateway.settings import SETTINGS, Setting, Settings, Value, load
from gateway.store.base import Inbox, Store
from gateway.store.sqlite import open_inbox, open_store

_IDENTITY = ("repository_name", "repository_domain", "admin_email")


def make(folder: Path, options: Mapping[str, Value]) -> Settings:
    """Make the instance, or what is missing of it, with `options` as settings; return the settings in force.

    Raise ConfigurationError, also when the domain would change although something is published; StoreError.
    """
    try:
        (folder / "files").mkdir(parents=True, exist_ok=True)
        settings = load(folder, options=options)
        check_settings(settings)
        with closing(open_store(folder, create=True)) as store, closing(open_inbox(folder, create=True)) as inbox:
            fix_domain(store, settings.text("repository_domain"))
            _introduce(store, inbox)
        is_new = not (folder / "config.toml").exists()
        write_config(folder, {name: settings[name] for name in _IDENTITY} if is_new else options)
        make_secret(folder)
    except OSError as error:
        raise ConfigurationError(f"The instance cannot be made in {folder}: {error.strerror}.") from error
    return settings


def _introduce(store: Store, inbox: Inbox) -> None:
    """Make a repository that is still empty know our formats, so that it lists them before its first harvest."""
    if not is_published(store):
        for each in written().values():
            add_format(store, each)
        again.rebuild(store, inbox)  # there is nothing to make again; it notes the versions of our mappings


def count_items(folder: Path) -> int:
    """Return how many items the store holds, deleted ones included."""
    with closing(open_store(folder)) as store, store.view() as view:
        return sum(store.counts(source.name)["items"] for source in view.sources())


def rebuild(folder: Path, metadata_prefix: str | None, progress: Callable[[int], None]) -> int:
    """Map every item again, in one format of ours or in all; return how many records changed.

    `progress` is told how many items were looked at. Raise ConfigurationError for a prefix that is not ours, and when
    records are published under another domain.
    """
    if metadata_prefix is not None and metadata_prefix not in written():
        raise ConfigurationError(f"{metadata_prefix} is no format of ours; there are {', '.join(written())}.")
    settings = load(folder)
    check_settings(settings)
    with closing(open_store(folder)) as store, closing(open_inbox(folder)) as inbox:
        check_domain(store, settings.text("repository_domain"))
        return again.rebuild(store, inbox, metadata_prefix, progress)


def write_config(folder: Path, values: Mapping[str, Value]) -> Path:
    """Write `values` into config.toml, keeping everything else; a new file explains every setting. Return its path."""
    file = folder / "config.toml"
    text = file.read_text("utf-8") if file.exists() else _template(values)
    document = tomlkit.parse(text)
    for name, value in values.items():
        document[name] = value
    file.write_text(tomlkit.dumps(document), "utf-8")
    return file


def _template(values: Mapping[str, Value]) -> str:
    head = "# The settings of this gateway. What stands behind a # is the default; `gateway settings` shows all.\n"
    shown = [setting for setting in SETTINGS if setting.name != "secret"]  # a secret does not belong in this file
    return head + "".join(_entry(setting, values) for setting in shown)


def _entry(setting: Setting, values: Mapping[str, Value]) -> str:
    value = json.dumps(values.get(setting.name, setting.default), ensure_ascii=False)
    mark = "" if setting.name in values else "# "
    return f"\n# {setting.sentence}\n{mark}{setting.name} = {value}\n"


def make_secret(folder: Path) -> None:
    """Make the key that signs tokens, readable by its owner only, unless there is one. An empty file is none."""
    file, aside = folder / "secret", folder / "secret.new"
    if file.exists() and file.stat().st_size:
        return
    aside.unlink(missing_ok=True)  # a killed process left it
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(secrets.token_urlsafe(48) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    aside.replace(file)
