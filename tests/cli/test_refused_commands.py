"""Requests that cannot be carried out, and plugins that misbehave, end in one line and never in success."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from assay import registry
from cli_helpers import Assay

RUN = ("run", "billing_support:", "-m", "baseline/majority", "-n", "3")
METRIC = "from assay.metrics import metric\n@metric(family='accuracy')\ndef {}(a):\n    '''Leaves.'''\n    raise {}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*RUN, "--max-failures", "nan%"), "--max-failures"),
        ((*RUN, "--max-failures", "inf%"), "--max-failures"),
        ((*RUN[:-1], "0"), "-n/--max-instances must be at least 1"),
        ((*RUN, "--draws", "9999999"), "--draws must be at least 1 and at most 1,000,000"),
        ((*RUN, "--seed", "9" * 30), "--seed"),
        (("run", "billing_support:", "-m", "smollm2-135m"), "did you mean local/smollm2-135m?"),
        (("run", "zzzz:", "-m", "baseline/majority"), "--plugin FILE.py"),
        (("list", "--json"), "assay list scenarios, or one of models, metrics, perturbations, suites"),
        ((*RUN, "--metric", "exact_mach"), "did you mean exact_match"),
        ((*RUN, "--out", "caf\udce9"), "is not UTF-8"),
        (("run", "caf\udce9.yaml"), "is not UTF-8"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(arguments: tuple[str, ...], message: str, assay: Assay) -> None:
    said = assay(*arguments)
    assert said.code == 2, said
    assert message in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("leave", ["raise SystemExit", "raise SystemExit(0)", "import sys; sys.exit()"])
def test_a_plugin_that_exits_on_import_does_not_end_the_program_with_success(leave: str, assay: Assay) -> None:
    Path("p.py").write_text(f"{leave}\n")
    said = assay(*RUN, "--plugin", "p.py")
    assert said.code == 2
    assert "plugin p.py called sys.exit" in said.err


@pytest.mark.parametrize("verb", ["run", "rescore"])
@pytest.mark.parametrize(("leave", "code"), [("SystemExit(0)", 2), ("KeyboardInterrupt", 130), ("GeneratorExit", 70)])
def test_a_metric_that_exits_does_not_end_the_program_with_success(verb: str, leave: str, code: int, assay: Assay) -> None:
    name = f"leaving_by_{leave[:6].lower()}_in_{verb}"  # a name is taken once in a process
    Path(f"{name}.py").write_text(METRIC.format(name, leave))
    if verb == "rescore":
        assert assay(*RUN).code == 0
    said = assay(*(RUN if verb == "run" else ("rescore", "runs")), "--metric", name, "--plugin", f"{name}.py")
    assert said.code == code, said
    assert "Traceback" not in said.err
    assert said.out == "" or verb == "run"
    assert not list(Path("runs").rglob("*.part"))


@pytest.mark.parametrize("place", ["runs", "runs/default"])
def test_a_file_in_the_place_of_the_runs_is_named(place: str, assay: Assay) -> None:
    Path(place).parent.mkdir(exist_ok=True)
    Path(place).write_text("")
    said = assay("run", "billing_support:", "-m", "baseline/majority", "-n", "2", "--quiet")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith(f"error: {place} is no folder, and runs are to lie in it (move it away")


def test_a_metric_of_the_command_line_scores_every_scenario(assay: Assay) -> None:
    said = assay(*RUN, "capitals:", "--metric", "f1_score", "--json")
    assert said.code == 0, said.err
    assert said.out.count('"metric": "f1_score"') >= 2


def test_what_is_not_possible_can_be_left_out_and_is_said(assay: Assay) -> None:
    """A suite of many is not lost for one scenario whose data cannot be had, or that the model cannot answer."""
    suite = ("local_file:path=gone.jsonl", "capitals:", "-m", "baseline/majority", "-n", "4")
    said = assay("run", *suite)
    assert (said.code, said.out) == (2, "")
    assert "gone.jsonl" in said.err
    assert "--keep-going leaves it out and runs the rest" in said.err
    assert "--keep-going" not in assay("run", suite[0], *suite[2:]).err
    said = assay("run", *suite, "--keep-going")
    assert said.code == 0, said.err
    assert said.err.count("left out: local_file:path=gone.jsonl of baseline/majority:") == 1
    assert "capitals" in said.out
    assert "left out: " not in said.out
    assert "What was left out stands above" in said.out
    said = assay("run", suite[0], *suite[2:], "--keep-going")
    assert said.code == 2
    assert "no run of the suite" in said.err


def test_a_model_without_its_key_can_be_left_out_and_the_others_are_asked(assay: Assay) -> None:
    suite = ("run", "capitals:", "billing_support:", "-m", "openai/gpt-x", "-m", "baseline/majority", "-n", "4", "--quiet")
    said = assay(*suite)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert "OPENAI_API_KEY is not set (export OPENAI_API_KEY=…; --keep-going leaves it out" in said.err
    said = assay(*suite, "--keep-going")
    assert said.code == 0, said.err
    (line,) = [line for line in said.err.splitlines() if "OPENAI_API_KEY" in line]
    assert line.startswith("left out: capitals of openai/gpt-x, billing_support of openai/gpt-x: openai/gpt-x needs an API key")
    Path("two.conf").write_text(
        'entries: [{description: "capitals:model=text", priority: 1}, {description: "dyck_language:num_parenthesis_pairs=2"}]'
    )
    conf = ("run", "--helm-conf", "two.conf", *suite[3:])
    assert assay(*conf).code == 2
    said = assay(*conf, "--keep-going")
    assert said.code == 0, said.err
    assert said.err.count("OPENAI_API_KEY is not set") == 1
    assert "baseline/majority" in said.out
    assert "openai/gpt-x" not in said.out


def test_the_same_reason_is_said_once_with_whom_it_concerns(assay: Assay) -> None:
    Path("shared.py").write_text(
        "from assay.errors import AssayError\n"
        "from assay.scenarios import Generator, Scenario, question, scenario\n"
        "from assay.prompting import Generation\n"
        "from assay.records import Taxonomy\n"
        "def gone(rng, split):\n"
        "    raise AssayError('the disk of all the data is away', 'bring it back')\n"
        "@scenario\n"
        "def on_that_disk(number: int = 0) -> Scenario:\n"
        '    """Cannot be read."""\n'
        "    return Scenario(source=Generator('gone', gone, {'test': 5}), instance=lambda row: question('a', 'b'),\n"
        "        prompting=Generation(), main_metric='exact_match', taxonomy=Taxonomy(task='x', what='y'))\n"
    )
    entries = [f"on_that_disk:number={number}" for number in range(5)]
    said = assay("run", *entries, "capitals:", "-m", "baseline/majority", "-n", "2", "--keep-going", "--plugin", "shared.py")
    assert said.code == 0, said.err
    (line,) = [line for line in said.err.splitlines() if "left out" in line]
    assert line.startswith("left out: on_that_disk:number=0 of baseline/majority, on_that_disk:number=1 of")
    assert line.endswith(" and 2 more: the disk of all the data is away (bring it back)")
    assert said.err.count("bring it back") == 1


COUNTING = """
from assay.metrics import metric
@metric(family='accuracy', package='no_such_package_{number}')
def counted_{number}(answer):
    "Needs what is not there."
    import no_such_package_{number}
"""


def test_without_its_package_a_metric_is_left_out_before_anything_is_asked(
    assay: Assay, caplog: pytest.LogCaptureFixture
) -> None:
    Path("p.py").write_text(COUNTING.format(number=1))
    said = assay(*RUN, "capitals:", "--metric", "counted_1", "--plugin", "p.py", "--json")
    assert said.code == 0, said.err
    assert "counted_1" not in said.out
    assert [one.getMessage() for one in caplog.records if "counted_1" in one.getMessage()] == [
        "counted_1 is not measured: no_such_package_1 is not installed (pip install no_such_package_1)"
    ]


def test_without_the_package_of_its_main_metric_a_run_is_refused_before_anything_is_asked(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = registry.metrics.get("exact_match")
    monkeypatch.setitem(registry.metrics._things, "exact_match", dataclasses.replace(exact, package="no_such_package"))
    said = assay("run", "dyck_language:", "-m", "baseline/majority", "-n", "2")
    assert said.code == 2
    assert "measured by exact_match, and no_such_package is not installed (pip install no_such_package)" in said.err
    assert not Path("cache/responses.sqlite").exists() or "0 responses" in assay("cache", "stats").out
    assert not Path("runs").exists()
