"""`gateway init` makes an instance and never changes what identifiers depend on; `gateway settings` shows it all."""

import json
import tomllib

from gateway.core.settings import SETTINGS
from gateway.publish.step import DOMAIN_FACT
from tests.opening import open_inbox, open_store
from tests.rows import each_row


def config(folder) -> dict[str, object]:
    return tomllib.loads((folder / "config.toml").read_text("utf-8"))


def test_an_instance_is_made_with_everything_in_it(gateway, folder):
    result = gateway("init", "--domain", "repo.example.org", "--name", "Depôt", "--email", "a@repo.example.org")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"The instance of Depôt (repo.example.org) is in {folder}.\n"
    assert sorted(file.name for file in folder.iterdir() if file.suffix not in ("", ".toml") or file.is_dir()) == [
        "files",
        "inbox.sqlite",
        "locks",
        "store.sqlite",
    ]
    assert config(folder) == {
        "repository_name": "Depôt",
        "repository_domain": "repo.example.org",
        "admin_email": "a@repo.example.org",
    }
    open_inbox(folder).close()
    store = open_store(folder)
    assert store.fact(DOMAIN_FACT) == "repo.example.org"
    store.close()


def test_the_configuration_explains_every_setting_but_the_secret(gateway, folder):
    gateway("init")
    text = (folder / "config.toml").read_text("utf-8")
    for setting in SETTINGS:
        assert (f"# {setting.sentence}\n" in text) == (setting.name != "secret")


def test_without_its_marks_the_configuration_is_the_defaults(gateway, folder):
    gateway("init")
    lines = (folder / "config.toml").read_text("utf-8").splitlines()
    entries = "\n".join(line.removeprefix("# ") for line in lines if " = " in line)
    assert tomllib.loads(entries) == {s.name: s.default for s in SETTINGS if s.name != "secret"}


def test_what_a_killed_process_left_of_a_secret_is_made_whole(gateway, folder):
    gateway("init")
    (folder / "secret").write_text("")
    (folder / "secret.new").write_text("hal")
    assert gateway("init").exit_code == 0
    assert (folder / "secret").stat().st_mode & 0o777 == 0o600
    assert len((folder / "secret").read_text().strip()) >= 60
    assert not (folder / "secret.new").exists()


def test_a_second_init_changes_nothing(gateway, folder):
    gateway("init", "--name", "First")
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix != ".sqlite" and file.is_file()}
    assert gateway("init").exit_code == 0
    after = {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix != ".sqlite" and file.is_file()}
    assert after == before


def test_a_second_init_changes_what_it_is_told_and_keeps_what_people_wrote(gateway, folder):
    gateway("init", "--name", "First")
    with (folder / "config.toml").open("a") as stream:
        stream.write("\noai_page_size = 100 # small\n")
    gateway("init", "--name", "Second", "--domain", "two.example.org")
    assert config(folder)["repository_name"] == "Second"
    assert config(folder)["repository_domain"] == "two.example.org"
    assert "oai_page_size = 100 # small\n" in (folder / "config.toml").read_text("utf-8")


def test_the_domain_is_fixed_once_something_is_published(gateway, folder, publish):
    gateway("init", "--domain", "one.example.org")
    publish()
    result = gateway("init", "--domain", "two.example.org", "--name", "Two")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: The repository_domain two.example.org cannot be used: identifiers with one.example.org are published. "
        "Set it to one.example.org.\n"
    )
    assert config(folder)["repository_domain"] == "one.example.org"
    assert gateway("init", "--domain", "one.example.org", "--name", "Two").exit_code == 0


@each_row(
    "words, sentence",
    [
        (["--domain", "localhost"], "repository_domain must be a domain name in lower case, not 'localhost'"),
        (["--email", "me"], "admin_email must be an e-mail address, not 'me'"),
    ],
)
def test_an_identity_that_no_answer_could_carry_is_refused(gateway, folder, words, sentence):
    result = gateway("init", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert not (folder / "config.toml").exists()


KEY = "a secret that nobody may see"


def test_every_setting_has_its_value_and_origin(gateway, folder):
    gateway("init", "--name", "Here")
    result = gateway("settings", "--json", GATEWAY_OAI_PAGE_SIZE="7")
    rows = {row["name"]: (row["value"], row["origin"]) for row in map(json.loads, result.stdout.splitlines())}
    assert list(rows) == [setting.name for setting in SETTINGS]
    assert rows["repository_name"] == ("Here", str(folder / "config.toml"))
    assert rows["oai_page_size"] == (7, "environment")
    assert rows["oai_sets_page_size"] == (1000, "default")


def test_a_secret_is_never_shown(gateway):
    for words in (("settings",), ("settings", "--json")):
        shown = gateway(*words, GATEWAY_SECRET=KEY).stdout
        assert "(given)" in shown
        assert KEY not in shown


@each_row("name", [setting.name for setting in SETTINGS if setting.name.endswith(("_key", "_secret"))])
def test_a_key_of_a_service_is_never_shown(gateway, name):
    for words in (("settings",), ("settings", "--json")):
        shown = gateway(*words, **{f"GATEWAY_{name.upper()}": KEY}).stdout
        assert "(given)" in shown
        assert KEY not in shown
