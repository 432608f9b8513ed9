"""OAI-PMH 2.0 §4: the whole answers of the six verbs, compared byte by byte."""

from gateway.core.model import SetDescription, Source
from tests.rows import each_row

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
<responseDate>2023-11-14T22:13:20Z</responseDate>
"""
BASE = "http://gw.example.org/oai"
FIRST = "oai:gateway.example.org:laro/1"


def record(item: int, time: str, sets: str, metadata: bool = True) -> str:
    """Return a record as it is published, and as it must therefore be answered."""
    specs = "".join(f"<setSpec>{spec}</setSpec>" for spec in sets.split())
    status = "" if metadata else ' status="deleted"'
    body = f'<metadata><m xmlns="http://example.org/">{item}</m></metadata>' if metadata else ""
    return (
        f"<record><header{status}><identifier>oai:gateway.example.org:laro/{item}</identifier>"
        f"<datestamp>2023-11-14T{time}Z</datestamp>{specs}</header>{body}</record>"
    )


def codes_of(answer: str) -> list[str]:
    """Return the codes of the errors in an answer."""
    return [part.split('"')[0] for part in answer.split('<error code="')[1:]]


# --- §4.1 GetRecord -----------------------------------------------------------------------------------------------


def test_4_1_get_record_and_a_deleted_one_is_its_header(ask):
    query = f"verb=GetRecord&identifier={FIRST}&metadataPrefix=oai_dc"
    assert ask(query) == (
        f'{HEAD}<request verb="GetRecord" identifier="{FIRST}" metadataPrefix="oai_dc">{BASE}</request>\n'
        f"<GetRecord>\n{record(1, '21:56:50', 'source:laro:theses fulltext')}\n</GetRecord>\n</OAI-PMH>\n"
    )
    answer = ask("verb=GetRecord&identifier=oai:gateway.example.org:laro/3&metadataPrefix=raw")
    assert f"<GetRecord>\n{record(3, '21:57:10', 'source:laro:theses fulltext', metadata=False)}\n" in answer


@each_row(
    "identifier, prefix, codes",
    [
        ("oai:x:1", "oai_dc", ["idDoesNotExist"]),
        (FIRST, "nope", ["cannotDisseminateFormat"]),
        ("oai:gateway.example.org:laro/2", "raw", ["cannotDisseminateFormat"]),
        ("oai:x:1", "nope", ["idDoesNotExist", "cannotDisseminateFormat"]),
    ],
)
def test_4_1_get_record_says_what_is_missing(ask, identifier, prefix, codes):
    answer = ask(f"verb=GetRecord&identifier={identifier}&metadataPrefix={prefix}")
    assert f'<request verb="GetRecord" identifier="{identifier}" metadataPrefix="{prefix}">{BASE}</request>' in answer
    assert codes_of(answer) == codes


# --- §4.2 Identify ------------------------------------------------------------------------------------------------

IDENTIFIER_DESCRIPTION = (
    '<description><oai-identifier xmlns="http://www.openarchives.org/OAI/2.0/oai-identifier" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai-identifier '
    'http://www.openarchives.org/OAI/2.0/oai-identifier.xsd"><scheme>oai</scheme>'
    "<repositoryIdentifier>gateway.example.org</repositoryIdentifier><delimiter>:</delimiter>"
    "<sampleIdentifier>oai:gateway.example.org:laro/1</sampleIdentifier></oai-identifier></description>\n"
)


def test_4_2_identify(ask):
    assert ask("verb=Identify") == (
        f'{HEAD}<request verb="Identify">{BASE}</request>\n'
        "<Identify>\n"
        "<repositoryName>A gateway</repositoryName>\n"
        f"<baseURL>{BASE}</baseURL>\n"
        "<protocolVersion>2.0</protocolVersion>\n"
        "<adminEmail>admin@example.org</adminEmail>\n"
        "<earliestDatestamp>2023-11-03T08:26:40Z</earliestDatestamp>\n"
        "<deletedRecord>persistent</deletedRecord>\n"
        "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>\n"
        "<compression>gzip</compression>\n"
        "<compression>deflate</compression>\n"
        "<compression>zstd</compression>\n"
        f"{IDENTIFIER_DESCRIPTION}"
        "</Identify>\n</OAI-PMH>\n"
    )


def test_4_2_friends_are_the_oai_pmh_sources_that_are_not_removed_and_hold_no_secret(ask, view):
    view.known_sources = (
        Source("a", "http://a.example.org/oai?x=1&y=2"),
        Source("b", "http://b.example.org/oai", is_removed=True),
        Source("c", "http://c.example.org/feed", kind="sitemap"),
        Source("d", "http://d.example.org/oai"),
        Source("e", "http://e.example.org/oai", is_friend=False),
        Source("f", "http://f.example.org/oai?apikey=HUSH"),  # an earlier release took it
    )
    friends = (
        '<description><friends xmlns="http://www.openarchives.org/OAI/2.0/friends/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/friends/ '
        'http://www.openarchives.org/OAI/2.0/friends.xsd"><baseURL>http://a.example.org/oai?x=1&amp;y=2</baseURL>'
        "<baseURL>http://d.example.org/oai</baseURL></friends></description>\n"
    )
    assert f"{IDENTIFIER_DESCRIPTION}{friends}</Identify>" in ask("verb=Identify")
    assert "http://d.example.org" not in ask("verb=Identify", friends_most=1)


def test_4_2_branding_and_rights_when_configured(ask):
    answer = ask(
        "verb=Identify",
        icon_url="http://x.org/i.png",
        icon_title="Us & them",
        rights_manifest="http://creativecommons.org/publicdomain/zero/1.0/",
    )
    branding = (
        '<description><branding xmlns="http://www.openarchives.org/OAI/2.0/branding/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/branding/ '
        'http://www.openarchives.org/OAI/2.0/branding.xsd"><collectionIcon><url>http://x.org/i.png</url>'
        "<title>Us &amp; them</title></collectionIcon></branding></description>\n"
    )
    rights = (
        '<description><rightsManifest xmlns="http://www.openarchives.org/OAI/2.0/rights/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/rights/ '
        'http://www.openarchives.org/OAI/2.0/rightsManifest.xsd" '
        'appliesTo="http://www.openarchives.org/OAI/2.0/entity#metadata"><rights>'
        '<rightsReference ref="http://creativecommons.org/publicdomain/zero/1.0/"/></rights>'
        "</rightsManifest></description>\n"
    )
    assert f"{IDENTIFIER_DESCRIPTION}{branding}{rights}</Identify>" in answer


# --- §4.3 ListIdentifiers -----------------------------------------------------------------------------------------


def test_4_3_list_identifiers_are_the_headers(ask):
    answer = ask("verb=ListIdentifiers&metadataPrefix=raw&from=2023-11-14T21:57:10Z&until=2023-11-14T21:57:30Z")
    headers = [
        record(3, "21:57:10", "source:laro:theses fulltext", metadata=False)[8:-9],
        record(5, "21:57:30", "source:laro:theses fulltext", metadata=False)[8:-9],
    ]
    assert answer == (
        f'{HEAD}<request verb="ListIdentifiers" metadataPrefix="raw" from="2023-11-14T21:57:10Z" '
        f'until="2023-11-14T21:57:30Z">{BASE}</request>\n'
        f"<ListIdentifiers>\n{headers[0]}\n{headers[1]}\n</ListIdentifiers>\n</OAI-PMH>\n"
    )


# --- §4.4 ListMetadataFormats -------------------------------------------------------------------------------------

FORMATS = (
    "<ListMetadataFormats>\n"
    "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix>"
    "<schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema>"
    "<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat>\n"
)
RAW_FORMAT = (
    "<metadataFormat><metadataPrefix>raw</metadataPrefix><schema>http://example.org/raw.xsd</schema>"
    "<metadataNamespace>http://example.org/raw?a=1&amp;b=2</metadataNamespace></metadataFormat>\n"
)


def test_4_4_list_metadata_formats(ask):
    assert ask("verb=ListMetadataFormats") == (
        f'{HEAD}<request verb="ListMetadataFormats">{BASE}</request>\n'
        f"{FORMATS}{RAW_FORMAT}</ListMetadataFormats>\n</OAI-PMH>\n"
    )


def test_4_4_of_an_item_only_those_that_are_not_deleted(ask):
    answer = ask("verb=ListMetadataFormats&identifier=oai:gateway.example.org:laro/5")
    assert f"{FORMATS}</ListMetadataFormats>" in answer


@each_row(
    "identifier, code",
    [("oai:gateway.example.org:laro/3", "noMetadataFormats"), ("oai:gateway.example.org:x", "idDoesNotExist")],
)
def test_4_4_an_item_without_formats_is_deleted_or_unknown(ask, identifier, code):
    answer = ask(f"verb=ListMetadataFormats&identifier={identifier}")
    assert f'<request verb="ListMetadataFormats" identifier="{identifier}">' in answer
    assert answer.count(f'<error code="{code}">') == answer.count("<error") == 1


# --- §4.5 ListRecords ---------------------------------------------------------------------------------------------


def test_4_5_list_records_in_a_set_holds_its_descendants(ask):
    answer = ask("verb=ListRecords&metadataPrefix=oai_dc&set=source:laro:theses&until=2023-11-14T21:57:29Z")
    assert answer == (
        f'{HEAD}<request verb="ListRecords" metadataPrefix="oai_dc" set="source:laro:theses" '
        f'until="2023-11-14T21:57:29Z">{BASE}</request>\n<ListRecords>\n'
        f"{record(1, '21:56:50', 'source:laro:theses fulltext')}\n"
        f"{record(3, '21:57:10', 'source:laro:theses fulltext', metadata=False)}\n"
        "</ListRecords>\n</OAI-PMH>\n"
    )
    assert ask("verb=ListRecords&metadataPrefix=oai_dc&set=source").count("<record>") == 7


@each_row(
    "query, codes",
    [
        ("metadataPrefix=nope", ["cannotDisseminateFormat"]),
        ("metadataPrefix=oai_dc&set=nope", ["noRecordsMatch"]),
        ("metadataPrefix=nope&set=nope", ["cannotDisseminateFormat", "noRecordsMatch"]),
        ("metadataPrefix=oai_dc&until=2000-01-01", ["noRecordsMatch"]),
        ("metadataPrefix=oai_dc&from=2023-11-15", ["noRecordsMatch"]),
        ("metadataPrefix=nope&from=junk", ["badArgument", "cannotDisseminateFormat"]),
        ("metadataPrefix=oai_dc&from=junk", ["badArgument"]),
        ("resumptionToken=junk", ["badResumptionToken"]),
        ("resumptionToken=junk&until=2000-02-05", ["badArgument", "badResumptionToken"]),
        ("resumptionToken=junk&metadataPrefix=oai_dc&until=1990-01-10", ["badArgument", "badResumptionToken"]),
        ("", ["badArgument"]),
    ],
)
@each_row("verb", ["ListRecords", "ListIdentifiers"])
def test_4_5_the_errors_of_lists(ask, verb, query, codes):
    answer = ask(f"verb={verb}&{query}")
    assert codes_of(answer) == codes
    assert ("<request>" in answer) == ("badArgument" in codes)


# --- §4.6 ListSets ------------------------------------------------------------------------------------------------


def test_4_6_list_sets(ask, view):
    view.known_sets = [SetDescription("a", "A & co"), SetDescription("b", "", b'<d xmlns="http://example.org/"/>')]
    assert ask("verb=ListSets") == (
        f'{HEAD}<request verb="ListSets">{BASE}</request>\n<ListSets>\n'
        "<set><setSpec>a</setSpec><setName>A &amp; co</setName></set>\n"
        "<set><setSpec>b</setSpec><setName>b</setName>"
        '<setDescription><d xmlns="http://example.org/"/></setDescription></set>\n'
        "</ListSets>\n</OAI-PMH>\n"
    )


@each_row(
    "spec, name",
    [
        ("source:x:publication:Astronomical~20Review", "publication:Astronomical Review"),
        ("source:x:http:~2F~2Fe.org~2Fc%C3%A9".replace("%", "~"), "http://e.org/cé"),
        ("source:x:~01", "source:x:~01"),
        ("source:x", "source:x"),
        ("source", "source"),
        ("fulltext", "fulltext"),
    ],
)
@each_row("known", [True, False])
def test_4_6_a_set_without_a_name_has_that_of_its_source(ask, view, spec, name, known):
    view.known_sets = [SetDescription(spec, spec if known else "")]
    assert f"<setSpec>{spec}</setSpec><setName>{name}</setName>" in ask("verb=ListSets")


def test_4_6_without_any_set_there_is_no_hierarchy(ask, view):
    view.known_sets = []
    assert '<error code="noSetHierarchy">This repository does not support sets.</error>' in ask("verb=ListSets")
