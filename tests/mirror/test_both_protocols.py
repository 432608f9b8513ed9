"""A mirror by OAI-PMH and a copy by ResourceSync hold the same files of one gateway, also after changes."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.live import called, instance, served
from tests.mirror.conftest import Mirror
from tests.mirror.provider import Provider, serving
from tests.mirror.rounds import SETTINGS, World
from tests.seeds import SEED

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]

OBJECTS, FILES, ROUNDS = 20, 40, 2

# The client of the standard's authors copies what the list of files names.
_CLIENT = """
import sys
from resync.client import Client
site, files, folder = sys.argv[1:]
client = Client()
client.hashes = {"sha-256"}
client.set_mappings([files, folder])
client.capability_list_uri = site + "/resourcesync/files/capabilitylist.xml"
client.baseline_or_audit(allow_deletion=True)
"""

Files = set[tuple[str, int]]  # SHA-256 and length


def copied(site: str, files: str, folder: Path) -> Files:
    """Copy all files by ResourceSync; return them."""
    folder.mkdir(exist_ok=True)
    line = [sys.executable, "-W", "ignore", "-c", _CLIENT, site, files, str(folder)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    contents = [file.read_bytes() for file in folder.rglob("*") if file.is_file() and not file.name.startswith(".")]
    return facts(contents)


def facts(contents: list[bytes]) -> Files:
    return {(sha256(content).hexdigest(), len(content)) for content in contents}


def test_a_mirror_by_oai_pmh_and_a_copy_by_resourcesync_hold_the_same_files(tmp_path: Path) -> None:
    with serving() as provider:
        world = World(provider, SEED, ("digest", "size"))
        world.fill(OBJECTS, FILES)
        folder = instance(tmp_path / "gateway", {"source": (provider.base_url, ("oai_didl",))})
        with served(folder, resourcesync_files=True) as server:
            mirror = Mirror(tmp_path / "mirror", cast("Provider", SimpleNamespace(base_url=server.url)))
            site = server.url.removesuffix("/oai")
            for round_ in range(ROUNDS):
                if round_:
                    world.change(0.4)
                ran = called("harvester", folder, "run", "source", "--yes", **SETTINGS)  # type: ignore[arg-type]
                assert ran.returncode == 0, ran.stderr
                mirror.run("--allow", "127.0.0.1", "--yes")
                held = facts([content for files in mirror.held().values() for content in files.values()])
                copy = copied(site, f"{provider.url}/files/", tmp_path / "copy")
                wanted = facts([content for files in provider.expected().values() for content in files.values()])
                assert held == copy == wanted, f"round {round_} of seed {SEED}"
                assert len(wanted) >= FILES // 2
