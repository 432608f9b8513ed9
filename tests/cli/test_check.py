"""`gateway check` says in words what is wrong, and with its exit status whether anything is."""

import json
import shutil
import sys
from contextlib import closing
from pathlib import Path

import certifi
import pytest

from gateway.core import sandbox
from gateway.ops.upkeep import make
from tests.opening import open_store
from tests.publish.harness import Harness, Sent, mods
from tests.rows import each_row


def make_sound(folder: Path) -> None:
    """Make an instance about which there is nothing to warn."""
    make(folder, {"repository_domain": "repo.example.org", "admin_email": "a@repo.example.org"})
    write_sources(folder, '[laro]\nurl = "http://laro.example.org/oai"\nevery = "1d"\n')


def write_sources(folder: Path, text: str) -> None:
    (folder / "sources.toml").write_text(text)
    (folder / "sources.toml").chmod(0o600)


@pytest.fixture
def sound(folder, ready_made) -> None:
    ready_made(folder, make_sound)


def levels(result) -> list[tuple[str, str]]:
    return [(finding["level"], finding["sentence"]) for finding in map(json.loads, result.stdout.splitlines())]


def test_a_sound_instance_is_fine(gateway, sound, folder, publish):
    publish()
    result = gateway("check", GATEWAY_BASE_URL="https://repo.example.org/oai")
    assert (result.exit_code, result.stdout) == (0, "")
    assert {line.split()[0] for line in result.stderr.splitlines()} == {"fine"}
    assert "The store is sound." in result.stderr
    assert "Source laro: " in result.stderr


def test_a_whole_check_names_elements_that_no_reader_uses(gateway, sound, folder):
    harness = Harness(folder)
    with closing(harness.store), closing(harness.inbox):
        harness.add("laro")
        harness.sent(Sent("1", mods().replace(b"</mods>", b"<classification>X</classification></mods>")), prefix="mods")
    assert "no reader uses" not in gateway("check").stderr
    where = "harvested as mods: 1 of 1 looked at, such as oai:gateway.example.org:laro/1: classification (1)."
    assert where in gateway("check", "--whole").stderr


def test_a_file_of_private_authorities_that_is_missing_is_a_problem(gateway, sound, folder, publish):
    publish()
    surroundings = {"GATEWAY_BASE_URL": "https://repo.example.org/oai", "GATEWAY_FETCH_CA_BUNDLE": "ca.pem"}
    result = gateway("check", **surroundings)
    assert result.exit_code == 1
    assert f"The setting fetch_ca_bundle names {folder / 'ca.pem'}, which does not exist." in result.stderr
    (folder / "ca.pem").write_text(Path(certifi.where()).read_text())
    (folder / "ca.pem").chmod(0o600)
    assert gateway("check", **surroundings).exit_code == 0


def test_reader_of_pdf_files_that_cannot_start_is_a_problem(gateway, sound, monkeypatch):
    monkeypatch.setattr(sandbox, "command", lambda *_: [sys.executable, "-c", "raise SystemExit(1)"])
    result = gateway("check")
    assert (result.exit_code, "The process that reads foreign PDF files cannot start here" in result.stderr) == (
        1,
        True,
    )


def test_the_defaults_are_warned_about(gateway):
    gateway("init")
    result = gateway("check", "--json")
    assert result.exit_code == 0
    warnings = [sentence for level, sentence in levels(result) if level == "warning"]
    assert [sentence.split()[1] for sentence in warnings[:2]] == ["repository_domain", "admin_email"]
    assert warnings[2].startswith("There is no base_url")
    assert len(warnings) == 3


def test_an_address_that_does_not_end_in_oai_is_warned_about(gateway, sound, folder):
    (folder / "config.toml").write_text('base_url = "https://gw.example.org/repository"')
    result = gateway("check")
    assert "Set it to https://gw.example.org/repository/oai, unless a proxy maps it there." in result.stderr


@each_row("name", ["secret", "subscriptions.sqlite"])
def test_a_secret_that_others_can_read_is_warned_about(gateway, sound, folder, name):
    (folder / name).touch()
    (folder / name).chmod(0o644)
    assert f"{name}: it has mode 0644, not 0600" in gateway("check").stderr


@each_row(
    "spoil, sentence",
    [
        (lambda folder: (folder / "secret").unlink(), "There is no secret to sign tokens with"),
        (lambda folder: (folder / "secret").write_text("short"), "The secret is too short"),
        (lambda folder: (folder / "config.toml").write_text("colour = 1"), "There is no setting 'colour'"),
        (lambda folder: (folder / "config.toml").write_text('serve_trusted_proxies = "x"'), "serve_trusted_proxies: "),
        (lambda folder: (folder / "config.toml").write_text('base_url = "oai"'), "must be an http or https address"),
    ],
)
def test_what_keeps_it_from_serving_is_a_problem(gateway, folder, ready_made, spoil, sentence):
    shutil.rmtree(folder, ignore_errors=True)
    ready_made(folder, make_sound)
    spoil(folder)
    result = gateway("check", "--json")
    assert result.exit_code == 1
    assert any(level == "problem" and sentence in text for level, text in levels(result))


def test_an_inbox_that_is_older_than_the_store_is_a_problem(gateway, sound, folder, publish):
    publish()
    with closing(open_store(folder)) as store:
        store.advance("laro", 0, 7)
    result = gateway("check", "--json")
    assert result.exit_code == 1
    assert any(level == "problem" and "The inbox lacks pages" in text for level, text in levels(result))


def test_another_domain_than_the_published_one_is_a_problem(gateway, sound, publish):
    publish()
    result = gateway("check", GATEWAY_REPOSITORY_DOMAIN="other.example.org")
    assert result.exit_code == 1
    assert "The repository_domain other.example.org cannot be used" in result.stderr
