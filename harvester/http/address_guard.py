"""The address guard decides where a request may go. `connections` calls it before each connection.

The guard looks a name up once, judges its addresses, and the connection uses one of them. So a second look-up with
another result (DNS rebinding) has no effect. If there is a proxy, the guard judges the name instead. A resolver for our
hub, which must not call itself, refuses names that lead to our own servers.

`HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY` name proxies, in either spelling. `NO_PROXY` lists names (with their
subdomains), addresses and networks, with or without a port, separated by commas; `*` means no proxy at all. This
machine is never reached through a proxy. Credentials of a proxy are never shown.
"""

import re
import socket
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any, NamedTuple, TypeAlias
from unicodedata import normalize
from urllib.parse import urlsplit

from gateway.core.address_rules import Address, Allowed, class_of, class_of_all, is_local_name, parse_address
from gateway.core.errors import AddressRefused, ConfigurationError
from gateway.core.special_addresses import LOOPBACK, NAMEABLE, PUBLIC
from harvester.http.urls import origin_of

# The results of `socket.getaddrinfo`: family, type, protocol, canonical name, socket address.
Place: TypeAlias = tuple[Any, ...]
Resolve: TypeAlias = Callable[..., Sequence[Place]]

_NUMBERS = re.compile(r"(?i)[0-9a-fx.]+")  # an IPv4 address as `inet_aton` reads it: octal, hexadecimal, short
_NAME = re.compile(r"[a-z0-9_-]++(?>(?:\.[a-z0-9_-]++)*)")  # a proxy might read anything else as another host
_DEFAULT_PORTS = frozenset((80, 443))
_HOW = 'If this is intended, allow it: allow = ["{}"] in the entry of the source, or --allow where a command has it.'
_HOW_OWN = 'If this is intended, write address = "{}" into the entry of {} in sources.toml (for a mirror: --allow {}).'


class Own(NamedTuple):
    """The host and port of a source, and the classes of address besides `public` where they may be."""

    host: str
    port: int
    source: str = ""
    classes: Collection[str] = NAMEABLE

    def is_at(self, host: str, port: int) -> bool:
        """Return whether this is the source itself, or the same host at port 443 where the source is at port 80."""
        return host == self.host and (port == self.port or (self.port, port) == (80, 443))


class Guard:
    """Judge of hosts, ports and addresses. Call it for each new connection."""

    def __init__(
        self, allowed: Allowed, own: Own | None = None, resolve: Resolve | None = None, ports: Collection[int] = ()
    ) -> None:
        """`ports` are those allowed at public hosts other than the source; an empty collection allows every port."""
        self.allowed = allowed
        self.own = own
        self.resolve = resolve or socket.getaddrinfo
        self.ports = frozenset(ports)

    def places(self, host: str, port: int) -> list[Place]:
        """Return the results of `getaddrinfo` that may be connected to.

        Raise AddressRefused when there are none, and OSError or UnicodeError when the name cannot be looked up.
        """
        resolved = list(self.resolve(host, port, type=socket.SOCK_STREAM))
        addresses = {str(place[4][0]): parse_address(str(place[4][0])) for place in resolved}
        refusals = {text: self._refusal(_plain(host), address, port) for text, address in addresses.items()}
        good = [place for place in resolved if not refusals[str(place[4][0])]]
        if not good:
            raise AddressRefused(self._sentence(host, port, addresses, refusals))
        return good

    def check_name(self, host: str, port: int) -> None:
        """Raise AddressRefused for a host that may not be reached by a proxy: a private address or a local name."""
        name = _plain(host)
        if self._is_own(name, port) or self.allowed.name(name, port):
            return
        address = literal_address(name)
        if address is not None:
            if refusal := self._refusal(name, address, port):
                raise AddressRefused(self._sentence(host, port, {str(address): address}, {str(address): refusal}))
        elif not _NAME.fullmatch(name):
            raise AddressRefused(f"{host!r} is not a valid host name for a request through a proxy.")
        elif is_local_name(name):
            raise AddressRefused(f"{host} is a name of the local network. {_HOW.format(f'{name}:{port}')}")
        elif not self._is_open(name, port):
            raise AddressRefused(self._port_sentence(host, port))

    def _is_own(self, name: str, port: int) -> bool:
        return self.own is not None and self.own.is_at(name, port)

    def _is_open(self, name: str, port: int) -> bool:
        """Return whether this port of a host with a public address may be connected to."""
        if not self.ports or self._is_own(name, port) or self.allowed.port(port):
            return True
        if self.own is not None and name == self.own.host:
            return port in _DEFAULT_PORTS
        return port in self.ports

    def _refusal(self, name: str, address: Address, port: int) -> str:
        """Return why an address is refused: its class, or `port`; empty when it is allowed."""
        if self.allowed.address(name, address, port):
            return ""
        class_ = class_of(address)
        if class_ == PUBLIC:
            return "" if self._is_open(name, port) else "port"
        is_expected = self.own is not None and self._is_own(name, port) and class_ in self.own.classes
        return "" if is_expected else class_

    def _sentence(self, host: str, port: int, addresses: dict[str, Address], refusals: dict[str, str]) -> str:
        if not addresses:
            return f"{host} has no address."
        if set(refusals.values()) == {"port"}:
            return self._port_sentence(host, port)
        text, refusal = next(pair for pair in refusals.items() if pair[1] != "port")
        places = ", ".join(f"{name} ({class_of(address)})" for name, address in addresses.items())
        what = f"{host} port {port} is at {places}, which is not public."
        if self.own is not None and self._is_own(_plain(host), port) and refusal in NAMEABLE:
            return f"{what} {_HOW_OWN.format(refusal, self.own.source or 'the source', host)}"
        text = text.partition("%")[0]
        return f"{what} {_HOW.format(f'[{text}]:{port}' if ':' in text else f'{text}:{port}')}"

    def _port_sentence(self, host: str, port: int) -> str:
        return f"Port {port} of {host} is not among the allowed ports. {_HOW.format(f'{host}:{port}')}"


def ports_of(text: str) -> tuple[int, ...]:
    """Return the ports in the setting `discover_ports`. Raise ConfigurationError for any other text."""
    ports = text.split()
    if not ports or not all(re.fullmatch(r"[1-9]\d{0,4}", port) for port in ports):
        raise ConfigurationError(
            f"discover_ports is {text!r}. Write port numbers with spaces between them, such as `80 443`."
        )
    return tuple(map(int, ports))


def literal_address(host: str) -> Address | None:
    """Return the address that a host literally is, in any spelling (`127.1`, `0x7f000001`); None for a name."""
    name = _plain(host)
    try:
        return parse_address(name.strip("[]"))
    except ValueError:
        pass
    if name == "localhost" or name.endswith(".localhost"):
        return parse_address("127.0.0.1")
    if not _NUMBERS.fullmatch(name):
        return None
    try:
        return parse_address(socket.inet_ntoa(socket.inet_aton(name)))
    except OSError:
        return None


def is_this_machine(host: str) -> bool:
    """Return whether a host name or literal address means this machine; no proxy is used for it."""
    address = literal_address(host)
    return address is not None and class_of(address) == LOOPBACK


def address_class(url: str, resolve: Resolve | None = None) -> str:
    """Return the class of the current addresses of the host of a URL; empty when it cannot be looked up."""
    host = urlsplit(url).hostname or ""
    literal = literal_address(host)
    if literal is not None:
        return class_of(literal)
    try:
        addresses = (resolve or socket.getaddrinfo)(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ""
    return class_of_all(parse_address(str(place[4][0])) for place in addresses)


def _plain(host: str) -> str:
    """Return a host in the form used to compare hosts: lower case, no dot at the end, ASCII digits."""
    return normalize("NFKC", host).lower().rstrip(".")


def elsewhere(own: Iterable[str], allowed: Allowed, resolve: Resolve | None = None) -> Resolve:
    """Return a resolver that raises AddressRefused for a name at an address and port of one of the URLs `own`.

    A server at port 80 is the one at port 443. An allowed name is not refused. `resolve` is the resolver in use (None:
    the system's).
    """
    look_up: Resolve = resolve or socket.getaddrinfo
    origins = {origin_of(url) for url in own}
    servers = {(origin.host, origin.port) for origin in origins}

    def resolved(host: str, port: int, **options: object) -> list[Place]:
        places = list(look_up(host, port, **options))
        if not allowed.name(host, port) and any(_is_at(places, port, server, look_up) for server in servers):
            raise AddressRefused(f"{host} port {port} leads back to this hub.")
        return places

    return resolved


def _is_at(places: list[Place], port: int, server: tuple[str, int], resolve: Resolve) -> bool:
    host, own_port = server
    if port != own_port and {port, own_port} != {80, 443}:
        return False
    try:
        own = {str(place[4][0]) for place in resolve(host, own_port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return False
    return any(str(place[4][0]) in own for place in places)


# --- Which proxy a request goes through -------------------------------------------------------------------------------

_SCHEMES = ("http", "https")


class Proxies:
    """The proxies that an environment names."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Read the environment. Raise ConfigurationError for an invalid address of a proxy."""
        # ALL_PROXY is read only where needed: desktops set it to a SOCKS proxy, beside the two others.
        self._by_scheme = {
            scheme: _named(environ, f"{scheme}_proxy") or _named(environ, "all_proxy") for scheme in _SCHEMES
        }
        self._exceptions = [
            exception for exception in map(_exception, _variable(environ, "no_proxy").split(",")) if exception[0]
        ]

    def of(self, scheme: str, host: str, port: int) -> str:
        """Return the address of the proxy for this host; empty when it is reached directly."""
        proxy = self._by_scheme[scheme]
        if not proxy or is_this_machine(host):
            return ""
        name = host.lower().rstrip(".").strip("[]")
        return "" if any(_covers(pattern, name) for pattern, only in self._exceptions if only in ("", port)) else proxy


def shown_proxy(proxy: str) -> str:
    """Return the address of a proxy without its credentials."""
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _variable(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _named(environ: Mapping[str, str], name: str) -> str:
    proxy = _variable(environ, name)
    if not proxy:
        return ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        is_one = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise ConfigurationError(
            f"{name.upper()} is not a valid address of a proxy. Write http://host:port or https://host:port."
        )
    return proxy


def _exception(text: str) -> tuple[str, int | str]:
    """Return the host and the port of an entry of NO_PROXY; an empty text for no port."""
    text = text.strip().lower()
    host, sign, port = text.rpartition(":")
    if sign and port.isdecimal() and port.isascii() and (":" not in host or host.endswith("]")):
        return host.strip("[]"), int(port)
    return text.strip("[]"), ""


def _covers(pattern: str, name: str) -> bool:
    if pattern == "*":
        return True
    try:
        return ip_address(name) in ip_network(pattern, strict=False)
    except ValueError:
        pattern = pattern.removeprefix("*").strip(".")
        return name == pattern or name.endswith(f".{pattern}")
