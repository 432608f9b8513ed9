"""OAI-PMH 2.0 §3.1.1 and §4: which arguments are legal, and what they mean."""

from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from gateway.core.xmltext import utc_datetime
from gateway.oaipmh.arguments import RULES, parse
from tests.rows import each_row


def mistakes(query: str | bytes) -> list[tuple[str, str]]:
    raw = query if isinstance(query, bytes) else query.encode()
    return [(error.code, str(error)) for error in parse(raw).errors]


def test_values_arrive_typed():
    asked = parse(b"verb=ListRecords&metadataPrefix=oai_dc&set=a:b&from=2023-01-01&until=2023-01-02")
    assert asked.errors == ()
    assert (asked.verb, asked.metadata_prefix, asked.set_spec) == ("ListRecords", "oai_dc", "a:b")
    assert utc_datetime(asked.from_) == "2023-01-01T00:00:00Z"
    assert utc_datetime(asked.until) == "2023-01-02T23:59:59Z"
    assert dict(asked.given)["until"] == "2023-01-02"


def test_escapes_and_plus_are_decoded():
    asked = parse(b"verb=Get%52ecord&identifier=oai%3Ax.org%3a1&metadataPrefix=oai%5Fdc")
    assert (asked.verb, asked.identifier, asked.metadata_prefix) == ("GetRecord", "oai:x.org:1", "oai_dc")


@each_row(
    "query, sentence",
    [
        ("", "The verb is missing."),
        ("junk", "The verb is missing."),
        ("verb=", "'' is not a verb of OAI-PMH 2.0."),
        ("verb=identify", "'identify' is not a verb of OAI-PMH 2.0."),
        ("verb=Identify&verb=Identify", "The verb is repeated."),
    ],
)
def test_a_mistake_in_the_verb_is_a_bad_verb(query, sentence):
    assert mistakes(query) == [("badVerb", sentence)]


LIST = "verb=ListRecords&metadataPrefix=oai_dc"


@each_row(
    "query, sentences",
    [
        ("verb=Identify&a=1", ["The argument 'a' is not legal for this verb."]),
        ("verb=Identify&=1", ["The argument '' is not legal for this verb."]),
        ("verb=GetRecord", ["The argument identifier is missing.", "The argument metadataPrefix is missing."]),
        ("verb=GetRecord&identifier=&metadataPrefix=a", ["The argument identifier is empty."]),
        (f"{LIST}&metadataPrefix=b", ["The argument 'metadataPrefix' is repeated."]),
        (
            "verb=ListRecords&resumptionToken=x&until=2000-02-05",
            ["The argument resumptionToken is exclusive: nothing may stand beside it."],
        ),
        ("verb=ListSets&set=a", ["The argument 'set' is not legal for this verb."]),
        ("verb=ListRecords&metadataPrefix=a/b", ["The metadataPrefix 'a/b' is not a metadataPrefix."]),
        (f"{LIST}&set=a::b", ["The set 'a::b' is not a setSpec."]),
        ('verb=GetRecord&metadataPrefix=a&identifier=x"', ["The identifier 'x\"' is not a URI."]),
        (
            f"{LIST}&from=2002-02-05&until=2002-02-06T05:35:00Z",
            ["The arguments from and until have different granularities."],
        ),
        (f"{LIST}&from=2002-02-06&until=2002-02-05", ["The argument from is later than until."]),
        (f"{LIST}&until=", ["until is empty: YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ is wanted."]),
    ],
)
def test_every_mistake_is_one_error(query, sentences):
    assert mistakes(query) == [("badArgument", sentence) for sentence in sentences]


def test_mistakes_in_the_verb_and_in_arguments_are_reported_together():
    assert [code for code, _ in mistakes("verb=Nope&from=1&from=2")] == ["badVerb", "badArgument"]


@each_row(
    "date",
    [
        "2023-02-29",
        "2023-00-10",
        "2023-13-01",
        "2023-1-1",
        "20230101",
        "2023-01-01T00:00:00",
        "2023-01-01T24:00:00Z",
        "2023-01-01T23:59:60Z",
        "2023-01-01T23:59:61Z",
        "2023-01-01T23:59:59.5Z",
        "2023-01-01T23:59:59+00:00",
        "2023-01-01t23:59:59z",
        " 2023-01-01",
        "2023-01-01\n",
        "٢٠٢٣-01-01",
        "0000-01-01",
        "10000-01-01",
    ],
)
@each_row("name", ["from", "until"])
def test_a_date_that_is_no_utcdatetime_is_a_bad_argument(name, date):
    query = f"verb=ListRecords&metadataPrefix=oai_dc&{name}={quote(date)}"
    assert [code for code, _ in mistakes(query)] == ["badArgument"]


def test_the_first_and_the_last_day_of_the_calendar_can_be_asked_for():
    asked = parse(b"verb=ListRecords&metadataPrefix=oai_dc&from=0001-01-01&until=9999-12-31")
    assert asked.errors == ()
    assert utc_datetime(asked.from_) == "0001-01-01T00:00:00Z"
    assert utc_datetime(asked.until) == "9999-12-31T23:59:59Z"


@each_row("bad", ["%00", "%0B", "%1F", "%EF%BF%BE", "%ED%A0%80", "%FF", "%C3", "%C0%AF"])
@each_row("name", ["identifier", "metadataPrefix"])
def test_a_character_that_xml_forbids_is_a_bad_argument(name, bad):
    other = {"identifier": "metadataPrefix=oai_dc", "metadataPrefix": "identifier=a"}[name]
    sentence = f"The argument '{name}' has a character that XML forbids, or is not UTF-8."
    assert mistakes(f"verb=GetRecord&{name}=x{bad}&{other}") == [("badArgument", sentence)]


def test_a_long_value_is_shortened_in_the_sentence():
    ((_, sentence),) = mistakes("verb=ListRecords&metadataPrefix=" + "/" * 100_000)
    assert sentence == f"The metadataPrefix '{'/' * 60}…' is not a metadataPrefix."


def test_more_than_a_hundred_mistakes_are_counted():
    errors = mistakes("verb=Identify&" + "&".join(f"a{number}=" for number in range(1000)))
    assert len(errors) == 101
    assert errors[-1] == ("badArgument", "There are 900 more errors.")


@each_row("sign", ["@", "a@", "%40", "/", "."])
@each_row("start", ["", "//", "http://", "http://["])
def test_a_long_identifier_is_refused_in_a_moment(start, sign):
    """With two readings of each @, 4,000 of them took two seconds, and 100,000 would have taken hours."""
    identifier = quote(start + sign * 20_000 + "^", safe="")
    assert parse(f"verb=ListMetadataFormats&identifier={identifier}".encode()).errors


@each_row(
    "identifier",
    [
        "oai:arXiv.org:cs/0112017",
        "http://example.org/a?b=c#d",
        "http://user@[2001:db8::1]:80/",
        "http://user:x@host/@a@",
        "mailto:a@b@c",
        "@",
        "urn:isbn:1",
        "nonsense",
        "a/b:c",
        "info:x/%41",
        "//host/path",
        "oai:x:(1);~!",
    ],
)
def test_a_uri_reference_is_a_legal_identifier(identifier):
    query = f"verb=ListMetadataFormats&identifier={quote(identifier, safe='')}"
    assert parse(query.encode()).identifier == identifier


@each_row("identifier", ["a b", "<x>", "oai:x:%", "oai:x:%4", ":x", "1a:b", "a#b#c", "http://[x", "é", "http://a@b@c/"])
def test_what_is_no_uri_is_no_identifier(identifier):
    assert [code for code, _ in mistakes(f"verb=ListMetadataFormats&identifier={quote(identifier)}")] == ["badArgument"]


NAMES = st.sampled_from(["verb", "metadataPrefix", "identifier", "from", "until", "set", "resumptionToken", "x", ""])
VALUES = st.sampled_from([*RULES, "oai_dc", "2023-01-01", "2023-01-01T00:00:00Z", "a:b"]) | st.text(max_size=8)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=5))
def test_without_errors_the_arguments_are_legal_complete_and_not_repeated(pairs):
    asked = parse("&".join(f"{quote(name)}={quote(value, errors='surrogatepass')}" for name, value in pairs).encode())
    if not asked.errors:
        names = [name for name, _ in asked.given]
        rule = RULES[asked.verb]
        assert len(names) == len(set(names))
        assert set(names) <= rule.legal
        assert rule.exclusive in names or set(rule.required) <= set(names)
