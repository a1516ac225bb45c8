"""Bad input of every kind gets one clear line and exit code 2, never a traceback."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from cli_helpers import Assay
from fake_servers import free_port, mock_server

RUN = ("run", "billing_support:", "-m", "baseline/majority")

FILES = {
    "broken.yaml": "name: x\nscenarios: [a\nmodels: [b]\n",
    "unknown_key.yaml": "scenaros: ['boolq:']\n",
    "negative.yaml": "scenarios: ['boolq:']\nmax_instances: -5\n",
    "twice.yaml": "models: [baseline/majority]\nscenarios: ['billing_support:', 'billing_support:']\n",
    "nothing.yaml": "models: [baseline/majority]\nscenarios: []\n",
    "list.yaml": "- a\n",
    "bad_prompting.yaml": "models: [{model: baseline/majority, prompting: {shot: 3}}]\nscenarios: ['billing_support:']\n",
    "empty.jsonl": "",
    "malformed.jsonl": '{"input": "a", "answer": "b"}\n{"input": \n',
    "no_references.jsonl": '{"input": "a"}\n{"input": "b"}\n',
    "models_broken.yaml": "- name: [\n",
    "models_unknown.yaml": "- name: openai/x\n  base_ur: http://127.0.0.1\n",
    "plugin_fails.py": "raise RuntimeError('no luck')\n",
    "plugin_takes_a_name.py": "from assay.metrics import metric\n@metric(family='accuracy')\ndef exact_match(a): return 1.0\n",
}

CASES: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown scenario": (("run", "bolq:", "-m", "baseline/majority"), "did you mean boolq"),
    "misspelt parameter": (("run", "mmlu:subjct=anatomy", "-m", "baseline/majority"), "did you mean subject"),
    "impossible parameter": (("run", "mmlu:subject=anatmy", "-m", "baseline/majority"), "did you mean anatomy"),
    "missing parameter": (("run", "synthetic_reasoning:", "-m", "baseline/majority"), "needs the parameter mode"),
    "entry without =": (("run", "billing_support:shots", "-m", "baseline/majority"), "is not key=value"),
    "impossible setting": (("run", "billing_support:shots=many", "-m", "baseline/majority"), "shots"),
    "no model": (("run", "billing_support:"), "no model to ask billing_support"),
    "model without provider": (("run", "billing_support:", "-m", "gpt"), "gpt"),
    "unknown provider": (("run", "billing_support:", "-m", "opnai/gpt"), "did you mean openai"),
    "unknown embedded model": (("run", "billing_support:", "-m", "local/smollm"), "did you mean"),
    "unknown baseline": (("run", "billing_support:", "-m", "baseline/majorty"), "majority"),
    "missing key variable": (("run", "billing_support:", "-m", "openai/gpt-x"), "OPENAI_API_KEY is not set"),
    "model that cannot score": (("run", "subject_verb_agreement:", "-m", "openai/gpt-x"), "OPENAI_API_KEY"),
    "malformed suite": (("run", "broken.yaml"), "broken.yaml, line 3: not valid YAML"),
    "unknown suite key": (("run", "unknown_key.yaml"), "did you mean scenarios"),
    "negative count in suite": (("run", "negative.yaml"), "max_instances must be at least 1"),
    "suite without scenarios": (("run", "nothing.yaml"), "has no scenarios"),
    "suite of the wrong shape": (("run", "list.yaml"), "must be a mapping"),
    "misspelt prompting setting": (("run", "bad_prompting.yaml"), "did you mean shots"),
    "duplicate run": (("run", "twice.yaml"), "asks for the same run twice"),
    "missing suite": (("run", "none.yaml"), "none.yaml does not exist"),
    "nothing to run": (("run",), "nothing to run"),
    "negative count": ((*RUN, "-n", "-3"), "at least 1"),
    "count of nothing": ((*RUN, "-n", "0"), "at least 1"),
    "count that is no number": ((*RUN, "-n", "three"), "'three' is not a valid"),
    "unknown perturbation": ((*RUN, "-p", "typo"), "did you mean typos"),
    "wrong failure budget": ((*RUN, "--max-failures", "some"), "--max-failures"),
    "missing plugin": ((*RUN, "--plugin", "none.py"), "none.py does not exist"),
    "failing plugin": ((*RUN, "--plugin", "plugin_fails.py"), "no luck"),
    "plugin that takes a taken name": ((*RUN, "--plugin", "plugin_takes_a_name.py"), "already registered"),
    "empty data set": (("run", "local_file:path=empty.jsonl", "-m", "baseline/majority"), "empty.jsonl"),
    "malformed data line": (("run", "local_file:path=malformed.jsonl", "-m", "baseline/majority"), "line 2"),
    "data without references": (("run", "local_file:path=no_references.jsonl", "-m", "baseline/majority"), "correct reference"),
    "missing data": (("run", "local_file:path=none.jsonl", "-m", "baseline/majority"), "none.jsonl"),
    "malformed models file": ((*RUN, "--models-file", "models_broken.yaml"), "models_broken.yaml"),
    "misspelt models key": ((*RUN, "--models-file", "models_unknown.yaml"), "did you mean base_url"),
    "missing models file": ((*RUN, "--models-file", "none.yaml"), "none.yaml"),
    "split that is empty": (("run", "billing_support:eval_split=valid", "-m", "baseline/majority"), "no instances in valid"),
    "unknown metric": (("run", "billing_support:metrics=exact_mach", "-m", "baseline/majority"), "did you mean exact_match"),
    "choice without options": (
        ("run", "dyck_language:method=multiple_choice_joint", "-m", "baseline/majority"),
        "needs options",
    ),
    "show of nothing": (("show", "none"), "none does not exist"),
    "show of a folder without runs": (("show", "."), "holds no run"),
    "verify of nothing": (("verify", "none"), "none does not exist"),
    "rescore of nothing": (("rescore", "none"), "none does not exist"),
    "unknown list": (("list", "scenario"), "did you mean scenarios"),
    "unknown weights": (("fetch", "smollm"), "did you mean smollm2-135m"),
    "weights not fetched": (("run", "billing_support:", "-m", "local/smollm2-135m"), "assay fetch smollm2-135m"),
    "unknown option": ((*RUN, "--modle", "x"), "--modle"),
    "unknown command": (("rnu",), "rnu"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_gets_one_clear_line_and_exit_code_2(case: str, assay: Assay) -> None:
    arguments, message = CASES[case]
    for name, text in FILES.items():
        Path(name).write_text(text)
    said = assay(*arguments)
    assert said.code == 2, said
    assert message in said.err
    assert "Traceback" not in said.err + said.out
    ours = [line for line in said.err.splitlines() if line.lower().startswith("error:")]
    assert len(ours) == 1
    assert not Path("runs").exists() or not list(Path("runs").rglob("*.parquet"))


def test_an_unreachable_endpoint_is_named(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    said = assay("run", "billing_support:", "-m", "openai/x", "-n", "5")
    assert said.code == 2
    assert url in said.err


def test_a_wrong_key_is_said_without_showing_it(assay: Assay, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with mock_server(shared, "--api-key", "right-key") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "wrong-key-1234")
        said = assay("run", "billing_support:", "-m", "openai/mock-1", "-n", "5")
    assert said.code == 2
    assert "OPENAI_API_KEY" in said.err
    assert "wrong-key-1234" not in said.err + said.out


def test_a_folder_that_cannot_be_written_is_named(assay: Assay) -> None:
    Path("taken").write_text("a file, not a folder")
    said = assay(*RUN, "-n", "3", "--out", "taken")
    assert said.code == 2
    assert "taken" in said.err


def test_an_unreadable_suite_is_named(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("suite.yaml").mkdir()
    said = assay("run", "suite.yaml")
    assert said.code == 2
    assert "suite.yaml" in said.err
    Path("latin.yaml").write_bytes(b"name: caf\xe9\n")
    Path("latin.yaml").chmod(stat.S_IRUSR)
    assert assay("run", "latin.yaml").code == 2
