"""The databases of a folder, for tests that have no settings; with `url`, those of a PostgreSQL database."""

from pathlib import Path
from typing import Any

from gateway.core.settings import SETTINGS, Settings
from gateway.store.base import Databases, Discovery, Inbox, Store, Subscribers, Subscriptions, Users


def settings_of(folder: Path, url: str = "", **more: Any) -> Settings:
    values = {setting.name: setting.default for setting in SETTINGS}
    return Settings(folder, {**values, "store": url, "secret": "a secret of the tests", **more}, {})


def open_store(folder: Path, *, url: str = "", max_jump_seconds: int = 604_800, **more: Any) -> Store:
    return Databases(settings_of(folder, url, clock_max_jump_seconds=max_jump_seconds)).store(**more)


def open_inbox(folder: Path, *, url: str = "", **more: Any) -> Inbox:
    return Databases(settings_of(folder, url)).inbox(**more)


def open_discovery(folder: Path, *, url: str = "", **more: Any) -> Discovery:
    return Databases(settings_of(folder, url)).discovery(**more)


def open_subscriptions(folder: Path, url: str = "") -> Subscriptions:
    return Databases(settings_of(folder, url)).subscriptions()


def open_subscribers(folder: Path, url: str = "") -> Subscribers:
    return Databases(settings_of(folder, url)).subscribers()


def open_users(folder: Path, url: str = "") -> Users:
    return Databases(settings_of(folder, url)).users()
