"""A provider of as many complex objects as one likes, made while it is asked; its files come late, or are very large.

A process of its own, so that what it takes is not the mirror's: `python -m tests.bench.mirror_source OBJECTS …`. Small
files stand in the documents themselves, unless there are hosts to fetch them from.
"""

from __future__ import annotations

import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from gateway.xmltext import DIDL, PREMIS, utc_datetime
from tests.bench import runs
from tests.mirror.provider import ENVELOPE

_PAGE = 1000
_BLOCK = sha256(b"").digest() * 32_768  # a mebibyte


class Offer(NamedTuple):
    """What is there: how many objects of one file each, on how many hosts, how late and how large the files are."""

    objects: int
    hosts: int = 0
    latency_seconds: float = 0.0
    size: int = 0  # of every file; 0: as long as the name of its object


class _Handler(runs.Quiet):
    offer: Offer
    digest: str
    asked = 0

    def answer(self):
        parts = urlsplit(self.path)
        if parts.path == "/oai":
            type(self).asked += 1
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            body = self._identify() if asked["verb"] == "Identify" else self._list(asked)
            answer = ENVELOPE.format(now=utc_datetime(int(time.time())), body=body)
            return self.reply(answer.encode())
        if parts.path == "/asked":
            return self.reply(str(self.asked).encode())
        if not parts.path.startswith("/file/"):
            return self.reply(b"", 404)
        time.sleep(self.offer.latency_seconds)
        return self._large() if self.offer.size else self.reply(self._content(int(parts.path[6:])))

    def _large(self):
        self.send_response(200)
        self.send_header("Content-Length", str(self.offer.size))
        self.end_headers()
        for part in _parts(self.offer.size):
            self.wfile.write(part)

    def _identify(self):
        return (
            f"<Identify><repositoryName>Many</repositoryName><baseURL>{self._base(0)}/oai</baseURL>"
            "<protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail>"
            "<earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
            "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
        )

    def _base(self, host):
        return f"http://127.0.0.{host + 1}:{self.server.server_address[1]}"  # type: ignore[index]

    def _list(self, asked):
        start = int(asked.get("resumptionToken", "0"))
        if asked.get("from", "") > "2021":
            return '<error code="noRecordsMatch"/>'
        stop = min(start + _PAGE, self.offer.objects)
        token = str(stop) if stop < self.offer.objects else ""
        end = f'<resumptionToken completeListSize="{self.offer.objects}">{token}</resumptionToken>'
        return f"<{asked['verb']}>{''.join(map(self._record, range(start, stop)))}{end}</{asked['verb']}>"

    def _record(self, number):
        return (
            f"<record><header><identifier>oai:many:{number}</identifier><datestamp>2020-01-01T00:00:00Z</datestamp>"
            f'</header><metadata><DIDL xmlns="{DIDL}"><Item><Component>{self._component(number)}</Component></Item>'
            "</DIDL></metadata></record>"
        )

    def _component(self, number):
        if not self.offer.hosts:
            text = b64encode(self._content(number)).decode()
            return f'<Resource mimeType="text/plain" encoding="base64">{text}</Resource>'
        digest = self.digest or sha256(self._content(number)).hexdigest()
        parts = f"<messageDigestAlgorithm>SHA-256</messageDigestAlgorithm><messageDigest>{digest}</messageDigest>"
        fixity = f'<Statement mimeType="text/xml"><fixity xmlns="{PREMIS}">{parts}</fixity></Statement>'
        stated = f"<Descriptor>{fixity}</Descriptor>"
        return f'{stated}<Resource mimeType="text/plain" ref="{self._base(number % self.offer.hosts)}/file/{number}"/>'

    @staticmethod
    def _content(number):
        return f"The file of the object oai:many:{number}.".encode()


def _parts(size: int) -> Iterator[bytes]:
    for _ in range(size // len(_BLOCK)):
        yield _BLOCK
    yield _BLOCK[: size % len(_BLOCK)]


def _digest(size: int) -> str:
    digest = sha256()
    for part in _parts(size):
        digest.update(part)
    return digest.hexdigest()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_arguments):
        """Say nothing."""


def main() -> None:
    """Serve what the command line offers, on every address of loopback; tell the port, and go on for ever."""
    objects, hosts, latency, size = sys.argv[1:]
    offer = Offer(int(objects), int(hosts), float(latency), int(size))
    handler = type("Handler", (_Handler,), {"offer": offer, "digest": _digest(offer.size) if offer.size else ""})
    with _Server(("", 0), handler) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


@contextmanager
def serving(offer: Offer) -> Iterator[str]:
    """Serve an offer as long as the context lasts; give the base URL."""
    with runs.serving("tests.bench.mirror_source", *offer) as port:
        yield f"http://127.0.0.1:{port}/oai"


def asked(url: str) -> int:
    """Return how many requests of OAI-PMH there were."""
    with urlopen(f"{url.removesuffix('/oai')}/asked") as answer:
        return int(answer.read())


if __name__ == "__main__":
    main()
