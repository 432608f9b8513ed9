"""A mirror equals its provider after every round of changes, however often it was killed meanwhile."""

from __future__ import annotations

import pytest

from tests.mirror import rounds_in_place
from tests.mirror.rounds import proven
from tests.mirror.test_ocfl import judged


@pytest.mark.share(one_in=2)
@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
@pytest.mark.parametrize("says", [("digest", "size"), ("md5",)])
def test_a_mirror_of_a_gateway_fetches_what_its_documents_say_has_changed_and_nothing_else(tmp_path, says):
    """The proof at full size takes minutes: `python -m tests.mirror.rounds`."""
    lines = []
    proven(tmp_path, objects=20, files=48, rounds=2, kills=1, seed=4, say=lines.append, says=says)
    assert len(lines) == 3
    assert judged(tmp_path / "mirror" / "ocfl") == ""


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
