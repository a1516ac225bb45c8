"""One task's settings, checked: what they mean is the harness's (its task guide), what assay cannot do is refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from assay.errors import AssayError, no_exit, unknown
from assay.scenarios.lm_eval.code import load_function
from assay.scenarios.lm_eval.files import Code

OutputType = Literal["multiple_choice", "generate_until", "loglikelihood", "loglikelihood_rolling"]

KNOWN = frozenset({
    "task", "task_alias", "tag", "group", "dataset_path", "dataset_name", "dataset_kwargs", "training_split",
    "validation_split", "test_split", "fewshot_split", "fewshot_config", "process_docs", "doc_to_text", "doc_to_target",
    "doc_to_choice", "description", "target_delimiter", "fewshot_delimiter", "num_fewshot", "metric_list", "output_type",
    "generation_kwargs", "repeats", "filter_list", "gen_prefix", "should_decontaminate", "doc_to_decontamination_query",
    "metadata", "weight_by_size", "task_list", "unsafe_code",
})  # fmt: skip
REFUSED = {
    "class": "is a Python class",
    "custom_dataset": "makes its documents by code of its own",
    "process_results": "scores by code of its own (process_results)",
    "use_prompt": "takes its prompts from promptsource",
    "doc_to_image": "shows images",
    "doc_to_audio": "plays audio",
}
"""Settings that no option makes possible."""
FEWSHOT = frozenset({
    "sampler", "split", "process_docs", "fewshot_indices", "samples", "doc_to_text", "doc_to_choice", "doc_to_target",
    "gen_prefix", "fewshot_delimiter", "target_delimiter",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How a document becomes a question, an answer and options: templates, fields' names or functions."""

    text: Any
    target: Any
    choices: Any = None
    gen_prefix: str | None = None
    target_delimiter: str = " "
    fewshot_delimiter: str = "\n\n"


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task as its YAML declares it."""

    name: str
    output_type: OutputType
    dataset_path: str
    dataset_name: str | None = None
    dataset_kwargs: Mapping[str, Any] = field(default_factory=dict)
    training_split: str | None = None
    validation_split: str | None = None
    test_split: str | None = None
    process_docs: Any = None
    writing: Writing
    description: str = ""
    num_fewshot: int | None = None
    fewshot_split: str | None = None
    fewshot_samples: tuple[Mapping[str, Any], ...] | None = None
    fewshot_process_docs: Any = None
    fewshot_writing: Writing
    sampler: str = "default"
    """`default` or `first_n`."""
    metric_list: tuple[Mapping[str, Any], ...] = ()
    filter_list: tuple[Mapping[str, Any], ...] = ()
    generation: Mapping[str, Any] = field(default_factory=dict)
    repeats: int = 1
    version: str = ""
    folder: Path = Path()
    """The folder of the file that declares it."""

    @property
    def eval_split(self) -> str:
        """The split that is asked, as the data set names it."""
        return str(self.test_split or self.validation_split)


def parse(name: str, settings: Mapping[str, Any], folder: Path, *, allow_code: bool) -> Task:
    """A task from its merged settings.

    Args:
        name: what the user calls it.
        settings: those of its file, of the files that it includes and of the groups on the way to it.
        folder: that of its file.
        allow_code: import the functions that it names.

    Raises:
        AssayError: a setting is unknown, malformed, needs code that is not allowed, or is nothing that assay can do.
    """
    for key, why in REFUSED.items():
        if settings.get(key) is not None:
            raise AssayError(f"lm_eval task {name} {why}, which assay does not run", "choose a task without")
    for key in settings:
        if key not in KNOWN and key not in REFUSED:
            raise unknown(f"setting of lm_eval task {name}", str(key), sorted(KNOWN))
    _check_code(name, settings, allow_code)
    given = {key: _resolved(value) for key, value in settings.items() if key not in ("metric_list", "filter_list")}
    fewshot = _mapping(name, "fewshot_config", given.get("fewshot_config"))
    for key in fewshot:
        if key not in FEWSHOT:
            raise unknown(f"setting of fewshot_config in lm_eval task {name}", str(key), sorted(FEWSHOT))
    sampler = fewshot.get("sampler") or "default"
    if sampler not in ("default", "first_n"):
        raise AssayError(f"lm_eval task {name} has the fewshot sampler {str(sampler)[:60]!r}", "assay has default and first_n")
    writing = _writing(name, given, {})
    samples = fewshot.get("samples")
    split = fewshot.get("split", given.get("fewshot_split"))
    task = Task(
        name=name,
        output_type=_output_type(name, given),
        dataset_path=_text(name, "dataset_path", given.get("dataset_path")),
        dataset_name=_optional_text(name, "dataset_name", given.get("dataset_name")),
        dataset_kwargs=_mapping(name, "dataset_kwargs", given.get("dataset_kwargs")),
        **{key: _optional_text(name, key, given.get(key)) for key in ("training_split", "validation_split", "test_split")},
        process_docs=given.get("process_docs"),
        writing=writing,
        description=_text(name, "description", given.get("description") or ""),
        num_fewshot=_count(name, "num_fewshot", given.get("num_fewshot")),
        fewshot_split=_optional_text(name, "fewshot_split", split),
        fewshot_samples=None if samples is None else _samples(name, samples),
        fewshot_process_docs=fewshot.get("process_docs", given.get("process_docs")),
        fewshot_writing=_writing(name, given, fewshot),
        sampler=sampler,
        metric_list=_listed(name, "metric_list", settings.get("metric_list")),
        filter_list=_listed(name, "filter_list", settings.get("filter_list")),
        generation=_generation(name, given, writing.fewshot_delimiter),
        repeats=_count(name, "repeats", given.get("repeats")) or 1,
        version=str((given.get("metadata") or {}).get("version", "") if isinstance(given.get("metadata"), dict) else ""),
        folder=folder,
    )
    if not (task.test_split or task.validation_split):
        raise AssayError(f"lm_eval task {name} names neither test_split nor validation_split", "there is nothing to ask")
    return task


def _check_code(name: str, settings: Mapping[str, Any], allowed: bool) -> None:
    """Refuse code that the user did not allow, and filters made of code. Metrics made of code are left out later."""
    if code := next(_codes(settings.get("filter_list")), None):
        what = f"lm_eval task {name} reads answers by code of its own ({code.name})"
        raise AssayError(f"{what}, which assay does not run", "choose a task without")
    code = next((code for key in settings if key != "metric_list" for code in _codes(settings[key])), None)
    if code and not allowed:
        raise AssayError(f"lm_eval task {name} runs code of its own ({code.name})", "allow_code=true imports and runs it")


def _codes(value: Any) -> Iterator[Code]:
    if isinstance(value, Code):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _codes(part)
    elif isinstance(value, list):
        for part in value:
            yield from _codes(part)


def _resolved(value: Any) -> Any:
    """A value with the functions that it names in the place of their names."""
    if isinstance(value, Code):
        return load_function(value)
    if isinstance(value, dict):
        return {key: _resolved(part) for key, part in value.items()}
    return [_resolved(part) for part in value] if isinstance(value, list) else value


def _output_type(name: str, given: Mapping[str, Any]) -> OutputType:
    output_type = given.get("output_type", "generate_until")
    if output_type not in get_args(OutputType):
        raise unknown(f"output_type of lm_eval task {name}", str(output_type), get_args(OutputType))
    if output_type == "multiple_choice" and given.get("doc_to_choice") is None:
        raise AssayError(f"lm_eval task {name} is of type multiple_choice without doc_to_choice", "name its options")
    return output_type  # type: ignore[no-any-return] # one of the literals


def _writing(name: str, given: Mapping[str, Any], fewshot: Mapping[str, Any]) -> Writing:
    """How documents are written, or where `fewshot` says otherwise, examples."""

    def pick(key: str, default: Any = None) -> Any:
        value = fewshot.get(key)
        value = given.get(key) if value is None else value
        return default if value is None else value

    for key in ("doc_to_text", "doc_to_target"):
        if pick(key) is None:
            raise AssayError(f"lm_eval task {name} has no {key}", "every task needs doc_to_text and doc_to_target")
    return Writing(
        text=pick("doc_to_text"),
        target=pick("doc_to_target"),
        choices=pick("doc_to_choice"),
        gen_prefix=_optional_text(name, "gen_prefix", pick("gen_prefix")),
        target_delimiter=_text(name, "target_delimiter", pick("target_delimiter", " ")),
        fewshot_delimiter=_text(name, "fewshot_delimiter", pick("fewshot_delimiter", "\n\n")),
    )


def _generation(name: str, given: Mapping[str, Any], delimiter: str) -> dict[str, Any]:
    """The settings of generation; where the task has none, greedy to the delimiter of its examples."""
    generation = {"do_sample": False, "temperature": 0.0, "until": [delimiter]}
    if given.get("generation_kwargs") is not None:
        generation = {"until": [delimiter], **_mapping(name, "generation_kwargs", given["generation_kwargs"])}
    until = generation["until"]
    stops = [until] if isinstance(until, str) else until or []
    if not isinstance(stops, list) or not all(isinstance(stop, str) for stop in stops):
        raise AssayError(f"lm_eval task {name}: until is {until!r}", "it must be a text or a list of texts")
    return {**generation, "until": [stop for stop in stops if stop]}


def _mapping(name: str, key: str, value: Any) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        raise AssayError(f"lm_eval task {name}: {key} is {str(value)[:80]!r}", "it must be a mapping")
    return dict(value or {})


def _listed(name: str, key: str, value: Any) -> tuple[Mapping[str, Any], ...]:
    if value is not None and not (isinstance(value, list) and all(isinstance(item, dict) for item in value)):
        raise AssayError(f"lm_eval task {name}: {key} is {str(value)[:80]!r}", "it must be a list of mappings")
    return tuple(value or ())


def _samples(name: str, given: Any) -> tuple[Mapping[str, Any], ...]:
    """The examples that a task brings along, or that its code makes."""
    try:
        with no_exit("the samples of its fewshot_config"):
            listed = given() if callable(given) else given
    except AssayError:
        raise
    except Exception as error:
        problem = f"the samples of its fewshot_config failed: {type(error).__name__}: {error}"
        raise AssayError(f"lm_eval task {name}: {problem}", "repair its code") from error
    if not isinstance(listed, list | tuple) or not all(isinstance(sample, dict) for sample in listed):
        problem = f"samples of fewshot_config is {str(listed)[:80]!r}"
        raise AssayError(f"lm_eval task {name}: {problem}", "it must be a list of documents, each a mapping")
    return tuple(listed)


def _text(name: str, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise AssayError(f"lm_eval task {name}: {key} is {str(value)[:80]!r}", "it must be a text")
    return value


def _optional_text(name: str, key: str, value: Any) -> str | None:
    return None if value is None else _text(name, key, value)


def _count(name: str, key: str, value: Any) -> int | None:
    if value is not None and (type(value) is not int or value < 0):
        raise AssayError(f"lm_eval task {name}: {key} is {value!r}", "it must be a whole number")
    return None if value is None else int(value)
