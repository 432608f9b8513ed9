"""A strict OAI-PMH 1.1 repository on loopback, harvested into the store like any other."""

import json
import re
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape

import pytest

from gateway.core.model import Selection
from harvester.harvest.instance import opened
from tests.http.server import listening

pytestmark = pytest.mark.slow  # it asks servers

DC = '<dc xmlns="http://purl.org/dc/elements/1.1/"><title>{}</title><type>e-print</type></dc>'
# What each verb takes (OAI-PMH 1.1 §4); anything else is an illegal argument, told by the HTTP status.
ARGUMENTS = {
    "Identify": set(),
    "ListMetadataFormats": {"identifier"},
    "ListSets": {"resumptionToken"},
    "ListIdentifiers": {"from", "until", "set", "resumptionToken"},
    "ListRecords": {"from", "until", "set", "resumptionToken", "metadataPrefix"},
    "GetRecord": {"identifier", "metadataPrefix"},
}
IDENTITY = (
    "<repositoryName>An old one</repositoryName><baseURL>{}</baseURL><protocolVersion>1.1</protocolVersion>"
    "<adminEmail>mailto:a@example.org</adminEmail>"
)
FORMATS = (
    "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/1.1/dc.xsd</schema>"
    "<metadataNamespace>http://purl.org/dc/elements/1.1/</metadataNamespace></metadataFormat>"
)


@dataclass
class Old:
    """Titles by number, the empty ones of deleted records."""

    titles: dict[int, str]
    dates: dict[int, str] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def answer(self, arguments: dict[str, str]) -> tuple[int, str]:
        """Return the status and the body of an answer."""
        self.asked.append(dict(arguments))
        verb = arguments.pop("verb", "")
        dates = [arguments[name] for name in ("from", "until") if name in arguments]
        if verb not in ARGUMENTS or not set(arguments) <= ARGUMENTS[verb] or not all(len(date) == 10 for date in dates):
            return 400, "Illegal arguments"
        inside = getattr(self, "_" + verb.lower())(arguments)
        asked = escape("&".join(f"{name}={value}" for name, value in arguments.items()))
        return 200, (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<{verb} xmlns="http://www.openarchives.org/OAI/1.1/OAI_{verb}">'
            f"<responseDate>2002-02-08T08:55:46-05:00</responseDate><requestURL>{self.url}?{asked}</requestURL>"
            f"{inside}</{verb}>"
        )

    def _identify(self, _):
        return IDENTITY.format(self.url)

    def _listmetadataformats(self, _):
        return FORMATS

    def _listsets(self, _):
        return ""

    def _listrecords(self, arguments):
        return self._page(arguments, self._record)

    def _listidentifiers(self, arguments):
        return self._page(arguments, self._identifier)

    def _getrecord(self, arguments):
        number = int(arguments["identifier"].rpartition(":")[2])
        return self._record(number) if number in self.titles else ""

    def _page(self, arguments, write):
        date, _, start = arguments.get("resumptionToken", "").partition("|")
        wanted = [title for title in self.titles if self._date(title) >= (date or arguments.get("from", ""))]
        wanted = [title for title in wanted if self._date(title) <= arguments.get("until", "9")]
        first = int(start or 0)
        rest = f"{arguments.get('from', date)}|{first + 10}" if wanted[first + 10 :] else ""
        token = f"<resumptionToken>{rest}</resumptionToken>" if rest else ""
        return "".join(map(write, wanted[first : first + 10])) + token

    def _date(self, number):
        return self.dates.get(number, "2001-06-01")

    def _status(self, number):
        return "" if self.titles[number] else ' status="deleted"'

    def _identifier(self, number):
        return f"<identifier{self._status(number)}>oai:old:{number}</identifier>"

    def _record(self, number):
        named = f"<identifier>oai:old:{number}</identifier><datestamp>{self._date(number)}</datestamp>"
        title = self.titles[number]
        payload = f"<metadata>{DC.format(title)}</metadata>" if title else ""
        return f"<record{self._status(number)}><header>{named}</header>{payload}</record>"


@pytest.fixture
def old():
    """Serve 25 records, the last of them deleted."""
    held = Old({number: f"Work {number}" for number in range(24)} | {24: ""})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            status, text = held.answer(dict(parse_qsl(urlsplit(self.path).query)))
            self.send_response(status, text if status == 400 else None)
            self.send_header("Content-Type", "text/xml")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    with listening(Handler) as address:
        held.url = f"http://{address}/oai1"
        yield held


def _records(instance):
    with opened(str(instance)) as house, house.store.view() as view:
        records = [record.decode() for record in view.page(Selection("oai_dc"), None, 100).records]
    return {int(re.findall(r"oai:old:(\d+)<", record)[0]): record for record in records if "oai:old:" in record}


def test_it_is_harvested_published_and_harvested_again(command, old, instance):
    status, _, err = command("source", "check", old.url, "--add", "old")
    assert (status, "An OAI-PMH repository (version 1.1): An old one." in err) == (0, True), err

    status, out, _ = command("run", "old", "--json")
    report = json.loads(out)
    assert (status, report["counts"]["received"], report["counts"]["published"]) == (0, 25, 24)
    records = _records(instance)
    assert len(records) == 24
    assert "<dc:title>Work 7</dc:title>" in records[7]
    assert 'altered="true"' in records[7]
    assert "<metadataNamespace>http://purl.org/dc/elements/1.1/</metadataNamespace>" in records[7]

    old.titles |= {3: "Another", 5: ""}
    old.dates |= {3: "2002-02-08", 5: "2002-02-08"}
    old.asked.clear()
    status, out, _ = command("run", "old", "--json")
    report = json.loads(out)
    assert (status, report["counts"]["received"], report["counts"]["deleted"]) == (0, 2, 1)
    assert [request["from"] for request in old.asked if request["verb"] == "ListRecords"] == ["2002-02-07"]
    assert "<dc:title>Another</dc:title>" in _records(instance)[3]
