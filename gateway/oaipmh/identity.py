"""The answer to Identify (OAI-PMH 2.0 §4.2), with its description containers.

The containers follow the implementation guidelines: oai-identifier, friends, branding, rights.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gateway.core.secret_arguments import secret_argument
from gateway.core.xmltext import (
    BRANDING,
    FRIENDS,
    OAI_IDENTIFIER,
    RIGHTS,
    XSI,
    clean,
    escape,
    escape_attribute,
    utc_datetime,
)
from gateway.oaipmh.envelope import element

_SCHEMAS = "http://www.openarchives.org/OAI/2.0/"

# The codings that `routes` applies; Identify announces exactly these (§3.1.3).
COMPRESSIONS = ("gzip", "deflate", "zstd")


@dataclass(frozen=True, slots=True)
class Repository:
    """The values that the verbs need besides the store. `key` signs tokens; a life of 0 seconds means for ever."""

    name: str
    base_url: str
    admin_email: str
    domain: str
    key: bytes
    page_size: int = 500
    has_exact_pages: bool = False
    sets_page_size: int = 1000
    token_life_seconds: int = 0
    icon_url: str = ""
    icon_link: str = ""
    icon_title: str = ""
    rights_manifest: str = ""
    friends_most: int = 200


def identify(repository: Repository, earliest: int, sample: str, friends: Iterable[str]) -> list[bytes]:
    """Return the `<Identify>` element in parts (OAI-PMH 2.0 §4.2).

    `earliest` is the earliestDatestamp in seconds since 1970, `sample` the identifier of an item as escaped text.
    `friends` are the baseURLs of other repositories; one with a secret is not announced.
    """
    return [
        b"<Identify>",
        element("repositoryName", repository.name),
        element("baseURL", repository.base_url),
        element("protocolVersion", "2.0"),
        element("adminEmail", repository.admin_email),
        element("earliestDatestamp", utc_datetime(earliest)),
        element("deletedRecord", "persistent"),
        element("granularity", "YYYY-MM-DDThh:mm:ssZ"),
        *(element("compression", coding) for coding in COMPRESSIONS),
        *(f"<description>{text}</description>".encode() for text in _descriptions(repository, sample, friends)),
        b"</Identify>",
    ]


def _descriptions(repository: Repository, sample: str, friends: Iterable[str]) -> Iterator[str]:
    yield _oai_identifier(repository, sample)
    named = [url for url in friends if not secret_argument(url)]  # of an earlier release
    if named:
        yield _container("friends", FRIENDS, "friends.xsd", "".join(_text("baseURL", url) for url in named))
    if repository.icon_url:
        yield _branding(repository)
    if repository.rights_manifest:
        yield _rights_manifest(repository.rights_manifest)


def _oai_identifier(repository: Repository, sample: str) -> str:
    content = (
        f"<scheme>oai</scheme>{_text('repositoryIdentifier', repository.domain)}<delimiter>:</delimiter>"
        f"<sampleIdentifier>{sample}</sampleIdentifier>"
    )
    return _container("oai-identifier", OAI_IDENTIFIER, "oai-identifier.xsd", content)


def _branding(repository: Repository) -> str:
    fields = (("url", repository.icon_url), ("link", repository.icon_link), ("title", repository.icon_title))
    icon = "".join(_text(name, value) for name, value in fields if value)
    return _container("branding", BRANDING, "branding.xsd", f"<collectionIcon>{icon}</collectionIcon>")


def _rights_manifest(address: str) -> str:
    reference = f'<rights><rightsReference ref="{escape_attribute(clean(address))}"/></rights>'
    applies = f' appliesTo="{_SCHEMAS}entity#metadata"'
    return _container("rightsManifest", RIGHTS, "rightsManifest.xsd", reference, applies)


def _container(name: str, namespace: str, schema: str, content: str, attributes: str = "") -> str:
    location = f'xmlns:xsi="{XSI}" xsi:schemaLocation="{namespace} {_SCHEMAS}{schema}"'
    return f'<{name} xmlns="{namespace}" {location}{attributes}>{content}</{name}>'


def _text(name: str, text: str) -> str:
    return f"<{name}>{escape(clean(text))}</{name}>"
