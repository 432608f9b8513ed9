"""A record whose about container needs a declaration that the payload makes itself (REPOX, repox.ist.utl.pt, 2018)."""

from gateway.core.model import RawPage
from gateway.publish.mapping import SourceFacts, Task, prepare
from gateway.publish.publish import given_of
from harvester.dump.dump import fragment
from harvester.sources.oai_pmh.answers import parse_list

PAGE = b"""<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<responseDate>2018-03-05T00:00:00Z</responseDate><request>http://repox.ist.utl.pt/oai</request>
<ListRecords><record><header><identifier>oai:repox.ist.utl.pt:55</identifier><datestamp>2018-03-05</datestamp></header>
<metadata><mods xmlns="http://www.loc.gov/mods/v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.loc.gov/mods/v3 mods.xsd"><titleInfo><title>Chain and Charm</title></titleInfo></mods>
</metadata><about><rights xmlns="http://www.openarchives.org/OAI/2.0/rights/" xsi:schemaLocation="a b"/></about>
</record></ListRecords></OAI-PMH>"""


def test_a_declaration_that_the_payload_makes_itself_is_not_made_twice() -> None:
    (slice_,) = parse_list(PAGE).slices
    page = RawPage("repox", "ListRecords", "http://repox.ist.utl.pt/oai", 0, 200, (), PAGE, "mods")
    facts = SourceFacts("repox", page.url, "gateway.example.org", {})
    prepared = prepare(Task(facts, slice_.identifier, (given_of(page, slice_, "mods"),)))
    assert prepared.problems == ()
    assert b"Chain and Charm" in next(part for part in prepared.fragments if part.metadata_prefix == "mods").body
    assert fragment(PAGE[slice_.start : slice_.stop], slice_.declarations).count(b"xmlns:xsi=") == 1
