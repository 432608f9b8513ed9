"""Which repository an answer to Identify is of."""

from __future__ import annotations

from harvester.sources.oai_pmh.answers import parse_identify
from harvester.sources.oai_pmh.identity import identity_of
from tests.oai_pages import OAI
from tests.rows import each_row

OAI_IDENTIFIER = "http://www.openarchives.org/OAI/2.0/oai-identifier"


def _identify(*descriptions: str) -> bytes:
    held = "".join(f"<description>{description}</description>" for description in descriptions)
    content = f"<repositoryName>The \n House</repositoryName><baseURL>http://e.org/oai</baseURL>{held}"
    return f'<OAI-PMH xmlns="{OAI}"><Identify>{content}</Identify></OAI-PMH>'.encode()


def _described(name: str) -> str:
    return (
        f'<oai-identifier xmlns="{OAI_IDENTIFIER}"><repositoryIdentifier>{name}</repositoryIdentifier></oai-identifier>'
    )


@each_row(
    "descriptions, identifier",
    [
        ((), ""),
        (("<other/>",), ""),
        (("<other><repositoryIdentifier>e.org</repositoryIdentifier></other>",), ""),
        ((_described(" E.org\n"),), "e.org"),
        ((_described(""),), ""),
        ((_described("f.org"), _described("e.org"), _described("f.org")), "e.org f.org"),
    ],
)
def test_a_repository_calls_itself_by_its_name_its_address_and_its_oai_identifier(descriptions, identifier):
    identity = identity_of(parse_identify(_identify(*descriptions)))
    assert identity == (identifier, "The House", "http://e.org/oai")
