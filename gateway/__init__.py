"""The gateway: one OAI-PMH 2.0 repository made of many sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from gateway.core.settings import Value
    from gateway.oaipmh.routes import Observe


def create_app(
    instance: Path | None = None, options: Mapping[str, Value] | None = None, observe: Observe | None = None
) -> Flask:
    """Return the WSGI application of an instance, with all its addresses.

    `instance` is the folder (else `GATEWAY_INSTANCE`, else `instance`). `options` override all other settings.
    `observe` is called after each answer of OAI-PMH.
    Raise ConfigurationError if a setting is wrong, StoreError if the store cannot be served. Imports are in here
    because everything imports `gateway`, and most of it must not wait for Flask.
    """
    from gateway.app import application_of  # noqa: PLC0415
    from gateway.core.settings import instance_folder, load  # noqa: PLC0415

    return application_of(load(instance or instance_folder(), options=options), observe)
