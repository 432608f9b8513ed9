"""DataCite's metadata, on small documents and on real ones."""

import pytest

from gateway.core import xmlio
from gateway.core.bibliography.texts import is_value
from gateway.core.model import Statement
from gateway.formats import reader_of
from tests.conftest import SHARED
from tests.rows import each_row

KERNEL = "http://datacite.org/schema/kernel-4"
RESOURCE = f"""<resource xmlns="{KERNEL}">
<identifier identifierType="DOI">10.5880/fidgeo.2017.006</identifier>
<creators><creator><creatorName nameType="Personal">Smith, Taylor</creatorName><affiliation>P</affiliation></creator>
<creator><creatorName>Bookhagen, Bodo</creatorName></creator></creators>
<titles><title xml:lang="en">Snowmelt</title><title titleType="Subtitle">Asia</title></titles>
<publisher>GFZ</publisher><publicationYear>2017</publicationYear>
<subjects><subject>Snow</subject></subjects>
<contributors><contributor contributorType="Editor"><contributorName>Doe, J.</contributorName></contributor>
</contributors>
<dates><date dateType="Created">2017-06-29</date><date dateType="Collected">1987/2016</date></dates>
<language>en</language><resourceType resourceTypeGeneral="Dataset">Tables</resourceType>
<alternateIdentifiers><alternateIdentifier alternateIdentifierType="url">http://x.example.org/1</alternateIdentifier>
</alternateIdentifiers>
<relatedIdentifiers>
<relatedIdentifier relatedIdentifierType="DOI" relationType="IsSupplementTo">10.5194/tc-11</relatedIdentifier>
<relatedIdentifier relatedIdentifierType="URL" relationType="Cites">http://y.example.org/2.pdf</relatedIdentifier>
</relatedIdentifiers><sizes><size>5 kB</size></sizes><formats><format>application/zip</format></formats>
<rightsList><rights rightsURI="http://creativecommons.org/licenses/by/4.0/">CC BY 4.0</rights></rightsList>
<descriptions><description descriptionType="Abstract">Nine files.</description></descriptions>
<geoLocations><geoLocation><geoLocationPlace>High Mountain Asia</geoLocationPlace></geoLocation></geoLocations>
</resource>"""


def _read(text):
    content = text.encode()
    root = xmlio.parse(content)
    return reader_of(xmlio.name_of(root)[0]).read(root, content)


def _texts(work, element):
    return [statement.text for statement in work.statements if statement.element == element]


def test_every_property_becomes_its_statement():
    work = _read(RESOURCE)
    assert work.statements[0] == Statement("title", "Snowmelt: Asia", "en")
    expected = {
        "title": ["Snowmelt: Asia"],
        "creator": ["Smith, Taylor", "Bookhagen, Bodo"],
        "contributor": ["Doe, J."],
        "publisher": ["GFZ"],
        "date": ["2017"],
        "subject": ["Snow"],
        "language": ["en"],
        "type": ["Dataset", "Tables"],
        "format": ["application/zip", "5 kB"],
        "description": ["Nine files."],
        "coverage": ["High Mountain Asia"],
    }
    assert {name: _texts(work, name) for name in expected} == expected
    assert _texts(work, "identifier") == ["https://doi.org/10.5880/fidgeo.2017.006", "http://x.example.org/1"]
    assert _texts(work, "rights") == ["http://creativecommons.org/licenses/by/4.0/", "CC BY 4.0"]


def test_what_is_related_is_another_work():
    work = _read(RESOURCE)
    assert _texts(work, "relation") == ["https://doi.org/10.5194/tc-11", "http://y.example.org/2.pdf"]
    assert (work.identifiers, work.files) == (("https://doi.org/10.5880/fidgeo.2017.006",), ())
    assert work.landing_page == "http://x.example.org/1"
    assert work.license == "http://creativecommons.org/licenses/by/4.0/"


@each_row("version", ["1.0", "1.1"])
def test_the_wrapper_is_looked_through(version):
    namespace = f"http://schema.datacite.org/oai/oai-{version}/"
    payload = f"<schemaVersion>4</schemaVersion><payload>{RESOURCE}</payload>"
    assert _read(f'<oai_datacite xmlns="{namespace}">{payload}</oai_datacite>') == _read(RESOURCE)


@each_row("kernel", ["2.2", "3", "4"])
def test_every_kernel_is_read(kernel):
    assert _texts(_read(RESOURCE.replace("kernel-4", f"kernel-{kernel}")), "title") == ["Snowmelt: Asia"]


# What is stated in any of these must be told.
TELLING = (
    ("title", "title"),
    ("creator", "creatorName"),
    ("date", "publicationYear"),
    ("identifier", "identifier"),
    ("subject", "subject"),
    ("description", "description"),
    ("rights", "rights"),
)
RECORDS = SHARED / "data" / "oai" / "records"


@pytest.mark.slow
@pytest.mark.needs("../shared/data/oai")
def test_what_real_resources_state_is_read():
    seen, lacking = 0, []
    for file in sorted(RECORDS.rglob("*.xml")):
        content = file.read_bytes()
        if b"http://datacite.org/schema/kernel-" not in content:
            continue
        root = xmlio.parse(content)
        for resource in root.iter("{*}resource"):
            namespace = xmlio.name_of(resource)[0]
            if not namespace.startswith("http://datacite.org/schema/kernel-"):
                continue
            seen += 1
            work = reader_of(namespace).read(resource, b"")
            for element, tag in TELLING:
                stated = ["".join(node.itertext()) for node in resource.iter(f"{{*}}{tag}")]  # type: ignore[arg-type]
                if any(map(is_value, stated)) and not _texts(work, element):
                    lacking.append((file.name, element))
    assert seen > 10
    assert lacking == []
