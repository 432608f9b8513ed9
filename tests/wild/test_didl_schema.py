"""DIDL as others write it is read, METS and MODS too; what we make of them validates against the ISO schema."""

from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from gateway.core import xmlio
from gateway.core.errors import NotXml
from gateway.core.model import Work
from gateway.core.xmltext import DIDL
from gateway.formats import oai_didl, reader_of
from tests.conftest import SHARED

pytestmark = [pytest.mark.slow, pytest.mark.needs("../shared")]
NAMESPACES = (DIDL, "http://www.loc.gov/METS/", "http://www.loc.gov/mods/v3")


@cache
def iso() -> etree.XMLSchema:
    return etree.XMLSchema(file=str(SHARED / "xsd" / "mpeg21" / "didl.xsd"))


def samples() -> list[Path]:
    data = SHARED / "data"
    return sorted(
        [*data.glob("didl/*/unwrapped/*.record.xml"), *data.glob("didl/KB*/*.xml"), *data.glob("packages/m*/*/*.xml")]
    )


def roots(file: Path) -> list[etree._Element]:
    try:
        root = xmlio.parse(file.read_bytes())
    except NotXml:
        return []
    elements = (
        element for element in root.iter("{*}DIDL", "{*}mets", "{*}mods") if xmlio.name_of(element)[0] in NAMESPACES
    )
    return [element for element in elements if all(above.tag != f"{{{DIDL}}}DIDL" for above in element.iterancestors())]


def test_every_package_gives_a_valid_didl() -> None:
    titled = files = seen = 0
    for file in samples():
        for root in roots(file):
            content = etree.tostring(root, with_tail=False)
            work = reader_of(xmlio.name_of(root)[0]).read(xmlio.parse(content), content) or Work()
            made = etree.fromstring(oai_didl.write(work))
            assert iso().validate(made), (file, iso().error_log)
            seen += 1
            titled += any(statement.element == "title" for statement in work.statements)
            files += bool(work.files)
    assert seen > 60
    assert titled > seen * 0.6
    assert files > 20
