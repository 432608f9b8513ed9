"""A table as CSV holds what it was given, and nothing in it is a formula."""

import csv
import io

from gateway.core.normal_forms import as_csv
from tests.rows import each_row


@each_row("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\0=1", "\uff1d1"])
def test_no_cell_is_a_formula(text):
    ((cell,),) = list(csv.reader(io.StringIO(as_csv(("a",), [{"a": text}]))))[1:]
    assert cell.startswith("'")


@each_row("text", ["a;=1+1", "a; +1", 'a;"=1', 'a;"\n-1', "a;;@SUM(A1)", "a;\uff1d1"])
def test_no_part_of_a_cell_is_a_formula_where_semicolons_separate_cells(text):
    """As in the spreadsheets of much of Europe, which take no comma for a separator."""
    ((cell,),) = list(csv.reader(io.StringIO(as_csv(("a",), [{"a": text}]))))[1:]
    first, *others = (part.strip(' "') for part in cell.split(";"))
    assert first == "a"
    assert others[-1].startswith("'")


def test_cells_are_escaped_and_stay_on_one_line():
    rows = list(csv.reader(io.StringIO(as_csv(("a", "b"), [{"a": 'x"; ,\ny', "b": ["1", "2"]}, {"a": None, "b": 3}]))))
    assert rows == [["a", "b"], ['x"; , y', "1; 2"], ["", "3"]]
