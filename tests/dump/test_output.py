"""Where a dump goes, and how it goes on."""

from contextlib import closing
from dataclasses import replace

import pytest

from gateway.core.errors import ConfigurationError
from harvester.dump.dump import File, Order, Place

ORDER = Order("http://h/oai", sets=("a",))


def test_the_order_of_the_lists_is_formats_then_sets():
    order = Order("http://h", ("oai_dc", "mods"), ("a", "b"))
    assert order.lists() == (("oai_dc", "a"), ("oai_dc", "b"), ("mods", "a"), ("mods", "b"))


def test_a_file_goes_on_where_it_stopped(tmp_path):
    file = tmp_path / "dump.xml"
    sink = File(file)
    place = sink.write(b"one", replace(sink.begin(ORDER), state="token", doubts=("a doubt",)))
    sink.close()
    with (tmp_path / "dump.xml.part").open("ab") as part:
        part.write(b" torn")
    again = File(file)
    assert again.begin(ORDER) == place == Place(state="token", bytes=3, doubts=("a doubt",))
    again.write(b" two", place)
    again.finish()
    assert file.read_bytes() == b"one two"
    assert [path.name for path in tmp_path.iterdir()] == ["dump.xml"]


def test_a_list_can_be_taken_back(tmp_path):
    sink = File(tmp_path / "dump.xml")
    place = sink.write(b"opening, list", sink.begin(ORDER))
    sink.write(b"new", replace(place, bytes=9))
    sink.finish()
    assert (tmp_path / "dump.xml").read_bytes() == b"opening, new"


def test_another_order_is_not_continued(tmp_path):
    sink = File(tmp_path / "dump.xml")
    sink.write(b"one", replace(sink.begin(ORDER), list_records=1))
    sink.close()
    with pytest.raises(ConfigurationError, match="another dump"):
        File(tmp_path / "dump.xml").begin(Order("http://other/oai"))
    with closing(File(tmp_path / "dump.xml", restart=True)) as again:
        assert again.begin(Order("http://other/oai")) == Place()


def test_a_damaged_state_is_reported(tmp_path):
    sink = File(tmp_path / "dump.xml")
    sink.write(b"one", sink.begin(ORDER))
    sink.close()
    (tmp_path / "dump.xml.state").write_text("{")
    with pytest.raises(ConfigurationError, match="--restart"):
        File(tmp_path / "dump.xml").begin(ORDER)
