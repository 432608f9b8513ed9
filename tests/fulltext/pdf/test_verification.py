"""Whether what was fetched is the work: types from bytes, texts from children with limits, scores from both."""

import json
import subprocess
import sys

import pytest

from gateway.core.errors import ConfigurationError
from gateway.core.model import Outcome, Statement, Work
from gateway.core.normal_forms import letters
from harvester.commands.common_words import compared
from harvester.fulltext.identifiers import Identifier, Identifiers, identifiers_of
from harvester.fulltext.known_copies import Description, Related
from harvester.fulltext.pdf import extraction
from harvester.fulltext.pdf import file_type as sniffed
from harvester.fulltext.pdf import reader as reading
from harvester.fulltext.pdf.document import Document, Facts
from harvester.fulltext.pdf.extraction import Extracted, extract
from harvester.fulltext.pdf.judge import Expected, Verdict, expected, judge
from harvester.fulltext.pdf.score import WEIGHTS, facts_of
from harvester.fulltext.pdf.trusted_descriptions import beginnings
from harvester.fulltext.pdf.work_names import Named
from harvester.fulltext.steps import Known
from tests.fulltext.documents import EFSA, described, others, wanted
from tests.fulltext.web import DATA, body
from tests.rows import each_row

needs_data = pytest.mark.needs("../shared")
PDF = DATA / "pdf"
PROSE = "We measured the light of many small things in the long grass. " * 60


@each_row("content, mime_type", [
    (b"%PDF-1.4\n", "application/pdf"), (b"\r\n junk before %PDF-1.7", "application/pdf"),
    (b"<!DOCTYPE html><p>", "text/html"), (b"<?xml version='1.0'?><html xmlns='x'>", "text/html"),
    (b"\n<p>Nobody wrote more", "text/html"), (b"\r\n" * 2000 + b"<html>", "text/html"),
    (b"\xef\xbb\xbf\n<!--" + b" made by a program" * 200 + b"-->\n<!DOCTYPE html>", "text/html"),
    (b"<!-- never closed" * 8000, "application/xml"),
    (b"\xef\xbb\xbf<?xml version='1.0'?><article>", "application/xml"),
    (b"PK\x03\x04", "application/zip"), (b"%!PS-Adobe", "application/postscript"), (b"Plain words", "text/plain"),
    (b"\x00\x01", "application/octet-stream"), (b"", ""),
])  # fmt: skip
def test_bytes_are_what_they_are_whatever_was_declared(content: bytes, mime_type: str) -> None:
    assert sniffed.mime_type(content) == mime_type


RECORDED = {
    "crminer__10.2903%2Fj.efsa.2014.3550": (Outcome.SUCCESS, 11),
    "grobid__submission_363": (Outcome.SUCCESS, 1),
    "pdfminer.six__zen_of_python_corrupted": (Outcome.SUCCESS, 1),
    "jabref__encrypted": (Outcome.ENCRYPTED_PDF, 0), "pdfminer.six__aes-256-r6": (Outcome.ENCRYPTED_PDF, 0),
    "jabref__scanned-image-only": (Outcome.NO_TEXT, 1),
    "pdfminer.six__issue-1113-evil-xobjects": (Outcome.NO_TEXT, 1),
    "sandcrawler__dummy": (Outcome.NO_TEXT, 1),
}  # fmt: skip


@needs_data
@pytest.mark.slow
@each_row("name", RECORDED)
def test_every_recorded_pdf_has_its_outcome(name: str) -> None:
    extracted = extract((PDF / f"{name}.pdf").read_bytes())
    assert (extracted.outcome, extracted.pages) == RECORDED[name]


@needs_data
@pytest.mark.slow
def test_the_other_engine_is_asked_where_the_first_finds_little() -> None:
    assert extract((PDF / "pdfminer.six__simple1.pdf").read_bytes()).engine == "pdfminer"


@pytest.mark.slow
@each_row("content", [b"", b"%PDF-1.4\n" + b"\xff" * 1000])
def test_what_is_no_pdf_within_is_broken(content: bytes) -> None:
    assert extract(content).outcome is Outcome.BROKEN_PDF


@pytest.mark.slow
def test_a_child_that_cannot_start_says_nothing_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction.sandbox, "command", lambda *_: [sys.executable, "-c", "import not_installed"])  # type: ignore[attr-defined]
    with pytest.raises(ConfigurationError, match="cannot start"):
        extract(b"%PDF-1.4")


@pytest.mark.slow
def test_a_child_that_a_file_has_ended_in_an_unknown_way_says_that_the_file_is_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = [sys.executable, "-c", "print(flush=True); raise SystemExit(1)"]
    monkeypatch.setattr(extraction.sandbox, "command", lambda *_: line)  # type: ignore[attr-defined]
    assert extract(b"%PDF-1.4").outcome is Outcome.BROKEN_PDF


@each_row("text, outcome", [
    ("Contents\n" + "The coherence of dots . . . . . . . . . . . . . . . . . . . . . . . 17\n" * 30, Outcome.SUCCESS),
    ("0.25 (0.03)  17.3 %  [12, 14]\n" * 60 + PROSE, Outcome.SUCCESS),
    ("ဤစာတမ်းသည် မြန်မာဘာသာ စကားကို လေ့လာသည်။ " * 60, Outcome.SUCCESS),
    ("ab\x04c\x05d \x06efg " * 99, Outcome.NO_TEXT),
    ("(cid:12)(cid:3) (cid:17)(cid:201) " * 99, Outcome.NO_TEXT), ("!\"#$ %&'( a)*+ ,-./ 0123 " * 30, Outcome.NO_TEXT),
])  # fmt: skip
def test_a_text_without_letters_is_none(text: str, outcome: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"pages": 2, "first": text, "rest": "", "front": text}
    monkeypatch.setattr(extraction, "_child", lambda *_: (0, json.dumps(answer).encode()))
    assert extract(b"%PDF-1.4").outcome is outcome


@needs_data
@pytest.mark.slow
@each_row("name", ["spaces_200MB", "textops_20MB"])
def test_a_bomb_hurts_only_the_child(name: str) -> None:
    extracted = extract((PDF / f"synthetic__flate_bomb_{name}.pdf").read_bytes(), seconds=1)
    assert extracted.outcome in (Outcome.NO_TEXT, Outcome.PARSE_MEMORY, Outcome.PARSE_TIMEOUT)


@needs_data
@pytest.mark.slow
def test_a_child_that_takes_too_long_is_killed() -> None:
    extracted = extract((PDF / "synthetic__flate_bomb_textops_20MB.pdf").read_bytes(), seconds=0.01)
    assert extracted == Extracted(Outcome.PARSE_TIMEOUT, engine="pdfium")


def status_of(deed: str) -> int:
    """Return how a child ends whose engine does this; its limits are those that every engine has."""
    code = (
        "import ctypes, os, sys; sys.argv[1:] = ['bad']\nfrom harvester.fulltext.pdf import reader\n"
        "__file__ = reader.__file__\nlibrary, _errno = ctypes.CDLL(None, use_errno=True), ctypes.get_errno\n"
        "def _in_c(name, *given): return getattr(library, name)(*given)\n"
        f"def bad(data):\n    {deed}\n    return 1, iter(())\n"
        "reader.ENGINES['bad'] = bad\nsys.exit(reader.main())"
    )
    return subprocess.run([sys.executable, "-c", code], input=b"", check=False, capture_output=True).returncode


@each_row("deed, status", [
    ("pass", 0), ("open('/tmp/written-by-a-pdf', 'w').write('x')", reading.BROKEN),
    ("open(__file__.replace('reader.py', 'extraction.py')).read()", reading.BROKEN),
    ("import socket; socket.socket()", reading.BROKEN),
])  # fmt: skip
def test_the_child_can_neither_open_files_nor_reach_the_network(deed: str, status: int) -> None:
    assert status_of(deed) == status


@pytest.mark.slow
@each_row("deed, status", [
    ("import subprocess; subprocess.run(['true'])", reading.BROKEN),
    ("open('/proc/self/environ').read()", reading.BROKEN), ("os.kill(os.getppid(), 0)", reading.BROKEN),
    ("assert _in_c('socket', 1, 1, 0) >= 0", reading.BROKEN),
    ("assert _in_c('open', b'/etc/passwd', 0) >= 0", reading.BROKEN),
    ("assert _in_c('rename', b'/tmp/one', b'/tmp/two') == 0 or _errno() != 1", reading.BROKEN),
    ("assert _in_c('unlink', b'/tmp/removed-by-a-pdf') == 0 or _errno() != 1", reading.BROKEN),
    ("assert _in_c('fork') >= 0", reading.BROKEN),
    ("assert _in_c('chmod', b'/tmp', 0o1777) == 0", reading.BROKEN),
    ("bytearray(2 << 30)", reading.NO_MEMORY), ("raise reader._Encrypted", reading.ENCRYPTED),
])  # fmt: skip
def test_the_child_can_do_nothing_but_read(deed: str, status: int) -> None:
    assert status_of(deed) == status


@needs_data
@each_row("engine", reading.ENGINES)
def test_both_engines_say_that_a_password_is_needed(engine: str) -> None:
    with pytest.raises(reading._Encrypted):
        reading._read(engine, body("pdf/pdfminer.six__rc4-128.pdf"))


def test_words_of_titles_are_compared_by_their_beginnings_without_stop_words() -> None:
    assert beginnings("The Libraries' library: harvesting of 12 Übersätze, p") == {"librar", "harves", "ubersa"}
    assert (beginnings("水文学"), beginnings("Peat水文 학술지")) == ({"水文", "文学"}, {"peat", "水文", "학술", "술지"})
    assert letters("Déjà  Vu: ½") == letters("De\u0301ja\u0300-vu 1⁄2")  # noqa: RUF001 - NFKD spells it so


def test_the_cosine_is_over_the_words_of_the_metadata_alone() -> None:
    document = "graph graph library primer and many other words beside"
    assert compared(["Graphs in Libraries: A Primer"], document) == (0.943, 1.0)
    assert compared(["Graphs in Gardens"], document) == (0.707, 0.5)
    assert compared(["речной реки"], "Речного реке").score == 1
    assert compared(["Nothing shared"], document) == (0.0, 0.0)
    assert compared([], document) == (0.0, 0.0)


IDENTIFIERS = Identifiers((Identifier("doi", "10.1/x", "identifier"),))
FILLER = " lorem ipsum dolor" * 50


def read(first: str, rest: str = FILLER) -> Extracted:
    return Extracted(Outcome.SUCCESS, 3, first, rest, "pdfium")


TITLE = "Coherence of quantum dots in gardens"
WANTED = Expected(
    ("10.1234/x",), (TITLE,), (TITLE, "Matthiesen Humphreys"),
    named=Named((("doi", "10.1234/x"),), (TITLE,), ("Matthiesen, C.", "Humphreys, P.")),
)  # fmt: skip


@each_row("first, outcome, has_doi, has_title, identified_by", [
    ("Coherence of Quan-\ntum Dots in Gardens\nC. Matthiesen", Outcome.SUCCESS, False, True, ("title", "author")),
    ("doi:10.1234/X\nMatthiesen\nAbstract\ncoherence quantum", Outcome.SUCCESS, True, False, ("doi", "author")),
    ("coherence quantum dots matthiesen", Outcome.LOW_SCORE, False, False, ("author",)),
    ("We read Coherence of quantum dots in gardens, and", Outcome.LOW_SCORE, False, True, ()),
    ("See also doi:10.1234/x nothing else", Outcome.LOW_SCORE, True, False, ()),
    ("nothing of it", Outcome.WRONG_DOCUMENT, False, False, ()),
])  # fmt: skip
def test_verdicts(first: str, outcome: Outcome, has_doi: bool, has_title: bool, identified_by: tuple[str, ...]) -> None:
    verdict = judge(read(first), WANTED)
    assert (verdict.outcome, verdict.has_doi, verdict.has_title) == (outcome, has_doi, has_title)
    assert verdict.identified_by == identified_by


def test_the_score_puts_the_work_before_others_and_its_facts_are_those_of_the_table() -> None:
    """The score has a weight for each fact, and its constant."""
    names = "Coherence of Quan-\ntum Dots in Gardens\nC. Matthiesen", "coherence of dots\nMatthiesen", "nothing of it"
    likenesses = [judge(read(first), WANTED).likeness for first in names]
    assert likenesses == sorted(likenesses, reverse=True)
    assert 1 > likenesses[0] > likenesses[1] > likenesses[2] > 0
    facts = facts_of(Document(read(names[0]), Facts()), WANTED.named, WANTED.texts, (), has_doi=False)
    assert {*facts, "constant", "another kind"} == set(WEIGHTS)


def test_what_could_not_be_read_keeps_its_outcome_and_what_nothing_is_known_of_is_for_people() -> None:
    assert judge(Extracted(Outcome.NO_TEXT, 4, "two words"), WANTED) == Verdict(Outcome.NO_TEXT, pages=4, words=2)
    assert judge(read("Anything"), Expected((), (), ())).outcome is Outcome.LOW_SCORE
    assert expected(Work(()), IDENTIFIERS, [Description(title="The biology of early wheat")]).titles


@each_row("title, described_title, authors, is_believed", [
    ("Early wheat", "Barley", (), False), ("Early wheat", "Wheat in cold soils of the north", ("Turf",), False),
    ("Early wheat", "Wheat in cold soils of the north", ("Reed",), True), ("Early wheat", "EARLY WHEAT.", (), True),
    ("The biology of early wheat", "Erratum", ("Reed",), False), ("The biology of early wheat", "", ("Reed",), False),
    ("The biology of early wheat", "The biology of early wheat in cold soils", (), True),
    ("Editorial", "Editorial", (), False), ("Editorial", "Editorial", ("Reed",), True),
])  # fmt: skip
@each_row("element", ["relation", "description"])
def test_a_short_title_confirms_a_doi_beside_the_work_with_an_author_or_letter_by_letter(
    element: str, title: str, described_title: str, authors: tuple[str, ...], is_believed: bool
) -> None:
    """Any title of two words was believed, and so was the DOI of another work."""
    text = "https://doi.org/10.1234/x" if element == "relation" else "Published in: https://doi.org/10.1234/x"
    work = Work((Statement("title", title), Statement("creator", "Reed, Ada"), Statement(element, text)))
    beside = identifiers_of(work)
    assert beside.all("doi") == ("10.1234/x",)
    described = Description(doi="10.1234/x", title=described_title, authors=authors)
    known = expected(work, beside, [described])
    assert known.named.identifiers == ((("doi", "10.1234/x"),) if is_believed else ())
    version = Related("has-preprint", "doi", "10.5555/preprint.1")
    versions = Known(work, beside, described=(described._replace(related=(version,)),)).versions
    assert versions == ((version,) if is_believed else ())


@needs_data
@pytest.mark.slow
def test_every_recorded_work_is_recognised_and_no_other_is_taken_for_it() -> None:
    """All but one, whose file has another end of the title than its record: a person must tell."""
    foreign, works = others(), described()
    doubtful = "grobid__1001._0908.0054.pdf"  # "… and CMB", in the record "… and cosmic microwave background"
    for name, work in works.items():
        extracted = extract((PDF / name).read_bytes())
        wanted_outcome = Outcome.LOW_SCORE if name == doubtful else Outcome.SUCCESS
        assert judge(extracted, wanted(EFSA, work)).outcome is wanted_outcome, name
        taken = [
            doi
            for doi, other in list(foreign.items())[::60]
            if other != work and judge(extracted, wanted(doi, other)).outcome is Outcome.SUCCESS
        ]
        assert taken == []
