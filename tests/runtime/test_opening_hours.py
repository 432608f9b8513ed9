"""Some sources may be asked at night only: PubMed Central allows many requests away from 05:00 to 21:00 ET."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.runtime.durations import are_hours, opens_in
from harvester.runtime.exit_status import Status
from tests.rows import each_row


@each_row("text", ["", "21-5", "21:00-24:00", "5:00-21:00", "21:00-21:00", "21:60-05:00", "21:00-05:00 "])
def test_nothing_else_is(text):
    assert not are_hours(text)


@each_row(
    "hours, now, wait",
    [
        ("", 12 * 3600, 0),
        ("21:00-05:00", 21 * 3600, 0),
        ("21:00-05:00", 5 * 3600, 16 * 3600),
        ("21:00-05:00", 20 * 3600 + 3599, 1),
        ("09:30-17:00", 9 * 3600, 1800),
        ("09:30-17:00", 16 * 3600, 0),
        ("09:30-17:00", 86_400 + 17 * 3600, 16.5 * 3600),
    ],
)
def test_hours_begin_and_end(hours, now, wait):
    assert opens_in(hours, now) == wait


def _from_now(*hours):
    """Return hours that begin and end so many hours from now."""
    return "-".join(f"{datetime.now(UTC) + timedelta(hours=hour):%H:%M}" for hour in hours)


@pytest.mark.slow
def test_a_source_is_asked_within_its_hours_only(repository, instance):
    repository.fill(3)

    def command(*arguments):
        result = CliRunner().invoke(main, ["--instance", str(instance), *arguments])
        return result.exit_code, result.stdout, result.stderr

    later = _from_now(2, 4)
    add_words = ("source", "add", "night", repository.url, "--every", "6h", "--hours", later)
    assert command(*add_words)[0] == Status.SUCCEEDED  # who it is may be asked at any hour
    asked = len(repository.asked)
    code, _, words = command("run", "night")
    assert (code, len(repository.asked)) == (Status.SUCCEEDED, asked)
    assert "night is asked from" in words
    code, _, words = command("source", "sweep", "night")
    assert (code, "night is asked from" in words) == (Status.SUCCEEDED, True)
    assert command("tend")[0] == Status.SUCCEEDED
    due = json.loads(command("status", "--json")[1])["due"]["harvest"]
    assert f"{datetime.fromisoformat(due):%H:%M}" == later[:5]
    assert len(repository.asked) == asked
    file = instance / "sources.toml"
    file.write_text(file.read_text().replace(later, _from_now(-1, 1)))
    assert command("run", "night")[0] == Status.SUCCEEDED
    assert len(repository.lists()) == 1
