"""OAI-PMH 2.0 §3.2, §3.6: the frame of every answer, and errors in it."""

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">
<responseDate>2023-11-14T22:13:20Z</responseDate>
"""


def test_a_bad_verb_is_answered_without_attributes(ask):
    assert ask("verb=<b>&x=%22") == (
        f"{HEAD}<request>http://gw.example.org/oai</request>\n"
        "<error code=\"badVerb\">'&lt;b&gt;' is not a verb of OAI-PMH 2.0.</error>\n</OAI-PMH>\n"
    )


def test_all_errors_are_reported_one_by_one(ask):
    assert ask("verb=ListRecords&from=junk&x=1&set=nope") == (
        f"{HEAD}<request>http://gw.example.org/oai</request>\n"
        "<error code=\"badArgument\">The argument 'x' is not legal for this verb.</error>\n"
        '<error code="badArgument">The argument metadataPrefix is missing.</error>\n'
        "<error code=\"badArgument\">The from 'junk' is not a date or UTC time that exists: "
        "YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ is wanted.</error>\n"
        '<error code="noRecordsMatch">The set does not exist.</error>\n</OAI-PMH>\n'
    )


def test_values_are_escaped_in_the_echo(ask):
    answer = ask("verb=ListSets&resumptionToken=%22%3C%26%3E%0A%09%0D'")
    assert '<request verb="ListSets" resumptionToken="&quot;&lt;&amp;&gt;&#10;&#9;&#13;\'">' in answer
    assert '<error code="badResumptionToken">' in answer
