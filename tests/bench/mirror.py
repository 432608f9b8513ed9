"""What a mirror costs: a run that finds nothing changed, files that come late, and a file that no memory could hold.

The provider has as many complex objects as one likes, made while it is asked. Small files stand in the documents
themselves, unless there are hosts to fetch them from.
"""

import json
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit
from urllib.request import urlopen

from gateway.core.xmltext import DIDL, PREMIS, utc_datetime
from tests import live
from tests.bench.runs import Done, Quiet, Row, main, run, scratch, serving
from tests.mirror.provider import ENVELOPE

_OBJECTS = 100_000
_FILES = 1000
_LATENCY_SECONDS = 0.05
_LARGE_BYTES = 5000  # for each record of the corpus: five gigabytes for a million
_SETTINGS = {"fetch_delay_seconds": 0, "fetch_backoff_seconds": 0.01}
_PAGE = 1000
_BLOCK = sha256(b"").digest() * 32_768  # a mebibyte
_IDENTIFY = (
    "<Identify><repositoryName>Many</repositoryName><baseURL>http://127.0.0.1:{port}/oai</baseURL>"
    "<protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail>"
    "<earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
    "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>"
)
_RECORD = (
    "<record><header><identifier>oai:many:{number}</identifier><datestamp>2020-01-01T00:00:00Z</datestamp></header>"
    f'<metadata><DIDL xmlns="{DIDL}"><Item><Component>{{component}}</Component></Item></DIDL></metadata></record>'
)
_INLINE = '<Resource mimeType="text/plain" encoding="base64">{text}</Resource>'
_REFERENCE = (
    f'<Descriptor><Statement mimeType="text/xml"><fixity xmlns="{PREMIS}"><messageDigestAlgorithm>SHA-256'
    "</messageDigestAlgorithm><messageDigest>{digest}</messageDigest></fixity></Statement></Descriptor>"
    '<Resource mimeType="text/plain" ref="http://127.0.0.{host}:{port}/file/{number}"/>'
)


class Offer(NamedTuple):
    """What is there: how many objects of one file each, on how many hosts, how late and how large the files are."""

    objects: int
    hosts: int = 0
    latency_seconds: float = 0.0
    size: int = 0  # of every file; 0: as long as the name of its object


class _Done(NamedTuple):
    """One run of `harvester mirror`."""

    run: Done
    requests: int
    receipt: dict[str, dict[str, int]]


def rows(records: int) -> Iterator[Row]:
    """Measure the runs that find nothing changed, then files from one host and from ten, then a very large one."""
    yield from _unchanged(min(records // 10, _OBJECTS))
    for hosts, least in ((1, 20), (10, 60)):
        yield _late(max(40, min(records // 500, _FILES)), hosts, least)
    yield from _large(records * _LARGE_BYTES)


def _unchanged(objects: int) -> Iterator[Row]:
    with _provider(Offer(objects)) as url, scratch() as place:
        first = _run(url, place)
        note = f"the first run took {first.run.seconds:.0f} s, {objects / first.run.seconds:.0f} objects/s"
        again = _run(url, place)
        what = f"a run that finds nothing changed, of {objects:,} objects"
        yield Row(what, again.run.seconds, 5, unit=" s", note=f"{again.requests} requests; {note}")
        yield Row(f"{what}: memory", again.run.samples.largest, 150, unit=" MiB")
        full = _run(url, place, "--full")
        assert full.receipt["objects"] == {"unchanged": objects}
        note = f"{full.requests} requests; memory {full.run.samples.largest:.0f} MiB"
        yield Row(f"{what}, though all are listed (--full)", full.run.seconds, 300, unit=" s", note=note)


def _late(files: int, hosts: int, least: float) -> Row:
    with _provider(Offer(files, hosts, _LATENCY_SECONDS)) as url, scratch() as place:
        done = _run(url, place)
    assert done.receipt["files"] == {"fetched": files}
    what = f"files/s from {hosts} host{'s' * (hosts > 1)}, each 50 ms late ({files:,} files)"
    note = f"{done.run.seconds:.1f} s, start and end included"
    return Row(what, files / done.run.seconds, least, is_least=True, note=note)


def _large(size: int) -> Iterator[Row]:
    with _provider(Offer(1, 1, 0.0, size)) as url, scratch() as place:
        done = _run(url, place)
    assert done.receipt["bytes_fetched"] == size  # type: ignore[comparison-overlap]
    note = f"{done.run.seconds:.0f} s, {size / done.run.seconds / 1e6:.0f} MB/s, fetched, hashed twice and kept"
    what = f"memory while a file of {size:,} bytes is fetched"
    yield Row(what, done.run.samples.largest, 150, unit=" MiB", note=note)


def _run(url: str, place: Path, *options: str) -> _Done:
    before = _asked(url)
    line = live.command("harvester", place / "nowhere", "mirror", url, str(place / "mirror"), "--json")
    line += ["--allow", "127.0.0.0/8", "--no-robots", *options]
    done = run(line, live.unmeasured(live.environment(_SETTINGS)))
    return _Done(done, _asked(url) - before, json.loads(done.output))


def _asked(url: str) -> int:
    """Return how many requests of OAI-PMH there were."""
    with urlopen(f"{url.removesuffix('/oai')}/asked") as answer:
        return int(answer.read())


# --- the provider -------------------------------------------------------------------------------------------------


class _Handler(Quiet):
    offer: Offer
    digest: str
    asked = 0

    def answer(self):
        parts = urlsplit(self.path)
        if parts.path == "/oai":
            type(self).asked += 1
            asked = dict(parse_qsl(parts.query))
            identify = _IDENTIFY.format(port=self.connection.getsockname()[1])
            body = identify if asked["verb"] == "Identify" else self._list(asked)
            self.reply(ENVELOPE.format(now=utc_datetime(int(time.time())), body=body).encode())
        elif parts.path.startswith("/file/"):
            time.sleep(self.offer.latency_seconds)
            if self.offer.size:
                self._large()
            else:
                self.reply(_content(int(parts.path[6:])))
        else:
            self.reply(str(self.asked).encode(), 200 if parts.path == "/asked" else 404)

    def _large(self):
        self.send_response(200)
        self.send_header("Content-Length", str(self.offer.size))
        self.end_headers()
        for part in _parts(self.offer.size):
            self.wfile.write(part)

    def _list(self, asked):
        start = int(asked.get("resumptionToken", "0"))
        if asked.get("from", "") > "2021":
            return '<error code="noRecordsMatch"/>'
        stop = min(start + _PAGE, self.offer.objects)
        token = str(stop) if stop < self.offer.objects else ""
        end = f'<resumptionToken completeListSize="{self.offer.objects}">{token}</resumptionToken>'
        records = (_RECORD.format(number=number, component=self._component(number)) for number in range(start, stop))
        return f"<{asked['verb']}>{''.join(records)}{end}</{asked['verb']}>"

    def _component(self, number):
        if not self.offer.hosts:
            return _INLINE.format(text=b64encode(_content(number)).decode())
        digest = self.digest or sha256(_content(number)).hexdigest()
        host, port = number % self.offer.hosts + 1, self.connection.getsockname()[1]
        return _REFERENCE.format(digest=digest, host=host, port=port, number=number)


def _content(number: int) -> bytes:
    return f"The file of the object oai:many:{number}.".encode()


def _parts(size: int) -> Iterator[bytes]:
    for _ in range(size // len(_BLOCK)):
        yield _BLOCK
    yield _BLOCK[: size % len(_BLOCK)]


@contextmanager
def _provider(offer: Offer) -> Iterator[str]:
    """Serve an offer as long as the context lasts; give the base URL."""
    digest = sha256()
    for part in _parts(offer.size):
        digest.update(part)
    stated = digest.hexdigest() if offer.size else ""
    with serving(type("Handler", (_Handler,), {"offer": offer, "digest": stated})) as port:
        yield f"http://127.0.0.1:{port}/oai"


if __name__ == "__main__":
    main("mirror")
