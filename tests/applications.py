"""The web application of an instance, in this process, and closed behind its use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask

from gateway import create_app
from gateway.core.settings import Value


@contextmanager
def application(folder: Path, **options: Value) -> Iterator[Flask]:
    """Make the application of an instance folder under these settings; what it has opened is closed at the end."""
    app = create_app(folder, options)
    try:
        yield app
    finally:
        app.extensions["index"].wait()
        for opened in ("store", "subscriptions", "subscribers", "inbox", "searches", "discovery", "users"):
            if app.extensions[opened] is not None:
                app.extensions[opened].close()
