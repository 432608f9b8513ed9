"""Tables of faults in parts: each part is one test, which names all faults that are not found as they should be."""

from collections.abc import Sequence

import pytest


def in_parts(name: str, rows: Sequence[object], count: int, mark: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """Give a test these rows in parts as the argument `name`; all but the first have the mark, and CI draws of them."""
    marks: list[tuple[pytest.MarkDecorator, ...]] = [(), *[(mark, pytest.mark.share(one_in=3))] * (count - 1)]
    parts = [pytest.param(rows[place::count], id=f"{place}", marks=marks[place]) for place in range(count)]
    return pytest.mark.parametrize(name, parts)
