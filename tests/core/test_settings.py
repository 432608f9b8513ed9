"""Settings: one table, four layers, and a refusal in one sentence for what is not in it."""

from pathlib import Path

import pytest

from gateway.core.errors import ConfigurationError
from gateway.core.settings import instance_folder, load, unknown_variables
from tests.rows import each_row


def test_options_beat_environment_beats_file_beats_default(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('repository_name = "F"\nbase_url = "F"\nadmin_email = "f@f.org"\n')
    environment = {"GATEWAY_BASE_URL": "E", "GATEWAY_ADMIN_EMAIL": "e@e.org", "HOME": "/"}
    settings = load(tmp_path, environment, {"admin_email": "o@o.org"})
    assert settings.text("repository_name") == "F"
    assert settings.text("base_url") == "E"
    assert settings.text("admin_email") == "o@o.org"
    assert settings.origins["repository_name"] == str(tmp_path / "config.toml")
    assert settings.origins["base_url"] == "environment"
    assert settings.origins["admin_email"] == "option"


@each_row("written, read", [("true", True), ("TRUE", True), ("yes", True), ("1", True), ("False", False), ("0", False)])
def test_a_claim_is_read_from_the_environment_in_words(tmp_path: Path, written: str, read: object) -> None:
    assert load(tmp_path, {"GATEWAY_OAI_SHOW_DEPARTED": written}).is_on("oai_show_departed") is read


def test_numbers_are_read_from_the_environment(tmp_path: Path) -> None:
    settings = load(tmp_path, {"GATEWAY_OAI_PAGE_SIZE": "7", "GATEWAY_FETCH_DELAY_SECONDS": "0.5"})
    assert settings.number("oai_page_size") == 7
    assert settings.seconds("fetch_delay_seconds") == 0.5


@each_row(
    "line, sentence",
    [
        ("colour = 1", "There is no setting 'colour' (FILE)."),
        ('oai_page_size = "many"', "The setting oai_page_size must be a whole number, not 'many' (FILE)."),
        ("oai_show_departed = 1", "The setting oai_show_departed must be true or false, not 1 (FILE)."),
        ("oai_page_size = 0", "The setting oai_page_size must be at least 1, not 0 (FILE)."),
        ("fetch_delay_seconds = nan", "The setting fetch_delay_seconds must be at least 0, not nan (FILE)."),
        (
            "fetch_read_timeout_seconds = inf",
            "The setting fetch_read_timeout_seconds must be at most 31536000, not inf (FILE).",
        ),
    ],
)
def test_what_is_wrong_in_the_file_is_refused_by_name(tmp_path: Path, line: str, sentence: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(line)
    with pytest.raises(ConfigurationError) as refused:
        load(tmp_path, {})
    assert str(refused.value) == sentence.replace("FILE", str(file))


def test_variables_that_a_platform_sets_stop_nothing_and_are_named(tmp_path: Path) -> None:
    """Kubernetes gives each container such variables for each service, and one may be called `gateway`."""
    environ = {"GATEWAY_PORT": "tcp://10.0.0.7:80", "GATEWAY_SERVICE_HOST": "10.0.0.7", "GATEWAY_SECRET": "s" * 20}
    assert load(tmp_path, environ).text("secret") == "s" * 20
    assert unknown_variables(environ | {"GATEWAY_INSTANCE": "here"}) == ["GATEWAY_PORT", "GATEWAY_SERVICE_HOST"]


@each_row("content", [b"this is not toml", b"\xff", b"a = " + b"[" * 3000 + b"]" * 3000])
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.toml").write_bytes(content)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load(tmp_path, {})


def test_the_instance_is_the_option_else_the_environment_else_a_folder_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert instance_folder("a", {"GATEWAY_INSTANCE": "b"}) == tmp_path / "a"
    assert instance_folder(None, {"GATEWAY_INSTANCE": "b"}) == tmp_path / "b"
    assert instance_folder(None, {}) == tmp_path / "instance"
