"""Records and answers that stopped a source, or the whole program: named by what was in them."""

import pytest

from gateway.core.errors import AnswerTooLarge
from harvester.audit import crossref as crossref_works
from harvester.http.messages import Fetched

HEAVY = b"[" + b"[]," * 5_000_000 + b"[]]"


def test_answer_about_an_agency_that_would_fill_the_memory_is_refused():
    with pytest.raises(AnswerTooLarge, match="MiB of memory"):
        crossref_works.read_agency(Fetched("https://doi.org/ra/10.1", 200, (), HEAVY, 0))
