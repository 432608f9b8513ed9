"""The file `subscriptions.sqlite`, made with the first subscription. It contains secrets."""

from __future__ import annotations

from pathlib import Path

from gateway.store.file_on_demand import FileOnDemand
from gateway.store.queries import load

SQL = load("subscriptions")


class SubscriptionsFile(FileOnDemand):
    """The file of an instance. Safe for threads and processes. Every method may raise StoreError."""

    def __init__(self, path: Path) -> None:
        """Take the path of the file, which may be missing."""
        super().__init__(path, "subscriptions")
