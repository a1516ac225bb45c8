"""Numbers and dates compared by what they are worth, however they are written.

`number_match@5` and `number_match~1%@5` are the best of 5 completions; see `assay.metrics.derived`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from assay import registry
from assay.metrics.base import Metric, metric
from assay.metrics.matching import best_match, by_choice
from assay.prompting import dates, numbers
from assay.records import Answer

WITHIN = "number_match~"
_tolerance = re.compile(r"(?P<size>\d{1,12}(?:\.\d{1,12})?)(?P<relative>%?)")


@metric(family="accuracy")
def number_match(answer: Answer) -> float | None:
    """1 if the number that the prediction gives as its answer equals that of a correct reference in value, else 0.

    The number announced counts, else one in bold, else the last; it may be written in any usual way, "1.234,50 €", "¾",
    "3 × 10^5", "twenty-three". "45 %" equals 45 and 0.45. `number_match~0.01` allows a distance of 0.01, `number_match~1%` one
    of 1 % of the reference. Without a number in any reference it does not apply.
    """
    return _within(Fraction(0), False, answer)


def _within(tolerance: Fraction, relative: bool, answer: Answer) -> float | None:
    def match(reference: str, prediction: str) -> bool:
        given, wanted = number_in(answer, prediction, [reference]), numbers.number(reference).value
        if given is None or wanted is None:
            return False
        return abs(given - wanted) <= tolerance * (abs(wanted) if relative else 1)

    applies = by_choice(answer) is not None or any(numbers.number(text).value is not None for text in answer.gold)
    return best_match(answer, match) if applies else None


def number_in(answer: Answer, prediction: str, references: Sequence[str]) -> Fraction | None:
    """The number of a prediction: as it stands where the prompting has read it already, else as the references write theirs."""
    if answer.reading is not None and answer.reading.extractor == numbers.EXTRACTOR:
        try:
            return Fraction(prediction)
        except (ValueError, ZeroDivisionError):
            return None
    return numbers.number(prediction, references).value


def number_match_within(name: str) -> Metric | None:
    """The metric `number_match~TOLERANCE`, `None` where the name says no tolerance."""
    tolerance = _tolerance.fullmatch(name.removeprefix(WITHIN))
    if tolerance is None:
        return None
    size, relative = Fraction(tolerance["size"]), bool(tolerance["relative"])
    near = f"{tolerance[0]} of the reference" if relative else tolerance[0]
    about = f"1 if the number that the prediction gives as its answer is at most {near} from that of a correct one, else 0."
    function = partial(_within, size / 100 if relative else size, relative)
    return replace(registry.metrics.get("number_match"), name=name, about=about, of_answer=function)


@metric(family="accuracy")
def date_match(answer: Answer) -> float | None:
    """1 if the date that the prediction gives as its answer is that of a correct reference, else 0.

    It may be written in any usual way. It may say more than the reference ("5 March 2024" for 2024) and not less. Without a
    date in any reference it does not apply.
    """
    read = answer.reading is not None and answer.reading.extractor == dates.EXTRACTOR

    def match(reference: str, prediction: str) -> bool:
        said = prediction if read else dates.date(prediction, [reference]).value
        return said is not None and any(said.startswith(one) for one in dates.readings(reference))

    return best_match(answer, match) if any(map(dates.readings, answer.gold)) else None
