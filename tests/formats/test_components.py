"""The Component of a file says everything that is known of it: what is written is read again."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.core import xmlio
from gateway.core.model import FileLink, FileOrigin, Statement, Work
from gateway.formats import oai_didl
from tests.rows import each_row

URL = "https://repository.example.net/LR-15-00007.pdf?a=1&b=2"
FOUND = FileLink(
    URL,
    "application/pdf",
    origin=FileOrigin.DISCOVERED,
    found_in="unpaywall",
    size=2_400_000,
    sha256="0" * 64,
    modified="2026-01-01",
    license="https://creativecommons.org/licenses/by/4.0/",
    version="acceptedVersion",
    found_at="2026-11-24T12:00:00Z",
)
NAMED = FileLink(URL, "application/pdf", found_in="dc:identifier")


def back(*files: FileLink, modified: str = "2025-05-03") -> tuple[FileLink, ...]:
    """Write a DIDL with these files, and read them from it."""
    work = Work(
        (Statement("title", "A title"),),
        ("https://doi.org/10.5555/1",),
        "https://example.net/1",
        modified=modified,
    ).with_files(files)
    content = oai_didl.write(work)
    read = oai_didl.files_of_ours(xmlio.parse(content))
    apart = oai_didl.read_apart(content)
    assert apart is not None
    assert apart.all_files == read
    whole = oai_didl.read(xmlio.parse(content), content) or Work()
    assert {file.url for file in whole.supplements} == {file.url for file in apart.supplements}
    assert apart.with_files(()) == whole.with_files(())
    return read


@each_row(
    "file",
    [
        FOUND,
        NAMED,
        FOUND._replace(retracted="Crossref: retracted; see https://doi.org/10.5555/2; version: none"),
        FOUND._replace(version="", retracted="The page says so."),
        FOUND._replace(found_in="link on the page at example.net"),
        FOUND._replace(copy_url=f"https://gateway.example.org/files/{'0' * 64}"),
        FOUND._replace(size=None, sha256="", modified="", license=""),
        NAMED._replace(found_at="2026-11-24T12:00:00Z", sha256="1" * 64, size=7),
        NAMED._replace(found_at="2026-11-24T12:00:00Z", version="v 2", missing="since 2026-11-26 (not-found)"),
        NAMED._replace(found_in="", missing="since 2026-11-26 (forbidden)"),
        FOUND._replace(is_supplement=True),
        NAMED._replace(sha256="2" * 64, digests=(("sha256", "2" * 64), ("md5", "3" * 32))),
    ],
)
@each_row("modified", ["", "2025-05-03T00:00:00Z"])
def test_a_file_is_read_as_it_was_written(file, modified):
    assert back(file, modified=modified) == (file,)


def test_an_embedded_file_is_read_with_its_address():
    embedded = FOUND._replace(content=b"%PDF-1.4\n\x00\xff", copy_url="")
    assert back(embedded) == (embedded,)


def test_the_landing_page_is_no_file_and_the_order_stays():
    other = NAMED._replace(url="https://example.net/2.pdf")
    assert back(NAMED, other, FOUND._replace(url="https://example.net/3.pdf"))[:2] == (NAMED, other)
    assert back() == ()


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)


@given(found_in=words, version=st.from_regex(r"[A-Za-z]{1,20}", fullmatch=True), retracted=words)
def test_any_words_about_a_file_are_read_again(found_in, version, retracted):
    file = FOUND._replace(found_in=found_in, version=version, retracted=retracted)
    assert back(file) == (file,)


def test_what_another_program_wrote_of_a_file_is_not_taken_for_our_words():
    didl = oai_didl.write(Work(files=(NAMED,))).replace(b"upstream: named in dc:identifier", b"we found it somewhere")
    (file,) = oai_didl.files_of_ours(xmlio.parse(didl))
    assert (file.found_in, file.found_at, file.version) == ("", "", "")
