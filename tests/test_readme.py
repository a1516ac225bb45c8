"""What the README shows works as shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.store import find_runs
from assay.suites import parse_suite
from cli_helpers import Assay, assay

__all__ = ["assay"]

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def python_blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("example", ["addition.py", "brevity.py"])
def test_examples_in_the_readme_are_the_tested_files(example: str) -> None:
    code = (ROOT / "examples" / example).read_text("utf-8").split('"""\n\n', 1)[1]
    assert code.strip() in [block.strip() for block in python_blocks()]


def test_a_scenario_and_a_metric_are_added_as_the_readme_says(assay: Assay, tmp_path: Path) -> None:
    files = []
    for number, block in enumerate(python_blocks()):
        files.append(tmp_path / f"example{number}.py")
        files[-1].write_text(re.sub("def (addition|brief)", r"def \1_again", block))
    said = assay("run", "addition_again:digits=2", "--plugin", files[0], "-m", "baseline/majority", "-n", "10")
    assert said.code == 0, said.err
    (run,) = find_runs(tmp_path / "runs")
    said = assay("rescore", run.path, "--plugin", files[1], "--metric", "brief_again")
    assert said.code == 0, said.err
    assert any(cell.metric == "brief_again" for folder in find_runs(tmp_path / "runs") for cell in folder.stats().cells)


def test_the_suite_in_the_readme_can_be_read() -> None:
    text = re.search(r"(?m)^    name: nightly\n(?:    .*\n)+", README)
    assert text
    suite = parse_suite(re.sub(r"(?m)^    ", "", text[0]), "README.md")
    assert [candidate.name for candidate in suite.candidates()] == ["openai/my-model", "my-model with a system message"]
    assert [ask.scenario for ask in suite.asks()] == ["billing_support", "boolq"]


def test_the_models_file_in_the_readme_can_be_read(tmp_path: Path) -> None:
    from assay.models.configuration import load_models_file

    text = re.search(r"(?m)^    - name: openai/my-model\n(?:      .*\n)+", README)
    assert text
    file = tmp_path / "models.yaml"
    file.write_text(re.sub(r"(?m)^    ", "", text[0]))
    assert load_models_file(file)["openai/my-model"].context_window == 8192


def test_a_file_of_cases_is_enough(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(
        '{"input": "Capital of Norway?", "answer": "Oslo"}\n{"input": "Of France?", "answer": "Paris"}\n'
    )
    assert assay("run", "local_file:path=cases.jsonl", "-m", "baseline/majority").code == 0


def test_every_relative_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target
