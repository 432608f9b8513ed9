"""What closed lists and packages have of an item of which only a file is taken down."""

import pytest

from gateway.core.takedowns import Kind, Takedown
from tests.publish.harness import Sent, dc, pdf
from tests.resourcesync.conftest import DAY
from tests.resourcesync.test_kept_dumps import NAME, showing

ADDRESS = "http://laro.example.org/1.pdf"
FILE = Takedown(Kind.URL, "laro.example.org/1.pdf")


def published(source, title: str, *files: str) -> None:
    """Publish a version of the record, and go to the next day."""
    source.harness.send(Sent("1", dc(title, *files)))
    source.harness.publish()
    source.harness.now += DAY


def closed(source) -> list[bool]:
    """Return whether the closed Change Lists have a hash of the record, in the order of time."""
    lists = [source.read(entry.loc) for entry in source.document("changelist") if entry.until]
    return [bool(entry.digests) for entries in lists for entry in entries if entry.loc == f"{NAME}1"]


@pytest.fixture
def partial(source, house):
    """Return the source with a version from before the takedown of its file, and a later one, in closed lists."""
    published(source, "First", pdf())
    source.publish("2")
    source.harness.now += 5
    source.tend()
    assert closed(source) == [True]
    house.take_down(FILE)
    source.harness.now += DAY
    published(source, "Second", pdf())
    source.publish("3")
    source.harness.now += 5
    source.tend()
    assert showing(source, ADDRESS) == []
    return source


def test_of_an_item_that_is_taken_down_in_part_only_the_served_version_has_a_hash(partial):
    assert closed(partial) == [False, False, True]
    published(partial, "Third", pdf())
    assert closed(partial) == [False, False, False]
    partial.tend()
    assert showing(partial, ADDRESS) == []


@pytest.mark.parametrize("is_tended", [False, True])
def test_a_takedown_of_a_file_that_only_an_earlier_version_names_empties_its_package(source, house, is_tended):
    published(source, "First", pdf())
    source.publish("2")
    source.harness.now += 5
    source.tend()
    published(source, "Second")
    assert showing(source, ADDRESS)
    house.take_down(FILE)
    source.harness.now += 5
    if is_tended:
        source.tend()
    assert showing(source, ADDRESS) == []
