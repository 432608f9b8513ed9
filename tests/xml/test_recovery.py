"""Pages that are no XML: one bad record spoils no other, nothing is lost unseen, and no half record passes as whole."""

import pytest

from gateway.core.errors import NotXml
from harvester.sources.oai_pmh.answers import ResumptionToken, parse_formats, parse_identify, parse_list, parse_sets
from harvester.xml import recovery
from harvester.xml.document import read, spans
from harvester.xml.repair import legal_references
from tests.oai_pages import DC, ENVELOPE, OAI, identifiers, page, payload, record
from tests.rows import each_row


def _spoiled(entry: str):
    body = page(record(1), entry, record(3), token="t", attributes=' completeListSize="3"').encode()
    answer = parse_list(body)
    assert answer.token is not None
    assert (answer.token.text, answer.token.complete_list_size) == ("t", 3)
    first, middle, last = answer.slices
    for good, number in ((first, 1), (last, 3)):
        assert not good.problem
        assert answer.repaired[good.start : good.stop] == DC.format(f"Work {number}").encode()
    return answer, middle


def test_record_with_crossed_tags_is_recovered_alone():
    answer, entry = _spoiled(record(2, "<d xmlns='urn:d'><t>Contact: <p></t><u>kept</u></d>"))
    assert (entry.identifier, entry.problem) == ("oai:x:2", "")
    assert "".join(payload(answer.repaired, entry).itertext()) == "Contact: kept"  # type: ignore[arg-type]
    assert answer.repairs[0].startswith("Record 2 of the page: it is not well-formed")
    assert "lost" not in answer.repairs[0]
    assert answer.losses == ()


def test_entities_behind_an_error_are_kept():
    """libxml2's recovery drops them: `R&amp;D` would become `RD`."""
    text = "R&amp;D &lt;1&gt; &quot;&apos; &#38;&#x26;"
    answer, entry = _spoiled(record(2, f"<d xmlns='urn:d' a='&amp;'><b>x</c>{text}<![CDATA[&amp;]]><!--&amp;--></d>"))
    read = payload(answer.repaired, entry)
    assert "".join(read.itertext(tag="{*}*")) == "xR&D <1> \"' &&&amp;"  # type: ignore[arg-type]
    assert read.get("a") == "&"
    assert answer.losses == ()


def test_what_recovery_loses_is_reported():
    answer, _ = _spoiled(record(2, "<d xmlns='urn:d'><t a=1>text</t></d>"))
    assert answer.repairs[0].startswith("Record 2 of the page: it is not well-formed")
    assert answer.repairs[0].endswith("it was recovered, and 2 of 24 characters were lost.")
    assert answer.losses == answer.repairs


def test_lost_text_is_counted(monkeypatch: pytest.MonkeyPatch):
    recovered = recovery.lenient(  # type: ignore[attr-defined]
        f'<OAI-PMH xmlns="{OAI}"><ListRecords>{record(2, "<d>te</d>")}</ListRecords></OAI-PMH>'.encode()
    )
    monkeypatch.setattr(recovery, "lenient", lambda _: recovered)
    answer, _ = _spoiled(record(2, "<d>text</e>"))
    assert ", and 2 of 21 characters were lost." in answer.repairs[0]


HEAD = "<record><header><identifier>oai:x:2</identifier><datestamp>2024</datestamp><setSpec>a&amp;b</setSpec>"


@each_row(
    "cut",
    [
        "</header><metadata><d xmlns='urn:d'><t>cut he",
        "</header><metadata><d><![CDATA[ cut",
        "</header><metadata><!-- cut",
        "</header><metadata><record xmlns='urn:marc'><leader/></record>",
        "",
    ],
)
def test_record_cut_in_the_middle_never_passes_as_whole(cut: str):
    """Dataverse stops in the middle of a record that it cannot write, and goes on with the next."""
    answer, entry = _spoiled(HEAD + cut)
    assert (entry.identifier, entry.sets, entry.start, entry.stop) == ("oai:x:2", ("a&b",), 0, 0)
    assert "truncated" in entry.problem
    assert "truncated" in answer.repairs[-1]


def test_last_record_cut_in_the_middle_is_told_too():
    cut = record(2).removesuffix("</oai_dc:dc></metadata></record>")
    for token in ("t", None):
        answer = parse_list(page(record(1), cut, token=token).encode())
        assert identifiers(answer.slices) == ["1", "2"]
        assert "truncated" in answer.slices[1].problem
        assert (answer.token.text if answer.token else None) == token


@each_row(
    "metadata",
    ["<a xmlns:p='urn:p' xmlns:q='urn:p' p:x='1' q:x='2'/>", "<a:b:c xmlns:a='urn:a'/>", "<b>" * 3000 + "</b>" * 3000],
)
def test_payload_that_no_parser_takes_is_a_problem_of_its_record(metadata: str):
    _, entry = _spoiled(record(2, metadata, sets=["s"]))
    assert (entry.identifier, entry.sets, entry.start, entry.stop) == ("oai:x:2", ("s",), 0, 0)
    assert "not XML, even after repair" in entry.problem


def test_deleted_record_beyond_repair_stays_deleted():
    _, entry = _spoiled(record(2, "<a></b>", status="Deleted").replace("</record>", ""))
    assert entry.is_deleted


def test_identifier_that_is_no_xml_is_kept_as_it_is_written():
    _, entry = _spoiled("<record><header><identifier>oai:x:2&#xZ;</identifier></header><metadata><a>")
    assert entry.identifier == "oai:x:2&#xZ;"


def test_identifier_is_kept_as_written_when_it_cannot_be_read():
    assert recovery._plain("a&b;") == "a&b;"


def test_record_without_identifier_beyond_repair_keeps_its_place():
    _, entry = _spoiled("<record><header><datestamp>2024</datestamp></header><metadata><a>")
    assert (entry.identifier, entry.datestamp) == ("", "2024")
    assert entry.problem


def test_headless_record_near_a_bad_one_is_not_lost():
    body = page(record(1), "<record><metadata/></record>", record(3, "<a></b>"), record(4)).encode()
    answer = parse_list(body)
    assert identifiers(answer.slices) == ["1", "", "3", "4"]


def test_junk_between_records_is_cut_off_and_reported():
    answer = parse_list(page(record(1) + "<br>Notice", record(2, "<a></b>")).encode())
    assert identifiers(answer.slices) == ["1", "2"]
    assert "text after it was removed: '<br>Notice'" in answer.repairs[0]
    assert answer.losses == answer.repairs[:1]


def test_cdata_and_comments_do_not_hide_or_make_records():
    inner = f"<a><![CDATA[{record(7)}]]><!--{record(8)}--></a>"
    answer = parse_list(page(record(1, inner), record(2, "<a></b>")).encode())
    assert identifiers(answer.slices) == ["1", "2"]
    assert not answer.slices[0].problem
    assert answer.repairs[0].endswith("contain text that looks like records: 2.")
    assert answer.losses == answer.repairs[:1]


def test_bad_envelope_is_recovered_and_the_token_kept():
    text = page(record(1), record(2, "<a></b>"), token="t").replace("</request>", "</reqest>")
    answer = parse_list(text.encode())
    assert identifiers(answer.slices) == ["1", "2"]
    assert answer.token is not None
    assert answer.token.text == "t"
    assert any("around the records" in repair for repair in answer.repairs)
    assert answer.losses == ()


def test_bad_envelope_that_loses_something_is_reported():
    text = page(record(1), token="t").replace("</resumptionToken>", "</resumptionToken x")
    answer = parse_list(text.encode())
    assert (identifiers(answer.slices), answer.token.text) == (["1"], "t")
    assert "around the records" in answer.losses[0]


@each_row("attributes", [" cursor=5", " cursor='5'6'"])
def test_token_that_would_lose_its_text_is_a_reason_to_refuse(attributes: str):
    """An empty one would end the list."""
    text = page(record(1), record(2), token="a&amp;b", attributes=attributes)
    with pytest.raises(NotXml, match="resumptionToken would be lost"):
        parse_list(text.encode())


@each_row("token", ["a&amp;b", "<![CDATA[a&b]]>", " a&#38;b "])
def test_token_of_a_bad_envelope_is_kept_however_it_is_written(token: str):
    answer = parse_list(page(record(1), token=token).replace("</request>", "</reqest>").encode())
    assert answer.token.text == "a&b"


def test_empty_token_of_a_bad_envelope_stays_empty():
    text = page(record(1), token="").replace("</request>", "</reqest>").replace("></resumptionToken>", " cursor='0'/>")
    assert parse_list(text.encode()).token == ResumptionToken("", 0)


def test_bad_envelope_with_no_place_for_its_records_is_refused():
    text = page(record(1, "<a></b>"), token="t").replace("<request", "<request a='").replace("'>http", ">http")
    with pytest.raises(NotXml):
        parse_list(text.encode())


def test_records_outside_a_list_are_refused_rather_than_lost():
    text = page(record(1)).replace("<ListRecords>", "").replace("</ListRecords>", "</List>")
    with pytest.raises(NotXml, match="1 of 1 record would be lost"):
        parse_list(text.encode())


def test_envelope_that_opens_a_comment_is_refused():
    text = page(record(1, "<a></b>")).replace("<ListRecords>", "<!-- <ListRecords>")
    with pytest.raises(NotXml, match="have no place"):
        parse_list(text.encode())


def test_envelope_that_no_recovery_helps_is_refused():
    text = page(record(1)).replace("<request ", "<request xmlns:p='urn:p' xmlns:q='urn:p' p:a='1' q:a='2' ")
    with pytest.raises(NotXml, match="even after repair"):
        parse_list(text.encode())


@each_row("cut", [0.3, 0.5, 0.9, 0.99])
def test_answer_that_breaks_off_is_refused(cut: float):
    body = page(*(record(number) for number in range(9)), token="t").encode()
    with pytest.raises(NotXml, match="is truncated"):
        parse_list(body[: int(len(body) * cut)])


def test_broken_off_within_cdata_that_holds_the_end_is_refused():
    body = page(record(1), record(2, "<d><![CDATA[" + "</d></OAI-PMH>")).partition("</d></OAI-PMH>")
    text = body[0] + body[1]
    answer = parse_list(text.encode())
    assert identifiers(answer.slices) == ["1", "2"]
    assert answer.slices[1].problem


def test_two_documents_glued_together_are_refused():
    """libxml2's recovery would drop the second without a word."""
    one, other = page(record(1)), page(record(2), declaration="")
    for glued in (one + other, one.replace("Work", "<Work") + other):
        with pytest.raises(NotXml, match="2 documents"):
            parse_list(glued.encode())


def test_token_among_the_records_of_a_bad_page_is_a_reason_to_refuse():
    text = page(record(1), "<resumptionToken>t</resumptionToken>", record(2, "<a></b>"))
    with pytest.raises(NotXml, match="among the records"):
        parse_list(text.encode())


def test_identify_is_recovered_as_a_whole():
    body = f'<OAI-PMH xmlns="{OAI}"><Identify><repositoryName>A <b>B</repositoryName></Identify></OAI-PMH>'
    answer = parse_identify(body.encode())
    assert answer.repository_name == "A B"
    assert "recovered" in answer.repairs[0]


def test_sets_are_recovered_as_a_whole_or_not_at_all():
    sets = "<set><setSpec>a</setSpec>{}</set><set><setSpec>b</setSpec></set>"
    body = f'<OAI-PMH xmlns="{OAI}"><ListSets>{sets}</ListSets></OAI-PMH>'
    sets_answer = parse_sets(body.format("<setName a='1' a='2'>A</setName>").encode())
    assert [set_.spec for set_ in sets_answer.sets] == ["a", "b"]
    with pytest.raises(NotXml, match="1 of 2 set would be lost"):
        parse_sets(body.format("<setName><b>A</setName>").encode())


def test_entry_that_recovery_would_lose_is_a_reason_to_refuse(monkeypatch: pytest.MonkeyPatch):
    body = f'<OAI-PMH xmlns="{OAI}"><ListSets><set><setSpec>a</x></set><set/></ListSets></OAI-PMH>'
    lost = recovery.lenient(f'<OAI-PMH xmlns="{OAI}"><ListSets><set/></ListSets></OAI-PMH>'.encode())  # type: ignore[attr-defined]
    monkeypatch.setattr(recovery, "lenient", lambda _: lost)
    with pytest.raises(NotXml, match="1 of 2 set would be lost"):
        parse_sets(body.encode())


def test_nothing_recovered_is_not_xml(monkeypatch: pytest.MonkeyPatch):
    body = f'<OAI-PMH xmlns="{OAI}"><ListMetadataFormats></x></ListMetadataFormats></OAI-PMH>'
    monkeypatch.setattr(recovery, "lenient", lambda _: (None, ("hopeless",)))
    with pytest.raises(NotXml, match="hopeless"):
        parse_formats(body.encode())
    with pytest.raises(NotXml):
        parse_list(page(record(1, "<a></b>")).replace("</request>", "</r>").encode())


@each_row("metadata", ["<a></b>", "<a></b>&#1;&eacute;"])
def test_prefixed_envelope_is_recovered_like_any_other(metadata: str):
    text = page(record(1), record(2, metadata), root=f'xmlns:o="{OAI}"', token="t")
    for name in ENVELOPE:
        text = text.replace(f"<{name}", f"<o:{name}").replace(f"</{name}", f"</o:{name}")
    answer = parse_list(text.encode())
    assert identifiers(answer.slices) == ["1", "2"]
    assert answer.token is not None


@each_row("start", ["< record><header>", "<record><header<>", "<recrd><header>", "<record <header>"])
def test_first_record_that_can_no_longer_be_told_as_one_is_a_problem_of_its_own(start: str):
    """libxml2's recovery would end the list at it, and all the others would stand outside."""
    text = page(record(1).replace("<record><header>", start), record(2), record(3), token="t")
    answer = parse_list(text.encode())
    assert identifiers(answer.slices) == ["1", "2", "3"]
    assert [bool(slice_.problem) for slice_ in answer.slices] == [True, False, False]
    assert answer.token is not None


def test_damaged_records_behind_an_endless_start_tag_are_refused():
    """It is read again with each record: 330 kB took 2 seconds, ten times as much 200."""
    body = page(*(record(number, "<a><b></a>") for number in range(3)), root=f'xmlns="{OAI}" a="{"x" * 10_000}"')
    with pytest.raises(NotXml, match=r"the start tags around its records have 10\d\d\d characters"):
        parse_list(body.encode())


def test_reference_to_half_a_character_in_broken_cdata_spoils_its_record_alone():
    """libxml2's recovery made bytes of it that are no UTF-8: UnicodeDecodeError, and the run failed."""
    bad = "<record><header><identifier>oai:x:2</identifier></header><metadata><![CDATA[&#xD800;</metadata></record>"
    answer = parse_list(page(record(1), bad, record(3)).encode())
    assert [slice_.identifier for slice_ in answer.slices if not slice_.problem] == ["oai:x:1", "oai:x:3"]


def test_page_that_is_one_reference_to_half_a_character_is_read_as_unusable_records():
    body = b'<OAI-PMH s=""><ListRecords><![CDATA[<record><header &#xD800;</metadata></record></OAI-PMH>'
    assert all(slice_.problem for slice_ in parse_list(body).slices)


@each_row(
    "text, kept",
    [("&#xD800;a", "\ufffda"), ("&#ab;", "&#ab;"), ("&#65;&#0;&#x110000;", "&#65;\ufffd\ufffd"), ("&#xz;", "&#xz;")],
)
def test_references_that_no_character_has_are_replaced(text: str, kept: str):
    assert legal_references(text) == kept


# --- what never ended ---------------------------------------------------------------------------------------------


@each_row("beginning", ["<!--", "<?a ", "<?", "<", "<!-- a -->", "<?a ?>"])
def test_document_whose_beginning_never_ends_is_refused_at_once(beginning: str):
    """`<!--` 250,000 times took 20 minutes; the answer is a sentence now."""
    with pytest.raises(Exception, match="answer"):
        read((beginning * 50_000).encode())


@each_row(
    "text, parts",
    [
        ("a<!-- b --><?c d?>e", ["a", "", "e"]),
        ("a<!-- b", ["a<!-- b"]),
        ("<? " + "x" * 3000 + "?>b<!---->c", ["<? " + "x" * 3000 + "?>b", "c"]),
        ("<!--<?a-->b?>", ["", "b?>"]),
    ],
)
def test_what_stands_outside_comments_and_instructions(text: str, parts: list[str]):
    assert [text[start:stop] for start, stop in spans(text)] == parts
