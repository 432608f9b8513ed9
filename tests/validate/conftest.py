"""A validation of the provider in memory, with numbers that fit its size."""

from collections.abc import Callable

import pytest

from harvester.validate.run import Limits, Report, validate
from tests.validate.provider import BASE, Provider


@pytest.fixture
def check() -> Callable[..., Report]:
    """Return a function that validates a provider; more limits may be given."""

    def run(provider: Provider, **limits: int) -> Report:
        return validate(BASE, provider, limits=Limits(**({"least_page": 4} | limits)))

    return run
