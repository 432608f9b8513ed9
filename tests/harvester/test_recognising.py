"""What an address is: `harvester source check URL`, as people and scripts see it."""

from __future__ import annotations

import json
import tomllib

import pytest
from click.testing import CliRunner

from harvester.cli import main


@pytest.fixture
def check(instance):
    """Return a function that runs `harvester source check`, and returns (exit status, stdout, stderr)."""

    def check(*arguments):
        found = CliRunner().invoke(main, ["--instance", str(instance), "source", "check", *arguments])
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        return found.exit_code, found.stdout, found.stderr

    return check


def test_an_oai_pmh_repository_is_recognised_and_its_entry_shown(check, repository, instance):
    status, out, err = check(f"{repository.url}?verb=ListSets")
    assert status == 0
    assert tomllib.loads(out) == {
        f"127-0-0-1-{repository.url.split(':')[2].split('/')[0]}": {"url": repository.url, "formats": ["oai_dc"]}
    }
    assert "An OAI-PMH repository (version 2.0): Fake." in err
    assert not (instance / "sources.toml").exists()


def test_what_is_recognised_is_added_under_a_name(check, repository, instance):
    assert check(repository.url, "--add", "fake")[0] == 0
    assert tomllib.loads((instance / "sources.toml").read_text())["fake"]["url"] == repository.url
    assert check("fake")[0] == 0
    status, _, err = check(repository.url, "--add", "fake")
    assert (status, "already" in err) == (2, True)


def test_what_is_recognised_can_be_read_by_programs(check, repository):
    status, out, _ = check(repository.url, "--json")
    facts = json.loads(out)
    assert (status, facts["recognised"][0]["kind"], facts["entry"]["url"]) == (0, "oai_pmh", repository.url)


def test_any_other_page_is_nothing_to_harvest(check, repository):
    repository.statuses = {"Identify": (200, b"<html>Welcome</html>", {})}
    status, out, err = check(repository.url)
    assert (status, out) == (1, "")
    assert "nothing that can be harvested" in err


def test_a_kind_that_cannot_ask_says_so(check, repository):
    repository.statuses = {"Identify": (503, b"", {"Retry-After": "86400"})}
    status, _, err = check(repository.url)
    assert status == 1
    assert "Whether it is oai_pmh: " in err
