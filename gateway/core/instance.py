"""Checks what must be right before an instance serves or publishes: its settings, its secret, its domain.

The secret signs tokens; it is in the instance folder (mode 0600) or comes from the environment. The domain of the
repository is part of every identifier, so it is fixed once something is published.
"""

import re
from hashlib import blake2b
from urllib.parse import urlsplit

from gateway.core import logs
from gateway.core.errors import ConfigurationError
from gateway.core.settings import Settings
from gateway.core.web import proxies
from gateway.core.xmltext import clean

# The namespace-identifier of oai-identifier 2.0 in lower case, as the official validator requires it.
_DOMAIN = re.compile(r"[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]+)+")
_EMAIL = re.compile(r"[^\s@]+@([^\s@.]+\.)+[^\s@.]{2,}")
_ADDRESS = re.compile(r"https?://[^\s/?#]+[^\s?#]*")
_SHORTEST_SECRET = 16
_PORT = re.compile(r"[0-9]{1,5}")
_LAST_PORT = 65_535


def secret(settings: Settings) -> str:
    """Return the secret: the setting, else the file. Raise ConfigurationError if it is missing or too short."""
    text = settings.text("secret")
    if not text:
        file = settings.instance / "secret"
        try:
            text = file.read_text("utf-8").strip()
        except FileNotFoundError:
            text = ""
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"The secret in {file} cannot be read: {error}") from error
    if not text:
        raise ConfigurationError("There is no secret to sign tokens with; `gateway init` makes one.")
    if len(text) < _SHORTEST_SECRET:
        raise ConfigurationError(f"The secret is too short: it must have at least {_SHORTEST_SECRET} characters.")
    return text


def key(settings: Settings, purpose: str, epoch: str = "") -> bytes:
    """Return a key of 32 bytes for one purpose (at most 16 ASCII letters), derived from the secret and the epoch.

    The epoch of the store changes with each restore. Raise ConfigurationError if there is no usable secret.
    """
    text = f"{secret(settings)}\0{epoch}" if epoch else secret(settings)
    return blake2b(text.encode(), digest_size=32, person=purpose.encode()).digest()


def check_settings(settings: Settings) -> None:
    """Raise ConfigurationError for a setting that would make answers invalid, or that the server could not use."""
    if problem := _problem(settings):
        raise ConfigurationError(problem)
    logs.level(settings)
    proxies(settings.text("serve_trusted_proxies"), settings.text("serve_proxy_header"))
    metrics_address(settings)


def metrics_address(settings: Settings) -> tuple[str, int] | None:
    """Return host and port of `metrics_listen`; None if it is empty. Raise ConfigurationError if it is wrong."""
    text = settings.text("metrics_listen")
    if not text:
        return None
    host, _, port = text.rpartition(":")
    if not host or not _PORT.fullmatch(port) or int(port) > _LAST_PORT:
        raise ConfigurationError(f"The setting metrics_listen must be an address and a port, not {text!r}.")
    return host.strip("[]"), int(port)


def _problem(settings: Settings) -> str:
    domain, email, base_url = (settings.text(name) for name in ("repository_domain", "admin_email", "base_url"))
    if not clean(settings.text("repository_name")).strip():
        return "The setting repository_name must not be empty."
    if not _DOMAIN.fullmatch(domain):
        return f"The setting repository_domain must be a domain name in lower case, not {domain!r}."
    if not _EMAIL.fullmatch(email):
        return f"The setting admin_email must be an e-mail address, not {email!r}."
    if base_url and not _is_address(base_url):
        return f"The setting base_url must be an http or https address without a query, not {base_url!r}."
    return ""


def _is_address(text: str) -> bool:
    try:
        port = urlsplit(text).port
    except ValueError:  # brackets without an end, or an impossible port
        return False
    return port != 0 and bool(_ADDRESS.fullmatch(text))


def base_url_doubt(settings: Settings) -> str:
    """Return a warning if the base_url may not lead to the repository, else an empty string."""
    base_url = settings.text("base_url")
    if not base_url or base_url.endswith("/oai"):
        return ""
    return (
        f"The base_url {base_url} does not end in /oai, where the repository answers. Set it to "
        f"{base_url.rstrip('/')}/oai, unless a proxy maps it there."
    )
