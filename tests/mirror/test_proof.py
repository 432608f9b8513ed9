"""A mirror equals its provider after every round of changes, however often it was killed meanwhile."""

from __future__ import annotations

import pytest

from tests.mirror.rounds import proven
from tests.mirror.test_ocfl import judged
from tests.seeds import SEED


@pytest.mark.share(one_in=2)
@pytest.mark.slow
@pytest.mark.needs("ocfl-root.py")
@pytest.mark.parametrize("says", [("digest", "size"), ("md5",)])
def test_a_mirror_of_a_gateway_fetches_what_its_documents_say_has_changed_and_nothing_else(tmp_path, says):
    """The proof at full size takes minutes: `python -m tests.mirror.rounds`."""
    lines = []
    proven(tmp_path, objects=20, files=48, rounds=2, kills=1, seed=SEED, say=lines.append, says=says)
    assert len(lines) == 3
    assert judged(tmp_path / "mirror" / "ocfl") == ""
