"""Catalogs and plugins: from entry points of an installed package, and from a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay import registry
from assay.errors import AssayError

PACKAGE = '''
import random
from assay.metrics import metric
from assay.models import Capabilities, Local, provider
from assay.perturbations import perturbation
from assay.prompting import Generation
from assay.records import Answer, Completion, ModelIdentity, Response, Taxonomy
from assay.scenarios import Generator, Scenario, question, scenario

@scenario
def echo_words(length: int = 3) -> Scenario:
    """Say a word again."""
    def row(rng, split):
        return {"w": "".join(rng.choices("abcdef", k=length))}
    source = Generator("echo_words", row, {"train": 4, "test": 9})
    return Scenario(
        source=source, instance=lambda row: question(row["w"], row["w"]), prompting=Generation(shots=2),
        main_metric="exact_match", metrics=("shouted",), taxonomy=Taxonomy(task="copying"),
    )

@metric(family="accuracy")
def shouted(answer: Answer) -> float | None:
    """1 if the answer is in capitals, else 0."""
    return float(answer.prediction.isupper())

@perturbation(kind="robustness")
def shout(text: str, rng: random.Random) -> str:
    """All letters in capitals."""
    return text.upper()

class Parrot(Local):
    def __init__(self, name):
        self.identity, self.capabilities = ModelIdentity(name=f"parrot/{name}", revision="1"), Capabilities()

    def ask_batch(self, requests):
        return [Response(completions=(Completion(text=str(r.prompt).split("Input: ")[-1].split("\\n")[0]),)) for r in requests]

@provider("parrot", examples=["parrot/grey"])
def parrot(name, config):
    """Says what it hears."""
    return Parrot(name)
'''

POINTS = """[assay.scenarios]
echo_words = assay_parrot:echo_words
[assay.metrics]
shouted = assay_parrot:shouted
[assay.perturbations]
shout = assay_parrot:shout
[assay.models]
parrot = assay_parrot:parrot
"""


def install(site: Path, code: str, points: str) -> None:
    """What installing a plugin package leaves behind."""
    (site / "assay_parrot.py").write_text(code)
    info = site / "assay_parrot-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: assay-parrot\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)


def run_with(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site), "ASSAY_CACHE": str(site / "cache")}
    command = [sys.executable, "-m", "assay", *arguments]
    return subprocess.run(command, cwd=site, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_an_installed_package_adds_a_scenario_a_metric_a_perturbation_and_a_model(tmp_path: Path) -> None:
    install(tmp_path, PACKAGE, POINTS)
    done = run_with(tmp_path, "run", "echo_words:length=4", "-m", "parrot/grey", "-p", "shout", "--json")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)
    cells = [cell for cell in run["cells"] if not cell["subgroup"]]
    values = {(cell["metric"], cell["perturbation"], cell["computed_on"]): cell["estimate"]["value"] for cell in cells}
    assert values["exact_match", None, "original"] == 1.0
    assert values["exact_match", "shout", "perturbed"] == 0.0
    assert values["exact_match", "robustness", "worst"] == 0.0
    assert values["shouted", "shout", "perturbed"] == 1.0


def test_the_same_code_works_as_a_plugin_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PACKAGE)
    done = run_with(tmp_path, "run", "echo_words:", "-m", "parrot/grey", "--plugin", "mine.py", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["trials"] == 9


def test_a_broken_package_is_named(tmp_path: Path) -> None:
    install(tmp_path, "raise RuntimeError('no luck')", POINTS)
    done = run_with(tmp_path, "list", "scenarios")
    assert done.returncode == 2
    assert "assay_parrot" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_is_taken_once_and_unknown_names_get_suggestions() -> None:
    with pytest.raises(AssayError, match="did you mean exact_match"):
        registry.metrics.get("exact_mach")
    with pytest.raises(AssayError, match="already registered"):
        registry.metrics.register("exact_match", registry.metrics.get("f1_score"))


EXAMPLES = Path(__file__).parent.parent / "examples"


def run_examples(folder: Path, entry: str, model: str, *more: str) -> dict[str, object]:
    plugins = [argument for name in more if name.endswith(".py") for argument in ("--plugin", str(EXAMPLES / name))]
    options = [argument for argument in more if not argument.endswith(".py")]
    done = run_with(folder, "run", entry, "-m", model, "-n", "10", *options, *plugins, "--json")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)
    return {(c["metric"], c["perturbation"]): c["estimate"]["value"] for c in run["cells"] if c["subgroup"] is None}


@pytest.mark.parametrize(("example", "longest"), [("addition.py", 20), ("brevity.py", 10)])
def test_examples_are_short(example: str, longest: int) -> None:
    lines = (EXAMPLES / example).read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= longest


def test_an_example_scenario_and_an_example_metric_work(tmp_path: Path) -> None:
    values = run_examples(tmp_path, "addition:digits=1,metrics=brief", "baseline/majority", "addition.py", "brevity.py")
    assert values["brief", None] == 1.0


def test_an_example_model_and_an_example_perturbation_work(tmp_path: Path) -> None:
    values = run_examples(tmp_path, "billing_support:metrics=exact_match", "parrot/grey", "parrot.py", "-p", "shout")
    assert values["exact_match", None] == values["exact_match", "shout"] == 0.0
    assert values["unparsed", None] == 1.0  # what a parrot says is none of the options


def test_an_installed_plugin_that_exits_is_named_and_does_not_end_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name, value = "leaver", "leaving_package:leaver"

        def load(self) -> None:
            raise SystemExit(0)

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Point()])
    catalog: registry.Catalog[object] = registry.Catalog("thing", "assay.things", "assay.errors")
    with pytest.raises(AssayError, match=r"leaving_package:leaver.*it called sys\.exit\(0\)"):
        catalog.names()


def test_an_unknown_name_says_that_a_file_of_ones_own_must_be_named() -> None:
    with pytest.raises(AssayError, match=r"--plugin FILE\.py"):
        registry.scenarios.get("zzzzzz")
