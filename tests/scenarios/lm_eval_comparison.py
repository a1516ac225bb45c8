"""Both sides of the comparison with lm-evaluation-harness, each in an interpreter of its own, over the loopback hub.

    ASSAY_SHARED=… ASSAY_LM_EVAL=/path/to/python python tests/scenarios/lm_eval_comparison.py

writes lm_eval_expected.json: for every case the digest of the requests and the metrics that the harness itself gives. The
variable names an interpreter that has the harness; assay never needs it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import lm_eval_cases as shared

HERE = Path(__file__).resolve().parent
VARIABLE = "ASSAY_LM_EVAL"
FACTORS = {"bleu": 100.0, "chrf": 100.0}
"""What the harness's numbers are divided by to be ours."""


def tasks_folder(interpreter: str) -> Path:
    """The folder of the harness's own tasks."""
    code = "import importlib.util; print(importlib.util.find_spec('lm_eval').origin)"
    return (
        Path(subprocess.run([interpreter, "-c", code], capture_output=True, text=True, check=True).stdout.strip()).parent
        / "tasks"
    )


def described(case: shared.Case, tasks: Path | None, folder: Path) -> dict[str, Any]:
    """A case as both scripts take it; `folder` is for made-up documents."""
    from assay.scenarios.lm_eval.groups import settings_of

    path: Path = shared.OWN
    file: Path | None = shared.OWN / f"{case.task.removeprefix('own_')}.yaml"
    if case.documents != "own":
        assert tasks is not None
        path, file = tasks, settings_of(tasks, case.task)[1]
        assert file is not None
        if case.documents != "hub":
            path = file = shared.write_made(case, file, folder)
    more = {"shots": case.shots, "seed": case.seed, "filter": case.filter, "code": case.code}
    return {"name": case.name, "task": case.task, "file": str(file), "path": str(path), **more}


def compared(interpreter: str, hub_url: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the harness's results, ours) for every case, by name."""
    tasks = tasks_folder(interpreter)
    cases = json.dumps([described(case, tasks, folder) for case in shared.CASES + shared.OWN_CASES])
    theirs = _results(interpreter, "lm_eval_reference.py", cases, hub_url, folder / "their_cache")
    ours = _results(sys.executable, "lm_eval_ours.py", cases, hub_url, folder / "our_cache")
    return theirs, ours


def _results(interpreter: str, script: str, cases: str, hub_url: str, cache: Path) -> dict[str, Any]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    hub = {"HF_ENDPOINT": hub_url, "HF_HOME": str(cache), "HF_HUB_DISABLE_TELEMETRY": "1"}
    source = {"PYTHONPATH": str(HERE.parents[1] / "src")} if "ours" in script else {}
    command = [interpreter, str(HERE / script)]
    done = subprocess.run(command, input=cases, env={**clean, **hub, **source}, capture_output=True, text=True, cwd=shared.OWN)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def expected(result: dict[str, Any]) -> dict[str, Any]:
    """What is kept of one of the harness's results."""
    totals = {name: value / FACTORS.get(name, 1.0) for name, value in sorted(result["totals"].items())}
    return {"requests": shared.digest_of(result["requests"]), "totals": totals}


def main() -> None:
    """Write what the harness gives for every case."""
    import tempfile

    sys.path[:0] = [str(HERE.parents[1] / "src"), str(Path(os.environ["ASSAY_SHARED"]) / "hub")]
    from hub_mirror import HubMirror

    with HubMirror(Path(os.environ["ASSAY_SHARED"]) / "hub") as hub, tempfile.TemporaryDirectory() as folder:
        theirs, _ = compared(os.environ[VARIABLE], hub.url, Path(folder))
    lines = [f"{json.dumps(name)}: {json.dumps(expected(result))}" for name, result in theirs.items()]
    shared.EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
