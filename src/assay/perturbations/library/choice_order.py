"""The options of a question in another order."""

from __future__ import annotations

import re
from random import Random

import msgspec

from assay.perturbations.base import perturbation
from assay.records import Instance

_POINTS_ELSEWHERE = re.compile(
    r"\babove\b|\bbelow\b|\b(?i:all|none|both|neither|either|any) of (?i:these|them|the other)|"
    r"\b(?i:both|neither|either|only|options?|choices?|answers?) \(?[A-J]\b|\b[A-J]\)? (?:and|or|&) \(?[A-J]\b"
)
"""An option that speaks of others by their place."""


@perturbation(kind="robustness", whole=True, references=True)
def choice_order(instance: Instance, rng: Random) -> Instance:
    """The options of a question in a random order that is another one; which are right stays.

    There is no copy of a question without wrong options (its references are accepted answers, not options), nor where an
    option speaks of others by their place, as `all of the above` does.
    """
    options = instance.references
    if all(option.correct for option in options) or len({option.text for option in options}) < 2:
        return instance
    if any(_POINTS_ELSEWHERE.search(option.text) for option in options):
        return instance
    order = options
    while order == options:
        order = tuple(rng.sample(options, len(options)))
    return msgspec.structs.replace(instance, references=order)
