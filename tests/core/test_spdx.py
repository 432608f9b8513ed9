"""Licences of Creative Commons have the URIs of the SPDX list, and others have none."""

from packaging.licenses._spdx import LICENSES

from gateway.core.typed_links import spdx_uri
from tests.rows import each_row

KNOWN = {entry["id"] for entry in LICENSES.values()}
CC = "creativecommons.org"


@each_row(
    "url, name",
    [
        (f"https://{CC}/licenses/by/4.0/", "CC-BY-4.0"),
        (f"HTTP://www.{CC}/licenses/BY-NC-ND/2.5/", "CC-BY-NC-ND-2.5"),
        (f"https://{CC}/licenses/by-sa/3.0/de/", "CC-BY-SA-3.0-DE"),
        (f"https://{CC}/publicdomain/zero/1.0/", "CC0-1.0"),
        (f"https://{CC}/publicdomain/mark/1.0/deed.de", "CC-PDM-1.0"),
        (f"https://{CC}/licenses/by/4.0/deed.en", "CC-BY-4.0"),
    ],
)
def test_a_licence_that_spdx_lists_has_its_uri(url, name):
    assert name in KNOWN
    assert spdx_uri(url) == f"https://spdx.org/licenses/{name}"


@each_row("url", [
        "", "cc-by", "https://spdx.org/licenses/CC-BY-4.0", f"https://{CC}/licenses/by/3.0/fr/",
        f"https://{CC}/licenses/by/9.9/", f"https://{CC}/licenses/", f"https://{CC}/licenses/sampling+/1.0/",
        "https://evil.example/creativecommons.org/licenses/by/4.0/", "http://rightsstatements.org/vocab/InC/1.0/",
        f"https://{CC}.evil.example/licenses/by/4.0/", f"https://{CC}/publicdomain/zero/2.0/",
    ])  # fmt: skip
def test_another_licence_has_none(url):
    assert spdx_uri(url) == ""


def test_every_uri_is_in_the_list_of_spdx():
    conditions = ("by", "by-sa", "by-nc", "by-nd", "by-nc-sa", "by-nc-nd")
    countries = ("", "at/", "au/", "de/", "fr/", "igo/", "jp/", "nl/", "uk/", "us/", "ch/")
    made = {
        spdx_uri(f"https://{CC}/licenses/{condition}/{version}/{country}")
        for condition in conditions
        for version in ("1.0", "2.0", "2.1", "2.5", "3.0", "4.0")
        for country in countries
    } - {""}
    listed = {f"https://spdx.org/licenses/{name}" for name in KNOWN if name.startswith("CC-BY")}
    assert made == listed
