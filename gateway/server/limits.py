"""Limits of the web server on the time, bytes and connections of clients; `settings_table.py` has the defaults."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Limits of one worker process; the unit is in each name."""

    line_bytes: int = 1_000_000
    body_bytes: int = 50_000_000
    head_seconds: float = 20.0
    body_seconds: float = 60.0
    idle_seconds: float = 75.0
    write_seconds: float = 60.0
    write_bytes_per_second: int = 500
    connections: int = 1000
    memory_bytes: int = 256_000_000
    grace_seconds: float = 28.0
    page_wait_seconds: float = 10.0
