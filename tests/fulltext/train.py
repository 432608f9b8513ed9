"""Train the score of files: `python -m tests.fulltext.train MANIFEST... [--write]`; manifests are those of `measure`.

The weights are learnt from the files that are not held back, and the figures are those of both halves: the share of
pairs of a right and a wrong offer that the score puts in order, and what the score would do as a gate. `--write` writes
the weights into `score.toml`. The same corpora always give the same weights.
"""

import argparse
import re
from itertools import product
from math import exp
from pathlib import Path
from typing import TypeAlias

from harvester.fulltext.pdf import judge as judging
from harvester.fulltext.pdf import score as scoring
from tests.fulltext.measure import Offer, corpus, decide, offers, remember

_ROUNDS, _RATE, _DECAY = 400, 1.0, 1e-3
_LOST = 0.005  # of the right offers that rules accept, which a gate may cost on the files of which it is chosen
Rows: TypeAlias = list[tuple[Offer, list[float]]]
_WEIGHT = r'(name = "{}", weight = )[-\d.]+'


def examples(manifests: list[str]) -> dict[bool, Rows]:
    """Return the offers of corpora with their facts, by whether they are held back."""
    halves: dict[bool, Rows] = {False: [], True: []}
    for manifest in manifests:
        files, texts = corpus(manifest)
        for is_held_back in halves:
            seen: list[dict[str, float]] = []
            vars(judging)["score"] = lambda facts, seen=seen: float(bool(seen.append(facts)))
            half = offers([file for file in files if file.is_held_back is is_held_back])
            decided, _ = decide((offer for offer in half if texts[offer.file.file].outcome == "success"), texts)
            rows = ([1.0, *(float(facts[name]) for name in list(scoring.WEIGHTS)[1:])] for facts in seen)
            halves[is_held_back] += list(zip(decided, rows, strict=True))
    return halves


def scored(weights: list[float], row: list[float]) -> float:
    """Return the score of a row of facts."""
    return 1 / (1 + exp(-sum(weight * fact for weight, fact in zip(weights, row, strict=True))))


def trained(rows: Rows) -> list[float]:
    """Return the weights of a logistic model by gradient descent; right and wrong offers count equally."""
    right = [row for offer, row in rows if offer.is_right]
    wrong = [row for offer, row in rows if not offer.is_right]
    wrong = wrong[:: max(1, len(wrong) // (2 * len(right)))]
    weights = [0.0] * len(right[0])
    for _ in range(_ROUNDS):
        gradient = [_DECAY * weight for weight in weights]
        for group, target in ((right, 1.0), (wrong, 0.0)):
            for row in group:
                error = (scored(weights, row) - target) / len(group)
                gradient = [slope + error * fact for slope, fact in zip(gradient, row, strict=True)]
        weights = [weight - _RATE * slope for weight, slope in zip(weights, gradient, strict=True)]
    return [round(weight, 2) for weight in weights]


def in_order(weights: list[float], rows: Rows) -> float:
    """Return the share of pairs of a right and a wrong offer in which the right one has the higher score."""
    right = [scored(weights, row) for offer, row in rows if offer.is_right]
    wrong = [scored(weights, row) for offer, row in rows if not offer.is_right]
    pairs = list(product(right, wrong[:: max(1, len(wrong) // 2000)]))
    return sum((one > other) + (one == other) / 2 for one, other in pairs) / max(1, len(pairs))


def main() -> None:
    """Train, print the figures, and write the weights if asked."""
    parser = argparse.ArgumentParser(prog="python -m tests.fulltext.train")
    parser.add_argument("manifests", nargs="+", help="files with a JSON object a line, or `generated`")
    parser.add_argument("--write", action="store_true", help="write the weights into score.toml")
    given = parser.parse_args()
    remember()
    halves = examples(given.manifests)
    weights = trained(halves[False])
    accepted = sorted(scored(weights, row) for offer, row in halves[False] if offer.is_right and offer.is_accepted)
    least = accepted[int(_LOST * len(accepted))]
    for is_held_back, rows in halves.items():
        waiting = [(offer, row) for offer, row in rows if not offer.is_accepted]
        taken = [offer.is_right for offer, row in rows if offer.is_accepted and scored(weights, row) < least]
        print(
            f"{'held back' if is_held_back else 'developed'}: {len(rows)}, {in_order(weights, rows):.4f} in order,"
            f" of {len(waiting)} that wait {in_order(weights, waiting):.4f}; a gate at {least:.3f} takes away"
            f" {sum(taken)} right and {len(taken) - sum(taken)} wrong ones"
        )
    place = Path(scoring.__file__).with_suffix(".toml")
    text = place.read_text("utf-8")
    for name, weight in zip(scoring.WEIGHTS, weights, strict=True):
        print(f"{weight:7.2f} {name}")
        text = re.sub(_WEIGHT.format(re.escape(name)), rf"\g<1>{weight}", text)
    if given.write:
        place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
