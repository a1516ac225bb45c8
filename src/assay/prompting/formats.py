"""Equivalent ways of writing the same prompt: other separators, casings, spacings and option labels.

Source: Sclar et al. 2023, "Quantifying Language Models' Sensitivity to Spurious Features in Prompt Design" (FormatSpread,
arXiv 2310.11324), whose grammar this follows: descriptors, separators and enumeration styles vary, words do not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import msgspec

from assay.identity import generator
from assay.prompting.base import Prompting

SEPARATORS = (": ", " : ", ":: ", " - ", ":\n", "\n", " ")
"""What stands between a descriptor and its text, as in `Question: …`."""
CASINGS: tuple[Callable[[str], str], ...] = (str, str.upper, str.lower, str.title)
SPACINGS = ("\n", "\n\n", " \n")
"""What stands after the input."""
LABELS = ("A. ", "A) ", "(A) ", "[A] ", "A: ", "A - ")
"""How options are enumerated."""


def format_variants(prompting: Prompting, count: int, seed: int) -> list[Prompting]:
    """The prompting itself and `count - 1` different equivalent formats of it, drawn at random from the grammar.

    What a prompting leaves empty stays empty: where there is no descriptor there is no separator to change. Fewer are returned
    where the grammar has fewer.

    Args:
        prompting: the scenario's own.
        count: how many formats in all, at least 1.
        seed: the suite's seed; the same seed and prompting give the same formats.
    """
    if count <= 1:
        return [prompting]
    own = [variant for variant in _variants(prompting) if variant != prompting]
    distinct = list(dict.fromkeys(own))
    rng = generator(seed, "prompt formats", prompting.method)
    return [prompting, *rng.sample(distinct, min(count - 1, len(distinct)))]


def _variants(prompting: Prompting) -> Iterator[Prompting]:
    descriptors = [name for name in ("input_prefix", "output_prefix") if _words(getattr(prompting, name))]
    separators = SEPARATORS if descriptors else (None,)
    casings = CASINGS if descriptors else (str,)
    spacings = SPACINGS if prompting.input_suffix == "\n" else (prompting.input_suffix,)
    label = getattr(prompting, "reference_prefix", None)
    labels = LABELS if label in LABELS else (label,)
    for separator, casing, spacing, enumeration in itertools.product(separators, casings, spacings, labels):
        changes: dict[str, str] = {name: casing(_words(getattr(prompting, name))) + str(separator) for name in descriptors}
        changes["input_suffix"] = spacing
        if enumeration is not None:
            changes["reference_prefix"] = enumeration
        yield msgspec.structs.replace(prompting, **changes)


def _words(prefix: str) -> str:
    """The descriptor in a prefix such as `Question: `, without its separator."""
    return prefix.rstrip().rstrip(":-").rstrip()
