"""HELM's `stats.json`, recomputed from what HELM recorded, with assay's reading and metrics.

HELM aggregates in two steps (0.5): the values of all requests or answers of one few-shot draw are averaged, then the draws'
averages are; `count` is the number of draws, and the variance is between them. For every value of one answer there are, beside
the originals and the copies, the worst of an instance and its copies, always the smallest, and the originals that a
perturbation changed. Values over many answers have no worst case.

What HELM reports and assay deliberately does not is in `DIFFERENT`, each with the reason. docs/helm.md shows the same table.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from assay import registry
from assay.interop.helm_runs import HelmRun, HelmTrial
from assay.metrics import Columns, count_answer, score_answer
from assay.records import Record

if TYPE_CHECKING:
    from assay.metrics.columns import Floats

ComputedOn = Literal["original", "perturbed", "worst"]
KINDS = ("robustness", "fairness")

DIFFERENT: dict[str, str] = {
    "training_co2_cost": "a constant of the model from a table of 2022; says nothing about a run",
    "training_energy_cost": "a constant of the model from a table of 2022; says nothing about a run",
    "inference_denoised_runtime": "predicted from a table of 2022 models; assay reports measured latency and its quantiles",
    "inference_idealized_runtime": "predicted from a table of 2022 models; assay reports measured latency and its quantiles",
}
"""Statistics of HELM that assay does not have, and why."""

OF_ANSWERS = {
    "exact_match": "exact_match",
    "quasi_exact_match": "helm_quasi_exact_match",
    "prefix_exact_match": "prefix_exact_match",
    "quasi_prefix_exact_match": "helm_quasi_prefix_exact_match",
}
"""HELM's names of metrics of one answer, and the metric here that is defined so."""

OF_CONFIDENCE = {
    "ece_10_bin": "ece_10_bin",
    "ece_1_bin": "ece_1_bin",
    "selective_cov_acc_area": "helm_selective_cov_acc_area",
    "selective_acc@10": "helm_selective_acc@10",
    "platt_coef": "helm_platt_coef",
    "platt_intercept": "helm_platt_intercept",
    "platt_ece_10_bin": "helm_platt_ece_10_bin",
    "platt_ece_1_bin": "helm_platt_ece_1_bin",
}
"""The same for metrics of all confidences together."""

OF_CLASSES = {
    "classification_macro_f1": "helm_classification_macro_f1",
    "classification_micro_f1": "helm_classification_micro_f1",
}
"""The same for metrics of all classes together."""

OF_WORDS = {
    "bias_metric:mode=associations,demographic_category=race,target_category=adjective": "race_adjective_association",
    "bias_metric:mode=associations,demographic_category=race,target_category=profession": "race_profession_association",
    "bias_metric:mode=associations,demographic_category=gender,target_category=adjective": "gender_adjective_association",
    "bias_metric:mode=associations,demographic_category=gender,target_category=profession": "gender_profession_association",
    "bias_metric:mode=representation,demographic_category=race": "race_representation",
    "bias_metric:mode=representation,demographic_category=gender": "gender_representation",
}
"""The same for metrics of all completions together. The word lists here are assay's own and an option that a model chose is not
its own words, so these equal HELM's only where neither finds a mention."""


@dataclass(frozen=True)
class HelmPlace:
    """Which trials a statistic is over. `perturbation` is also `robustness` or `fairness` where it is the worst case."""

    perturbation: str | None = None
    computed_on: ComputedOn = "original"


class HelmStat(Record):
    """A statistic as HELM writes it: over the few-shot draws, each counting with its mean. Without values, `count` is 0."""

    count: int
    sum: float
    sum_squared: float
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    variance: float | None = None
    stddev: float | None = None


def helm_stats(run: HelmRun, count_tokens: Callable[[str], int]) -> dict[tuple[str, HelmPlace], HelmStat]:
    """Every statistic of a run that assay has, by HELM's name and place.

    Args:
        run: as `read_helm_run` gives it; one split.
        count_tokens: the tokens of a text, by the tokenizer that HELM used for the model.

    Raises:
        AssayError: a metric failed on an answer.
    """
    by_draw: dict[int, list[HelmTrial]] = defaultdict(list)
    for trial in run.trials:
        by_draw[trial.draw].append(trial)
    means: dict[tuple[str, HelmPlace], list[float]] = defaultdict(list)
    names = set()
    for trials in by_draw.values():
        scored = [
            Scored(trial, dict(values_of_requests(run, trial, count_tokens)) | values_of_answer(run, trial)) for trial in trials
        ]
        for place, members in over(trials).items():
            chosen = [scored[index] for index in members]
            for name, value in (*averages(chosen), *summaries(run, chosen)):
                names.add((name, place))
                if value is not None:
                    means[name, place].append(value)
        for place, families in worst_over(trials).items():
            for name in scored[0].values:
                names.add((name, place))
                means[name, place].append(_mean(min(min(scored[i].values[name]) for i in family) for family in families))
        for place, originals in touched_by(trials).items():
            for name in scored[0].values:
                names.add((name, place))
                means[name, place].append(_mean(_mean(scored[index].values[name]) for index in originals))
    return {key: stat_of(means.get(key, [])) for key in names}


@dataclass(frozen=True)
class Scored:
    """A trial with its values by HELM's names: one for the answer, or one for each request."""

    trial: HelmTrial
    values: dict[str, list[float]]


def values_of_requests(run: HelmRun, trial: HelmTrial, count_tokens: Callable[[str], int]) -> Iterator[tuple[str, list[float]]]:
    """What HELM notes of every request, a value each."""
    states = trial.states
    results = [state["result"] for state in states]
    written = [float(sum(len(c["tokens"]) for c in result["completions"])) for result in results]
    prompts = [float(count_tokens(state["request"]["prompt"])) for state in states]
    echoed = [bool(state["request"].get("echo_prompt")) for state in states]
    yield "num_references", [float(len(trial.instance.references))] * len(states)
    yield "num_train_trials", [float(run.adapter["num_train_trials"])] * len(states)
    yield "num_prompt_tokens", prompts
    yield "num_completion_tokens", written
    yield "num_output_tokens", [w - p if echo else w for w, p, echo in zip(written, prompts, echoed, strict=True)]
    yield "inference_runtime", [float(result["request_time"]) for result in results]
    yield "batch_size", [float(result.get("batch_size") or 1) for result in results]
    for reason in ("length", "stop", "endoftext", "unknown"):
        ends = [[(c.get("finish_reason") or {}).get("reason", "unknown") for c in result["completions"]] for result in results]
        yield f"finish_reason_{reason}", [float(sum(end == reason for end in each)) for each in ends]
    yield "num_train_instances", [float(state["num_train_instances"]) for state in states]
    yield "prompt_truncated", [float(state["prompt_truncated"]) for state in states]


def values_of_answer(run: HelmRun, trial: HelmTrial) -> dict[str, list[float]]:
    """What HELM computes of every answer."""
    answer = trial.answer
    if run.adapter["method"].startswith("multiple_choice_separate"):
        scores = score_answer(answer, (registry.metrics.get("exact_match"),))
        right, choice, probabilities = scores["exact_match"], answer.choice, answer.choice_probabilities
        if right is None or choice is None or not probabilities:
            return {}
        return {"max_prob": [max(probabilities)], "exact_match": [right], "predicted_index": [float(choice)]}
    found = dict(_language_modeling(run, trial))
    if run.adapter["method"] == "language_modeling":
        return found
    scores = score_answer(answer, [registry.metrics.get(name) for name in OF_ANSWERS.values()])
    for name, ours in OF_ANSWERS.items():
        value = scores[ours]
        if value is not None:
            found[name] = [value]
            if run.adapter["num_outputs"] > 1:
                found[f"{name}@{run.adapter['num_outputs']}"] = [value]
    completions = trial.states[0]["result"]["completions"]
    found["max_prob"] = [math.exp(max(completion["logprob"] for completion in completions))]
    return found


def _language_modeling(run: HelmRun, trial: HelmTrial) -> Iterator[tuple[str, list[float]]]:
    """Log-probability and size of what was predicted: all but the tokens that only started the text."""
    tokens = []
    for state in trial.states:
        tokens += state["result"]["completions"][0]["tokens"][state["num_conditioning_tokens"] :]
    if run.adapter["method"] == "language_modeling":
        logprob, size, count = trial.answer.logprob or 0.0, trial.answer.scored_bytes or 0, trial.answer.scored_tokens or 0
    else:
        logprob, count = sum(token["logprob"] for token in tokens), len(tokens)
        size = len("".join(token["text"] for token in tokens).encode())
    yield "logprob", [logprob]
    yield "num_perplexity_tokens", [float(count)]
    yield "num_bytes", [float(size)]


def averages(scored: Sequence[Scored]) -> Iterator[tuple[str, float]]:
    """The mean of each value over all requests or answers."""
    for name in scored[0].values if scored else ():
        yield name, _mean([value for each in scored for value in each.values[name]])


def summaries(run: HelmRun, scored: Sequence[Scored]) -> Iterator[tuple[str, float | None]]:
    """What exists only over many answers."""
    yield "num_instances", float(len(scored))
    if "logprob" in scored[0].values:
        logprob, tokens, size = (
            math.fsum(each.values[name][0] for each in scored) for name in ("logprob", "num_perplexity_tokens", "num_bytes")
        )
        yield "perplexity", math.exp(-logprob / tokens) if tokens else None
        yield "bits_per_byte", -logprob / size / math.log(2) if size else None
        yield "logprob_per_byte", logprob / size if size else None
    if "BasicGenerationMetric" in run.metrics and "logprob" in scored[0].values:
        columns = _columns(scored)
        for name, ours in OF_CONFIDENCE.items():
            metric = registry.metrics.get(ours)
            yield name, metric.of_answers(columns) if metric.of_answers else None
    if "MultipleChoiceClassificationMetric" in run.metrics:
        yield from _of_counts(OF_CLASSES, scored)
    if "BiasMetric" in run.metrics:
        yield from _of_counts(OF_WORDS, scored)


def _columns(scored: Sequence[Scored]) -> Columns:
    import numpy as np

    def column(name: str) -> Floats:
        source = {"confidence": "max_prob", "score": "exact_match"}.get(name)
        return np.array([each.values[source][0] if source else math.nan for each in scored], dtype=np.float64)

    return Columns(**{field.name: column(field.name) for field in fields(Columns)})


def _of_counts(names: Mapping[str, str], scored: Sequence[Scored]) -> Iterator[tuple[str, float | None]]:
    for name, ours in names.items():
        metric = registry.metrics.get(ours)
        totals: dict[str, float] = defaultdict(float)
        for each in scored:
            for key, value in (count_answer(each.trial.answer, metric) or {}).items():
                totals[key] += value
        yield name, metric.value(totals) if metric.value else None


def over(trials: Sequence[HelmTrial]) -> dict[HelmPlace, list[int]]:
    """The trials of each place that is averaged: originals, and the copies of each perturbation."""
    found: dict[HelmPlace, list[int]] = defaultdict(list)
    for index, trial in enumerate(trials):
        name = trial.perturbation.name if trial.perturbation else None
        found[HelmPlace(name, "perturbed") if name else HelmPlace()].append(index)
    return dict(found)


def worst_over(trials: Sequence[HelmTrial]) -> dict[HelmPlace, list[list[int]]]:
    """The trials among which the smallest value of all their requests counts, for each worst case.

    Where anything was perturbed at all there are `robustness` and `fairness`, over the originals alone if need be.
    """
    originals = {trial.instance.id: index for index, trial in enumerate(trials) if trial.is_original}
    copies: dict[str, list[int]] = defaultdict(list)
    members: dict[str, dict[str, list[int]]] = {kind: {key: [index] for key, index in originals.items()} for kind in KINDS}
    for index, trial in enumerate(trials):
        if trial.perturbation is None:
            continue
        copies[trial.perturbation.name].append(index)
        for kind in trial.perturbation.kinds:
            members[kind].setdefault(trial.instance.id, []).append(index)
    found = {HelmPlace(kind, "worst"): list(families.values()) for kind, families in members.items()} if copies else {}
    for name, rows in copies.items():
        pairs = [[originals[trials[row].instance.id], row] for row in rows if trials[row].instance.id in originals]
        found[HelmPlace(name, "worst")] = pairs
    return found


def touched_by(trials: Sequence[HelmTrial]) -> dict[HelmPlace, list[int]]:
    """The originals that each perturbation changed."""
    originals = {trial.instance.id: index for index, trial in enumerate(trials) if trial.is_original}
    found: dict[HelmPlace, list[int]] = defaultdict(list)
    for trial in trials:
        if trial.perturbation is not None and trial.instance.id in originals:
            found[HelmPlace(trial.perturbation.name)].append(originals[trial.instance.id])
    return dict(found)


def stat_of(means: Sequence[float]) -> HelmStat:
    """HELM's statistic over the means of the draws."""
    if not means:
        return HelmStat(count=0, sum=0.0, sum_squared=0.0)
    mean = _mean(means)
    variance = math.fsum((value - mean) ** 2 for value in means) / len(means)
    return HelmStat(
        count=len(means),
        sum=math.fsum(means),
        sum_squared=math.fsum(value * value for value in means),
        min=min(means),
        max=max(means),
        mean=mean,
        variance=variance,
        stddev=math.sqrt(variance),
    )


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return math.fsum(numbers) / len(numbers)
