"""`assay run --helm-conf FILE`: HELM's files are run as they are, and what of them is not run is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.store import find_runs
from cli_helpers import Assay

CONF = """# A file of run entries
entries: [
  {description: "synthetic_reasoning:model=text_code,mode=induction,max_eval_instances=4", priority: 1}
  {description: "dyck_language:model=text_code,num_parenthesis_pairs=2,max_train_instances=1", priority: 2, groups: ["r"]}
  {description: "dyck_language:model=text_code,num_parenthesis_pairs=3", priority: 3}
  {description: "disinformation:model=text,capability=wedging", priority: 1}
  {description: "synthetic_reasoning:model=text_code,mode=induction,max_eval_instances=4", priority: 1}
]
"""


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    file = tmp_path / "mine.conf"
    file.write_text(CONF)
    return file


def test_the_entries_up_to_a_priority_are_run_and_the_others_named(assay: Assay, conf: Path, tmp_path: Path) -> None:
    said = assay("run", "--helm-conf", conf, "--priority", 2, "-m", "baseline/majority", "-n", 6, "--quiet")
    assert said.code == 0, said.err
    specs = [run.spec_file().spec for run in find_runs(tmp_path / "runs" / "mine")]
    runs = {spec.scenario.name: spec for spec in specs}
    assert sorted(runs) == ["dyck_language", "synthetic_reasoning"]
    assert runs["synthetic_reasoning"].max_instances == 4
    assert runs["dyck_language"].max_instances == 6
    assert runs["dyck_language"].prompting["shots"] == 1
    assert "mine.conf, line 6: disinformation:model=text,capability=wedging: HELM's disinformation" in said.err
    assert "mine.conf: 2 entries are run" in said.err
    (kept,) = json.loads((tmp_path / "runs" / "mine" / "suite.json").read_text())["left_out"]
    assert kept.startswith("left out: mine.conf, line 6: disinformation:model=text,capability=wedging: HELM's disinformation")
    assert kept in (tmp_path / "runs" / "mine" / "summary.md").read_text()
    assert kept in " ".join(assay("show", tmp_path / "runs" / "mine").out.split())


def test_a_plan_of_such_a_file_shows_what_would_be_asked(assay: Assay, conf: Path) -> None:
    said = assay("plan", "--helm-conf", conf, "-m", "baseline/majority", "-n", 3, "--json")
    assert said.code == 0, said.err
    assert len(json.loads(said.out)["runs"]) == 3
    one = assay("plan", "--helm-conf", conf, "--priority", 1, "-m", "baseline/majority", "-n", 3)
    assert "mine.conf: 1 entry is run; what is not stands above" in one.err


def test_entries_that_score_options_are_not_asked_of_models_that_only_chat(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text(
        json.dumps([{"name": "openai/chats", "base_url": "http://127.0.0.1:9/v1", "endpoint": "chat"}])
    )
    file = tmp_path / "two.conf"
    scored = '{description: "capitals:model=full_functionality_text", priority: 1}'
    file.write_text(f'entries: [{scored}, {{description: "dyck_language:num_parenthesis_pairs=2"}}]')
    said = assay("plan", "--helm-conf", file, "-m", "openai/chats", "-m", "baseline/majority", "-n", 2, "--json")
    assert said.code == 0, said.err
    assert len(json.loads(said.out)["runs"]) == 3
    assert "capitals: is not asked of openai/chats, which cannot score given texts" in said.err
    file.write_text(f"entries: [{scored}]")
    said = assay("plan", "--helm-conf", file, "-m", "openai/chats")
    assert said.code == 2
    assert "can be asked of openai/chats" in said.err


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (("--helm-conf", "mine.conf"), "entries: [\n{descripton: x}]", "line 2"),
        (("--helm-conf", "mine.conf"), 'entries: [{description: "vicuna:model=text"}]', "HELM has people rate"),
        (("--helm-conf", "mine.conf", "boolq:"), CONF, "stands alone"),
        (("--helm-conf", "other.conf"), CONF, "does not exist"),
        (("--priority", "1", "boolq:"), CONF, "goes with --helm-conf"),
        (("--helm-conf", "mine.conf", "--priority", "0"), CONF, "raise --priority"),
    ],
)
def test_what_cannot_be_meant_ends_with_one_line_and_exit_code_2(
    assay: Assay, conf: Path, arguments: tuple[str, ...], text: str, message: str
) -> None:
    conf.write_text(text)
    said = assay("run", *arguments, "-m", "baseline/majority")
    assert said.code == 2
    assert message in said.err
    assert "Traceback" not in said.err
