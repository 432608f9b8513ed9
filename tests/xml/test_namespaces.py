"""Namespace declarations that are wrong, in one record of many: only that record is touched."""

from harvester.sources.oai_pmh.answers import parse_identify, parse_list
from harvester.xml.namespaces import mended
from tests.oai_pages import DC, OAI, identifiers, page, payload, record
from tests.rows import each_row


def _mended(metadata: str, root: str = f'xmlns="{OAI}"') -> tuple[bytes, tuple[str, ...]]:
    body = page(record(1), record(2, metadata), record(3), root=root).encode()
    answer = parse_list(body)
    text = answer.repaired or body
    assert identifiers(answer.slices) == ["1", "2", "3"]
    assert not any(slice_.problem for slice_ in answer.slices)
    assert [text[slice_.start : slice_.stop] for slice_ in answer.slices[::2]] == [
        DC.format("Work 1").encode(),
        DC.format("Work 3").encode(),
    ]
    payload(text, answer.slices[1])
    return text[answer.slices[1].start : answer.slices[1].stop], answer.repairs


def test_address_with_a_space_is_mended_where_it_stands():
    """Seen in ADS' ecrs: `xmlns:xsi="http://ww w.w3.org/…"` makes libxml2 refuse the whole page."""
    markup, repairs = _mended("<d xmlns='urn:d' xmlns:xsi='http://ww w.w3.org/2001/XMLSchema-instance' xsi:a='1'/>")
    assert b'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"' in markup
    wrong = "Record 2 of the page: the namespace 'http://ww w.w3.org/2001/XMLSchema-instance' is not a URI"
    assert repairs == (f"{wrong}; it was replaced by http://www.w3.org/2001/XMLSchema-instance.",)


@each_row(
    "uri, made",
    [
        ("http://é.org/", b"http://%C3%A9.org/"),
        ("http://a/{x}&amp;", b"http://a/%7Bx%7D&amp;"),
        ("http://[a", b"http://%5Ba"),
        ("http://a/%zz", b"urn:x-undeclared:"),
    ],
)
def test_address_that_is_no_uri_is_made_one(uri: str, made: bytes):
    markup, _ = _mended(f"<d xmlns='{uri}'/>")
    assert b'xmlns="' + made in markup


def test_prefix_without_an_address_gets_one():
    markup, _ = _mended("<z:d xmlns:z=''/>")
    assert b'xmlns:z="urn:x-undeclared:z"' in markup


def test_prefix_declared_nowhere_gets_what_it_is_known_to_mean():
    markup, repairs = _mended("<MD><gco:a/><gco:b xlink:href='x'/></MD>")
    assert markup.startswith(b"<MD ")
    assert b'xmlns:gco="http://www.isotc211.org/2005/gco"' in markup
    assert b'xmlns:xlink="http://www.w3.org/1999/xlink"' in markup
    assert len(repairs) == 2


def test_unknown_prefix_gets_a_name_of_its_own():
    markup, _ = _mended("<x:d><x:e/></x:d>")
    assert markup == b'<x:d xmlns:x="urn:x-undeclared:x"><x:e/></x:d>'


def test_declaration_ends_with_the_element_that_makes_it():
    markup, repairs = _mended("<d><a xmlns:x='urn:x'><x:b/></a><x:c/></d>")
    assert b'<d xmlns:x="urn:x-undeclared:x">' in markup
    assert len(repairs) == 1


def test_prefix_missing_on_the_envelope_is_declared_there():
    body = page(record(1), root=f'xmlns="{OAI}" xsi:schemaLocation="a b"').encode()
    answer = parse_list(body)
    assert identifiers(answer.slices) == ["1"]
    assert answer.repairs[0].startswith("Around the records: the prefix 'xsi'")


def test_whole_document_without_a_prefix_for_its_envelope_is_read():
    text = page(record(1), root="").replace("</", "</oai:").replace("<", "<oai:").replace("<oai:/oai:", "</oai:")
    text = text.replace("<oai:?", "<?").replace(":oai_dc:", ":").replace("oai:dc:", "")
    answer = parse_list(text.replace("<oai:dc ", "<d ").replace("</oai:dc>", "</d>").encode())
    assert identifiers(answer.slices) == ["1"]
    assert "the prefix 'oai' is not declared" in answer.repairs[0]


def test_description_is_mended_too():
    body = (
        f'<OAI-PMH xmlns="{OAI}"><responseDate/><request/><Identify>'
        "<description><e:x/></description></Identify></OAI-PMH>"
    )
    (description,) = parse_identify(body.encode()).descriptions
    assert b'xmlns:e="urn:x-undeclared:e"' in description


def test_nothing_is_mended_where_nothing_is_wrong():
    body = page(record(1, about="<about><a><b/></a></about>")).encode()
    assert mended(body) == (body, ())


def test_value_that_looks_like_a_declaration_is_no_declaration():
    markup, _ = mended(b"""<a b=" xmlns:p='w w'" xmlns:p='w w'/>""")
    assert markup == b"""<a b=" xmlns:p='w w'" xmlns:p="ww"/>"""
