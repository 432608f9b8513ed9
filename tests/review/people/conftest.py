"""The command `gateway`, run in this process over an instance in a temporary folder."""

from tests.cli.conftest import folder, gateway  # noqa: F401 - fixtures of this folder
