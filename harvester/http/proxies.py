"""Which proxy a request goes through: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either spelling.

`NO_PROXY` lists names (with their subdomains), addresses and networks, with or without a port, separated by commas; `*`
means no proxy at all. This machine is never reached through a proxy. Credentials of a proxy are never shown.
"""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from gateway.core.errors import ConfigurationError
from harvester.http.address_guard import is_this_machine

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


def shown(proxy: str) -> str:
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
