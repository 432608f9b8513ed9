"""A recheck takes no error page for a file; what a person has accepted stays accepted while its bytes are the same."""

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror import recheck as rechecking
from tests.mirror.conftest import each_mirror
from tests.mirror.provider import Item

pytestmark = pytest.mark.slow  # it asks servers

PAGE = b"Your visit has ended; come in again.\n"  # no rule knows these words


@pytest.fixture
def accept(mirror):
    def accepted(url):
        done = CliRunner().invoke(main, ["mirror", "accept", str(mirror.folder), url], catch_exceptions=False)
        assert done.exit_code == 0, done.output

    return accepted


@each_mirror("batch, versions", [(100, {2}), (1, {2, 3})])
def test_one_page_in_place_of_many_files_replaces_none(provider, mirror, recheck, monkeypatch, batch, versions):
    """The first two are held as good until the third comes, where they are not asked for together."""
    monkeypatch.setattr(rechecking, "_BATCH", batch)
    for number in range(5):
        provider.items[f"oai:p:{number}"] = Item({"a.txt": b"data %d\n" % number * 100}, says=())
    mirror.run()
    held = mirror.held()
    for item in provider.items.values():
        item.files["a.txt"] = PAGE
    for _ in range(2):
        receipt = recheck(status=3)
        assert {missing["rule"] for missing in receipt["missing"]} == {"same_answer"}
        assert {missing["identifier"] for missing in receipt["missing"]} == set(provider.items)
        assert mirror.held() == held
        assert {mirror.version(name) for name in provider.items} == versions
    for number, item in enumerate(provider.items.values()):
        item.files["a.txt"] = b"data %d\n" % number * 100
    assert recheck()["is_whole"]


def test_what_is_accepted_stays_so_while_its_bytes_are_the_same(provider, mirror, recheck, accept, fill):
    provider.has_validators = False
    fill(1, says=())
    item = provider.items["oai:p:0"]
    bad = item.files["a.txt"] = b"Bitstream could not be found"
    mirror.run(status=3)
    accept(provider.file_url("oai:p:0/a.txt"))
    version, lists = mirror.version("oai:p:0"), len(provider.lists)
    for has_validators in (False, True):
        provider.has_validators = has_validators
        assert recheck()["is_whole"]
        assert mirror.version("oai:p:0") == version
        assert mirror.holding("oai:p:0").files[0].accepted_at
    provider.sent.clear()
    assert recheck()["is_whole"]
    assert (provider.sent, len(provider.lists)) == ([], lists)
    item.files["a.txt"] = b"The file could not be found"
    receipt = recheck(status=3)
    assert [missing["fate"] for missing in receipt["missing"]] == ["doubtful"]
    assert mirror.held()["oai:p:0"]["a.txt"] == bad
