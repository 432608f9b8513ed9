"""The databases of a folder, for tests that have no settings; with `url`, those of a PostgreSQL database."""

from pathlib import Path
from typing import Any

from gateway.core.settings import SETTINGS, Settings
from gateway.store import opening
from gateway.store.base import Discovery, Inbox, Store, Subscribers, Subscriptions, Users


def settings_of(folder: Path, url: str = "", **more: Any) -> Settings:
    values = {setting.name: setting.default for setting in SETTINGS}
    return Settings(folder, {**values, "store": url, "secret": "a secret of the tests", **more}, {})


def open_store(folder: Path, *, url: str = "", max_jump_seconds: int = 604_800, **more: Any) -> Store:
    return opening.open_store(settings_of(folder, url, clock_max_jump_seconds=max_jump_seconds), **more)


def open_inbox(folder: Path, *, url: str = "", **more: Any) -> Inbox:
    return opening.open_inbox(settings_of(folder, url), **more)


def open_discovery(folder: Path, *, url: str = "", **more: Any) -> Discovery:
    return opening.open_discovery(settings_of(folder, url), **more)


def open_subscriptions(folder: Path, url: str = "") -> Subscriptions:
    return opening.open_subscriptions(settings_of(folder, url))


def open_subscribers(folder: Path, url: str = "") -> Subscribers:
    return opening.open_subscribers(settings_of(folder, url))


def open_users(folder: Path, url: str = "") -> Users:
    return opening.open_users(settings_of(folder, url))
