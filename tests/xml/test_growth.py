"""Reading and repair cost no more than linear time, whatever comes again and again."""

import os

import pytest

from harvester.xml.namespaces import mended
from tests.fuzz.parsers import MOST_GROWTH, grows, growths_of
from tests.fuzz.targets import TARGETS, Target
from tests.seeds import SEED

pytestmark = [pytest.mark.slow, pytest.mark.unmeasured]
# How many kinds of growing documents CI tries for each of them, others for each state of the program; 0: all.
KINDS = 12 if os.environ.get("TEST_SHARES") else 0
OF_TEXTS = ("recovery", "repair", "decoding", "entities", "losses")


def test_no_text_that_comes_again_and_again_costs_more_than_linear_time():
    targets = [target for target in TARGETS if target.name in OF_TEXTS]
    assert len(targets) == len(OF_TEXTS)
    assert [fault for target in targets for fault in growths_of(target, SEED, KINDS)] == []


def test_start_tag_of_many_wrong_declarations_costs_linear_time():
    """Each of them was looked for from the beginning of the tag: 20,000 of them took a minute."""

    def made(count: int) -> bytes:
        names = "".join(f' xmlns:p{number}="w {number}"' for number in range(count))
        return f"<a{names}/>".encode()

    assert mended(made(20))[0].count(b' xmlns:p7="w7"') == 1
    assert not grows(Target("namespaces", mended, ()), made(2_500), made(20_000), MOST_GROWTH)
