from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest

from assay.cli.options import adjust
from assay.cli.watching import SuiteProgress
from assay.engine import Engine
from assay.models import Local, open_model
from assay.models.library.baseline import UNSEEN
from assay.planning import Planner
from assay.records import Completion, Option, Request
from assay.runs import carry_out
from assay.suites import read_suite

ABC = (Option(text=" A", share=0.25), Option(text=" B", share=0.5), Option(text=" C", share=0.25))


def _ask(kind: str, **request: object) -> Completion:
    model = open_model(f"baseline/{kind}", {})
    assert isinstance(model, Local)
    [response] = model.ask_batch([Request(**{"prompt": "x", **request})])  # type: ignore[arg-type]
    assert response.failure is None
    return response.completions[0]


def test_the_majority_is_the_answer_with_the_greatest_share_and_its_log() -> None:
    completion = _ask("majority", options=ABC, top_logprobs=2)
    assert (completion.text, completion.logprob) == (" B", math.log(0.5))
    assert completion.tokens[0].top == {" B": math.log(0.5), " A": math.log(0.25)}


def test_a_tie_goes_to_the_first() -> None:
    assert _ask("majority", options=(ABC[2], ABC[0])).text == " C"


@pytest.mark.parametrize(("kind", "share"), [("majority", 0.5), ("uniform", 1 / 3)])
def test_a_scored_continuation_gets_the_log_of_its_share(kind: str, share: float) -> None:
    for text in (" B", "B", "B\n"):
        completion = _ask(kind, options=ABC, continuation=text)
        assert (completion.text, completion.finish_reason) == (text, "scored")
        assert completion.logprob == pytest.approx(math.log(share))
    assert _ask(kind, options=ABC, continuation="D").logprob == pytest.approx(math.log(UNSEEN))


def test_an_answer_no_example_has_is_very_unlikely_and_no_examples_at_all_make_all_equal() -> None:
    options = (Option(text="A", share=0.0), Option(text="B", share=1.0))
    assert _ask("majority", options=options, continuation="A").logprob == pytest.approx(math.log(UNSEEN))
    none = tuple(Option(text=text, share=0.0) for text in "ABCD")
    assert (_ask("majority", options=none).text, _ask("majority", options=none).logprob) == ("A", math.log(0.25))


def test_without_answers_to_choose_from_there_is_nothing_to_say() -> None:
    for kind in ("majority", "uniform"):
        assert _ask(kind) == Completion(text="")
        assert _ask(kind, continuation="A").logprob is None


def test_the_uniform_guess_is_fair_and_a_function_of_the_request() -> None:
    guesses = [_ask("uniform", prompt=str(number), options=ABC) for number in range(900)]
    counts = Counter(guess.text for guess in guesses)
    # Five standard deviations of a binomial(900, 1/3).
    assert all(abs(counts[option.text] - 300) < 5 * math.sqrt(900 * 2 / 9) for option in ABC)
    assert {guess.logprob for guess in guesses} == {math.log(1 / 3)}
    assert [_ask("uniform", prompt=str(number), options=ABC) for number in range(20)] == guesses[:20]


def test_repeats_differ_only_when_sampling() -> None:
    def guesses(temperature: float) -> set[str]:
        return {_ask("uniform", options=ABC, repeat=repeat, temperature=temperature).text for repeat in range(30)}

    assert len(guesses(0.0)) == 1
    assert len(guesses(1.0)) == 3


def test_as_many_completions_as_asked_for() -> None:
    model = open_model("baseline/uniform", {})
    assert isinstance(model, Local)
    [response] = model.ask_batch([Request(prompt="x", options=ABC, completions=40)])
    assert len(response.completions) == 40
    assert {completion.text for completion in response.completions} == {" A", " B", " C"}
    assert model.capabilities.reads_options


def _asked(tmp_path: Path, rows: list[dict[str, object]], entry: str) -> tuple[float, float | None]:
    """Accuracy of both baselines on a file of one's own that has no train rows."""
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    planner = Planner(runs_folder=tmp_path / "runs")
    suite = adjust(read_suite([f"local_file:path={tmp_path / 'cases.jsonl'}{entry}"]), {"models": ("baseline/majority",)})
    (run,) = planner.plan(suite)
    assert run.peeks
    engine = Engine(None)
    (folder,) = carry_out([run], engine, SuiteProgress(engine, []))
    cells = {cell.metric: cell.estimate.value for cell in folder.stats().cells if cell.subgroup is None}
    return cells[folder.stats().main_metric], cells.get("ece_10_bin")


LABELS = ["change", "cancel", "ask"]
RIGHT = ["ask"] * 5 + ["cancel"] * 3 + ["change"] * 2


@pytest.mark.parametrize("method", ["multiple_choice_joint", "multiple_choice_separate_original", "generation"])
def test_without_train_rows_the_majority_is_that_of_the_items_asked(tmp_path: Path, method: str) -> None:
    rows: list[dict[str, object]] = [
        {"input": f"message {n}", "answer": right, "options": LABELS} for n, right in enumerate(RIGHT)
    ]
    accuracy, error = _asked(tmp_path, rows, f",method={method}")
    assert accuracy == 0.5
    assert error is None or error == pytest.approx(0.0, abs=1e-6), "its confidence is the share of that answer"


def test_the_majority_of_free_answers_is_the_most_frequent_text(tmp_path: Path) -> None:
    assert _asked(tmp_path, [{"input": f"{n}?", "answer": answer} for n, answer in enumerate(RIGHT)], "")[0] == 0.5
    assert _asked(tmp_path, [{"input": f"{n}?", "answer": "yes"} for n in range(4)], "")[0] == 1.0


def test_options_of_its_own_do_not_tell_the_majority_an_items_answer(tmp_path: Path) -> None:
    rows = [{"input": f"{n}?", "answer": f"right {n}", "options": [f"right {n}", f"wrong {n}"]} for n in range(8)]
    assert _asked(tmp_path, list(rows), ",method=multiple_choice_separate_original")[0] == 0.5
