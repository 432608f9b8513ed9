"""A mirror equals its provider after every round of changes, however often it was killed meanwhile."""

from __future__ import annotations

import json

import pytest

from harvester.mirror.open_folder import opened
from tests.live import called, instance, served
from tests.mirror import rounds_in_place
from tests.mirror.conftest import Mirror
from tests.mirror.provider import serving
from tests.mirror.rounds import SETTINGS, World, killed_and_done, proven
from tests.mirror.test_ocfl import judged


@pytest.mark.unmeasured
@pytest.mark.slow
def test_a_mirror_that_is_killed_equals_its_provider_after_every_round(tmp_path):
    with serving() as provider:
        world, mirror = World(provider, 1, ("digest",)), Mirror(tmp_path / "mirror", provider)
        world.fill(40, 100)
        for _ in range(3):
            killed_and_done(mirror.folder, provider.base_url, world.chance, 2)
            assert mirror.held() == provider.expected()
            assert set(provider.asked) <= world.changed
            assert max(map(provider.asked.count, provider.asked), default=0) <= 1 + 2
            assert list((mirror.folder / "aside").iterdir()) == []
            provider.asked.clear()
            world.change()


@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
def test_a_mirror_of_a_gateway_equals_what_the_gateway_publishes(tmp_path):
    """A gateway that re-exposes the provider says nothing of its files but where they are: the servers are asked."""
    with serving() as provider:
        world = World(provider, 3, ())
        world.fill(20, 50)
        folder = instance(tmp_path / "a", {"p": (provider.base_url, ("oai_didl",))})
        assert called("harvester", folder, "run", "p", **SETTINGS).returncode == 0  # type: ignore[arg-type]
        with served(folder, oai_page_size=7) as server:
            mirror = Mirror(tmp_path / "mirror", provider)
            for _ in range(2):
                killed_and_done(mirror.folder, server.url, world.chance, 1)
                held = {name.partition(":p/")[2]: files for name, files in mirror.held().items()}
                assert held == provider.expected()
                world.change()
                ran = called("harvester", folder, "run", "p", **SETTINGS)  # type: ignore[arg-type]
                assert ran.returncode == 0, ran.stderr
            audit = called("harvester", tmp_path, "mirror", "audit", str(mirror.folder), "--json", **SETTINGS)  # type: ignore[arg-type]
            findings = {json.loads(line)["finding"] for line in audit.stdout.splitlines()}
            assert findings <= {"stale", "extra", "missing"}  # the last round was not mirrored
            assert findings
    assert judged(mirror.folder / "ocfl") == ""
    assert opened(mirror.folder).order.base_url == server.url


@pytest.mark.share(one_in=2)
@pytest.mark.slow
@pytest.mark.parametrize("says", [("digest", "size"), ("md5",)])
def test_a_mirror_of_a_gateway_fetches_what_its_documents_say_has_changed_and_nothing_else(tmp_path, says):
    """The proof at full size takes minutes: `python -m tests.mirror.rounds`."""
    lines = []
    proven(tmp_path, objects=20, files=48, rounds=2, kills=1, seed=4, say=lines.append, says=says)
    assert len(lines) == 3


@pytest.mark.share(one_in=2)
@pytest.mark.unmeasured
@pytest.mark.slow
@pytest.mark.parametrize(("gateways", "kills", "seed"), [(2, 4, 2), (0, 2, 3)])
def test_a_recheck_leaves_nothing_stale_in_silence_and_asks_for_nothing_in_vain(tmp_path, gateways, kills, seed):
    """The proof at full size takes minutes: `python -m tests.mirror.rounds_in_place`."""
    lines = []
    rounds_in_place.proven(
        tmp_path, 24, 60, rounds=3, kills=kills, seed=seed, say=lines.append, whole_every=2, gateways=gateways
    )
    assert [line.partition(":")[0] for line in lines[:3]] == ["round 0", "round 1", "round 2"]
