"""Random changes, deletions, kills, stops and answers of a person: the inbox always makes the same store again."""

import os
import random

import pytest

from tests.harvest.test_waiting_deletions import assert_same_again, living, waits
from tests.killing import is_killed
from tests.seeds import SEED

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

# WAITING_ROUNDS: how many rounds.
_ROUNDS = int(os.environ.get("WAITING_ROUNDS", "4"))
_START = 60
_OPTIONS = ((), (), ("--yes",), ("--full",), ("--max-records", "7"), ("--full", "--slice", "year"))


def test_after_random_histories_the_store_is_made_again_as_it_was(instance, repository, command, tmp_path):
    dice = random.Random(SEED)
    repository.fill(_START)
    repository.now = "2024-06-01T00:00:00Z"
    (instance / "sources.toml").write_text(f'[fake]\nurl = "{repository.url}"\noverlap_seconds = 0\n')
    command("run", "fake")
    for number in range(_ROUNDS):
        _change(repository, dice, f"2025-01-{number % 28 + 1:02}T00:00:00Z")
        if dice.random() < 1 / 3:
            is_killed(instance, dice.randrange(1, 1_000), "run", "fake", *dice.choice(((), ("--full",), ("--yes",))))
        command("run", "fake", *dice.choice(_OPTIONS))
        (tmp_path / str(number)).mkdir()
        assert_same_again(instance, tmp_path / str(number))
    command("run", "fake")  # it may only end a list that began before the last change
    command("run", "fake")
    alive = {item.identifier for item in repository.items.values() if not item.deleted}
    assert living(instance) - alive == waits(instance)
    assert alive <= living(instance)
    command("run", "fake", "--yes")
    assert living(instance) == alive


def _change(repository, dice, at):
    """Let the repository change some records, delete few or many, and bring some of them back."""
    most = dice.choice((2, 4, 20, len(repository.items)))
    for item in dice.sample(list(repository.items.values()), min(most, len(repository.items))):
        item.deleted, item.title, item.datestamp = dice.random() < 2 / 3, f"{item.title} again", at
    repository.fill(dice.randrange(3), start=len(repository.items), datestamp=at)
    repository.now = at.replace("T00", "T12")
