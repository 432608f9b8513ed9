"""The OAI-PMH source of the benches: serves the corpus as fast as a Python process can, page by page."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from tests.bench import runs
from tests.bench.corpus import PAGE, answer, dated_page, list_page, write_works

_IDENTIFY = """<Identify><repositoryName>Bench</repositoryName><baseURL>http://127.0.0.1/oai</baseURL>
<protocolVersion>2.0</protocolVersion><adminEmail>bench@example.org</adminEmail>
<earliestDatestamp>2024-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord>
<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"""
_FORMATS = """<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix>
<schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema>
<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat>
</ListMetadataFormats>"""
_SPECS = ("subject", *(f"subject:{number}" for number in range(10)))
_SETS = "".join(f"<set><setSpec>{spec}</setSpec><setName>{spec}</setName></set>" for spec in _SPECS)
_RECORD = re.compile(rb"(?s)<record[^>]*>\s*(<header.*?</header>).*?</record>")
_SAID = {
    "Identify": answer(_IDENTIFY),
    "ListMetadataFormats": answer(_FORMATS),
    "ListSets": answer(f"<ListSets>{_SETS}</ListSets>"),
}


class _Handler(runs.Quiet):
    records = 0
    latency = 0.0  # seconds before every answer
    size = PAGE  # records of a page

    def answer(self) -> None:
        """Answer by the verb; of a list of everything the resumptionToken is the number of the page."""
        arguments = {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}
        verb = arguments.get("verb", "")
        body = _SAID.get(verb) or self._list(arguments)
        body = _named(body) if verb == "ListIdentifiers" else body
        time.sleep(self.latency)
        self.reply(body, headers={"Content-Type": "text/xml; charset=utf-8"})

    def _list(self, arguments: dict[str, str]) -> bytes:
        """Answer a list: of everything, or of what lies between two dates."""
        token = arguments.get("resumptionToken", "0")
        if "/" in token:
            dates, _, first = token.rpartition("/")
            return dated_page(dates, int(first), self.records, self.size)
        if arguments.keys() & {"from", "until"}:
            return dated_page(f"{arguments.get('from', '')}/{arguments.get('until', '')}", 0, self.records, self.size)
        return list_page(int(token), self.records, self.size)


def _named(page: bytes) -> bytes:
    """Return a page of records as one of their headers."""
    return _RECORD.sub(rb"\1", page).replace(b"ListRecords>", b"ListIdentifiers>")


@contextmanager
def serving(records: int, latency: float = 0.0, size: int = PAGE) -> Iterator[str]:
    """Serve a corpus of that many records from a process of its own; the base URL is the context's value.

    `latency` is how many seconds every answer waits, `size` how many records a page has.
    """
    write_works(records)
    with runs.serving(type("Handler", (_Handler,), {"records": records, "latency": latency, "size": size})) as port:
        yield f"http://127.0.0.1:{port}/oai"
