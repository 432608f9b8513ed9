"""Names of files keep their accents, suit every file system, and never differ by case or Unicode form alone."""

from unicodedata import normalize

from harvester.mirror.component import Component
from harvester.mirror.file_plan import plan_files, safe
from harvester.mirror.object_state import entry
from tests.rows import each_row


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
