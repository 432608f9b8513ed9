"""What entries of ResourceSync lists say of files, where they say what cannot be."""

from gateway.publish import resourcesync_abouts
from tests.rows import each_row

ENTRY = (
    '<url xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">'
    '<loc>http://x.org/1.pdf</loc><rs:ln rel="describes" href="http://x.org/2.pdf" length="{length}" />'
    '<rs:ln rel="via" href="{via}"/></url>'
)


@each_row("length", ["²", "9" * 5000, "٣", "-1", "1e3", ""])
def test_length_that_is_no_number_is_not_known(length: str):
    """`isdigit` is true of a superscript two, and `int` of it raises ValueError."""
    (file,) = resourcesync_abouts.read([ENTRY.format(length=length, via="").encode()]).files
    assert file.size is None


def test_length_that_is_a_number_is_known():
    (file,) = resourcesync_abouts.read([ENTRY.format(length="4711", via="").encode()]).files
    assert file.size == 4711


def test_origin_at_an_address_that_has_no_host_is_none():
    assert resourcesync_abouts.republished([ENTRY.format(length="", via="http://a\u2100b/x").encode()], "urn:x") is None


def test_other_abouts_are_those_that_are_no_entries_of_lists() -> None:
    entry = ENTRY.format(length="", via="http://example.org/a").encode()
    others = [b"<rights/>", b"<broken xmlns:rs='http://www.openarchives.org/rs/terms/'"]
    assert resourcesync_abouts.others([others[0], entry, others[1]]) == others
