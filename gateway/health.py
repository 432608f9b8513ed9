"""`gateway check`: whether configuration and store are sound, and what else an administrator would want to know."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple

from gateway import schemas
from gateway.errors import GatewayError
from gateway.instance import base_url_doubt, check_domain, check_settings, secret
from gateway.rebuild import outdated
from gateway.settings import SETTINGS, Settings, load
from gateway.store.base import Store
from gateway.store.sqlite import open_inbox, open_store
from gateway.store.step import INBOX_IS_OLD, last_lost
from gateway.xmltext import utc_datetime

_DEFAULTS = {setting.name: setting.default for setting in SETTINGS}


class Finding(NamedTuple):
    """One thing that was looked at. A problem keeps the gateway from doing its work rightly."""

    level: Literal["fine", "warning", "problem"]
    sentence: str


def findings(folder: Path, places: Sequence[Path] = schemas.PLACES) -> Iterator[Finding]:
    """Look at everything, the configuration first; a check that fails hides no other that can still be made."""
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
    yield from _identity(settings)
    yield from _secret(settings)
    yield from _databases(settings)
    yield from _schemas(places)


def _identity(settings: Settings) -> Iterator[Finding]:
    if settings["repository_domain"] == _DEFAULTS["repository_domain"]:
        yield Finding(
            "warning",
            "The repository_domain is the default: every identifier will carry it for ever, and others use it too. "
            "`gateway init --domain` sets yours.",
        )
    if settings["admin_email"] == _DEFAULTS["admin_email"]:
        yield Finding(
            "warning", "The admin_email is the default; nobody can reach you. `gateway init --email` sets it."
        )
    if not settings["base_url"]:
        yield Finding(
            "warning",
            "There is no base_url: Identify will announce the address it serves on, which harvesters elsewhere "
            "may be unable to reach.",
        )
    if doubt := base_url_doubt(settings):
        yield Finding("warning", doubt)


def _secret(settings: Settings) -> Iterator[Finding]:
    try:
        secret(settings)
    except GatewayError as error:
        yield Finding("problem", str(error))
        return
    names = ("subscriptions.sqlite",) if settings.text("secret") else ("secret", "subscriptions.sqlite")
    for file in (settings.instance / name for name in names):
        mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else 0
        if mode & 0o077:
            yield Finding("warning", f"Others can read a secret: {file} has mode {mode:04o}, 0600 is wanted.")


def _databases(settings: Settings) -> Iterator[Finding]:
    try:
        with closing(open_store(settings.instance)) as store:
            yield from _store(store, settings)
            with closing(open_inbox(settings.instance)) as inbox:
                if last_lost(store, inbox):
                    yield Finding("problem", INBOX_IS_OLD)
    except GatewayError as error:
        yield Finding("problem", str(error))


def _store(store: Store, settings: Settings) -> Iterator[Finding]:
    check_domain(store, settings.text("repository_domain"))
    wrong = store.check()
    yield from (Finding("problem", sentence) for sentence in wrong)
    if not wrong:
        yield Finding("fine", "The store is sound.")
    for prefix in outdated(store):
        yield Finding(
            "warning",
            f"What is published as {prefix} was made by an older mapping; `gateway rebuild --format {prefix}` makes "
            "it again.",
        )
    with store.view() as view:
        yield Finding("fine", f"The store tells everything up to {utc_datetime(view.horizon)}.")
        for source in view.sources():
            counts = ", ".join(f"{number} {what}" for what, number in store.counts(source.name).items())
            yield Finding("fine", f"Source {source.name}{' (removed)' if source.is_removed else ''}: {counts}.")


def _schemas(places: Sequence[Path]) -> Iterator[Finding]:
    try:
        schemas.folder(places)
    except GatewayError as error:
        yield Finding("problem", str(error))
