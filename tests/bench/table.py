"""A row of the table: a figure, the limit it must keep, and the verdict. No test asserts a figure; people read them."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

RECORDS = 1_000_000
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


def show(rows: Iterable[Row]) -> bool:
    """Print rows as they come, and tell whether every one keeps its limit."""
    all_keep = True
    print(f"{'what':<{_WIDTH}} {'figure':>12}  {'limit':>12}  verdict", flush=True)
    for row in rows:
        sign = "≥" if row.is_least else "≤"
        figure, limit = f"{row.figure:.3g}{row.unit}", f"{sign} {row.limit:g}{row.unit}"
        print(f"{row.what:<{_WIDTH}} {figure:>12}  {limit:>12}  {'keeps' if row.keeps else 'BREAKS'}")
        if row.note:
            print(f"    {row.note}", flush=True)
        all_keep = all_keep and row.keeps
    return all_keep


def main(rows: Callable[[int], Iterator[Row]], records: int = RECORDS) -> None:
    """Measure the rows of one bench alone, with as many records as `--records` says."""
    parser = ArgumentParser(description="Measure, and print figure, limit and verdict.")
    parser.add_argument("--records", type=int, default=records, help=f"the size of the corpus (default {records:,})")
    show(rows(parser.parse_args().records))
