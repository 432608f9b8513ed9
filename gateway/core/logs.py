"""The log of both programs: lines on stderr, as text or as JSON objects, from a level on.

A message may contain text from outside. All control characters are escaped, so that it can neither forge lines nor
control a terminal.
"""

import json
import logging
import re
import sys
import time
from pathlib import Path
from typing import Any

from gateway.core.errors import ConfigurationError
from gateway.core.secret_arguments import without_secrets
from gateway.core.settings import Settings

LOGGERS = ("gateway", "harvester")
LEVELS = ("debug", "info", "warning", "error")

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _escaped(text: str) -> str:
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class TextLines(logging.Formatter):
    """Formats a record as time (local), level and message on one line; a traceback follows on further lines."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, and those of its traceback."""
        record.message = _escaped(record.getMessage())
        record.asctime = self.formatTime(record)
        lines = [self.formatMessage(record)]
        if record.exc_info:
            lines += map(_escaped, self.formatException(record.exc_info).split("\n"))
        return "\n".join(lines)


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object on one line: time (UTC), level, logger, message, and a traceback if any."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object of a record."""
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
    """Return a sentence as one line for stderr: unchanged, or as a JSON object if the log has objects.

    `is_dated`: with the time and the level, like a line of the log.
    """
    is_object = any(isinstance(handler.formatter, JsonLines) for handler in _ours())
    if not is_object and not is_dated:
        return plain(text)
    program = Path(sys.argv[0]).name
    name = program if program in LOGGERS else LOGGERS[0]
    record = logging.LogRecord(name, getattr(logging, level.upper()), "", 0, "%s", (text,), None)
    return (JsonLines() if is_object else TextLines()).format(record)


class _Stderr(logging.StreamHandler[Any]):
    """Our handler; at most one is in use. It writes only warnings and errors of libraries."""

    def filter(self, record: logging.LogRecord) -> bool:
        is_ours = record.name.partition(".")[0] in LOGGERS
        return (is_ours or record.levelno >= logging.WARNING) and bool(super().filter(record))


def level(settings: Settings) -> str:
    """Return the name of the level in `log_level`, in capitals. Raise ConfigurationError if there is no such level."""
    name = settings.text("log_level").lower()
    if name not in LEVELS:
        raise ConfigurationError(f"The setting log_level must be one of {', '.join(LEVELS)}, not {name!r}.")
    return name.upper()


def begin(settings: Settings, *, has_level: bool = False) -> None:
    """Write the log to stderr from now on, as `log_level` and `log_json` say.

    `has_level`: an option of the command has chosen the level already. Raise ConfigurationError for an unknown level.
    """
    wanted = level(settings)
    show(JsonLines() if settings.is_on("log_json") else TextLines())
    if not has_level:
        for name in LOGGERS:
            logging.getLogger(name).setLevel(wanted)


def show(lines: logging.Formatter) -> None:
    """Write the log to stderr from now on, with this formatter."""
    root = logging.getLogger()
    for handler in _ours():
        root.removeHandler(handler)
    ours = _Stderr(sys.stderr)
    ours.setFormatter(lines)
    root.addHandler(ours)


def _ours() -> list[logging.Handler]:
    return [handler for handler in logging.getLogger().handlers if isinstance(handler, _Stderr)]


# --- Text for a terminal: texts from outside may contain control characters, and a terminal obeys them ---------------

# Control characters, and characters that change the direction of a line.
_COMMANDS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def plain(text: str) -> str:
    """Return a text for a terminal: in one line, without control characters, and without secrets in addresses."""
    return without_secrets(_COMMANDS.sub(" ", text))
