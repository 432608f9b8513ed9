"""How many works without their DOI are found by title, author and year, and how many wrong ones, on recorded works.

An index of all of them ranks by words alone, with notices, parts, reviews, companions and preprints of each. On half of
the works the rules were chosen; the other half was held out.
"""

from collections.abc import Iterator

from tests.bench.runs import Row, main
from tests.fulltext.matchable import own_pairs, rates, recorded_pairs
from tests.fulltext.web import DATA

_FOUND, _WRONG = 0.6, 0.002
_OWN = 2000


def rows(_records: int) -> Iterator[Row]:
    """Look for each work in the index of its kind, once with its own DOI in it and once without."""
    kinds = {"own works": own_pairs(_OWN)}
    if DATA.is_dir():
        kinds["recorded works"] = recorded_pairs()
    for kind, pairs in kinds.items():
        for half, name in enumerate(("chosen on", "held out")):
            of = rates(pairs, half)
            note = f"{of.works} works; {'; '.join(f'{own} taken for {doi}' for doi, own in of.mistakes[:5])}".rstrip(
                "; "
            )
            yield Row(f"{kind}, {name}: share found", of.right, _FOUND, is_least=True, note=note)
            yield Row(f"{kind}, {name}: share wrong", of.wrong, _WRONG)
            yield Row(f"{kind}, {name}: share wrong where its DOI is not listed", of.wrong_without, _WRONG)


if __name__ == "__main__":
    main("matching")
