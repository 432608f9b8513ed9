"""`python -m tests.fuzz.expressions`: every regular expression of the program, with texts made to be expensive for it.

A pattern that looks back from every character, or tries every way to divide a text, takes seconds or for ever; so each
pattern is tried in short texts first, and the system ends this process when one attack takes more than `_MOST_SECONDS`.

An attack that takes more than a few milliseconds is tried again with eight times the text. Linear time grows
eightfold, quadratic time 64-fold, and the limit is between the two. The attack fails only if each of several tries is
over it, and one of the tries is enough to pass. A pattern with a bounded repetition
(`{0,300}`) may grow faster until its bound is reached, and not beyond. So neither a slow or a busy machine nor a bound
makes a pattern fail.

Of the attacks on one pattern at most `EXPRESSIONS_ATTACKS` are drawn (800; 0: all are tried), by the seed of the
run.
"""

import gc
import os
import random
import re
import resource
import sys
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

from tests.fuzz.attacks import attacks
from tests.fuzz.patterns import Pattern, every
from tests.seeds import SEED

_MOST_ATTACKS = int(os.environ.get("EXPRESSIONS_ATTACKS", "800"))
_LENGTHS = (60, 1_000, 4_000)
# Per character, from which on the growth is measured. What is linear takes 1 to 400; what is not takes 10,000 and more.
_DOUBTFUL_NANOSECONDS = 2_500.0
_FIXED_SECONDS = 0.001
_MOST_SECONDS = 60  # of processor time for one attack
_TRIES = 3  # before an attack is called a failure
_STEP = 8  # the longer text of a comparison, in shorter ones
_MOST_GROWTH = 22  # of the time from the shorter text to the longer one: 8 is linear, 64 is quadratic
_MEASURED_SECONDS = 0.1
_LONG_SECONDS = 0.05  # quadratic time would be seconds for eight times the text, so a shorter one is tried instead
# Python 3.11.0 to 3.11.4 match it wrongly (harvester/xml/repair.py); found where escapes and classes are taken out.
_POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+")
_LITERAL = re.compile(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]", re.DOTALL)


def failures(pattern: Pattern, before_each: Callable[[], None] = lambda: None) -> Iterator[str]:
    """Return a sentence for each attack that costs more than linear time; `before_each` is called before an attack.

    Also for a possessive repetition of a group, which costs no time but is not the same for every Python.
    """
    source = pattern.compiled.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    if _POSSESSIVE_GROUP.search(_LITERAL.sub("_", text)):
        yield f"{pattern.place}: {source[:60]!r} repeats a group possessively; write (?>(?:...)*) for (?:...)*+."
    every_attack = list(attacks(pattern.compiled))
    if 0 < _MOST_ATTACKS < len(every_attack):
        every_attack = random.Random(SEED).sample(every_attack, _MOST_ATTACKS)
    for beginning, repeated, end in every_attack:
        for length in _LENGTHS:
            text = beginning + repeated * (length // len(repeated)) + end
            before_each()
            most = _FIXED_SECONDS + len(text) * _DOUBTFUL_NANOSECONDS / 1e9
            seconds = _least(pattern, text, most)
            if seconds > most and _is_not_linear(pattern, beginning, repeated, end, length, seconds):
                shown = f"{beginning[:40]!r} + {repeated[:40]!r} * {length // len(repeated)} + {end!r}"
                yield f"{pattern.place}: {pattern.compiled.pattern[:60]!r} takes {seconds:.3f} s for {shown}"
                break


def _is_not_linear(pattern: Pattern, beginning: str, repeated: str, end: str, length: int, seconds: float) -> bool:
    """Return whether the time grows much faster than the text in each of several tries."""
    sizes = (length // _STEP, length) if seconds > _LONG_SECONDS else (length, length * _STEP)
    shorter, longer = (beginning + repeated * (size // len(repeated)) + end for size in sizes)
    return all(_mean(pattern, longer) > _MOST_GROWTH * _mean(pattern, shorter) for _ in range(_TRIES))


def _least(pattern: Pattern, text: str, most: float) -> float:
    """Return the least time of a few tries; one that takes at most `most` seconds is enough."""
    least = float("inf")
    for _ in range(_TRIES):
        least = min(least, _seconds(pattern, text))
        if least <= most or least > _LONG_SECONDS:
            break
    return least


def _mean(pattern: Pattern, text: str) -> float:
    """Return the mean time of as many tries as the clock of the processor needs, which may tick in milliseconds."""
    tries, seconds = 0, 0.0
    while seconds < _MEASURED_SECONDS:
        seconds += _seconds(pattern, text)
        tries += 1
    return seconds / tries


def _seconds(pattern: Pattern, text: str) -> float:
    began = process_time()  # other processes may take most of the machine
    _apply(pattern, text)
    return process_time() - began


def _apply(pattern: Pattern, text: str) -> None:
    compiled: re.Pattern[Any] = pattern.compiled
    subject = text.encode("utf-8", "replace") if isinstance(pattern.compiled.pattern, bytes) else text
    compiled.fullmatch(subject)
    compiled.match(subject)
    if not pattern.is_anchored:
        for _ in compiled.finditer(subject):
            pass


def _allow_one_attack() -> None:
    """Let the system end this process when one attack takes too long. Only for a process that does nothing else."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time()) + _MOST_SECONDS + 1, hard))


def _tried(pattern: Pattern) -> bool:
    """Try one pattern in a process of its own, which prints what fails; tell whether nothing did."""
    child = os.fork()
    if child == 0:
        gc.disable()  # a collection walks through all that is loaded, at a moment of its own
        has_failed = False
        for sentence in failures(pattern, _allow_one_attack):
            has_failed = True
            print(f"FAILED {sentence}", flush=True)
        os._exit(has_failed)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print(f"FAILED {pattern.place}: {pattern.compiled.pattern[:60]!r} does not end.", flush=True)
    return status == 0


def main() -> int:
    """Try every pattern; print a sentence for whatever fails, and how many were tried."""
    patterns = every()
    sys.stdout.flush()
    failed = sum(not _tried(pattern) for pattern in patterns)
    print(f"{len(patterns)} patterns were tried, {failed} failed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
