"""Mutated answers for every parser, and growing ones: errors of ours alone, and no more than linear time."""

import gc
import traceback
import warnings
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from time import process_time

from lxml import etree

from gateway.core.errors import GatewayError
from tests.conftest import SHARED
from tests.fuzz.mutants import TOKENS, mutant
from tests.fuzz.targets import Target, real_samples

_FAULT = "This program has a fault"  # what `unforeseen` says
_SMALL, _LARGE = 10_000, 80_000  # bytes of a growing document
MOST_GROWTH = 24  # times as long for eight times as much; what is quadratic takes 64 times as long
_TRIES = 10  # before a growing document is called a failure
_MANY = 4_000  # times that an element comes again
_MOST_REPEATED = 300_000  # bytes of them
_MOST_PAIRS = 30  # of elements of one sample
_MOMENT = 0.15  # seconds from which on it is measured how the time of a document grows


@lru_cache
def samples_of(target: Target) -> tuple[bytes, ...]:
    """Return the samples of a parser; of those that read whole documents, real ones too, where there are some."""
    folder = SHARED / "data"
    is_of_documents = target.name.startswith(("oai_pmh", "files.cut_document", "resourcesync", "formats"))
    return (*target.samples, *(real_samples(folder) if is_of_documents and folder.is_dir() else ()))


def tried(target: Target, body: bytes) -> tuple[float, str]:
    """Let a parser read; return the processor time that it took, and the fault as a text: empty when there is none."""
    gc.disable()  # a collection walks through all that is loaded, at a moment of its own
    began, fault = process_time(), ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target.read(body)
    except GatewayError as error:
        fault = str(error) if _FAULT in str(error) else ""
    except target.raises:
        pass
    except Exception:  # noqa: BLE001 - that is what is looked for
        fault = traceback.format_exc(limit=-4)
    finally:
        gc.enable()
    return process_time() - began, fault


def mutants_of(target: Target, seed: int, count: int) -> Iterator[str]:
    """Return a text for each mutant that a parser fails on."""
    chance = Random(f"{seed} {target.name}")
    for number in range(count):
        body = mutant(chance, samples_of(target))
        _, fault = tried(target, body)
        if fault:
            yield f"{target.name}, mutant {number}: {body[:2000]!r}\n{fault}"


def growths_of(target: Target, seed: int = 1, kinds: int = 0) -> Iterator[str]:
    """Return a text for each kind of document that costs a parser more than linear time; of `kinds` of them, 0: all."""
    sample = min(target.samples, key=len)
    units = [*TOKENS, sample, *(sample[start : start + 40] for start in range(0, min(len(sample), 800), 40))]
    if kinds:
        units = Random(f"{seed} {target.name}").sample(units, kinds)
    for unit in units:
        for head, tail in ((b"", b""), (sample[: len(sample) // 2], sample[len(sample) // 2 :])):
            small, large = (head + unit * (size // len(unit)) + tail for size in (_SMALL, _LARGE))
            seconds, fault = tried(target, large)
            if fault:
                yield f"{target.name}, {unit[:40]!r} again and again behind {head[-40:]!r}:\n{fault}"
            elif seconds > _MOMENT and grows(target, small, large, MOST_GROWTH):
                yield f"{target.name}: {seconds:.2f} s for {unit[:40]!r} again and again behind {head[-40:]!r}"


def element_growths_of(target: Target, seed: int = 1, kinds: int = 0) -> Iterator[str]:
    """Return a text for each element of a sample, or pair of them, that costs the square when it comes many times."""
    for sample in target.samples:
        try:
            count = len(list(etree.fromstring(sample).iter("{*}*")))
        except etree.XMLSyntaxError:
            continue
        pairs = [(one, other) for one in range(1, count) for other in range(one, count)]
        for pair in Random(f"{seed} {target.name}").sample(pairs, min(kinds or _MOST_PAIRS, len(pairs))):
            large = _repeated(sample, pair, _MANY)
            seconds, fault = tried(target, large)
            if fault:
                yield f"{target.name}, elements {pair} of {sample[:60]!r} many times:\n{fault}"
            elif seconds > _MOMENT:
                small = _repeated(sample, pair, _MANY // 8)
                growth = MOST_GROWTH / 8 * len(large) / len(small)  # pairs do not grow evenly
                if grows(target, small, large, growth):
                    yield f"{target.name}: {seconds:.2f} s for the elements {pair} of {sample[:60]!r} many times"


def _repeated(sample: bytes, pair: tuple[int, int], times: int) -> bytes:
    """Return a document with two of its elements so many times."""
    root = etree.fromstring(sample)
    elements = list(root.iter("{*}*"))
    for element in (elements[place] for place in sorted(set(pair))):
        parent = element.getparent()
        text = etree.tostring(element, with_tail=False)
        copies = etree.fromstring(
            b"<a>" + text * max(1, min(times, times * _MOST_REPEATED // (_MANY * len(text)))) + b"</a>"
        )
        parent[parent.index(element) : parent.index(element)] = list(copies)
    return etree.tostring(root)


def grows(target: Target, small: bytes, large: bytes, most: float) -> bool:
    """Tell whether a large document takes more than `most` times as long as a small one, at every try.

    The two are read one after the other: a busy machine slows both down, and not each time the same one more.
    """
    return all(tried(target, large)[0] > most * max(tried(target, small)[0], 0.003) for _ in range(_TRIES))
