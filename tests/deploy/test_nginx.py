"""The example of `deploy/nginx/`, run by a real nginx before a real gateway."""

import http.client
import os
import re
import shutil
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gateway.ops.upkeep import make
from tests import live
from tests.conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.needs("nginx", "openssl")]

BASE_URL = "https://repository.example.org/repository/oai"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deploy")


@pytest.fixture(scope="module")
def access_log(folder: Path) -> Path:
    return folder / "access.log"


@pytest.fixture(scope="module")
def gateway(folder: Path, access_log: Path) -> Iterator[int]:
    """Serve an empty instance; return the port."""
    make(folder / "instance", {})
    words = ("--access-log", str(access_log))
    settings = {"base_url": BASE_URL, "serve_trusted_proxies": "127.0.0.1"}
    with live.served(folder / "instance", *words, **settings) as server:
        yield int(urlsplit(server.url).port or 0)


@pytest.fixture(scope="module")
def address(folder: Path, gateway: int) -> Iterator[str]:
    """Start nginx with the example, its names replaced by those of this machine; return the address before `/oai`."""
    certificate, key, port = folder / "certificate.pem", folder / "key.pem", live.free_port()
    line = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    line += ["-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(line, check=True, capture_output=True)
    example = (ROOT / "deploy" / "nginx" / "gateway.conf").read_text("utf-8")
    for wanted, here in (
        (r"listen \[::\]:443 ssl;", ""),
        (r"listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        (r"server 127\.0\.0\.1:8080;", f"server 127.0.0.1:{gateway};"),
        (r"/etc/ssl/certs/\S+\.pem", str(certificate)),
        (r"/etc/ssl/private/\S+\.key", str(key)),
    ):
        example, count = re.subn(wanted, here, example)
        assert count == 1, wanted
    user = "user root;" if os.getuid() == 0 else ""
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"daemon off;\n{user}\npid {folder}/nginx.pid;\nerror_log {folder}/error.log;\nevents {{ }}\n"
    configuration = folder / "nginx.conf"
    configuration.write_text(f"{whole}http {{\naccess_log off;\n{places}{example}\n}}\n", "utf-8")
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert nginx is not None
    with subprocess.Popen([nginx, "-c", str(configuration), "-e", str(folder / "start.log")]) as process:
        try:
            live.await_server(port)
            yield f"https://localhost:{port}/repository"
        finally:
            process.terminate()


def get(address: str, **headers: str) -> tuple[int, bytes]:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), context=context) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_repository_is_found_below_the_prefix_and_announces_its_own_address(address: str) -> None:
    status, body = get(f"{address}/oai?verb=Identify", Host="evil.example.net")
    assert status == 200
    assert f"<baseURL>{BASE_URL}</baseURL>".encode() in body
    assert b"evil" not in body


def test_long_arguments_get_an_answer_of_the_protocol(address: str) -> None:
    status, body = get(f"{address}/oai?verb=Identify&x={'a' * 20_000}")
    assert (status, b'code="badArgument"' in body) == (200, True)


def test_source_description_is_found_at_the_host_and_below_the_prefix(address: str) -> None:
    host = address.removesuffix("/repository")
    at_host, below = (get(f"{place}/.well-known/resourcesync") for place in (host, address))
    assert at_host == below
    assert at_host[0] == 200
    assert f"<loc>{BASE_URL.removesuffix('/oai')}/resourcesync/oai_dc/source/capabilitylist.xml".encode() in at_host[1]


def test_redirect_of_the_proxy_names_no_host_that_the_client_wrote(address: str) -> None:
    parts = urlsplit(address)
    client = http.client.HTTPSConnection(parts.netloc, context=ssl._create_unverified_context())
    client.request("GET", parts.path, headers={"Host": "evil.example.net"})
    answer = client.getresponse()
    client.close()
    assert (answer.status, answer.headers["Location"]) == (308, "/repository/")


def test_health_is_nobody_elses_business(address: str) -> None:
    assert get(f"{address}/readyz")[0] == 404


def test_client_in_the_access_log_is_the_one_before_the_proxy(address: str, access_log: Path) -> None:
    """The client wrote the header itself; the proxy saw 127.0.0.2, which is no trusted proxy."""
    context = ssl._create_unverified_context()
    parts = urlsplit(address)
    client = http.client.HTTPSConnection(parts.netloc, source_address=("127.0.0.2", 0), context=context)
    client.request("GET", f"{parts.path}/oai?verb=ListSets", headers={"X-Forwarded-For": "203.0.113.9"})
    client.getresponse().read()
    client.close()
    assert logged(access_log, "ListSets").startswith("127.0.0.2 ")


def logged(file: Path, wanted: str) -> str:
    """Return the first line with `wanted` in it; the line is written after the answer."""
    for _ in range(1200):
        for line in file.read_text().splitlines():
            if wanted in line:
                return line
        time.sleep(0.05)
    raise AssertionError(file.read_text())
