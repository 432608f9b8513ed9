"""The tree of errors: drawn as it is, and each protocol error owns its code."""

from __future__ import annotations

import re

from gateway import errors
from gateway.errors import GatewayError, OaiError, RemoteError
from tests.rows import each_row

CLASSES = {
    name: value for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, GatewayError)
}


def test_every_error_is_drawn_at_the_head() -> None:
    drawn = set(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b", errors.__doc__ or ""))
    assert drawn == set(CLASSES)


@each_row("error", CLASSES.values())
def test_every_error_says_what_it_is(error: type[GatewayError]) -> None:
    assert error.__doc__


@each_row("error", OaiError.__subclasses__())
def test_a_protocol_error_owns_its_code_and_its_sentence(error: type[OaiError]) -> None:
    assert error.code == error.__name__[0].lower() + error.__name__[1:]
    assert str(error()) == error.sentence
    assert error.sentence.endswith(".")
    assert str(error("Another one.")) == "Another one."


def test_all_eight_codes_of_the_protocol_are_there() -> None:
    assert {error.code for error in OaiError.__subclasses__()} == {
        "badArgument",
        "badResumptionToken",
        "badVerb",
        "cannotDisseminateFormat",
        "idDoesNotExist",
        "noMetadataFormats",
        "noRecordsMatch",
        "noSetHierarchy",
    }


def test_a_remote_error_tells_every_code_and_sentence() -> None:
    error = RemoteError((("badArgument", "No."), ("noRecordsMatch", "")))
    assert str(error) == "badArgument: No.; noRecordsMatch"
    assert error.codes == {"badArgument", "noRecordsMatch"}
