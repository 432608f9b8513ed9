"""Of a changed document only those files are asked for whose digest, size or date is another; each has a safe name."""

from hashlib import md5, sha1, sha256, sha512
from unicodedata import normalize
from zlib import crc32

from harvester.mirror.component import Component
from harvester.mirror.file_plan import PlannedFile, has_digests, plan_files, safe
from harvester.mirror.object_state import HeldFile, entry
from tests.rows import each_row

_BYTES = b"bytes"
_DIGESTS = {algorithm().name: algorithm(_BYTES).hexdigest() for algorithm in (md5, sha1, sha256, sha512)}
_DIGESTS["crc32"] = f"{crc32(_BYTES):08x}"


def _stated(*algorithms: str, at: str = "http://e.org/old", **fields: object) -> Component:
    return Component((at,), digests=tuple((algorithm, _DIGESTS[algorithm]) for algorithm in algorithms), **fields)  # type: ignore[arg-type]


def _held(component: Component) -> HeldFile:
    """Return a file as it is held after it was fetched."""
    verified = tuple(algorithm for algorithm, _ in component.digests)
    held = entry(component)._replace(path="files/old", size=len(_BYTES), verified=verified, url="http://e.org/old")
    return held._replace(sha256=_DIGESTS["sha256"], sha512=_DIGESTS["sha512"])


def _want(now: Component, before: Component) -> PlannedFile:
    (planned,) = plan_files((now,), (_held(before),))
    return planned


@each_row("algorithm", ["md5", "sha256", "sha512"])
def test_a_file_that_only_has_another_address_is_not_asked_for(algorithm):
    planned = _want(_stated(algorithm, at="http://e.org/new"), _stated(algorithm))
    assert (planned.is_same, planned.path, planned.kept.url) == (True, "files/new", "http://e.org/old")
    assert planned.kept.locations == ("http://e.org/new",)


@each_row("size, is_same", [(None, True), (5, True), (77, False)])
def test_a_size_that_does_not_fit_what_is_held_makes_another_file_whatever_the_digest(size, is_same):
    assert _want(_stated("sha256", size=size), _stated("sha256", size=5)).is_same == is_same


def test_a_date_alone_tells_of_no_change_where_the_digest_is_stated():
    assert _want(_stated("md5", modified="2031"), _stated("md5", modified="2030")).is_same
    assert not _want(_stated(modified="2031"), _stated(modified="2030")).is_same


def test_a_crc32_that_fits_never_suffices_and_one_that_does_not_makes_another_file():
    before = _held(_stated("crc32"))
    (same,) = plan_files((_stated("crc32"),), (before,))
    (other,) = plan_files((_stated("crc32", "sha256")._replace(digests=(("crc32", "0" * 8),)),), (before,))
    assert (same.is_same, has_digests(same.component, before)) == (False, None)
    assert (other.is_same, has_digests(other.component, before)) == (False, False)


@each_row("algorithm, is_same", [("md5", True), ("sha1", True)])
def test_a_digest_stated_for_the_first_time_is_compared_with_the_bytes_that_are_held(algorithm, is_same):
    before = _held(_stated())

    def again(_file, algorithms):
        return tuple((name, _DIGESTS[name]) for name in algorithms)

    (planned,) = plan_files((_stated(algorithm),), (before,), hashed_again=again)
    assert (planned.is_same, planned.kept.verified) == (is_same, (algorithm,))
    other = _stated(algorithm)._replace(digests=((algorithm, "0" * len(_DIGESTS[algorithm])),))
    (planned,) = plan_files((other,), (before,), hashed_again=again)
    assert (planned.is_same, planned.before) == (False, before)


def test_what_a_gateway_computed_yields_to_what_its_source_states():
    """The source replaced the file and states its MD5; the gateway's own SHA-256 is still that of the old one."""
    before = _held(_stated("md5", "sha256"))
    stale = Component(("http://e.org/old",), digests=(("md5", "0" * 32), ("sha256", _DIGESTS["sha256"])))
    (planned,) = plan_files((stale._replace(computed=("sha256",)),), (before,))
    assert not planned.is_same
    fresh = Component(("http://e.org/old",), digests=(("md5", _DIGESTS["md5"]), ("sha256", "0" * 64)))
    (planned,) = plan_files((fresh._replace(computed=("sha256",)),), (before,))
    assert planned.is_same


def _paths(*locations: str, mime_type: str = "", held: tuple[str, ...] = ()) -> list[str]:
    components = [Component((location,), mime_type=mime_type) for location in locations]
    before = [entry(Component((f"http://e.org/held/{name}",)))._replace(path=f"files/{name}") for name in held]
    return [plan_file.path for plan_file in plan_files(components, before)]


@each_row(
    "name, path",
    [
        ("Thèse d'été.pdf", "Thèse_d_été.pdf"),
        (normalize("NFD", "Ünïcødé.pdf"), normalize("NFC", "Ünïcødé.pdf")),
        ("論文 (1).pdf", "論文_1_.pdf"),
        ('a:b*c?d"e<f>g|h\\i.pdf', "a_b_c_d_e_f_g_h_i.pdf"),
        ("a\u202egnp.exe", "a_gnp.exe"),  # turned around by a mark of direction
        ("trailing. ", "trailing"),
        ("..", "file"),
        ("CON.txt", "_CON.txt"),
        ("console.txt", "console.txt"),
    ],
)
def test_a_name_keeps_its_letters_and_loses_what_some_disk_refuses(name, path):
    assert safe(name) == path


def test_a_long_name_keeps_its_end_and_fits_every_file_system():
    name = safe("é" * 50 + "論" * 200 + ".pdf")
    assert name.endswith("論.pdf")
    assert len(name.encode()) <= 200


@each_row(
    "first, second",
    [
        ("A.pdf", "a.PDF"),
        ("\u00e9.pdf", "e\u0301.pdf"),
        ("Straße", "STRASSE"),
    ],
)
def test_two_names_of_an_object_differ_by_more_than_case_or_unicode_form(first, second):
    one, other = _paths(f"http://e.org/1/{first}", f"http://e.org/2/{second}")
    assert one == f"files/{normalize('NFC', first)}"
    assert "-2" in other


def test_what_is_held_keeps_its_name_and_takes_it_from_others():
    assert _paths("http://e.org/held/Old.pdf", "http://e.org/old.pdf", held=("Old.pdf",)) == [
        "files/Old.pdf",
        "files/old-2.pdf",
    ]
    assert _paths("http://e.org/held/a.x", "http://e.org/held/A.x", held=("a.x", "A.x")) == ["files/a.x", "files/A.x"]


def test_an_escaped_address_is_read_and_a_type_gives_an_extension():
    assert _paths("http://e.org/f/th%C3%A8se", mime_type="application/pdf") == ["files/thèse.pdf"]
