"""`gateway settings` shows every setting, where it comes from, and never a secret."""

import json

from gateway.core.settings import SETTINGS
from tests.rows import each_row

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
