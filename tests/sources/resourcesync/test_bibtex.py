"""BibTeX of publishers, read as a work: what TeX means, one entry, and no more time for damage than for a good file."""

from gateway.core import xmlio
from gateway.core.bibliography.dates import iso_of
from gateway.core.xmltext import JSON
from gateway.formats import json_works
from gateway.formats._bibtex import csl_of
from harvester.sources.resourcesync.bibtex import entry_of
from harvester.sources.resourcesync.bundle import written
from tests.growth import is_more_than_linear
from tests.rows import each_row

ARTICLE = r"""% Encoding: UTF-8
@comment{jabref-meta: databaseType:bibtex; @misc{no, title={entry}}}
@string{jm = "Journal of " # {Mathe{\"u}s}}
@Article{S0140-6736(20)30183-5,
  author = {M{\"u}ller, J{\"o}rg and Garc\'{\i}a M\'arquez, Gabriel and Ludwig van Beethoven and {The {ATLAS} Team}
    and von der Leyen, Jr., Ursula and Hans~C. {\O}rsted and others},
  title = "The {DNA} of {\emph{E.~coli}} --- caf\'e \& \mu m, ``quoted'' 50\%",
  journal = jm # " B", year = 2020, month = mar, volume = {12}, number = 3 pages = {101 -- 110},
  doi = {10.1000/abc\_def}, issn = {2049-3630}, keywords = {a, b}, archiveprefix = {arXiv}, eprint = {2001.00001},
}"""


def test_an_entry_is_read_as_a_work() -> None:
    content = written(entry_of(ARTICLE))
    known = json_works.read(xmlio.parse(content), content).bibliography
    assert JSON.encode() in content
    assert known.titles[0].text == "The DNA of E. coli — café & \u03bcm, “quoted” 50%"
    assert [agent.name for agent in known.agents] == [
        "Müller, Jörg", "García Márquez, Gabriel", "van Beethoven, Ludwig", "The ATLAS Team", "von der Leyen, Ursula",
        "Ørsted, Hans C.",
    ]  # fmt: skip
    assert known.host[:6] == ("Journal of Matheüs B", "12", "3", "101", "110", "2049-3630")
    assert (iso_of(known.dates[0].text), known.type) == ("2020-03", "journal article")
    assert [identifier.text for identifier in known.identifiers] == ["10.1000/abc_def", "2001.00001"]


@each_row(
    "text",
    [
        "", "@", "@misc", "@misc{a, title = }", "@misc{a, title = {b}", '@misc{a, title = "{"}', "@string{a = b}",
        "@misc{a, b = c} @misc{d, e = f}", "<a>@misc{a, b = c}</a>", "@misc{a, b = " + "{" * 200 + "}" * 200 + "}",
    ],
)  # fmt: skip
def test_what_is_not_one_whole_entry_is_not_read(text: str) -> None:
    assert entry_of(text) is None


@each_row("part", ["{}", "\\", "x#", "@", "{a} and ", "a=b,", "\\v{", " ", "%"])
def test_a_hostile_file_takes_linear_time(part: str) -> None:
    for before, behind in (("@a{b, author = {", "}}"), ("@a{b, title = x#", "}"), ("@a{", ""), ("", "@")):
        quarter, whole = (f"{before}{part * (size // len(part))}{behind}" for size in (4_000, 16_000))
        assert not is_more_than_linear(_read, quarter, whole)


def _read(text: str) -> None:
    if entry := entry_of(text):
        csl_of(entry)


def test_abbreviations_that_double_at_each_step_are_not_written_out() -> None:
    doubled = "".join(f"@string{{a{n + 1} = a{n} # a{n}}}" for n in range(40))
    assert entry_of(f"@string{{a0 = {{x}}}}{doubled}@misc{{a, title = a40}}") is None
