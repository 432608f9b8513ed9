"""The address guard: where strangers may send us, never to our own servers, and where only an administrator may."""

import socket
import time
from ipaddress import ip_address

import pytest

from gateway.core.address_rules import Allowed
from gateway.core.errors import AddressRefused, ConfigurationError, FetchError
from harvester.http.address_guard import Guard, Own, address_class, elsewhere
from harvester.http.credentials import Access
from harvester.http.messages import Request
from harvester.http.retrying import Pace
from tests.http.server import ok
from tests.rows import each_row


@each_row(
    "entry, address, port, is_allowed",
    [
        ("10.0.0.0/8", "10.1.2.3", 99, True),
        ("10.0.0.0/8:99", "10.1.2.3", 98, False),
        ("127.0.0.1", "127.0.0.2", 99, False),
        ("[fd00::1]:99", "fd00::1", 99, True),
        ("[fd00::]/8:99", "fd00::1", 99, True),
        ("169.254.169.254", "169.254.169.254", 80, True),
        ("Repo.Example.org.", "10.1.2.3", 99, True),
        ("repo.example.org:99", "127.0.0.1", 98, False),
        ("repo.example.org", "169.254.169.254", 80, False),
        ("example.org", "10.1.2.3", 99, False),
        ("*:99", "10.1.2.3", 99, False),
    ],
)
def test_administrator_may_allow_hosts_and_networks_and_their_ports(entry, address, port, is_allowed):
    """A name allows what people name, so it does not lead to a cloud's metadata; an address does when it is written."""
    assert Allowed([entry]).address("repo.example.ORG.", ip_address(address), port) == is_allowed


@each_row("entry", ["", "*", "a b", "10.0.0.0/33", "host:0", "host:65536", "http://host/", "[::1", "a:b:c"])
def test_what_cannot_be_allowed_is_refused_in_a_sentence(entry):
    with pytest.raises(ConfigurationError, match=r"cannot be allowed\. Write HOST, ADDRESS or NETWORK"):
        Allowed([entry])


def _resolving(names: dict[str, list[str]]):
    """Return a resolver that knows these names; everything else is looked up."""

    def resolve(host, port, **options):
        addresses = names.get(host)
        if addresses is None:
            return socket.getaddrinfo(host, port, **options)
        return [
            (socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses
        ]

    return resolve


SPELLINGS = ["127.0.0.1", "127.0.0.1.", "localhost", "LOCALHOST.", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"]
SPELLINGS += ["2130706433", "017700000001", "0x7f.1", "0x7f000001", "127.1", "0177.0.0.1", "user:password@127.0.0.1"]
SPELLINGS += ["public.example.org@127.0.0.1"]


@each_row("host", SPELLINGS)
@each_row("proxy", ["", "http://proxy.example.org:3128"])
def test_nobody_sends_us_to_this_machine_however_it_is_spelled(make, host: str, proxy: str):
    with pytest.raises(AddressRefused, match=r"\(loopback\), which is not public"):
        make(environ={"http_proxy": proxy}).web(Request(f"http://{host}:9/"))


@each_row("host", ["\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021", "\u24dbocalhost"])
@each_row("proxy", ["", "http://proxy.example.org:3128"])
def test_digits_and_dots_of_other_scripts_lead_nowhere(make, host: str, proxy: str):
    """IDNA makes ours of some; whatever it makes of them, no name is looked up and the proxy is not asked."""
    asked = []

    def resolve(*arguments, **_):
        asked.append(arguments)

    with pytest.raises(FetchError, match=r"not public|cannot be sent|no name of a host"):
        make(environ={"http_proxy": proxy}, resolve=resolve).web(Request(f"http://{host}:9/"))
    assert asked == []


@each_row("host", ["169.254.169.254", "192.0.0.192", "168.63.129.16", "100.100.100.200"])
def test_nobody_sends_us_to_a_cloud_s_own_addresses(make, host: str):
    with pytest.raises(AddressRefused, match=r"\((cloud|link-local)\), which is not public"):
        make().web(Request(f"http://{host}/"))


def test_source_may_be_where_its_administrator_says(server, make):
    url = server.say("/", ok())
    assert make(url).web(Request(url, "x")).status == 200
    with pytest.raises(AddressRefused):
        make(url).web(Request(url))  # on behalf of nobody
    with pytest.raises(AddressRefused):
        make(url).web(Request(url, "y"))  # of another source


def test_allowed_hosts_and_networks_may_be_reached_by_anybody(server, make):
    url = server.say("/", ok())
    assert make(allow=["127.0.0.0/8"]).web(Request(url)).status == 200
    named = url.replace("127.0.0.1", "repo.test")
    resolve = _resolving({"repo.test": ["127.0.0.1"]})
    assert make(allow=["repo.test"], resolve=resolve).web(Request(named)).status == 200
    assert (
        make(Access("http://other.test/", allow=("repo.test",)), resolve=resolve).web(Request(named, "x")).status == 200
    )


def test_the_name_of_a_source_does_not_open_its_other_ports(server, start, make):
    """The redirect of a source to another port of the same private host needs to be allowed."""
    other = start()
    other.say("/", ok())
    url = server.say("/", ok(b"", 302, Location=other.url()))
    with pytest.raises(AddressRefused, match=rf'allow = \["{other.address}"\] in the entry of the source'):
        make(url).web(Request(url, "x"))
    assert other.asked == []
    assert make(Access(url, allow=(other.address,))).web(Request(url, "x")).status == 200


@each_row("recorded, now", [("public", "127.0.0.1"), ("private", "127.0.0.1"), ("loopback", "10.0.0.1")])
def test_a_source_whose_name_has_another_class_of_address_later_is_refused(make, recorded, now):
    url = "http://repo.test:9/"
    made = make(Access(url, classes=(recorded,)), resolve=_resolving({"repo.test": [now]}))
    kind = "loopback" if now.startswith("127") else "private"
    with pytest.raises(AddressRefused, match=rf'write address = "{kind}" into the entry of x in sources.toml'):
        made.web(Request(url, "x"))


@each_row(
    "host, port, is_open",
    [
        ("repo.test", 8080, True),  # its own
        ("repo.test", 80, True),
        ("repo.test", 8443, False),
        ("files.test", 8443, True),  # where strangers are asked
        ("files.test", 9200, True),  # allowed everywhere
        ("git.test", 22, True),  # allowed there
    ],
)
@each_row("is_proxied", [False, True])
def test_ports_that_nobody_named_are_not_asked_at_public_addresses(host, port, is_open, is_proxied):
    names = {name: ["8.8.8.8"] for name in ("repo.test", "files.test", "git.test")}
    allowed, strangers = Allowed(["*:9200", "git.test:22"]), (80, 443, 8443)
    guard = Guard(allowed, Own("repo.test", 8080, "x", ("public",)), _resolving(names), strangers)
    ask = guard.check_name if is_proxied else guard.places
    if is_open:
        ask(host, port)
    else:
        with pytest.raises(AddressRefused, match=rf'allow = \["{host}:{port}"\]'):
            ask(host, port)


def test_the_encrypted_side_of_a_source_is_the_source():
    own = Own("repo.test", 80, "x", ("private",))
    guard = Guard(Allowed(), own, _resolving({"repo.test": ["10.0.0.1"]}))
    assert guard.places("repo.test", 443)
    with pytest.raises(AddressRefused):
        guard.places("repo.test", 8443)


@each_row(
    "url, expected",
    [
        ("http://repo.test/", "private"),
        ("http://both.test/", "public"),
        ("http://nowhere.test/", ""),
        ("http://[fd00::1]/", "private"),
        ("http://192.0.0.192/", "cloud"),
    ],
)
def test_the_class_of_an_address_is_reported(url, expected):
    known = _resolving({"repo.test": ["10.0.0.1", "127.0.0.1"], "both.test": ["10.0.0.1", "8.8.8.8"]})

    def resolve(host, *arguments, **options):
        if host == "nowhere.test":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return known(host, *arguments, **options)

    assert address_class(url, resolve) == expected


def test_redirect_from_a_public_to_a_private_address_is_refused(server, make):
    secret = server.say("/secret", ok(b"keys"))
    url = server.say("/", ok(b"", 302, Location=secret)).replace("127.0.0.1", "public.test")
    made = make(Access(url), resolve=_resolving({"public.test": ["127.0.0.1"]}))
    with pytest.raises(AddressRefused, match=r"public.test.* redirects to http://127.0.0.1.*loopback"):
        made.web(Request(url, "x"))
    assert [request.path for request in server.asked] == ["/"]
    assert made.pauses == []


def test_name_that_changes_its_address_gains_nothing(server, make, monkeypatch: pytest.MonkeyPatch):
    """DNS rebinding: the address that was judged is the one that is connected to; a name is looked up once."""
    url = server.say("/", ok()).replace("127.0.0.1", "rebinding.test")
    answers = iter([["8.8.8.8"], ["127.0.0.1"]])
    judged = []

    def resolve(host, port, **_):
        judged.append(next(answers))
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in judged[-1]]

    reached = []
    pace = Pace()
    pace.note_answer(url.partition("//")[2].strip("/"), time.monotonic())  # else it is not asked again

    def unreachable(place, _):
        reached.append(place[4][0])
        raise OSError("No route to host")

    monkeypatch.setattr("harvester.http.connections._connected", unreachable)
    with pytest.raises(AddressRefused, match=r"127.0.0.1 \(loopback\)"):
        make(resolve=resolve, pace=pace).web(Request(url))
    assert server.asked == []
    assert judged == [["8.8.8.8"], ["127.0.0.1"]]
    assert reached == ["8.8.8.8"]


def test_of_several_addresses_only_good_ones_are_tried_and_the_second_when_the_first_does_not_answer(server, make):
    url = server.say("/", ok()).replace("127.0.0.1", "mixed.test")
    resolve = _resolving({"mixed.test": ["10.0.0.1", "::1", "127.0.0.1"]})
    assert make(resolve=resolve, allow=["127.0.0.1"]).web(Request(url)).status == 200
    resolve = _resolving({"mixed.test": ["::1", "127.0.0.1"]})
    assert make(resolve=resolve, allow=["mixed.test"]).web(Request(url)).status == 200


@each_row("address", ["10.0.0.1", "fd00::1", "fe80::1%eth0", "::ffff:10.0.0.1"])
def test_what_a_refusal_says_to_allow_can_be_allowed_and_suffices(address):
    def resolve(_host, port, **_):
        return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, port))]

    with pytest.raises(AddressRefused) as refusal:
        Guard(Allowed(), None, resolve).places("repo.example.org", 80)
    entry = str(refusal.value).split('allow = ["')[1].split('"')[0]
    assert Guard(Allowed([entry]), None, resolve).places("repo.example.org", 80)


ADDRESSES = {"gateway.example.org": "192.0.2.1", "alias.example.net": "192.0.2.1", "other.example.net": "192.0.2.2"}


def look_up(host, port, **_):
    if host not in ADDRESSES:
        raise socket.gaierror("unknown")
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ADDRESSES[host], port))]


def resolve(own="https://gateway.example.org/oai", *allowed):
    return elsewhere([own], Allowed(allowed), look_up)


@each_row("port", [80, 443])
def test_an_alias_of_our_host_is_refused(port):
    with pytest.raises(AddressRefused, match="leads back to this hub"):
        resolve()("alias.example.net", port)


def test_other_hosts_and_ports_are_not_ours():
    assert resolve()("other.example.net", 443)[0][4] == ("192.0.2.2", 443)
    assert resolve()("alias.example.net", 8443)[0][4] == ("192.0.2.1", 8443)
    assert resolve("https://nowhere.example.org/oai")("alias.example.net", 443)


def test_a_neighbour_at_our_address_may_be_allowed_by_this_address():
    ours = "http://192.0.2.1/oai"
    with pytest.raises(AddressRefused):
        elsewhere([ours], Allowed(["192.0.2.0/24"]), at_itself)("192.0.2.1", 80)
    assert elsewhere([ours], Allowed(["192.0.2.1"]), at_itself)("192.0.2.1", 80)
    assert elsewhere([ours], Allowed(["192.0.2.1:80"]), at_itself)("192.0.2.1", 80)
    with pytest.raises(AddressRefused):
        elsewhere([ours], Allowed(["192.0.2.1:8080"]), at_itself)("192.0.2.1", 80)


def at_itself(host, port, **_):
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]


def test_a_neighbour_on_our_machine_may_be_allowed():
    assert resolve("https://gateway.example.org/oai", "alias.example.net")("alias.example.net", 443)
