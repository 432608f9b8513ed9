"""A row of the table: a figure, the limit it must keep, and the verdict. No test asserts a figure; people read them."""

from argparse import ArgumentParser
from importlib import import_module
from typing import NamedTuple

_RECORDS = 1_000_000
_WIDTH = 74


class Row(NamedTuple):
    """One figure. `limit` is the most it may be, or with `is_least` the least; `note` says what it was made of."""

    what: str
    figure: float
    limit: float
    is_least: bool = False
    unit: str = ""
    note: str = ""

    @property
    def keeps(self) -> bool:
        """Tell whether the figure keeps its limit."""
        return self.figure >= self.limit if self.is_least else self.figure <= self.limit


def main(*benches: str) -> None:
    """Measure benches, or those of them that are named, with as many records as `--records` says."""
    parser = ArgumentParser(description="Measure, and print figure, limit and verdict.")
    parser.add_argument("benches", nargs="*", default=benches, help=f"of {', '.join(benches)}; default: all")
    parser.add_argument("--records", type=int, default=_RECORDS, help=f"the size of the corpus (default {_RECORDS:,})")
    wanted = parser.parse_args()
    print(f"{'what':<{_WIDTH}} {'figure':>12}  {'limit':>12}  verdict", flush=True)
    for bench in wanted.benches:
        for row in import_module(f"tests.bench.{bench}").rows(wanted.records):
            sign = "≥" if row.is_least else "≤"
            figure, limit = f"{row.figure:.3g}{row.unit}", f"{sign} {row.limit:g}{row.unit}"
            print(f"{row.what:<{_WIDTH}} {figure:>12}  {limit:>12}  {'keeps' if row.keeps else 'BREAKS'}")
            if row.note:
                print(f"    {row.note}", flush=True)
