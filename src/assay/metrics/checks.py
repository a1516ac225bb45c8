"""What a metric declares and gives, checked: whoever wrote it is told which metric is wrong, and where it stands."""

from __future__ import annotations

import math
import os
import traceback
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, get_args

from assay.errors import AssayError
from assay.metrics.columns import Columns

if TYPE_CHECKING:
    from assay.metrics.base import Metric

LARGEST = 1e100
"""Values beyond this cannot be averaged: their squares leave the range of numbers."""
COLUMNS = frozenset(field.name for field in fields(Columns))


def check_declared(
    function: Callable[..., Any], bounds: object, words: Mapping[str, tuple[object, object]], needs: object = ()
) -> None:
    """Refuse a declaration that cannot be meant.

    Args:
        function: the decorated function.
        bounds: smallest and largest possible value.
        words: for each of `family` and `better`, the word given and the `Literal` it must be of.
        needs: the columns a summary reads.

    Raises:
        AssayError: a range that is none, an unknown word or an unknown column.
    """
    name = f"metric {getattr(function, '__name__', '?')}{_place(function)}"
    if not _is_range(bounds):
        raise AssayError(f"{name} declares the range {bounds!r}", "give (smallest, largest), None where there is no bound")
    for what, (word, allowed) in words.items():
        known = get_args(allowed)
        if word not in known:
            raise AssayError(f"{name} declares the {what} {word!r}", f"it must be {', '.join(map(str, known))}")
    wrong = [column for column in needs if column not in COLUMNS] if isinstance(needs, (tuple, list)) else [needs]
    if wrong:
        raise AssayError(f"{name} needs {wrong[0]!r}", f"needs is a tuple of columns: {', '.join(sorted(COLUMNS))}")


def _is_range(bounds: object) -> bool:
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        return False
    for bound in bounds:
        if bound is not None and (isinstance(bound, bool) or not isinstance(bound, Real) or not math.isfinite(bound)):
            return False
    low, high = bounds
    return low is None or high is None or low < high


def called(metric: Metric, function: Callable[..., Any], *arguments: object, over: str) -> Any:
    """What a metric's function gives.

    Raises:
        AssayError: it failed, or tried to leave the program; names the metric and the line.
    """
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:
        raise broken(metric, function, error, over) from error


def broken(metric: Metric, function: Callable[..., Any], error: BaseException, over: str) -> AssayError:
    """The message for a metric's function that raised an error."""
    if isinstance(error, AssayError):
        return error
    detail = f"{type(error).__name__}: {error}"
    place = _place(function, error)
    return AssayError(f"metric {metric.name}{place} failed on {over}: {detail}", "repair it and rescore the run")


def number(metric: Metric, value: object, function: Callable[..., Any]) -> float | None:
    """What a metric gave as a number, which may be infinite or none at all.

    Raises:
        AssayError: it is no number, or too large for one.
    """
    if value is None or type(value) is float:
        plain = value
    elif not isinstance(value, Real) and type(value).__name__ not in ("bool", "bool_"):
        raise AssayError(
            f"metric {metric.name}{_place(function)} gave {_shown(value)}, which is no number", "return a float, or None"
        )
    else:
        try:
            plain = float(value)  # type: ignore[arg-type] # a Real, or numpy's bool
        except OverflowError:
            raise _too_large(metric, function) from None
    if plain is not None and abs(plain) > LARGEST and math.isfinite(plain):
        raise _too_large(metric, function)
    return plain


def within(metric: Metric, value: float, function: Callable[..., Any]) -> float:
    """The value, rounding errors at the bounds taken away.

    Raises:
        AssayError: it is not finite, or lies outside the range that the metric declares.
    """
    low, high = metric.range
    if low is not None and high is not None and low <= value <= high:
        return value
    if not math.isfinite(value):
        raise AssayError(f"metric {metric.name}{_place(function)} gave {value}", "return None where there is no value")
    if (low is not None and value < low - 1e-9) or (high is not None and value > high + 1e-9):
        raise AssayError(
            f"metric {metric.name}{_place(function)} gave {value}, outside its range {low} to {high}", "declare the right range"
        )
    return min(max(value, -math.inf if low is None else low), math.inf if high is None else high)


def counted(metric: Metric, counts: object, function: Callable[..., Any]) -> Mapping[str, float] | None:
    """The counts of an answer.

    Raises:
        AssayError: they are no mapping of names to finite numbers.
    """
    if not counts and (counts is None or type(counts) is dict):
        return counts
    if not isinstance(counts, Mapping) or not all(isinstance(name, str) for name in counts):
        raise AssayError(
            f"metric {metric.name}{_place(function)} gave {_shown(counts)} for counts", "return a dict of numbers, or None"
        )
    for count in counts.values():
        value = number(metric, count, function)
        if value is None or not math.isfinite(value):
            raise AssayError(
                f"metric {metric.name}{_place(function)} gave a count that is not finite", "leave out what cannot be counted"
            )
    return counts


def _too_large(metric: Metric, function: Callable[..., Any]) -> AssayError:
    return AssayError(f"metric {metric.name}{_place(function)} gave a number too large to average", "return its logarithm")


def _shown(value: object) -> str:
    return f"a value of type {type(value).__name__}"


def _place(function: Callable[..., Any], error: BaseException | None = None) -> str:
    """` (file.py, line 3)` of a function, or of the last of its file's lines that an error passed through."""
    while isinstance(function, partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None:
        return ""
    line = code.co_firstlineno
    for frame in traceback.extract_tb(error.__traceback__) if error is not None else ():
        if frame.filename == code.co_filename and frame.lineno is not None:
            line = frame.lineno
    return f" ({os.path.basename(code.co_filename)}, line {line})"
