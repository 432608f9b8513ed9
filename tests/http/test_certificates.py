"""Private certificate authorities: trusted besides the public ones, for all requests or for one source."""

import pytest

from gateway.core.errors import ConfigurationError, ConnectionFailed
from harvester.http.credentials import Access
from harvester.http.messages import Request
from tests.http.authority import authority, server_context
from tests.http.server import ok, serving
from tests.rows import each_row


@pytest.fixture
def secure(tmp_path):
    """Return a server with a certificate of a private authority, and that authority's certificate."""
    bundle = authority(tmp_path)
    with serving(server_context(tmp_path, "localhost")) as server:
        server.say("/", ok())
        yield f"https://localhost:{server.address.split(':')[1]}/", str(bundle)


def _answers(made, url, source="x"):
    try:
        return made.web(Request(url, source)).status == 200
    except ConnectionFailed as error:
        return not ("TLS failed" in str(error) and "set ca_bundle" in str(error))


@pytest.mark.slow
@pytest.mark.needs("openssl")
def test_a_private_authority_is_trusted_for_all_or_for_one_source(secure, make):
    url, bundle = secure
    assert not _answers(make(url), url)
    assert _answers(make(url, {"fetch_ca_bundle": bundle}), url)
    assert _answers(make(Access(url, ca_bundle=bundle)), url)
    assert not _answers(make(Access(url, ca_bundle=bundle), allow=["localhost"]), url, "y")


@pytest.mark.slow
@pytest.mark.needs("openssl")
def test_another_authority_is_not_trusted_and_the_public_ones_stay_so(secure, make, tmp_path, monkeypatch):
    url, public = secure
    access = Access(url, ca_bundle=str(authority(tmp_path / "other")))
    assert not _answers(make(access), url)
    monkeypatch.setattr("requests.adapters.DEFAULT_CA_BUNDLE_PATH", public)
    assert _answers(make(access), url)


BAD = [(None, "cannot be read: No such file"), (b"x", "has no certificate")]


@each_row("content, sentence", BAD)
def test_a_bundle_that_cannot_be_used_is_told_with_its_name(make, tmp_path, content, sentence):
    bundle = tmp_path / "ca.pem"
    if content:
        bundle.write_bytes(content)
    with pytest.raises(ConfigurationError, match=rf"The ca_bundle {bundle} {sentence}"):
        make(settings={"fetch_ca_bundle": str(bundle)}).web(Request("https://example.org/"))
