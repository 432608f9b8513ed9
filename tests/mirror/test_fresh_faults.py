"""Faults of servers and odd good files that were written down by somebody who had not read the rules.

With nothing stated, 41 of the 80 in `MENDING` were held at first, and 9 of the 63 good files in `TRIED` were doubted.
When the rules had been mended with those, 7 of the 80 in `HELD_BACK` were held, and 2 of the 63 in `KEPT_BACK` were
doubted. Then the rules were mended once more.
"""

from __future__ import annotations

import pytest

from tests.mirror.fresh_faults import FRESH, HELD_BACK, MENDING
from tests.mirror.fresh_good import GOOD, KEPT_BACK, TRIED
from tests.mirror.test_server_faults import STATED, filled, held_wrongly

# What is held wrongly still, and why.
UNSEEN = {
    "a PDF with an empty page": "A page may be empty.",
    "JPEG with zeros in the middle": "An even area may be zeros, unless they fill a block of the disk.",
}
# The same where as many bytes come as are stated.
UNSEEN_WITH_A_SIZE = ["JPEG with zeros in the middle"]
# Good files that are doubted, and why.
DOUBTED = {"a PDF with zeros after it": "Zeros stand there too when a disk was not written to its end."}


def test_the_tables_are_as_long_as_they_say():
    assert len({fault.name for fault in FRESH}) == 160
    assert len({fault.name for fault in GOOD}) == 126
    assert UNSEEN.keys() <= {fault.name for fault in FRESH}
    assert DOUBTED.keys() <= {fault.name for fault in GOOD}


@pytest.mark.slow
@pytest.mark.parametrize("half", ["mending", "held back"])
@pytest.mark.parametrize("says", STATED)
def test_no_fresh_fault_is_held_as_good(mirror, provider, says, half):
    faults = MENDING if half == "mending" else HELD_BACK
    good = filled(provider, faults, says, range(501, 501 + len(faults)))
    mirror.run(status=3, fetch_retries=1, mirror_host_connections=8)
    unseen = {"nothing": [*UNSEEN], "size": UNSEEN_WITH_A_SIZE}.get(says, [])
    assert held_wrongly(mirror, good, faults) == [fault.name for fault in faults if fault.name in unseen]


@pytest.mark.slow
@pytest.mark.parametrize("half", ["tried", "kept back"])
@pytest.mark.parametrize("says", STATED)
def test_an_odd_good_file_is_held(mirror, provider, says, half):
    files = TRIED if half == "tried" else KEPT_BACK
    good = filled(provider, files, says, range(1501, 1501 + len(files)))
    doubted = {file.name for file in files if file.name in DOUBTED and says == "nothing"}
    mirror.run(status=3 if doubted else 0, mirror_host_connections=8)
    held = mirror.held()
    named = zip(good, files, strict=True)
    assert {fault.name for name, fault in named if held.get(name) != {f"{name}.x": good[name]}} == doubted
