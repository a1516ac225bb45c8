"""Every statistic of HELM's recorded runs is recomputed, or is on the list of deliberate differences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers

from assay.errors import AssayError
from assay.interop.helm_runs import read_helm_run
from assay.interop.helm_stats import DIFFERENT, HelmPlace, helm_stats, stat_of

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "helm.md"
PARTS = ("count", "sum", "sum_squared", "min", "max", "mean", "variance", "stddev")


def tokens_of(shared: Path) -> Callable[[str], int]:
    tokenizer = tokenizers.Tokenizer.from_file(str(shared / "golden" / "tok" / "tokenizer.json"))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def place_of(stat: dict[str, Any]) -> HelmPlace:
    perturbation = stat["name"].get("perturbation") or {}
    return HelmPlace(perturbation.get("name"), perturbation.get("computed_on", "original"))


def agree(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= 1e-9 * max(1.0, abs(theirs))


@pytest.mark.parametrize(("name", "equal", "listed"), [("mc", 475, 60), ("mcsep", 275, 60), ("lm", 20, 4)])
def test_every_statistic_of_helm_is_equal_or_listed(shared: Path, name: str, equal: int, listed: int) -> None:
    ours = helm_stats(read_helm_run(shared / "golden" / name), tokens_of(shared))
    verdicts: Counter[str] = Counter()
    wrong = []
    for theirs in json.loads((shared / "golden" / name / "stats.json").read_text()):
        key = (theirs["name"]["name"], place_of(theirs))
        if key[0] in DIFFERENT:
            assert key not in ours
            verdicts["listed"] += 1
            continue
        found = ours.pop(key)
        same = all(agree(getattr(found, part), theirs.get(part)) for part in PARTS)
        verdicts["equal" if same else "different"] += 1
        if not same:
            wrong.append((key, found, theirs))
    assert not wrong
    assert verdicts == {"equal": equal, "listed": listed}
    assert not ours, "statistics that HELM does not have"


def test_the_document_lists_every_deliberate_difference() -> None:
    text = DOCUMENT.read_text()
    for name, reason in DIFFERENT.items():
        assert f"| `{name}` | {reason} |" in text


def test_a_statistic_without_values_is_empty_and_the_variance_is_between_draws() -> None:
    empty, two = stat_of([]), stat_of([1.0, 3.0])
    assert (empty.count, empty.sum, empty.mean) == (0, 0.0, None)
    assert (two.count, two.sum, two.sum_squared, two.mean, two.variance, two.stddev) == (2, 4.0, 10.0, 2.0, 1.0, 1.0)


def test_a_folder_that_helm_did_not_write_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"run_spec\.json does not exist"):
        read_helm_run(tmp_path)
    (tmp_path / "run_spec.json").write_text("{}")
    (tmp_path / "scenario_state.json").write_text('{"request_states": []}')
    with pytest.raises(AssayError, match="is not a recorded HELM run"):
        read_helm_run(tmp_path)
    (tmp_path / "scenario_state.json").write_text("{")
    with pytest.raises(AssayError, match="cannot be read"):
        read_helm_run(tmp_path)


def test_options_are_scored_by_the_tokens_that_spell_them(shared: Path) -> None:
    for trial in read_helm_run(shared / "golden" / "mcsep").trials[:20]:
        for state, reference in zip(trial.states, trial.instance.references, strict=True):
            tokens = state["result"]["completions"][0]["tokens"]
            assert "".join(token["text"] for token in tokens).endswith(" " + reference.text)
        assert trial.answer.choice_probabilities is not None
        assert sum(trial.answer.choice_probabilities) == pytest.approx(1)
