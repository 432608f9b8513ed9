"""What both programs write into the log: to stderr, as text or as an object per line, from a level on.

What strangers wrote may be part of a message; control characters of both sets are escaped, so that they can neither
forge lines nor give orders to a terminal.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from pathlib import Path
from typing import Any

from gateway.errors import ConfigurationError
from gateway.settings import Settings
from gateway.terminal import plain

LOGGERS = ("gateway", "harvester")
LEVELS = ("debug", "info", "warning", "error")

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _escaped(text: str) -> str:
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class TextLines(logging.Formatter):
    """Time, level and message on one line; a traceback follows on lines of its own."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and those of the traceback."""
        record.message = _escaped(record.getMessage())
        record.asctime = self.formatTime(record)
        lines = [self.formatMessage(record)]
        if record.exc_info:
            lines += map(_escaped, self.formatException(record.exc_info).split("\n"))
        return "\n".join(lines)


class JsonLines(logging.Formatter):
    """A JSON object on one line: time (UTC), level, logger, message, and traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object."""
        shown = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            shown["traceback"] = self.formatException(record.exc_info)
        return json.dumps(shown)


def sentence(text: str, level: str = "info", *, is_dated: bool = False) -> str:
    """Return a sentence for people as one line of stderr: as it is, or as an object where the log has objects.

    `is_dated`: with its time and level, as the log writes its lines.
    """
    is_object = any(isinstance(handler.formatter, JsonLines) for handler in _ours())
    if not is_object and not is_dated:
        return plain(text)
    program = Path(sys.argv[0]).name
    name = program if program in LOGGERS else LOGGERS[0]
    record = logging.LogRecord(name, getattr(logging, level.upper()), "", 0, "%s", (text,), None)
    return (JsonLines() if is_object else TextLines()).format(record)


class _Stderr(logging.StreamHandler[Any]):
    """Our handler: at most one is in use. Of libraries it writes warnings and errors alone."""

    def filter(self, record: logging.LogRecord) -> bool:
        is_ours = record.name.partition(".")[0] in LOGGERS
        return (is_ours or record.levelno >= logging.WARNING) and bool(super().filter(record))


def level(settings: Settings) -> str:
    """Return the name of the level of `log_level`. Raise ConfigurationError when there is none of that name."""
    name = settings.text("log_level").lower()
    if name not in LEVELS:
        raise ConfigurationError(f"The setting log_level must be one of {', '.join(LEVELS)}, not {name!r}.")
    return name.upper()


def begin(settings: Settings, *, has_level: bool = False) -> None:
    """Write the log to stderr from now on, as `log_level` and `log_json` want it. Raise ConfigurationError.

    `has_level`: whether the level was chosen otherwise, by an option of the command.
    """
    wanted = level(settings)
    show(JsonLines() if settings.is_on("log_json") else TextLines())
    if not has_level:
        for name in LOGGERS:
            logging.getLogger(name).setLevel(wanted)


def show(lines: logging.Formatter) -> None:
    """Write the log to stderr from now on, in these lines."""
    root = logging.getLogger()
    for handler in _ours():
        root.removeHandler(handler)
    ours = _Stderr(sys.stderr)
    ours.setFormatter(lines)
    root.addHandler(ours)


def _ours() -> list[logging.Handler]:
    return [handler for handler in logging.getLogger().handlers if isinstance(handler, _Stderr)]
