"""What is known of files, compared with what an upstream says of them: its own word comes first."""

from gateway.core.model import FileLink, FileOrigin, Work
from gateway.publish.payloads import with_known_files
from tests.rows import each_row

URL = "https://x.example.org/1"
OURS = FileLink(URL, "application/pdf", size=9, sha256="aa", modified="2026", found_at="now")


@each_row(
    "file_link, is_completed",
    [
        (FileLink(URL), True),
        (FileLink(URL, "text/plain", modified="2020", sha256="AA"), True),
        (FileLink(URL, size=9, modified="2025"), True),
        (FileLink(URL, size=8), False),
        (FileLink(URL, modified="since"), False),
        (FileLink(URL, sha256="bb", size=8), False),
    ],
)
def test_the_upstream_s_own_word_comes_first(file_link: FileLink, is_completed: bool) -> None:
    (file,) = with_known_files(Work(files=(file_link,)), (OURS,)).files
    if not is_completed:
        assert file == file_link
        return
    assert (file.size, file.sha256.lower(), file.found_at) == (9, "aa", "now")
    assert file.mime_type == ("text/plain" if file_link.mime_type == "text/plain" else "application/pdf")
    assert file.modified == (file_link.modified or "2026")


def test_what_the_upstream_names_by_now_is_the_upstream_s() -> None:
    discovered = OURS._replace(origin=FileOrigin.DISCOVERED)
    (link,) = with_known_files(Work(files=(FileLink(URL),)), (discovered,)).files
    assert (link.origin, link.sha256) == (FileOrigin.UPSTREAM, "aa")
