"""Known defects of other evaluation tools, one test for each that assay must not have. Each names the tool and the defect."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.metrics import score_answer
from assay.metrics.derived import find
from assay.perturbations import parse_perturbation, perturb
from assay.prompting import Generation, MultipleChoiceJoint, MultipleChoiceSeparateOriginal, RankingBinary, choose
from assay.records import Answer, Completion, Failure, Instance, Reference, Response, ScoredTrial, Token
from assay.statistics import estimate_cells
from assay.statistics.estimates import mean_estimate, weighted_mean
from assay.toxicity.judge import read_rating

OPTIONS = tuple(Reference(text=text, correct=text == "Oslo") for text in ("Bergen", "Oslo", "Molde", "Bodø"))
QUESTION = Instance(id="q", input="Capital of Norway?", references=OPTIONS)


def answered(prediction: str, *gold: str, **more: object) -> Answer:
    references = tuple(Reference(text=text, correct=True) for text in gold)
    return Answer(outcome="answered", prediction=prediction, completions=(prediction,), references=references, **more)  # type: ignore[arg-type]


def value(metric: str, answer: Answer) -> float | None:
    return score_answer(answer, [find(metric)])[metric]


def chosen(text: str) -> Answer:
    return MultipleChoiceJoint().read(QUESTION, [Response(completions=(Completion(text=text),))])


def trial(number: int, score: float | None, perturbation: str | None = None, metric: str = "exact_match") -> ScoredTrial:
    outcome = "answered" if score is not None else "failed"
    failure = None if score is not None else Failure(kind="timeout", message="")
    answer = Answer(outcome=outcome, failure=failure)  # type: ignore[arg-type]
    return ScoredTrial(instance_id=f"i{number}", answer=answer, scores={metric: score}, perturbation=perturbation)


# Statistics


def test_lighteval_v1_the_bootstrap_error_is_not_divided_by_the_root_of_the_replicates() -> None:
    rng = np.random.default_rng(0)
    latencies = rng.lognormal(0, 0.5, 400)
    trials = [
        ScoredTrial(instance_id=f"i{n}", answer=Answer(outcome="answered", latency_s=float(s)), scores={})
        for n, s in enumerate(latencies)
    ]
    (cell,) = estimate_cells(trials, [find("latency_p50_s")], "exact_match", {}, 0)
    again = np.median(rng.choice(latencies, (2000, 400)), axis=1).std(ddof=1)
    assert cell.estimate.stderr == pytest.approx(again, rel=0.25)


def test_lm_evaluation_harness_v2_a_macro_mean_has_the_error_of_a_macro_mean() -> None:
    parts = [mean_estimate([0.0, 1.0] * (size // 2), list(range(size)), (0, 1)) for size in (2000, 100, 50)]
    mean = weighted_mean([part for part in parts if part])
    assert mean is not None
    assert mean.stderr == pytest.approx(math.sqrt(sum((part.stderr or 0) ** 2 for part in parts if part)) / 3)


def test_inspect_v11_the_mean_of_nothing_is_not_zero_and_one_item_has_no_interval() -> None:
    assert mean_estimate([], []) is None
    assert mean_estimate([None], ["a"]) is None
    one = mean_estimate([1.0], ["a"], (0, 1))
    assert one is not None
    assert (one.low, one.high) == (None, None)


def test_promptfoo_v14_failed_requests_are_counted_where_everybody_sees_them() -> None:
    trials = [trial(n, 1.0 if n < 2 else None) for n in range(5)]
    metrics = [find(name) for name in ("exact_match", "failed", "main_if_missing_wrong", "main_if_missing_right")]
    scored = [
        ScoredTrial(
            instance_id=t.instance_id, answer=t.answer, scores={**t.scores, "failed": float(t.scores["exact_match"] is None)}
        )
        for t in trials
    ]
    values = {cell.metric: cell.estimate.value for cell in estimate_cells(scored, metrics, "exact_match", {}, 0)}
    assert values == {"exact_match": 1.0, "failed": 0.6, "main_if_missing_wrong": 0.4, "main_if_missing_right": 1.0}


# Reading


def test_lighteval_v8_two_failed_extractions_are_not_equal() -> None:
    assert value("math_equiv_chain_of_thought", answered("no box here", "none here either")) in (0.0, None)
    assert value("number_match", answered("no number", "none either")) is None


@pytest.mark.parametrize("text", ["ANSWER: $B$", "ANSWER: **B**", "ANSWER: (B)", "answer: b", "The answer is B."])
def test_inspect_v9_a_right_answer_in_another_dress_is_right(text: str) -> None:
    assert chosen(text).choice == 1


def test_promptfoo_v13_a_judge_without_a_verdict_is_missing_and_passes_nothing() -> None:
    assert read_rating('{"reason": "fine"}') is None
    assert read_rating("") is None


def test_simple_evals_v20_the_last_answer_counts_and_an_error_text_is_not_an_answer() -> None:
    assert chosen("Answer: A would be wrong. Answer: B").choice == 1
    failed = MultipleChoiceJoint().read(QUESTION, [Response(failure=Failure(kind="bad_request", message="too long"))])
    assert failed.outcome == "failed"
    assert value("exact_match", failed) is None


def test_helm_the_chain_of_thought_pattern_takes_the_last_answer_and_a_plain_one() -> None:
    assert chosen("The answer is A bit unclear; the correct answer is B").choice == 1
    assert chosen("Answer: B").choice == 1


def test_inspect_the_option_called_a_is_not_an_article() -> None:
    assert value("quasi_exact_match", answered("A", "A")) == 1.0
    assert value("quasi_exact_match", answered("B", "A")) == 0.0


# Metrics


def test_helm_the_dot_of_a_number_is_a_dot() -> None:
    assert value("number_match", answered("from 5 10", "10")) == 1.0
    assert value("helm_final_number_exact_match", answered("from 5 10", "10")) == 0.0


def test_helm_f1_counts_a_repeated_word_as_often_as_it_occurs() -> None:
    assert value("f1_score", answered("yes yes yes yes", "yes")) == pytest.approx(0.4)
    assert value("helm_f1_score", answered("yes yes yes yes", "yes")) == 1.0


def test_helm_bleu_4_alone_is_only_the_precision_of_four_words_in_a_row() -> None:
    gold = "the cat sat on the mat today"
    assert value("helm_bleu_4", answered("on the mat today", gold)) == pytest.approx(math.exp(1 - 7 / 4))
    assert value("helm_bleu_4", answered("the cat sat", gold)) == 0.0


@pytest.mark.parametrize("metric", ["exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "f1_score"])
def test_helm_an_empty_prediction_is_never_perfect(metric: str) -> None:
    assert value(metric, Answer(outcome="empty", references=(Reference(text="x", correct=True),))) == 0.0
    assert value(metric, answered("", "")) != 1.0


def test_helm_an_empty_prediction_has_the_worst_error_rate() -> None:
    trials = [
        ScoredTrial(
            instance_id=f"i{n}", answer=Answer(outcome="empty", references=(Reference(text="a b c", correct=True),)), scores={}
        )
        for n in range(3)
    ]
    assert [cell.estimate.value for cell in estimate_cells(trials, [find("wer")], "exact_match", {}, 0)] == [1.0]


def test_helm_tied_options_share_the_credit_and_none_gets_all_of_it() -> None:
    tie = [Response(completions=(Completion(text=r.text, tokens=(Token(text="x", logprob=-1.0),)),)) for r in OPTIONS]
    assert value("choice_accuracy", MultipleChoiceSeparateOriginal().read(QUESTION, tie)) == 0.25
    assert value("exact_match", MultipleChoiceSeparateOriginal().read(QUESTION, tie)) == 0.25


def test_helm_bbq_a_letter_with_a_full_stop_is_that_option() -> None:
    references = tuple(
        Reference(text=role, correct=role == "unknown", role=role) for role in ("stereotype", "counter_stereotype", "unknown")
    )
    answer = MultipleChoiceJoint().read(
        Instance(id="b", input="Who?", references=references), [Response(completions=(Completion(text="C."),))]
    )
    assert value("bbq_accuracy", answer) == 1.0


def test_helm_a_ranking_reads_a_sure_no_below_an_unsure_one() -> None:
    def said(text: str, logprob: float) -> Response:
        return Response(completions=(Completion(text=text, tokens=(Token(text=text, logprob=logprob),)),))

    ranked = (
        RankingBinary().read(QUESTION, [said("No", -0.1), said("No", -2.0), said("Yes", -3.0), said("perhaps", 0.0)]).relevance
    )
    assert ranked is not None
    assert ranked[2] > ranked[1] > ranked[0] > ranked[3]


def test_helm_toxicity_of_the_same_text_twice_counts_twice() -> None:
    rated = [(0.9,), (0.9,), (0.0,)]
    trials = [
        ScoredTrial(instance_id=f"i{n}", answer=Answer(outcome="answered", toxicity=t), scores={}) for n, t in enumerate(rated)
    ]
    (cell,) = estimate_cells(trials, [find("toxic_fraction")], "exact_match", {}, 0)
    assert cell.estimate.value == pytest.approx(2 / 3)


# Worst cases and perturbations


def test_helm_the_worst_case_is_the_largest_where_lower_is_better() -> None:
    metric = find("expected_max_toxicity")
    trials = [trial(0, 0.0, metric=metric.name), trial(0, 1.0, "typos", metric=metric.name)]
    cells = estimate_cells(trials, [metric], "exact_match", {"typos": "robustness"}, 0)
    (worst,) = [c for c in cells if (c.perturbation, c.computed_on) == ("robustness", "worst")]
    assert worst.estimate.value == 1.0


def test_helm_nothing_is_called_robustness_where_nothing_was_perturbed() -> None:
    cells = estimate_cells([trial(n, 1.0) for n in range(5)], [find("exact_match")], "exact_match", {"typos": "robustness"}, 0)
    assert {(cell.perturbation, cell.computed_on) for cell in cells} == {(None, "original")}


@pytest.mark.parametrize("text", ["he", "He left", "It is him", "his"])
def test_helm_gendered_words_at_the_start_and_end_of_a_text_are_exchanged(text: str) -> None:
    changed = perturb(Instance(id="g", input=text), parse_perturbation("gender")[0], 0)
    assert changed is not None
    assert not {"he", "him", "his"} & set(str(changed.input).lower().split())


def test_helm_names_depend_on_the_seed() -> None:
    instance = Instance(id="n", input="Brad met Greg and Emily and Megan and Katie.")
    spec = parse_perturbation("person_name")[0]
    copies = {str(copy.input) for seed in range(8) if (copy := perturb(instance, spec, seed))}
    assert len(copies) > 1


def test_helm_too_few_labelled_examples_do_not_hang_the_choice() -> None:
    pool = [Instance(id=str(n), input="x", references=OPTIONS if n < 2 else (), split="train") for n in range(5)]
    assert len(choose(pool, 5, seed=0, draw=0, helm=True).shown) == 5


def test_helm_usage_of_the_provider_is_counted_without_tokens_in_the_response() -> None:
    from assay.records import Usage

    response = Response(
        completions=(Completion(text="x"),), usage=Usage(prompt_tokens=9, completion_tokens=3, source="provider")
    )
    answer = Generation().read(QUESTION, [response])
    assert (answer.prompt_tokens, answer.completion_tokens) == (9, 3)
