"""Private certificate authorities that are trusted besides the public ones."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from pathlib import Path

from urllib3.util.ssl_ import create_urllib3_context

from gateway.errors import ConfigurationError


def trusting(bundles: Sequence[Path]) -> ssl.SSLContext | None:
    """Return a TLS context that trusts these PEM files besides the public authorities; None without a file.

    Raise ConfigurationError when a file cannot be read or has no certificate.
    """
    if not bundles:
        return None
    context = create_urllib3_context()
    for bundle in bundles:
        try:
            context.load_verify_locations(cafile=bundle)
        except ssl.SSLError as error:
            raise ConfigurationError(f"The ca_bundle {bundle} has no certificate in PEM format.") from error
        except OSError as error:
            raise ConfigurationError(f"The ca_bundle {bundle} cannot be read: {error.strerror}.") from error
    return context
