"""No regular expression of the program costs more than linear time, whatever it is given; the test proves itself."""

import os
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.fuzz.expressions import failures
from tests.fuzz.patterns import Pattern
from tests.live import unmeasured
from tests.rows import each_row


@pytest.mark.slow
@pytest.mark.unmeasured
def test_no_regular_expression_of_the_program_costs_more_than_linear_time():
    """CI tries fewer attacks on each of them, others in each run."""
    surroundings = unmeasured(os.environ)
    if os.environ.get("TEST_SHARES"):
        surroundings.setdefault("EXPRESSIONS_ATTACKS", "16")
    line = [sys.executable, "-m", "tests.fuzz.expressions"]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT, env=surroundings)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert int(done.stdout.split()[0]) > 250


@pytest.mark.slow
@pytest.mark.unmeasured
@each_row(
    "pattern",
    [
        pytest.param(r"<!--.*?-->", id="each beginning looks to the end"),
        pytest.param(r"\s+=", id="each space looks to the last one"),
        pytest.param(r"a\s*;?\s*b", id="two repetitions take the same"),
        pytest.param(r"//(?:[-._~!$&'a-z@]*@)?[-._~!$&'a-z@]*/", id="a class takes the separator behind it"),
        pytest.param(r"(?:[^-]|-(?!->))*+-->", id="Debian 12 matches it wrongly"),
    ],
)
def test_expression_that_costs_more_or_is_matched_wrongly_is_found(pattern: str):
    assert next(failures(Pattern("here", re.compile(pattern, re.DOTALL), is_anchored=False)), "")
