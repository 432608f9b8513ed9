"""The log of both programs: levels, objects, and nothing that forges a line or commands a terminal."""

import json
import logging
import sys
from collections.abc import Iterator

import pytest

from gateway.core import logs
from gateway.core.errors import ConfigurationError
from gateway.core.settings import load

LOG = logging.getLogger("gateway.test")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    levels = {name: logging.getLogger(name).level for name in logs.LOGGERS}
    yield
    for handler in logs._ours():
        logging.getLogger().removeHandler(handler)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def begin(tmp_path, **options):
    logs.begin(load(tmp_path, {}, options))


def fail(reason: str, message: str, *values: str) -> None:
    """Log a message with the traceback of an error whose text is `reason`."""
    error = ValueError(reason)
    LOG.error(message, *values, exc_info=error)


def test_line_has_a_time_a_level_and_an_escaped_message(tmp_path, capsys):
    begin(tmp_path)
    LOG.info("%s said %s", "x\n2026-11-22 ERROR", "\x1b[2J \x9b \u202e é")
    line = capsys.readouterr().err
    assert line.endswith(" INFO x\\u000a2026-11-22 ERROR said \\u001b[2J \\u009b \\u202e é\n")
    assert line.count("\n") == 1


def test_object_per_line_is_in_ascii_and_has_the_traceback(tmp_path, capsys):
    begin(tmp_path, log_json=True)
    fail("\x9b", "It failed: %s.", "\n")
    line = capsys.readouterr().err
    entry = json.loads(line)
    assert (line.isascii(), line.count("\n")) == (True, 1)
    assert (entry["level"], entry["logger"], entry["message"]) == ("error", "gateway.test", "It failed: \n.")
    assert "ValueError" in entry["traceback"]


@pytest.mark.parametrize(("level", "shown"), [("debug", 4), ("info", 3), ("WARNING", 2), ("error", 1)])
def test_level_decides_what_is_logged(tmp_path, capsys, level, shown):
    begin(tmp_path, log_level=level)
    for write in (LOG.debug, LOG.info, LOG.warning, LOG.error):
        write("x")
    assert len(capsys.readouterr().err.splitlines()) == shown


def test_level_that_there_is_not_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="log_level must be one of debug, info, warning, error"):
        begin(tmp_path, log_level="loud")


def test_sentences_are_objects_where_the_log_has_objects(tmp_path):
    assert logs.sentence("Stopped.\x1b") == "Stopped. "
    begin(tmp_path, log_json=True)
    entry = json.loads(logs.sentence("Error: no.", "error"))
    assert (entry["level"], entry["message"]) == ("error", "Error: no.")
    logs.show(logs.TextLines())
    assert len(logs._ours()) == 1
    assert sys.stderr is not None
