"""A suite puts its questions to chat models in a form for chat, and to all others as ever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from assay.errors import AssayError, Impossible
from assay.models.base import ModelConfig
from assay.models.thinking import ROOM as THINKING
from assay.planning import Planner, Run
from assay.prompting.chat_form import LETTER, LIKELIEST, ONE_OF, ROOM
from assay.records import Request
from assay.suites import Candidate, Suite

URL = "http://127.0.0.1:1/v1"
CONFIGS = {
    name: ModelConfig(name=name, provider="openai", model=model, base_url=URL, endpoint=kind)
    for name, model, kind in (("talks", "m", "chat"), ("thinks", "o3-mini", "chat"), ("goes on", "m", "completions"))
}


def planned(entry: str, *models: str | Candidate, **more: Any) -> list[Run]:
    return Planner(CONFIGS).plan(Suite(scenarios=(entry,), models=models, max_instances=3, **more))


def first(run: Run) -> Request:
    return next(run.trials()).requests[0]


def said(request: Request) -> str:
    assert not isinstance(request.prompt, str)
    return request.prompt[-1].content


def alike(runs: Sequence[Run]) -> bool:
    return len({str(run.spec.prompting) for run in runs}) == 1


def test_a_closed_question_names_its_options_and_leaves_room() -> None:
    (run,) = planned("billing_support:", "talks")
    request = first(run)
    assert said(request).endswith("\n\nAnswer with one of these: cancel, dispute, explain, human, refund.")
    assert (request.max_tokens, request.stop) == (ROOM, ())
    assert run.spec.prompting["form"] == ONE_OF


def test_what_cannot_be_scored_is_asked_by_letter_and_so_is_the_baseline_beside_it() -> None:
    runs = planned("capitals:", "talks", "baseline/majority")
    assert alike(runs)
    assert runs[0].spec.prompting["method"] == "multiple_choice_joint"
    assert said(first(runs[0])).endswith(LIKELIEST)


def test_a_method_that_was_asked_for_is_refused_where_it_cannot_be() -> None:
    with pytest.raises(Impossible, match="cannot score given texts"):
        planned("capitals:method=multiple_choice_separate_original", "talks")


def test_what_cannot_be_asked_of_a_model_can_be_left_out() -> None:
    told: list[str] = []
    planner = Planner(CONFIGS, on_impossible=told.append)
    always = Candidate(model="goes on", prompting={"chat": "always"})
    runs = planner.plan(Suite(scenarios=("billing_support:",), models=(always, "talks"), max_instances=3))
    assert [run.spec.model.name for run in runs] == ["talks"]
    assert "the model takes no messages" in told[0]


@pytest.mark.parametrize("entry", ["billing_support:max_tokens=0", "capitals:method=multiple_choice_joint,max_tokens=0"])
def test_an_answer_needs_room(entry: str) -> None:
    with pytest.raises(AssayError, match="max_tokens is 0"):
        planned(entry, "talks")


def test_all_chat_models_are_asked_alike_and_those_that_think_get_room_for_it() -> None:
    runs = planned("billing_support:", "talks", "thinks")
    assert alike(runs)
    assert [first(run).max_tokens for run in runs] == [ROOM, ROOM + THINKING]


@pytest.mark.parametrize("compat", [False, True])
def test_completion_endpoints_are_asked_as_declared(compat: bool) -> None:
    (run,) = planned("billing_support:", "goes on", helm_compat=compat)
    request = first(run)
    assert isinstance(request.prompt, str)
    assert request.prompt.endswith("\nAction:")
    assert (request.max_tokens, request.stop) == (5, ("\n",))


def test_helms_asking_stays_helms_on_chat_endpoints_too() -> None:
    (run,) = planned("billing_support:", "talks", helm_compat=True)
    request = first(run)
    assert said(request).endswith("\nAction:")
    assert (request.max_tokens, request.stop, run.spec.prompting["answer"]) == (5, ("\n",), "text")


@pytest.mark.parametrize("prompting", [{"max_tokens": 9}, {"stop": ["!"]}, {"instructions": "Choose.\n"}])
def test_what_the_user_sets_stays(prompting: dict[str, Any]) -> None:
    (run,) = planned("billing_support:", Candidate(model="talks", prompting=prompting))
    for name, value in prompting.items():
        assert run.spec.prompting[name] == (tuple(value) if isinstance(value, list) else value)
    assert said(first(run)).endswith("\nAction:" if "instructions" in prompting else "explain, human, refund.")


def test_a_model_that_takes_text_is_asked_by_chat_where_it_is_told_to_be() -> None:
    text, chat, never = planned(
        "billing_support:",
        "baseline/majority",
        Candidate(model="baseline/majority", label="chat", prompting={"chat": "always"}),
        Candidate(model="baseline/majority", label="never", prompting={"chat": "never"}),
    )
    assert [run.spec.prompting["form"] for run in (text, chat, never)] == ["", ONE_OF, ""]


def test_lettered_questions_say_so(tmp_path: Any) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text('{"input": "Which?", "answer": "oak", "options": ["oak", "elm"]}\n')
    (run,) = planned(f"local_file:path={file}", "talks")
    assert said(first(run)) == f"Question: Which?\nA. oak\nB. elm\n\n{LETTER}"
