"""Copies that a model writes."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.perturbations import parse_perturbation, perturb
from assay.records import Instance, Message, Reference
from assay.store import find_runs
from cli_helpers import Assay, assay

__all__ = ["assay"]

SPEC = parse_perturbation({"paraphrase": {"model": "echo/x"}})[0]
QUESTION = Instance(id="q", input="What is the capital of Norway?", references=(Reference(text="Oslo", correct=True),))

PLUGIN = '''
import re
from assay.models import Capabilities, Local, provider
from assay.records import Completion, ModelIdentity, Response

class Rewriter(Local):
    def __init__(self, config):
        self.identity, self.capabilities = ModelIdentity(name=config.name, revision="7"), Capabilities(chat=True)

    def ask_batch(self, requests):
        texts = [request.prompt if isinstance(request.prompt, str) else request.prompt[-1].content for request in requests]
        return [Response(completions=(Completion(text="Tell me: " + text.split("Text: ")[-1]),)) for text in texts]

@provider("rewriter")
def rewriter(name, config):
    """Says it again."""
    return Rewriter(config)
'''


def copy(completion: str, instance: Instance = QUESTION) -> Instance | None:
    return perturb(instance, SPEC, 0, {("paraphrase", instance.id): completion})


def test_a_rewriting_becomes_a_copy_that_keeps_id_and_references() -> None:
    made = copy('"Which city governs Norway?"')
    assert made is not None
    assert (made.id, made.input, made.references, made.perturbation) == (
        "q",
        "Which city governs Norway?",
        QUESTION.references,
        "paraphrase",
    )


@pytest.mark.parametrize(
    "completion", ["", "  ", "What is the capital of Norway?", "Oslo is the capital of Norway.", "What?", "word " * 100]
)
def test_what_is_no_rewriting_makes_no_copy(completion: str) -> None:
    assert copy(completion) is None


def test_without_a_completion_there_is_no_copy() -> None:
    assert perturb(QUESTION, SPEC, 0) is None


def test_in_a_conversation_only_what_the_user_says_last_is_rewritten() -> None:
    messages = (
        Message(role="user", content="Hello"),
        Message(role="assistant", content="Yes?"),
        Message(role="user", content="Who?"),
    )
    made = copy("Which person?", Instance(id="q", input=messages))
    assert made is None  # more than three times as long
    made = copy("Whom?", Instance(id="q", input=messages))
    assert made is not None
    assert [message.content for message in made.input if isinstance(message, Message)] == ["Hello", "Yes?", "Whom?"]


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_completion_makes_a_copy_or_none(completion: str, question: str) -> None:
    made = copy(completion, Instance(id="q", input=question))
    assert made is None or (made.input != question and made.perturbation == "paraphrase")


def test_a_run_asks_the_named_model_for_the_copies_and_records_which(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(PLUGIN)
    suite = {
        "models": ["baseline/majority"],
        "scenarios": ["billing_support:"],
        "perturbations": [{"paraphrase": {"model": "rewriter/x"}}],
        "max_instances": 6,
    }
    (tmp_path / "s.yaml").write_text(json.dumps(suite))
    assert assay("run", "s.yaml", "--plugin", "plugin.py").code == 0
    (run,) = find_runs(tmp_path / "runs")
    table = pl.read_parquet(run.path / "transcripts.parquet")
    copies = table.filter(pl.col("perturbation") == "paraphrase")
    assert copies.height >= 5
    assert copies["input"].str.starts_with("Tell me: ").all()
    (spec,) = run.spec_file().spec.perturbations
    assert spec.parameters["identity"]["revision"] == "7"
    assert assay("rescore", run.path).code == 0


@pytest.mark.parametrize(
    ("perturbation", "message"),
    [("paraphrase", "needs a model"), ({"paraphrase": {"model": "openai/base"}}, "takes messages")],
)
def test_a_paraphrase_without_a_fitting_model_is_refused(
    perturbation: object, message: str, assay: Assay, tmp_path: Path
) -> None:
    suite = {"models": ["baseline/majority"], "scenarios": ["billing_support:"], "perturbations": [perturbation]}
    (tmp_path / "s.yaml").write_text(json.dumps(suite))
    (tmp_path / "models.yaml").write_text("- {name: openai/base, base_url: http://127.0.0.1:9/v1, endpoint: completions}")
    said = assay("run", "s.yaml")
    assert said.code == 2
    assert message in said.err
