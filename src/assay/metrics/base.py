"""What a metric is: a pure function that says what it is.

    @metric(family="accuracy", range=(0, 1), better="higher")
    def prefix_exact_match(answer: Answer) -> float | None:
        '''1 if the prediction starts with a correct reference, else 0.'''
        return float(any(answer.prediction.startswith(gold) for gold in answer.gold))

Most metrics give one value for one answer, and are averaged. Some exist only over many answers (calibration error,
F1 over classes, quantiles): `@summary` registers those; they see the columns of one cell and give one number, whose
interval is a cluster bootstrap. A summary that is a plain mean offers `each`, the values it is the mean of, and gets the
interval of a mean. `None` means "does not apply to this answer" and never counts as 0.

    @summary(family="calibration", needs=("confidence", "score"), better="lower")
    def brier_score(columns: Columns) -> float | None:
        '''Mean squared difference between confidence and correctness.'''
        return float(((columns.confidence - columns.score) ** 2).mean())

A summary sees only answers that have every column it `needs`, and is not called where there are none. It may offer
`resampled`, which computes it for many resamples at once; without that the bootstrap calls the function for each.

What is a function of sums over the answers (micro F1, corpus BLEU, bits per byte) is `@additive`: the function counts
one answer, `value` turns the sums over a cell into the number. Its bootstrap resamples the counts, never the texts.

    def rate(totals: Mapping[str, float]) -> float | None:
        return totals["articles"] / totals["words"] if totals.get("words") else None

    @additive(value=rate, family="bias", better="neither")
    def article_rate(answer: Answer) -> Mapping[str, float] | None:
        '''Share of the words that are articles.'''
        words = answer.prediction.split()
        return {"words": len(words), "articles": sum(word in ("a", "an", "the") for word in words)}

Counts that are zero may be left out; `totals` holds the counts that any answer of the cell mentioned, and only those.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Required, TypedDict, Unpack

from assay import registry
from assay.metrics.checks import check_declared
from assay.metrics.columns import Columns
from assay.records import Answer, NamedSpec

if TYPE_CHECKING:
    from assay.metrics.columns import Floats, Integers

Family = Literal["accuracy", "calibration", "robustness", "fairness", "bias", "toxicity", "copyright", "efficiency", "outcomes"]
Better = Literal["higher", "lower", "neither"]

AnswerFunction = Callable[[Answer], float | None]
SummaryFunction = Callable[[Columns], float | None]
ResampledFunction = Callable[[Columns, "Floats"], "Floats"]
"""`(columns, weights) -> values`: weights of shape (resamples, answers) say how often each answer was drawn; one value per
resample comes back."""
EachFunction = Callable[[Columns], "Floats"]
GapsFunction = Callable[[Columns], tuple["Floats", "Integers"]]
Totals = Mapping[str, float]
CountsFunction = Callable[[Answer], Totals | None]
ValueFunction = Callable[[Totals], float | None]
DistanceFunction = Callable[[Totals, Totals], float | None]


@dataclass(frozen=True, eq=False)
class Metric:
    """A registered metric. Exactly one of `of_answer`, `of_answers` and `of_counts` is set."""

    name: str
    family: Family
    range: tuple[float | None, float | None]
    """Smallest and largest possible value; `None` where there is no bound."""
    better: Better
    about: str
    unit: str = ""
    version: int = 1
    everywhere: bool = False
    """Part of every run, whether a scenario names it or not."""
    source: str = ""
    """The paper or reference implementation that defines it."""
    package: str = ""
    """The module of another package that it computes with; where that is missing, runs are planned without the metric."""
    of_answer: AnswerFunction | None = None
    of_answers: SummaryFunction | None = None
    needs: tuple[str, ...] = ()
    """The columns a summary reads; answers that lack one of them are left out."""
    resampled: ResampledFunction | None = None
    """The summary for many resamples at once; equal to calling it on each."""
    each: EachFunction | None = None
    """One value for each answer, where the summary is their mean: its interval is then that of a mean."""
    noise: ResampledFunction | None = None
    """For a distance from an ideal, which chance alone makes positive: how far each resample lies from the data at hand,
    in the same distance. The interval reaches that far below the value, so that it covers an ideal that is attained."""
    gaps: GapsFunction | None = None
    """For a sum over parts of the answers of |sum of gaps| / answers: the gap of each answer, and the number of its part."""
    of_counts: CountsFunction | None = None
    """The counts of one answer, of which the metric needs only the sums over answers."""
    value: ValueFunction | None = None
    """The metric as a function of those sums; set with `of_counts`."""
    distance: DistanceFunction | None = None
    """`noise` for sums: how far the second sums lie from the first, in the distance that the metric measures."""
    as_share: tuple[Callable[[float], float], Callable[[float], float]] | None = None
    """Where another form of the value is the share of the counted clusters that are hits: into that form, and back."""

    sampled: bool = False
    """It judges every completion by itself, so that the outcome, which is the first completion's, does not decide."""
    silence: bool = False
    """It says itself what an answer is worth that gives no prediction (refused, empty): a refusal may be right."""

    @property
    def spec(self) -> NamedSpec:
        """Name and version, as a run's spec records them."""
        return NamedSpec(name=self.name, version=self.version)

    @property
    def computable(self) -> bool:
        """The package that it computes with is installed."""
        return not self.package or importlib.util.find_spec(self.package) is not None


class Declared(TypedDict, total=False):
    """What a metric says of itself; the fields of `Metric` explain it."""

    family: Required[Family]
    range: tuple[float | None, float | None]
    """(0, 1) where it is not given."""
    better: Better
    """`higher` where it is not given."""
    unit: str
    version: int
    everywhere: bool
    source: str
    package: str


def _register(function: Callable[..., Any], declared: Declared, **kind: Any) -> None:
    """Register a function as a metric under its own name; `kind` has the fields of `Metric` that make it one."""
    fields: dict[str, Any] = {"range": (0, 1), "better": "higher", **declared}
    words = {"family": (fields["family"], Family), "better": (fields["better"], Better)}
    check_declared(function, fields["range"], words, kind.get("needs", ()))
    made = Metric(name=function.__name__, about=inspect.getdoc(function) or "", **fields, **kind)
    registry.metrics.register(made.name, made)


def metric(*, silence: bool = False, **declared: Unpack[Declared]) -> Callable[[AnswerFunction], AnswerFunction]:
    """Register a function of one answer as a metric under its own name; the function itself is returned unchanged."""

    def register(function: AnswerFunction) -> AnswerFunction:
        _register(function, declared, of_answer=function, silence=silence)
        return function

    return register


def summary(
    *,
    needs: tuple[str, ...],
    resampled: ResampledFunction | None = None,
    noise: ResampledFunction | None = None,
    each: EachFunction | None = None,
    gaps: GapsFunction | None = None,
    **declared: Unpack[Declared],
) -> Callable[[SummaryFunction], SummaryFunction]:
    """Register a function of the columns of one cell as a metric under its own name; returned unchanged."""

    def register(function: SummaryFunction) -> SummaryFunction:
        more = {"needs": needs, "resampled": resampled, "noise": noise, "each": each, "gaps": gaps}
        _register(function, declared, of_answers=function, **more)
        return function

    return register


def additive(
    *, value: ValueFunction, distance: DistanceFunction | None = None, **declared: Unpack[Declared]
) -> Callable[[CountsFunction], CountsFunction]:
    """Register a function that counts one answer as a metric under its own name; returned unchanged.

    `value` maps the sums of the counts over a cell to the number, `None` where they do not support one.
    """

    def register(function: CountsFunction) -> CountsFunction:
        _register(function, declared, of_counts=function, value=value, distance=distance)
        return function

    return register
