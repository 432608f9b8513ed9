"""A dump is one well-formed file, whatever happened while it was made, and goes on where it was stopped."""

import io
from contextlib import closing
from dataclasses import replace

import pytest
from lxml import etree

from gateway.core.errors import ConfigurationError, ConnectionFailed
from gateway.core.model import RawPage, Slice
from harvester.dump.dump import Dump, File, Order, Place, Stream, as_received, fragment, record
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.sources import Description, ListEnd, SourceKind, Step
from tests.rows import each_row

OAI = "{http://www.openarchives.org/OAI/2.0/}"
PAYLOAD = b"<dc><title>Zwei &amp; zwanzig \xc3\xa9</title></dc>"


def _page(number):
    names = [f"oai:fake:{number}-{place}" for place in range(2)]
    slices = tuple(Slice(name, "2024-01-01", ("a", "b&c"), False, 0, len(PAYLOAD)) for name in names)
    return RawPage("", "ListRecords", "http://h", 0, 200, (), PAYLOAD, "oai_dc"), slices


class _Server:
    """Lists of three pages of two records; a test may break the connection before a page, or let tokens expire."""

    def __init__(self, pages=3):
        self.pages = pages
        self.breaks_before = None
        self.expired = False
        self.asked = []

    def kind(self):
        return SourceKind("canned", "For tests.", (), self._describe, self._changes)

    def _describe(self, _options, _fetch):
        return Description((), "Canned", "", "YYYY-MM-DD", "", "no", (), ())

    def _changes(self, _options, cursor, _fetch):
        number = int(cursor.state or 0)
        if number and self.expired:
            number = 0
        while number < self.pages:
            if number == self.breaks_before:
                raise ConnectionFailed("gone")
            self.asked.append((cursor.metadata_prefix, cursor.set_spec, number))
            page, slices = _page(number)
            number += 1
            end = ListEnd.PROPER if number == self.pages else ListEnd.MORE
            yield Step(page, slices, replace(cursor, state=str(number)), 2 * number, end=end)


def _dump(server, sink, order=None, stop=None):
    order = order or Order("http://h/oai?a=1&b=2")
    return Dump(order, server.kind(), None, sink, Progress(), stop or Stop())


def _identifiers(content):
    return [
        element.findtext(f"{OAI}header/{OAI}identifier") for element in etree.fromstring(content).iter(f"{OAI}record")
    ]


ALL = [f"oai:fake:{number}-{place}" for number in range(3) for place in range(2)]


def test_the_file_holds_every_record_in_an_envelope_of_its_own(tmp_path):
    file = tmp_path / "dump.xml"
    assert _dump(_Server(), File(file)).whole()
    root = etree.fromstring(file.read_bytes())
    assert (root.tag, root.attrib) == ("harvest", {"baseURL": "http://h/oai?a=1&b=2"})  # type: ignore[comparison-overlap]
    assert [(element.tag, dict(element.attrib)) for element in root] == [("list", {"metadataPrefix": "oai_dc"})]
    assert _identifiers(file.read_bytes()) == ALL
    assert list(tmp_path.iterdir()) == [file]


def test_an_interrupted_dump_goes_on_at_its_token(tmp_path):
    file, server = tmp_path / "dump.xml", _Server()
    whole = tmp_path / "whole.xml"
    _dump(_Server(), File(whole)).whole()
    server.breaks_before = 2
    with pytest.raises(ConnectionFailed):
        _dump(server, File(file)).whole()
    assert not file.exists()
    server.breaks_before = None
    assert _dump(server, File(file)).whole()
    assert [number for _, _, number in server.asked] == [0, 1, 2]
    assert file.read_bytes() == whole.read_bytes()


def test_a_dump_whose_token_expired_takes_its_list_back(tmp_path):
    file, server = tmp_path / "dump.xml", _Server()
    server.breaks_before = 2
    with pytest.raises(ConnectionFailed):
        _dump(server, File(file)).whole()
    server.breaks_before, server.expired = None, True
    dump = _dump(server, File(file))
    assert dump.whole()
    assert _identifiers(file.read_bytes()) == ALL
    assert dump.place.records == 6
    assert dump.problems == []


def test_what_is_asked_to_stop_stops_after_the_page(tmp_path):
    stop = Stop()
    stop.ask()
    server = _Server()
    dump = _dump(server, File(tmp_path / "dump.xml"), stop=stop)
    assert not dump.whole()
    assert dump.place.records == 2
    assert _dump(server, File(tmp_path / "dump.xml")).whole()
    assert _identifiers((tmp_path / "dump.xml").read_bytes()) == ALL


def test_a_list_that_begins_anew_in_a_stream_is_reported():
    class _Forgetful(_Server):
        def _changes(self, options, cursor, fetch):
            yield from list(super()._changes(options, cursor, fetch))[:1]
            yield from super()._changes(options, cursor, fetch)

    stream = io.BytesIO()
    dump = _dump(_Forgetful(), Stream(stream))
    dump.whole()
    assert dump.problems == ["A list started again; its first records are there twice."]
    assert _identifiers(stream.getvalue()) == ALL[:2] + ALL


def test_a_record_that_cannot_be_used_is_told_and_left_out():
    class _Broken(_Server):
        def _changes(self, options, cursor, fetch):
            for step in super()._changes(options, cursor, fetch):
                yield step._replace(slices=(step.slices[0]._replace(problem="It is no XML."), step.slices[1]))

    stream = io.BytesIO()
    dump = _dump(_Broken(1), Stream(stream))
    dump.whole()
    assert dump.problems == ["oai_dc: oai:fake:0-0: It is no XML."]
    assert _identifiers(stream.getvalue()) == ["oai:fake:0-1"]


def test_a_record_is_written_as_it_came():
    page, slices = _page(0)
    about = slices[0]._replace(abouts=((0, len(PAYLOAD)),), declarations=(("", "urn:d"), ("p", "urn:p")))
    assert record(page, about).decode() == (
        '<record xmlns="http://www.openarchives.org/OAI/2.0/"><header><identifier>oai:fake:0-0</identifier>'
        "<datestamp>2024-01-01</datestamp><setSpec>a</setSpec><setSpec>b&amp;c</setSpec></header>"
        '<metadata><dc xmlns="urn:d" xmlns:p="urn:p"><title>Zwei &amp; zwanzig é</title></dc></metadata>'
        '<about><dc xmlns="urn:d" xmlns:p="urn:p"><title>Zwei &amp; zwanzig é</title></dc></about></record>\n'
    )


@each_row(
    "payload, alone",
    [
        (b"<a/>", b'<a xmlns=""/>'),
        (b'<a xmlns="urn:a"><b/></a>', b'<a xmlns="urn:a"><b/></a>'),
        (b"<p:a b='c'/>", b"<p:a xmlns=\"\" b='c'/>"),
        (b"no element", b"no element"),
    ],
)
def test_no_payload_inherits_the_namespace_around_it(payload, alone):
    assert fragment(payload, ()) == alone


@each_row("payload", [b"<a/>", b'<a xmlns="urn:a"/>', b"<p:a b='c'/>", b"no element"])
def test_a_payload_from_a_dump_is_as_it_was_received(payload):
    assert as_received(fragment(payload, ())) == payload
    assert fragment(payload, (), is_enclosed=False) == payload


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
