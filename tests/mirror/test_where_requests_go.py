"""What a mirror may lead to: the class of address of its provider is kept with it; an option allows more."""

import json
import re

import pytest

pytestmark = pytest.mark.slow  # it asks a server


def _record(mirror):
    return json.loads((mirror.folder / "mirror.json").read_text())


def test_a_provider_with_another_class_of_address_than_at_first_is_refused(mirror, fill):
    fill(1)
    assert mirror.run()["is_whole"]
    assert _record(mirror)["address"] == "loopback"
    (mirror.folder / "mirror.json").write_text(json.dumps({**_record(mirror), "address": "public"}))
    mirror.run(status=4)
    assert "(for a mirror: --allow 127.0.0.1)" in mirror.stderr.replace("\n", " ")
    assert mirror.run("--allow", "127.0.0.1")["outcome"] == "succeeded"


def test_a_file_at_another_port_of_the_provider_is_missing_until_it_is_allowed(mirror, provider, fill, monkeypatch):
    """Port 1 refuses everybody: whoever is refused there was not refused by us."""
    fill(1)
    at = type(provider).file_url
    monkeypatch.setattr(type(provider), "file_url", lambda *arguments: re.sub(r":[0-9]+/", ":1/", at(*arguments)))
    reasons = [missing["reason"] for missing in mirror.run(status=3)["missing"]]
    assert len(reasons) == 2
    assert all('allow = ["127.0.0.1:1"]' in reason for reason in reasons)
    reasons = [
        missing["reason"] for missing in mirror.run("--retry-failed", "--allow", "127.0.0.1:1", status=3)["missing"]
    ]
    assert all("Connection refused" in reason for reason in reasons)


def test_what_cannot_be_allowed_is_told_before_anything_is_asked(mirror, provider, fill):
    fill(1)
    mirror.run("--allow", "http://127.0.0.1/", status=2)
    assert "allow must be a list of HOST, ADDRESS or NETWORK" in mirror.stderr.replace("\n", " ")
    assert provider.asked == []
