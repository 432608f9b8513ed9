"""Items behind real proxies: every legal byte of an identifier reaches its page, whatever a proxy makes of the path.

nginx and Apache decode paths, encode them again, and merge slashes. Each is run with the way of our example to pass a
path on, and with the way of its manual.
"""

import http.client
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from gateway.core.names import local_identifier
from gateway.pages.item_places import in_path, in_query
from tests import live
from tests.conftest import ROOT
from tests.publish.harness import Harness, Sent, dc, make_databases
from tests.rows import each_row
from tests.seeds import drawn

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("nginx", "apache2", "openssl"),
    pytest.mark.unmeasured,
]

# Every visible character of ASCII that is no letter inside a name, at its end, and in a row; then what proxies change.
LEGAL = [chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum()]
NAMES = [
    *(f"a{character}b{character}{character}c{character}" for character in LEGAL),
    *("%2F", "x%2Fy", "100%", "a/./b", "a/../b", "a%2e%2e/b", "oai:laro.example.org:LR-15/B(2)", "10.1234/a;b?c=d&e#f"),
    *(
        "http://x.example.org/a?b=c",
        "\u00e9t\u00e9",
        "\u65e5\u672c",
        "a b",
        "a.json",
        "a.oai_dc",
        ".hidden",
        "~user",
    ),
]
PREFIX = "/repository"

NGINX = """daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ }}
http {{
access_log off;
{places}
server {{ listen 127.0.0.1:{own}; {own_way} absolute_redirect off;
  location {prefix}/ {{ proxy_pass http://127.0.0.1:{port}/; }} }}
server {{ listen 127.0.0.1:{other}; location {prefix}/ {{ proxy_pass http://127.0.0.1:{port}/; }} }}
}}
"""
APACHE = """ServerRoot {folder}
PidFile {folder}/apache.pid
ErrorLog {folder}/apache.log
{user}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule proxy_module {modules}/mod_proxy.so
LoadModule proxy_http_module {modules}/mod_proxy_http.so
ServerName localhost
Listen 127.0.0.1:{own}
Listen 127.0.0.1:{other}
<VirtualHost 127.0.0.1:{own}>
{own_way}
</VirtualHost>
<VirtualHost 127.0.0.1:{other}>
  AllowEncodedSlashes On
  ProxyPass {prefix}/ http://127.0.0.1:{port}/
</VirtualHost>
"""
APACHE_MODULES = Path("/usr/lib/apache2/modules")


class Proxied(NamedTuple):
    """The ports of the gateway itself, and of the proxies by their names."""

    gateway: int
    proxies: dict[str, int]


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    folder = tmp_path_factory.mktemp("proxied")
    instance = folder / "instance"
    instance.mkdir()
    make_databases(instance)
    harness = Harness(instance)
    with closing(harness.store), closing(harness.inbox):
        harness.send(*(Sent(name, dc(f"Number {number}")) for number, name in enumerate(NAMES)))
        harness.publish()
    (instance / "config.toml").write_text("")
    ports = {name: live.free_port() for name in ("nginx", "nginx of the manual", "Apache", "Apache of the manual")}
    base_url = f"http://localhost{PREFIX}/oai"
    with live.served(instance, secret="x" * 40, base_url=base_url) as server:
        gateway = int(urlsplit(server.url).port or 0)
        with nginx(folder, gateway, *[*ports.values()][:2]), apache(folder, gateway, *[*ports.values()][2:]):
            yield Proxied(gateway, ports)


@contextmanager
def nginx(folder: Path, port: int, own: int, other: int) -> Iterator[None]:
    example = (ROOT / "deploy/nginx/gateway.conf").read_text("utf-8")
    assert "proxy_pass http://gateway/;" in example
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (own_way,) = re.findall(r"merge_slashes off;", example)
    text = NGINX.format(
        folder=folder, user="user root;" if os.getuid() == 0 else "", places=places, port=port, own=own, other=other,
        own_way=own_way, prefix=PREFIX,
    )  # fmt: skip
    (folder / "nginx.conf").write_text(text)
    command = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    with running(own, str(command), "-c", str(folder / "nginx.conf"), "-e", str(folder / "start.log")):
        yield


@contextmanager
def apache(folder: Path, port: int, own: int, other: int) -> Iterator[None]:
    example = (ROOT / "deploy/apache/gateway.conf").read_text("utf-8")
    lines = [line for line in example.splitlines() if re.match(r"\s+(AllowEncoded|MergeSl|ProxyPass )", line)]
    user = "User www-data\nGroup www-data" if os.getuid() == 0 else ""
    own_way = "\n".join(lines).replace("127.0.0.1:8080", f"127.0.0.1:{port}")
    assert "nocanon" in own_way
    text = APACHE.format(
        folder=folder, user=user, modules=APACHE_MODULES, own=own, other=other, own_way=own_way, prefix=PREFIX,
        port=port,
    )  # fmt: skip
    (folder / "apache.conf").write_text(text)
    command = shutil.which("apache2", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    with running(own, str(command), "-f", str(folder / "apache.conf"), "-DFOREGROUND"):
        yield


@contextmanager
def running(port: int, *command: str) -> Iterator[None]:
    with subprocess.Popen(command) as process:
        try:
            live.await_server(port)
            yield
        finally:
            process.terminate()


def followed(port: int, path: str) -> tuple[int, str, bytes]:
    """Return the status, the last path, and the body; every redirect must stay below the prefix."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as client:
        for _ in range(5):
            client.request("GET", path)
            answer = client.getresponse()
            body = answer.read()
            if answer.status not in (303, 308):
                return answer.status, path, body
            path = answer.headers["Location"].removeprefix("http://localhost")
            assert path.startswith(f"{PREFIX}/"), path
    raise AssertionError(f"{path} is redirected again and again")


def address(place: str, name: str) -> str:
    """Return the address of an item below a place. Segments of dots never arrive in a path, so they are in a query."""
    identifier = local_identifier("gateway.example.org", "laro", name)
    if re.search(r"/\.{1,2}(/|$)", identifier):
        query = in_query(identifier)
        return f"{PREFIX}/{place}/?identifier={query}" if place else f"{PREFIX}/resolve?id={query}"
    return f"{PREFIX}/{place}/{in_path(identifier)}" if place else f"{PREFIX}/{in_path(identifier)}"


@each_row("proxy", ["nginx", "nginx of the manual", "Apache", "Apache of the manual"])
@each_row("place", ["items", "metadata/oai_dc", ""])
def test_every_identifier_leads_through_a_proxy(proxied: Proxied, proxy: str, place: str) -> None:
    wanted = "<dc:title>Number {}</dc:title>" if place.startswith("metadata") else ">Number {}</h1>"
    wrong = []
    for number, name in drawn(enumerate(NAMES), 3):
        status, path, body = followed(proxied.proxies[proxy], address(place, name))
        if status != 200 or wanted.format(number) not in body.decode():
            wrong.append((name, status, path))
    assert wrong == []


def test_apache_reads_the_example(tmp_path: Path) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    line = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    line += ["-subj", "/CN=localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(line, check=True, capture_output=True)
    example = (ROOT / "deploy/apache/gateway.conf").read_text("utf-8")
    example = re.sub(r"/etc/ssl/certs/\S+\.pem", str(certificate), example)
    example = re.sub(r"/etc/ssl/private/\S+\.key", str(key), example)
    names = ("mpm_event", "authz_core", "alias", "headers", "proxy", "proxy_http", "socache_shmcb", "ssl")
    modules = "\n".join(f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so" for name in names)
    whole = f"ServerRoot {tmp_path}\nPidFile {tmp_path}/pid\nErrorLog {tmp_path}/log\n{modules}\nListen 127.0.0.1:1\n"
    (tmp_path / "apache.conf").write_text(whole + example)
    command = shutil.which("apache2", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    line = [str(command), "-t", "-f", str(tmp_path / "apache.conf")]
    checked = subprocess.run(line, check=False, capture_output=True, text=True)
    assert (checked.returncode, "Syntax OK" in checked.stderr) == (0, True), checked.stderr
