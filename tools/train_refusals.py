"""Fits the weights of `src/assay/prompting/refusals.json`, and says how well the detector does on models it has not seen.

    ASSAY_SHARED=… python tools/train_refusals.py            the figures of docs/refusals.md
    ASSAY_SHARED=… python tools/train_refusals.py --write    also fits on everything and writes the weights

The labelled completions are XSTest's (see `trained_on` in the data file) and those of `refusals_written.jsonl`. A figure of
a model comes from fits that saw neither that model nor the kind of prompt (a kind and its contrast are left out together).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.optimize import minimize

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from assay.prompting import refusals  # noqa: E402

SHARED = Path(os.environ.get("ASSAY_SHARED") or ROOT.parent / "shared")
OWN = Path(__file__).with_name("refusals_written.jsonl")
"""Completions written for this, in many manners of refusing and of answering what sounds worse than it is."""
LABELS = {"1_full_compliance": "none", "2_full_refusal": "full", "3_partial_refusal": "partial"}

SIGNS = {
    "hard early": 1, "hard end": 1, "hard share": 1, "value first": 1, "value early": 1, "value share": 1,
    "clarify share": 1, "identity": 1, "no access early": 1,
    "comply first": -1, "comply share": -1, "define first": -1, "define share": -1,
    "list": -1, "nonsense share": -1, "plain share": -1,
    "warned": 1, "warned share": 1, "asked early": 1, "asked share": 1,
}  # fmt: skip
"""The features that are weighed, and whether one may speak for a refusal or against it only."""
LATER = 4
"""How many of them, the last, are fitted afterwards, with the others held, to the written completions, too: XSTest's have few
refusals that only warn and redirect, and what those teach is not to be unlearnt."""
EXPECTED = {"hard early": 3.0, "hard end": 2.0, "hard share": 3.0}
"""Weights towards which the penalty pulls, where not 0: that "I cannot" refuses is known, and need not share its weight with
whatever stands beside it in these completions."""
PENALTY = 30.0
"""Of the squared weights (ridge)."""
TOTAL = 900.0
"""The sum of all weights, about the completions of two models: what the penalty is set against."""
FEWEST = 8
"""Rows that a stratum must have to weigh as much as the others."""

ORDINARY = "ordinary"
"""The model under which texts stand that are no refusals."""

WRITTEN = "written here"
"""The model under which our own texts stand."""

Floats = np.ndarray


class Labelled(NamedTuple):
    """Completions with what people said of them."""

    rows: list[dict[str, str]]
    features: Floats
    """Rows by features; zeros where a text has no cue at all."""
    cued: Floats
    """Whether a text has any cue: one without is never a refusal."""
    hard: Floats
    """Whether a text says that it cannot or will not."""
    helps: Floats
    """Whether it does, and helps with something all the same: a refusal in part."""

    def column(self, name: str) -> Floats:
        return np.array([row[name] for row in self.rows])

    @property
    def label(self) -> Floats:
        return np.array([LABELS[row["human"]] for row in self.rows])

    @property
    def kind(self) -> Floats:
        """What is left out together: a kind of prompt with its contrast."""
        merged = {"nons_group_real_discr": "discr", "real_group_nons_discr": "discr"}
        plain = [row["type"].replace("contrast_", "") for row in self.rows]
        return np.array(["privacy" if kind.startswith("privacy") else merged.get(kind, kind) for kind in plain])


def labelled() -> Labelled:
    """The labelled completions, and of the ordinary texts every other one, as the compliance of one more model."""
    with (SHARED / "labelled" / "xstest.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    with OWN.open(encoding="utf-8") as lines:
        own = [json.loads(line) for line in lines]
    named = {value: label for label, value in LABELS.items()}
    rows += [
        {
            "completion": row["text"],
            "human": named[row["value"]],
            "string_match": "1_full_compliance",  # not tried
            "model": WRITTEN,
            "type": WRITTEN,
            "prompt": row["text"],
        }
        for row in own
    ]
    for name, texts in ordinary():
        rows += [
            {
                "completion": text,
                "human": "1_full_compliance",
                "string_match": "1_full_compliance",
                "model": ORDINARY,
                "type": name,
                "prompt": name,
            }
            for text in texts[::2]
        ]
    found = [refusals.features(row["completion"]) for row in rows]
    matrix = np.array([[(one or {}).get(name, 0.0) for name in SIGNS] for one in found])
    hard = np.array([(one or {}).get("hard", 0.0) > 0 for one in found])
    helps = np.array([one is not None and one["hard"] > 0 and refusals.helps(one) for one in found])
    return Labelled(rows, matrix, np.array([one is not None for one in found]), hard, helps)


def strata(refused: Floats, model: Floats, hard: Floats) -> Floats:
    """A weight for each row, so that no model and no manner outweighs the others.

    Of each model, refusals without a word of inability, compliance, and whatever says it cannot have the same weight: most
    refusals of two of the models begin with the same words, and a plain fit learns those words only.
    """
    weights = np.zeros(len(refused))
    for one in set(model):
        mine = model == one
        for stratum in (mine & ~hard & refused, mine & ~hard & ~refused, mine & hard):
            if stratum.any():
                weights[stratum] = min(1, stratum.sum() / FEWEST) / stratum.sum()
    weights[model == ORDINARY] /= 4
    return weights / weights.sum() * TOTAL


def fit(features: Floats, refused: Floats, weights: Floats, names: list[str], held: Floats | None = None) -> Floats:
    """The constant and the weights of a logistic regression with a ridge penalty and the signs above.

    Where scores are `held`, the weights come on top of them, without a constant.
    """
    scale = np.maximum(features.std(axis=0), 0.2)
    design = np.column_stack([np.full(len(features), float(held is None)), features / scale])
    expected = np.array([EXPECTED.get(name, 0.0) for name in names]) * scale
    base = np.zeros(len(features)) if held is None else held

    def loss(beta: Floats) -> tuple[float, Floats]:
        score = base + design @ beta
        probability = 1 / (1 + np.exp(-np.clip(score, -40, 40)))
        away = beta[1:] - expected
        value = weights @ (np.logaddexp(0, score) - refused * score) + PENALTY / 2 * away @ away
        slope = design.T @ (weights * (probability - refused))
        slope[1:] += PENALTY * away
        return value, slope

    bounds = [(None, None), *((0, None) if SIGNS[name] > 0 else (None, 0) for name in names)]
    found = minimize(loss, np.zeros(design.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x
    return np.concatenate([found[:1], found[1:] / scale])


def fitted(data: Labelled, rows: Floats) -> Floats:
    """Weights that tell full refusals from compliance, partial ones left out."""
    names, model = list(SIGNS), data.column("model")
    used = rows & (data.label != "partial")
    refused = data.label == "full"

    def weighted(some: Floats) -> Floats:
        return strata(refused[some], model[some], data.hard[some])[data.cued[some]]

    people = used & (model != WRITTEN)
    first, both = people & data.cued, used & data.cued
    weights = fit(data.features[first, :-LATER], refused[first], weighted(people), names[:-LATER])
    held = data.features[both, :-LATER] @ weights[1:] + weights[0]
    later = fit(data.features[both, -LATER:], refused[both], weighted(used), names[-LATER:], held)
    return np.concatenate([weights, later[1:]])


def unseen(data: Labelled, fitting: Callable[[Labelled, Floats], Floats] = fitted, by_kind: bool = True) -> Floats:
    """The score of each completion by a fit that saw neither its model nor its kind of prompt."""
    scores = np.full(len(data.rows), -np.inf)
    model, kind = data.column("model"), data.kind
    for one in sorted(set(model) - {ORDINARY}):
        for other in sorted(set(kind)) if by_kind else [None]:
            asked = (model == one) & ((kind == other) if by_kind else True)
            weights = fitting(data, (model != one) & ((kind != other) if by_kind else True))
            scores[asked & data.cued] = data.features[asked & data.cued] @ weights[1:] + weights[0]
    return scores


def balanced(refused: Floats, label: Floats, partial: str | None = None) -> tuple[float, float, float]:
    """(balanced accuracy, recall, false positives); partial refusals are left out, or counted as `partial`."""
    truth = np.where(label == "partial", partial or "partial", label)
    recall, wrong = refused[truth == "full"].mean(), refused[truth == "none"].mean()
    return (recall + 1 - wrong) / 2, recall, wrong


def interval(
    refused: Floats, label: Floats, prompts: Floats, partial: str | None = None, draws: int = 1000
) -> tuple[float, float]:
    """95 % of the balanced accuracy over resampled prompts."""
    generator = np.random.default_rng(0)
    by_prompt = [np.flatnonzero(prompts == one) for one in sorted(set(prompts))]
    drawn = []
    for _ in range(draws):
        rows = np.concatenate([by_prompt[index] for index in generator.integers(len(by_prompt), size=len(by_prompt))])
        drawn.append(balanced(refused[rows], label[rows], partial)[0])
    return float(np.nanquantile(drawn, 0.025)), float(np.nanquantile(drawn, 0.975))


def table(data: Labelled, refused: Floats, partial: str | None = None, say: Callable[[str], None] = print) -> float:
    """The figures of each model and their mean, of models of other people."""
    model, label, prompts = data.column("model"), data.label, data.column("prompt")
    means = []
    for one in sorted(set(model) - {ORDINARY}):
        mine = model == one
        value, recall, wrong = balanced(refused[mine], label[mine], partial)
        low, high = interval(refused[mine], label[mine], prompts[mine], partial)
        say(f"  {one:16s} balanced {value:.3f} [{low:.3f}, {high:.3f}]  recall {recall:.3f}  wrongly {wrong:.3f}")
        means += [value] if one != WRITTEN else []
    say(f"  mean {np.mean(means):.3f}")
    return float(np.mean(means))


def ordinary() -> Iterator[tuple[str, list[str]]]:
    """(name, texts) that are no refusals: model outputs, solutions, reviews, summaries, articles, short answers."""
    with (SHARED / "labelled" / "llmbar.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    yield "LLMBar outputs", [row[name] for row in rows for name in ("output_1", "output_2")]
    hub = SHARED / "hub" / "datasets"
    for name, path, column in (
        ("GSM8K solutions", "openai/gsm8k/main/test-00000-of-00001.parquet", "answer"),
        ("MATH solutions", "HuggingFaceH4/MATH-500/data/test-00000-of-00001.parquet", "solution"),
        ("IMDB reviews", "stanfordnlp/imdb/plain_text/test-00000-of-00001.parquet", "text"),
        ("XSum articles", "EdinburghNLP/xsum/data/test-00000-of-00001.parquet", "document"),
        ("XSum summaries", "EdinburghNLP/xsum/data/test-00000-of-00001.parquet", "summary"),
        ("CNN articles", "abisee/cnn_dailymail/3.0.0/test-00000-of-00001.parquet", "article"),
        ("CNN summaries", "abisee/cnn_dailymail/3.0.0/test-00000-of-00001.parquet", "highlights"),
        ("TruthfulQA answers", "truthfulqa/truthful_qa/generation/validation-00000-of-00001.parquet", "best_answer"),
    ):
        yield name, pl.read_parquet(hub / path)[column].to_list()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="fit on all completions and write the weights")
    arguments = parser.parse_args()
    data = labelled()
    scores = unseen(data)
    print("Unseen model and kind of prompt, partial refusals left out:")
    table(data, (scores > 0) & ~data.helps)
    print("Partial refusals counted as refusals, found in part as found:")
    table(data, scores > refusals.DOUBTFUL, "full")
    print("What people marked, by what was found (none, partial, full):")
    found = np.where(
        scores > 0, np.where(data.helps, "partial", "full"), np.where(scores > refusals.DOUBTFUL, "partial", "none")
    )
    for model in sorted(set(data.column("model")) - {ORDINARY}):
        for label in LABELS.values():
            rows = (data.column("model") == model) & (data.label == label)
            print(f"  {model:16s} {label:8s}", *(int((found[rows] == one).sum()) for one in ("none", "partial", "full")))
    print("String match of XSTest:")
    table(data, np.array([LABELS[row["string_match"]] != "none" for row in data.rows]))
    if arguments.write:
        weights = fitted(data, np.ones(len(data.rows), bool))
        stored = json.loads(refusals.DATA.read_text(encoding="utf-8"))
        stored["weights"] = {
            name: round(float(value), 2)
            for name, value in zip(["constant", *SIGNS], weights, strict=True)
            if name == "constant" or abs(value) >= 0.01
        }
        refusals.DATA.write_text(json.dumps(stored, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        refusals._model.cache_clear()
    print("Ordinary texts called full and partial refusals:")
    for name, texts in ordinary():
        found = [refusals.refusal_of(text) for text in texts[1::2]]
        print(f"  {name:20s} {len(found):5d}  full {found.count('full')}  partial {found.count('partial')}")


if __name__ == "__main__":
    main()
