"""What `assay show` lets a person see."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from assay.cli.trials import describe_trial, heading
from assay.prompting import MultipleChoiceSeparateCalibrated, MultipleChoiceSeparateOriginal, encode
from assay.records import Answer, Completion, Instance, Message, Reference, Request, Response, Token, Trial
from assay.store.transcripts import Transcript, to_row
from cli_helpers import Assay

OPTIONS = (Reference(text="Oslo", correct=True), Reference(text="Bergen"))


def scored(text: str, logprob: float) -> Response:
    return Response(completions=(Completion(text=text, tokens=(Token(text=text, logprob=logprob),), finish_reason="scored"),))


def test_scored_options_stand_under_their_prompt_with_log_probabilities_and_the_chosen_one_marked() -> None:
    requests = tuple(Request(prompt="Capital of Norway?", continuation=f" {r.text}") for r in OPTIONS)
    trial = Trial(instance=Instance(id="no", input="Capital?", references=OPTIONS), requests=requests)
    answer = Answer(outcome="answered", prediction="Oslo", choice=0, references=OPTIONS)
    row = to_row(Transcript(trial=trial, responses=(scored(" Oslo", -0.5), scored(" Bergen", -4.0)), answer=answer))
    shown = describe_trial(row)
    assert shown.count("Capital of Norway?") == 1
    assert "⟦ Oslo⟧  log-probability -0.500 of 1 token  <- chosen" in shown
    assert "⟦ Bergen⟧  log-probability -4.000 of 1 token\n" in shown
    assert "completion:" not in shown


def test_what_decided_between_options_is_shown_where_it_is_not_the_log_probability() -> None:
    tokens = tuple(Token(text=part, logprob=-2.0) for part in (" Ber", "g", "en"))
    bergen = Response(completions=(Completion(text=" Bergen", tokens=tokens, finish_reason="scored"),))
    requests = tuple(Request(prompt="Capital?", continuation=f" {r.text}") for r in OPTIONS)
    trial = Trial(instance=Instance(id="no", input="Capital?", references=OPTIONS), requests=requests)
    answer = Answer(outcome="answered", prediction="Bergen", choice=1, references=OPTIONS)
    row = to_row(Transcript(trial=trial, responses=(scored(" Oslo", -5.0), bergen), answer=answer))
    shown = describe_trial(row, encode(MultipleChoiceSeparateOriginal()))
    assert "log-probability -5.000 of 1 token, -5.000 a token\n" in shown
    assert "log-probability -6.000 of 3 tokens, -2.000 a token  <- chosen" in shown
    assert "-1.000 a byte" in describe_trial(row, encode(MultipleChoiceSeparateOriginal(normalisation="byte")))
    assert " a " not in describe_trial(row, encode(MultipleChoiceSeparateOriginal(normalisation="none")))
    twice = to_row(
        Transcript(trial=pairs(trial), responses=(scored("O", -5.0), scored("O", -6.5), bergen, bergen), answer=answer)
    )
    assert "log-probability -6.500 of 1 token, raised by 1.500" in describe_trial(
        twice, encode(MultipleChoiceSeparateCalibrated())
    )


def pairs(trial: Trial) -> Trial:
    """Each option after the question, and after nothing."""
    return Trial(instance=trial.instance, requests=tuple(request for request in trial.requests for _ in range(2)))


def test_files_beside_runs_are_passed_over_and_a_reader_may_go_away(assay: Assay) -> None:
    assert assay("run", "billing_support:", "-m", "baseline/majority", "-n", "5").code == 0
    folder = Path("runs/default")
    assert any(path.is_file() for path in folder.iterdir())
    assert "billing_support" in assay("show", *folder.glob("[!.]*")).out
    assert "is no folder" in assay("show", next(path for path in folder.iterdir() if path.is_file())).err
    command = [sys.executable, "-m", "assay", "show", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


def test_a_conversation_is_shown_turn_by_turn_and_nothing_commands_the_terminal() -> None:
    prompt = (Message(role="system", content="Be brief."), Message(role="user", content="Line one\nline two"))
    response = Response(completions=(Completion(text="\x1b[31mred\u202e"),))
    trial = Trial(instance=Instance(id="\x1b[2J", input=prompt), requests=(Request(prompt=prompt),), format=2)
    row = to_row(Transcript(trial=trial, responses=(response,), answer=Answer(outcome="answered", prediction="red")))
    shown = describe_trial(row) + heading(row, "run")
    assert "[system]\nBe brief.\n[user]\nLine one\nline two" in shown
    assert "format 2" in shown
    assert not any(character in shown for character in "\x1b\u202e\x1e")


def test_several_folders_are_shown_together_and_the_same_label_is_told_apart(assay: Assay) -> None:
    for seed in ("1", "2"):
        assert assay("run", "billing_support:", "-m", "baseline/majority", "-n", "5", "--seed", seed).code == 0
    runs = sorted(Path("runs/default").glob("billing*"))
    said = assay("show", *runs)
    assert "billing_support:seed=1" in said.out
    assert "billing_support:seed=2" in said.out


def test_an_unknown_outcome_is_refused_and_none_found_is_said(assay: Assay) -> None:
    assert assay("run", "billing_support:", "-m", "baseline/majority", "-n", "5").code == 0
    said = assay("show", "runs", "--outcome", "refusd")
    assert said.code == 2
    assert "did you mean refused" in said.err
    assert "no such trial" in assay("show", "runs", "--outcome", "refused").out


def test_what_a_model_writes_is_rated_and_the_rater_recorded(assay: Assay) -> None:
    said = assay("run", "billing_support:", "-m", "baseline/majority", "-n", "8", "--json")
    (run,) = json.loads(said.out)
    rated = {cell["metric"]: cell["estimate"]["value"] for cell in run["cells"] if cell["metric"].endswith("toxicity")}
    assert rated == {"expected_max_toxicity": 0.0}
    spec = json.loads((Path(run["folder"]) / "spec.json").read_text())["spec"]
    assert spec["toxicity"]["parameters"]["scorer"] == "lexical"
    said = assay("run", "billing_support:", "-m", "baseline/majority", "-n", "8", "--toxicity", "none", "--json")
    assert not [cell for cell in json.loads(said.out)[0]["cells"] if "toxic" in cell["metric"]]
