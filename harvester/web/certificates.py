"""Private certificate authorities: what is trusted besides the public ones."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from pathlib import Path

from urllib3.util.ssl_ import create_urllib3_context

from gateway.errors import ConfigurationError


def trusting(bundles: Sequence[Path]) -> ssl.SSLContext | None:
    """Return what trusts the certificates in these files (PEM) besides the public authorities; None without a file.

    Raise ConfigurationError when one cannot be read or holds no certificate.
    """
    if not bundles:
        return None
    context = create_urllib3_context()
    for bundle in bundles:
        try:
            context.load_verify_locations(cafile=bundle)
        except ssl.SSLError as error:
            raise ConfigurationError(f"The ca_bundle {bundle} holds no certificate in PEM.") from error
        except OSError as error:
            raise ConfigurationError(f"The ca_bundle {bundle} cannot be read: {error.strerror}.") from error
    return context
