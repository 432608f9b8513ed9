"""A provider that lists nothing, much less, deletes much at once, or is another one changes no mirror by itself."""

import re
import shlex

import pytest
from click.testing import CliRunner

from harvester.cli import main
from harvester.mirror.open_folder import opened
from tests.mirror.conftest import NO_PAUSES, each_mirror
from tests.mirror.provider import Item

pytestmark = pytest.mark.slow  # it asks servers


LATER = "2030-01-01T00:00:00Z"


def _delete(provider, *numbers, at=LATER):
    for number in numbers:
        item = provider.items[f"oai:p:{number}"]
        item.deleted, item.datestamp = True, at


def _identified(provider, change):
    """Let the provider answer Identify otherwise."""
    whole = provider.answer
    provider.answer = lambda arguments: (
        change(whole(arguments)) if arguments["verb"] == "Identify" else whole(arguments)
    )


def _named(text):
    scheme = (
        '<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier"><scheme>oai</scheme>'
        f"<repositoryIdentifier>{text}</repositoryIdentifier><delimiter>:</delimiter>"
        f"<sampleIdentifier>oai:{text}:1</sampleIdentifier></oai-identifier></description></Identify>"
    )
    return lambda answer: answer.replace("</Identify>", scheme)


@each_mirror("deleted, waiting", [(5, 0), (6, 1)])
def test_deletions_beyond_the_share_wait_and_everything_else_goes_on(mirror, provider, fill, deleted, waiting):
    fill(30)
    mirror.run()
    _delete(provider, *range(deleted))
    provider.items["oai:p:new"] = Item({"a.txt": b"new"}, datestamp=LATER)
    receipt = mirror.run(status=3 if waiting else 0)
    assert (receipt["objects"], receipt["waiting"]) == ({"created": 1, "deleted": deleted - waiting}, waiting)
    assert len(opened(mirror.folder).waiting) == waiting
    assert len(mirror.held()) == 31 - deleted + waiting
    assert receipt["is_whole"] == (not waiting)


def test_what_waits_is_told_by_each_run_until_a_person_lets_it_pass(mirror, provider, fill):
    fill(20)
    mirror.run()
    _delete(provider, *range(20))
    for _ in range(2):  # announced again because of the overlap, or not: the same deletions wait
        assert mirror.run(status=3)["waiting"] == 15
        command = f"`harvester mirror {provider.base_url} {mirror.folder} --yes`"
        assert f"Deletions that wait: 15; {command} confirms them." in mirror.stderr
    receipt = mirror.run("--yes")
    assert (receipt["objects"]["deleted"], receipt["waiting"]) == (15, 0)
    assert mirror.held() == {}
    assert mirror.run()["waiting"] == 0


def _lists_nothing(provider):
    provider.items.clear()


def _lists_less(provider):
    for name in list(provider.items)[5:]:
        del provider.items[name]


def _is_another(provider):
    _identified(provider, _named("another.example.org"))


@each_mirror("change", [_lists_nothing, _lists_less, _is_another])
def test_the_command_that_a_person_needs_is_told_and_works(mirror, provider, fill, change):
    mirror.folder = mirror.folder.with_name("a mirror")
    fill(20)
    answer = provider.answer
    _identified(provider, _named("one.example.org"))
    arguments = ("--set", "one", "--format", "oai_didl")
    mirror.run(*arguments)
    held = mirror.held()
    provider.answer = answer
    change(provider)
    result = CliRunner().invoke(
        main, ["mirror", provider.base_url, str(mirror.folder), *arguments, "--full"], env=NO_PAUSES
    )
    assert result.exit_code == (4 if change is _is_another else 3), result.stderr
    assert len(mirror.held()) >= len(held) - 5
    for _ in range(2):  # who accepts another repository is asked again what is to become of the objects of the former
        for command in re.findall("`(harvester mirror http[^`]*)`", result.stderr)[:1]:
            result = CliRunner().invoke(main, shlex.split(command)[1:], env=NO_PAUSES)
    assert (result.exit_code, "harvester mirror http" in result.stderr) == (0, False), result.stderr


def test_while_deletions_wait_those_of_later_runs_wait_too(mirror, provider, fill):
    fill(30)
    mirror.run()
    _delete(provider, *range(10))
    assert mirror.run(status=3)["waiting"] == 5
    _delete(provider, *range(10, 14), at="2031-01-01T00:00:00Z")  # so few would pass if nothing waited
    receipt = mirror.run(status=3)
    assert (receipt["waiting"], receipt["objects"].get("deleted", 0), len(mirror.held())) == (9, 0, 25)
    assert mirror.run("--yes")["objects"]["deleted"] == 9
    _delete(provider, *range(14, 18), at="2032-01-01T00:00:00Z")
    assert mirror.run()["objects"]["deleted"] == 4


def test_what_waits_and_comes_again_waits_no_longer(mirror, provider, fill):
    fill(10)
    mirror.run()
    _delete(provider, *range(10))
    mirror.run(status=3)
    for item in provider.items.values():
        item.deleted, item.datestamp = False, "2031-01-01T00:00:00Z"
    assert mirror.run()["waiting"] == 0
    assert mirror.held() == provider.expected()


def test_another_repository_ends_the_run_before_anything_is_changed(mirror, provider, fill):
    fill(3)
    whole = provider.answer
    _identified(provider, _named("one.example.org"))
    mirror.run()
    provider.answer = whole
    _identified(provider, _named("two.example.org"))
    provider.items["oai:p:0"].title, provider.items["oai:p:0"].datestamp = "Another", LATER
    receipt = mirror.run(status=4)
    assert "Its repositoryIdentifier was one.example.org and is two.example.org now" in receipt["doubts"][0]
    assert "--accept-identity" in receipt["doubts"][0]
    assert mirror.version("oai:p:0") == 1
    assert mirror.run("--accept-identity")["objects"] == {"updated": 1}
    assert mirror.run()["is_whole"]


def test_another_name_alone_is_reported(mirror, provider, fill):
    fill(3)
    mirror.run()
    _identified(provider, lambda answer: answer.replace(">Fake<", ">Renamed<"))
    provider.items["oai:p:0"].title, provider.items["oai:p:0"].datestamp = "Another", LATER
    receipt = mirror.run(status=3)
    assert receipt["objects"] == {"updated": 1}
    assert "Its repositoryName was Fake and is Renamed now." in receipt["doubts"][0]
    mirror.run("--accept-identity")
    assert mirror.run()["is_whole"]


def test_a_whole_list_of_unknown_records_ends_the_run(mirror, provider, fill):
    fill(20)
    mirror.run()
    provider.items = {f"oai:q:{number}": Item({"a.txt": b"x"}) for number in range(20)}
    receipt = mirror.run("--full", status=4)
    assert "20 of the first 20 records are unknown" in receipt["doubts"][0]
    assert receipt["objects"] == {}
    mirror.run("--full", "--accept-identity", "--yes")
    assert len(mirror.held()) == 40
