"""A file on its way goes on where it broke off, in this process or the next, and is never made of two halves."""

import hashlib
from contextlib import closing
from email.utils import formatdate
from pathlib import Path
from zlib import crc32

import pytest

from gateway.core.errors import AnswerTooLarge, ConnectionFailed, StoreDamaged
from harvester.http.downloads import Arriving
from harvester.http.messages import Fetched
from harvester.mirror import object_state as holding
from harvester.mirror.component import Component
from harvester.mirror.fetch_file import Limits, collect
from harvester.mirror.file_plan import PlannedFile
from harvester.mirror.verify import Bytes, Fate, verdict
from tests.rows import each_row

URL = "http://e.org/a"
CONTENT = bytes(range(256)) * 10


def answer(status: int = 200, **headers: str) -> Fetched:
    return Fetched(URL, status, tuple((name.replace("_", "-"), value) for name, value in headers.items()), b"", 0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a"


def begun(file: Path, part: bytes = CONTENT[:100], **headers: str) -> Arriving:
    """Return a file of which a part has come, as an earlier process left it."""
    arriving = Arriving(file, URL, 10_000)
    assert arriving.begin(answer(**(headers or {"ETag": '"one"'})))  # type: ignore[arg-type]
    arriving.write(part)
    arriving.close()
    return arriving


def test_another_process_goes_on_where_the_first_has_ended(file):
    begun(file)
    arriving = Arriving(file, URL, 10_000)
    assert arriving.headers() == (("Range", "bytes=100-"), ("If-Range", '"one"'))
    assert arriving.begin(answer(206, Content_Range="bytes 100-2559/2560"))
    arriving.write(CONTENT[100:])
    assert arriving.finish()["sha256"] == hashlib.sha256(CONTENT).hexdigest()
    assert file.read_bytes() == CONTENT


def test_a_server_that_sends_everything_again_is_right(file):
    begun(file)
    arriving = Arriving(file, URL, 10_000)
    assert arriving.begin(answer(ETag='"two"'))
    arriving.write(CONTENT)
    arriving.finish()
    assert file.read_bytes() == CONTENT


@each_row(
    "headers",
    [
        {"Content_Range": "bytes 101-2559/2560"},
        {"Content_Range": "bytes 100-199/2560"},
        {"Content_Range": "bytes 100-2559/2560", "ETag": '"two"'},  # of a server that does not know If-Range
        {"Content_Range": "bytes 100-2559/2560", "Content_Encoding": "gzip"},
    ],
)
def test_another_part_than_the_one_asked_for_is_not_taken(file, headers):
    begun(file)
    arriving = Arriving(file, URL, 10_000)
    with pytest.raises(ConnectionFailed, match="sent another part"):
        arriving.begin(answer(206, **headers))
    assert arriving.headers() == ()


def test_a_rest_whose_end_is_not_known_is_taken(file):
    begun(file)
    with closing(Arriving(file, URL, 10_000)) as arriving:
        assert arriving.begin(answer(206, Content_Range="bytes 100-2559/*", ETag='"one"'))


def test_a_part_that_the_server_does_not_know_any_more_is_forgotten(file):
    begun(file)
    arriving = Arriving(file, URL, 10_000)
    assert not arriving.begin(answer(416))
    assert (arriving.headers(), arriving.size) == ((), 0)


def test_a_part_that_is_all_that_the_server_has_stays(file):
    begun(file)
    with closing(Arriving(file, URL, 10_000)) as arriving:
        assert not arriving.begin(answer(416, Content_Range="bytes */100"))
        assert arriving.size == 100


def test_a_part_of_another_address_is_forgotten(file):
    begun(file)
    assert Arriving(file, "http://e.org/b", 10_000).headers() == ()
    assert not file.exists()


@each_row(
    "headers, is_known",
    [
        ({"ETag": 'W/"weak"'}, False),
        ({"Content_Type": "a/b"}, False),
        ({"ETag": '"one"', "Content_Encoding": "gzip"}, False),  # ranges are of the encoded bytes
        ({"ETag": '"one"', "Content_Encoding": "gzip", "Content_Type": "application/gzip"}, True),
        ({"Last_Modified": formatdate(0), "Date": formatdate(3600)}, True),
        ({"Last_Modified": formatdate(0), "Date": formatdate(30)}, False),  # it may change again within the minute
    ],
)
def test_a_part_counts_only_when_the_server_can_tell_whether_its_file_is_the_same(file, headers, is_known):
    begun(file, **headers)
    assert bool(Arriving(file, URL, 10_000).headers()) == is_known


def test_more_than_there_may_be_is_forgotten(file):
    arriving = Arriving(file, URL, 50)
    arriving.begin(answer())
    with pytest.raises(AnswerTooLarge, match="more than 50 bytes"):
        arriving.write(CONTENT)
    assert not file.exists()


# --- what the bytes tell, and what is known of them ---------------------------------------------------------------

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@each_row(
    "mime_type, received, fate",
    [
        ("", Bytes(9, {}, b"<html>no", b"<html>no", "text/html"), Fate.WEB_PAGE),
        ("", Bytes(9, {}, b"<html>no", b"<html>no", "text/plain"), Fate.FETCHED),
        ("application/pdf", Bytes(9, {}, b"%PDF-1.4", b"1 0 obj", is_measured=False), Fate.BROKEN_OFF),
        ("image/png", Bytes(9, {}, b"\x89PNG\r\n", b"IEND\xaeB`\x82", is_measured=False), Fate.FETCHED),
        ("image/png", Bytes(9, {}, b"\x89PNG\r\n", b"IDAT", is_measured=False), Fate.BROKEN_OFF),
        ("text/plain", Bytes(9, {}, b"whatever", b"whatever", is_measured=False), Fate.FETCHED),
        (DOCX, Bytes(9, {}, b"PK\x03\x04", b""), Fate.FETCHED),
        (DOCX, Bytes(9, {}, b"Not found", b"", "text/html"), Fate.WRONG_TYPE),
        ("text/plain", Bytes(9, {}, b"\n<title>Log in</title>", b"", "text/html; charset=utf-8"), Fate.WEB_PAGE),
        ("text/plain", Bytes(9, {}, "<html>".encode("utf-16"), b"", "text/html"), Fate.WEB_PAGE),
        ("text/xml", Bytes(9, {}, b"<!DOCTYPE html><html>", b"", "text/html"), Fate.WEB_PAGE),
        ("text/xml", Bytes(9, {}, b"<TEI/>", b"", "text/html"), Fate.FETCHED),
        ("text/html", Bytes(9, {}, b"<html>", b"", "text/html"), Fate.FETCHED),
    ],
)
def test_bytes_of_which_nothing_is_stated_tell_themselves(mime_type, received, fate):
    assert verdict(Component(("http://e.org/a",), mime_type=mime_type), received).fate is fate


@each_row("content", [b"", b'{"version": 1, "files": [1]}'])
def test_what_is_known_of_an_object_and_cannot_be_read_is_reported(content):
    with pytest.raises(StoreDamaged, match="cannot be read"):
        holding.read(content)


@each_row(
    "stated, is_stated, ranges",
    [
        (CONTENT, True, ["bytes=2560-"]),
        (CONTENT[::-1], True, ["bytes=2560-", None]),
        # Nothing would tell whether it is still the same file, nor where it ends: it must come twice the same.
        (CONTENT, False, ["bytes=2560-", None, None]),
    ],
)
def test_a_file_that_had_arrived_whole_is_not_sent_again(file, stated, is_stated, ranges):
    begun(file, CONTENT)
    asked = []

    def fetch(request):
        asked.append(dict(request.sink.headers()).get("Range"))
        if asked[-1]:
            response = answer(416, Content_Range="bytes */2560", Content_Type="text/html")
            assert not request.sink.begin(response)
            return response
        assert request.sink.begin(answer(ETag='"two"'))
        request.sink.write(stated)
        return answer(ETag='"two"')

    digests = (("sha256", hashlib.sha256(stated).hexdigest()),) if is_stated else ()
    planned = PlannedFile(Component((URL,), digests=digests), "files/a", None, is_same=False)
    collected = collect(planned, file, fetch, Limits(10_000))
    assert (collected.file.is_good, collected.file.content_type, asked) == (True, "", ranges)
    assert file.read_bytes() == stated


def test_a_weak_checksum_is_compared_and_never_suffices_alone():
    page = b"<html>no such file</html>"
    right = f"{crc32(page):08x}"
    received = Bytes(len(page), {"crc32": right}, page, page, "text/html")
    stated = Component(mime_type="application/pdf", digests=(("crc32", right),))
    assert verdict(stated, received).fate is Fate.WEB_PAGE
    text = received._replace(first=b"%PDF-1.4", last=b"%%EOF", content_type="application/pdf")
    assert verdict(stated, text)[:3] == (Fate.FETCHED, "", ("crc32",))
    assert not verdict(stated, text).is_proven
    assert verdict(stated._replace(digests=(("crc32", "0" * 8),)), text).fate is Fate.CORRUPT


def test_a_digest_that_a_gateway_computed_of_older_bytes_does_not_refuse_those_that_the_source_states():
    stated = Component(digests=(("md5", "a" * 32), ("sha256", "b" * 64)), computed=("sha256",))
    received = Bytes(1, {"md5": "a" * 32, "sha256": "c" * 64}, b"x", b"x")
    assert verdict(stated, received)[:3] == (Fate.FETCHED, "", ("md5",))
    assert verdict(stated, received._replace(digests={"md5": "c" * 32, "sha256": "b" * 64})).fate is Fate.CORRUPT
    assert verdict(stated._replace(digests=(("sha256", "b" * 64),)), received).fate is Fate.CORRUPT
