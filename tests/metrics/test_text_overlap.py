from __future__ import annotations

import math
import sys

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate import bleu_score
from rouge_score import rouge_scorer

from assay.errors import MissingExtra
from assay.metrics import count_answer, metrics_for
from assay.metrics.library import helm, text_overlap
from assay.metrics.ngrams import chrf_counts, chrf_value
from assay.records import Answer, Reference

WORDS = ["the", "cats", "are", "running", "quickly", "over", "Bridges", "bridge,", "don't", "3.14", "naïve", "ran"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


def answer(prediction: str, *gold: str, **fields: object) -> Answer:
    references = tuple(Reference(text=text, correct=True) for text in gold)
    return Answer(**{"outcome": "answered", "prediction": prediction, "references": references} | fields)


def summed(answers: list[Answer], name: str) -> float | None:
    (metric,) = [metric for metric in metrics_for([name]) if metric.name == name]
    totals: dict[str, float] = {}
    for one in answers:
        for count, value in (count_answer(one, metric) or {}).items():
            totals[count] = totals.get(count, 0.0) + value
    assert metric.value is not None
    return metric.value(totals)


@settings(max_examples=60)
@given(sentences, sentences)
def test_rouge_is_rouge_scores(prediction: str, gold: str) -> None:
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    expected = scorer.score(gold, prediction)
    given_answer = answer(prediction, gold)
    assert text_overlap.rouge_1(given_answer) == pytest.approx(expected["rouge1"].fmeasure)
    assert text_overlap.rouge_2(given_answer) == pytest.approx(expected["rouge2"].fmeasure)
    assert text_overlap.rouge_l(given_answer) == pytest.approx(expected["rougeL"].fmeasure)


@settings(max_examples=60)
@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=4))
def test_bleu_and_chrf_are_sacrebleus(pairs: list[tuple[str, str]]) -> None:
    predictions, gold = [list(texts) for texts in zip(*pairs, strict=True)]
    answers = [answer(prediction, reference) for prediction, reference in pairs]
    assert summed(answers, "bleu") == pytest.approx(sacrebleu.corpus_bleu(predictions, [gold]).score / 100)
    assert summed(answers, "chrf") == pytest.approx(sacrebleu.corpus_chrf(predictions, [gold]).score / 100)
    for one, (prediction, reference) in zip(answers, pairs, strict=True):
        bleu = sacrebleu.sentence_bleu(prediction, [reference]).score / 100
        assert text_overlap.sentence_bleu(one) == pytest.approx(bleu)
        assert text_overlap.sentence_chrf(one) == pytest.approx(sacrebleu.sentence_chrf(prediction, [reference]).score / 100)


def test_several_references_are_used_as_sacrebleu_uses_them() -> None:
    gold = ("the cat sat on the mat", "a cat was sitting on the mat there")
    prediction = "a cat sat on the mat there"
    expected = sacrebleu.corpus_bleu([prediction], [[text] for text in gold]).score / 100
    assert summed([answer(prediction, *gold)], "bleu") == pytest.approx(expected)


@pytest.mark.parametrize("name", ["rouge_1", "rouge_2", "rouge_l", "sentence_bleu", "sentence_chrf"])
def test_equal_texts_score_one_and_empty_ones_nothing(name: str) -> None:
    metric = getattr(text_overlap, name)
    assert metric(answer("the cat sat on the mat", "the cat sat on the mat")) == pytest.approx(1.0)
    assert metric(answer("", "the cat")) == 0.0
    assert metric(answer("anything")) is None


def test_a_refusal_counts_as_an_empty_translation() -> None:
    answers = [answer("the cat sat on the mat", "the cat sat on the mat"), answer("the cat", "the cat", outcome="refused")]
    penalty = math.exp(1 - 8 / 6)
    assert summed(answers, "bleu") == pytest.approx(penalty)
    assert (summed(answers, "chrf") or 1.0) < 1.0


def test_chrf_needs_no_words() -> None:
    assert chrf_value(chrf_counts("日本語の文章", "日本語の文章")) == pytest.approx(1.0)
    assert chrf_value(chrf_counts("日本", "語文")) == 0.0


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, cached in (
        ("sacrebleu.metrics.bleu", text_overlap._sacrebleu),
        ("rouge_score.tokenizers", text_overlap._stemmer),
    ):
        cached.cache_clear()
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra, match=r"is not installed \(pip install"):
            cached()
        monkeypatch.undo()
        cached.cache_clear()


def test_bug_bleu_4_of_helm_is_the_precision_of_4_grams_alone() -> None:
    gold, prediction = "a b c d e f", "x b c d e y"
    given_answer = answer(prediction, gold)
    assert helm.helm_bleu_1(given_answer) == pytest.approx(4 / 6)
    assert helm.helm_bleu_4(given_answer) == pytest.approx(1 / 3)
    right = (4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)
    assert text_overlap.sentence_bleu(given_answer) == pytest.approx(right)


def test_helms_bleu_is_nltks() -> None:
    gold, prediction = "The cat sat on the mat in the hall", "The cat sat on the old mat"
    for name, weights in (("helm_bleu_1", (1, 0, 0, 0)), ("helm_bleu_4", (0, 0, 0, 1))):
        expected = bleu_score.sentence_bleu([gold.split()], prediction.split(), weights=weights)
        assert getattr(helm, name)(answer(prediction, gold)) == pytest.approx(expected)


def test_self_bleu_tells_copies_from_variety() -> None:
    same = answer("a b c d e", completions=("a b c d e",) * 3)
    varied = answer("a b c d e", completions=("a b c d e", "f g h i j", "k l m n o"))
    assert text_overlap.self_bleu(same) == pytest.approx(1.0)
    assert text_overlap.self_bleu(varied) == 0.0
    assert text_overlap.self_bleu(answer("a", completions=("a", " "))) is None
