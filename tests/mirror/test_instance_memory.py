"""An older copy of a whole mirror is sound in itself; an instance, or who has kept a digest, recognises it."""

import json
import shutil

import pytest
from click.testing import CliRunner

from gateway.core.errors import ConfigurationError
from harvester.cli import main
from harvester.mirror.instance_memory import NAME, InstanceMemory
from tests.mirror.conftest import NO_PAUSES
from tests.mirror.provider import Item
from tests.rows import each_row

pytestmark = pytest.mark.slow  # each runs a mirror several times


@pytest.fixture
def instance(tmp_path):
    folder = tmp_path / "instance"
    folder.mkdir()
    (folder / "config.toml").touch()
    return folder


@pytest.fixture
def rolled_back(mirror, provider, fill, instance):
    """Return a mirror of which the state of its first run has come back, and the digest that its last run told."""
    fill(2)
    mirror.run(instance=instance)
    earlier = mirror.folder.with_name("earlier")
    shutil.copytree(mirror.folder, earlier)
    provider.items["oai:p:2"] = Item({"c.txt": b"c"}, datestamp="2030-01-01T00:00:00Z")
    kept = mirror.run(instance=instance)["catalogue"]["sha256"]
    shutil.rmtree(mirror.folder)
    earlier.rename(mirror.folder)
    return kept


def audited(mirror, instance, *arguments):
    line = ["mirror", "audit", str(mirror.folder), "--offline", "--json", *arguments]
    done = CliRunner().invoke(main, line, env={**NO_PAUSES, "GATEWAY_INSTANCE": str(instance)})
    assert not done.exception or isinstance(done.exception, SystemExit)
    return done.exit_code, [json.loads(row) for row in done.stdout.splitlines()], done.stderr


def test_an_older_copy_of_a_whole_mirror_is_recognised_by_the_instance(mirror, instance, rolled_back):
    status, (finding,), _ = audited(mirror, instance)
    assert (status, finding["finding"], finding["identifier"]) == (3, "altered", "catalogue.jsonl")
    assert f"digest in {instance / NAME}" in finding["reason"]
    assert audited(mirror, instance.with_name("none"))[0] == 0
    assert audited(mirror, instance.with_name("none"), "--expect", rolled_back)[0] == 3


@pytest.mark.usefixtures("rolled_back")
def test_no_run_goes_on_with_an_older_copy_until_it_is_accepted(mirror, instance):
    environment = {**NO_PAUSES, "GATEWAY_INSTANCE": str(instance)}
    done = CliRunner().invoke(main, ["mirror", mirror.provider.base_url, str(mirror.folder)], env=environment)
    assert done.exit_code == 1
    assert "is an older copy" in done.stderr
    assert "Catalogue: " in audited(mirror, instance, "--accept")[2]
    assert audited(mirror, instance)[:2] == (0, [])
    mirror.run(instance=instance)
    assert mirror.held() == mirror.provider.expected()


def test_a_new_mirror_in_the_folder_of_another_is_told_and_remembered(mirror, fill, instance):
    fill(1)
    mirror.run(instance=instance)
    shutil.rmtree(mirror.folder)
    mirror.run(instance=instance)
    assert "has the digest of another catalogue" in mirror.stderr
    assert audited(mirror, instance)[:2] == (0, [])


@each_row("content", ["x", "[]", '{"a": 1}', '{"FOLDER": {}}', '{"FOLDER": {"bytes": "x"}}'])
def test_a_memory_that_cannot_be_read_is_reported(tmp_path, content):
    (tmp_path / NAME).write_text(content.replace("FOLDER", str(tmp_path)))
    with pytest.raises(ConfigurationError, match="Bring it back from a copy"):
        InstanceMemory(tmp_path).remembered(tmp_path)
