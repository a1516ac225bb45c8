"""Tasks of lm-evaluation-harness (Gao et al.), run from the YAML that declares them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.records import Taxonomy
from assay.scenarios.base import Scenario, scenario
from assay.scenarios.lm_eval.config import Task, parse
from assay.scenarios.lm_eval.data import open_data
from assay.scenarios.lm_eval.documents import SEED, TaskSource
from assay.scenarios.lm_eval.files import tasks_folder
from assay.scenarios.lm_eval.groups import settings_of, tasks_of
from assay.scenarios.lm_eval.prompts import Writer
from assay.scenarios.lm_eval.scoring import filter_names, metrics_of, prompting_of


def _tasks(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    """The parameters of each task that a group or tag stands for."""
    root = tasks_folder(str(parameters.get("path", "")))
    return [{**parameters, "task": task} for task in tasks_of(root, str(parameters["task"]))]


@scenario(expand=_tasks)
def lm_eval(
    task: str,
    /,
    num_fewshot: int | None = None,
    path: str = "",
    filter: str = "",  # noqa: A002 - the harness's own word
    fewshot_seed: int = SEED,
    revision: str = "",
    allow_code: bool = False,
) -> Scenario:
    """A task of lm-evaluation-harness by its name, with that harness's prompts, filters and scores.

    The task comes from the installed package, or from the folder of YAML files that `path` names; a group or tag stands for
    all its tasks. `filter` names which of its answer filters reads, `revision` the commit of its data, and `allow_code=true`
    lets it run the Python functions that it brings along.

        Question: Which of these would be a good conductor?
        Answer: [a copper wire]
    """
    root = tasks_folder(path)
    settings, file = settings_of(root, task)
    read = parse(task, settings, (file or root).parent, allow_code=allow_code)
    shots = _shots(read, num_fewshot)
    source = TaskSource(read, open_data(read, revision), shots, fewshot_seed)
    main, *others = metrics_of(read)
    return Scenario(
        about=f"The task {task} of lm-evaluation-harness, with that harness's prompts, filters and scores.",
        source=source,
        instance=Writer(read, source),
        prompting=prompting_of(read, filter),
        main_metric=main,
        metrics=tuple(others),
        taxonomy=Taxonomy(task="user-defined", what=read.dataset_path, language="any"),
        paper="https://github.com/EleutherAI/lm-evaluation-harness",
        notes=_notes(read, file, shots),
    )


def _shots(task: Task, wanted: int | None) -> int:
    """How many examples: those asked for, else the task's own number.

    Raises:
        AssayError: fewer than none, or some where the task allows none.
    """
    if wanted is not None and not 0 <= wanted <= 10_000:
        raise AssayError(f"num_fewshot is {wanted}", "give a number from 0 to 10000")
    if wanted and task.num_fewshot == 0:
        raise AssayError(
            f"lm_eval task {task.name} shows no examples (num_fewshot: 0)", "lm_eval shows none either; leave it out"
        )
    if wanted and task.output_type == "loglikelihood_rolling":
        raise AssayError(f"lm_eval task {task.name} scores whole texts and shows no examples", "leave num_fewshot out")
    return task.num_fewshot or 0 if wanted is None else wanted


def _notes(task: Task, file: Path | None, shots: int) -> str:
    version = f", version {task.version}" if task.version else ""
    declared = f" in {file.name}" if file else ""
    filters = filter_names(task)
    choice = f" Its answers can be read by the filters {', '.join(filters)}." if len(filters) > 1 else ""
    held = f"{task.name}{version}, declared{declared}; its prompts hold {shots or 'no'} example{'' if shots == 1 else 's'}"
    return f"lm_eval's task {held}, and its data set is not pinned by the task.{choice}"
