"""A task's metrics, filters and generation settings as a prompting and names of metrics.

Of several filter pipelines one run reads one, the first unless the user names another: the completions are the same, so that
a second run asks nothing anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from assay.errors import AssayError, unknown
from assay.once import warn_once
from assay.prompting import LanguageModeling, Prompting, VerbatimGeneration, VerbatimScoring
from assay.prompting.checks import check
from assay.prompting.filters import Step
from assay.scenarios.lm_eval.config import Task
from assay.scenarios.lm_eval.files import Code

METRICS: Mapping[str, Mapping[str, str]] = {
    "multiple_choice": {
        "acc": "lm_eval_acc",
        "acc_norm": "lm_eval_acc_norm",
        "acc_bytes": "lm_eval_acc_bytes",
        "f1": "lm_eval_f1",
        "mcc": "lm_eval_mcc",
    },
    "generate_until": {
        "exact_match": "lm_eval_exact_match",
        "bleu": "bleu",
        "chrf": "chrf",
    },
    "loglikelihood": {"acc": "lm_eval_acc", "perplexity": "lm_eval_perplexity"},
    "loglikelihood_rolling": {
        "word_perplexity": "lm_eval_word_perplexity",
        "byte_perplexity": "lm_eval_byte_perplexity",
        "bits_per_byte": "bits_per_byte",
    },
}
"""Our metric for each of the harness's, by the type of output."""
DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "multiple_choice": ("acc", "acc_norm"),
    "generate_until": ("exact_match",),
    "loglikelihood": ("perplexity", "acc"),
    "loglikelihood_rolling": ("word_perplexity", "byte_perplexity", "bits_per_byte"),
}
"""What a task without metric_list is judged by."""
ABOUT = frozenset({"metric", "aggregation", "higher_is_better", "weight_by_size", "hf_evaluate"})
"""Keys of a metric that are no settings of it."""
IGNORE = {"ignore_case": "case", "ignore_punctuation": "punctuation", "ignore_numbers": "numbers"}
AVERAGED = frozenset(
    {"mean", "nanmean", "f1", "matthews_corrcoef", "bleu", "chrf", "perplexity", "weighted_perplexity", "bits_per_byte"}
)
LIMITS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
HANDLED = frozenset({"do_sample", "until", "temperature", "top_p", *LIMITS})

PREFERRED = ("lm_eval_acc", "bits_per_byte")
"""Main metrics before any perplexity, which has no bound and no place among accuracies."""


def metrics_of(task: Task) -> tuple[str, ...]:
    """The names of our metrics for the task's: its first one first, but for perplexities.

    What assay does not compute is left out with a warning as long as something remains.

    Raises:
        AssayError: nothing remains, or a metric needs requests of its own.
    """
    known = METRICS[task.output_type]
    listed = {_name(metric): _aggregated(metric) for metric in task.metric_list} or dict.fromkeys(
        DEFAULTS[task.output_type], True
    )
    if "acc_mutual_info" in listed:
        raise AssayError(
            f"lm_eval task {task.name} measures acc_mutual_info, which scores every option without its question too",
            "ask by method=multiple_choice_separate_calibrated in a scenario of your own",
        )
    mapped = [known[name] for name, plain in listed.items() if plain and name in known]
    missing = [name for name, plain in listed.items() if not plain or name not in known]
    if not mapped:
        raise AssayError(f"lm_eval task {task.name} is judged by {', '.join(missing)}", f"assay has {', '.join(known)}")
    if missing:
        warn_once(f"lm_eval task {task.name}: not computed: {', '.join(missing)}")
    main = next((name for name in PREFERRED if name in mapped), mapped[0]) if "perplexity" in mapped[0] else mapped[0]
    return tuple(dict.fromkeys((main, *mapped)))


def _name(metric: Mapping[str, Any]) -> str:
    """What the harness calls a metric; code of the task's own by the function's name."""
    named = metric.get("metric")
    return f"{named.name} (code)" if isinstance(named, Code) else str(named)


def _aggregated(metric: Mapping[str, Any]) -> bool:
    """Whether the task puts its values together as our metric does."""
    how = metric.get("aggregation", "mean")
    return isinstance(how, str) and how in AVERAGED and not metric.get("hf_evaluate")


def filter_names(task: Task) -> tuple[str, ...]:
    """The names of the task's pipelines; `none` where it has none."""
    return tuple(str(pipeline.get("name")) for pipeline in task.filter_list) or ("none",)


def prompting_of(task: Task, pipeline: str) -> Prompting:
    """How the task is asked and read.

    Args:
        task: the task.
        pipeline: the name of one of its filter pipelines; empty for the first.

    Raises:
        AssayError: it has no such pipeline, or a filter or setting of generation cannot be meant.
    """
    names = filter_names(task)
    if pipeline and pipeline not in names:
        raise unknown(f"filter of lm_eval task {task.name}", pipeline, names)
    if task.output_type == "multiple_choice":
        return VerbatimScoring(output_prefix=task.writing.target_delimiter)
    if task.output_type == "loglikelihood":
        return VerbatimScoring()
    if task.output_type == "loglikelihood_rolling":
        return LanguageModeling()
    listed = [item for item in task.filter_list if not pipeline or str(item.get("name")) == pipeline][:1]
    steps = tuple(_step(task, step) for item in listed for step in _steps(task, item))
    if steps and not any(step.function == "take_first" for step in steps):
        raise AssayError(
            f"lm_eval task {task.name}: the filter {listed[0].get('name')} gives several answers", "it must end in take_first"
        )
    return _generation(task, steps)


def _steps(task: Task, pipeline: Mapping[str, Any]) -> list[Any]:
    given = pipeline.get("filter") or []
    if not isinstance(given, list):
        raise AssayError(f"lm_eval task {task.name}: filter is {str(given)[:80]!r}", "it must be a list of filters")
    return given


def _step(task: Task, given: Any) -> Step:
    if not isinstance(given, dict):
        raise AssayError(
            f"lm_eval task {task.name} has the filter {str(given)[:80]!r}", "a filter is a mapping with a function"
        )
    plain = {key: value for key, value in given.items() if value is not None}
    if isinstance(mapping := plain.get("mapping_dict", {}), dict):
        plain["mapping"] = [(str(key), str(value)) for key, value in mapping.items()]
        plain.pop("mapping_dict", None)
    else:
        what = f"lm_eval task {task.name}: mapping_dict is {str(mapping)[:80]!r}"
        raise AssayError(what, "it must be a mapping of texts to texts")
    try:
        return msgspec.convert(plain, Step)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise AssayError(
            f"lm_eval task {task.name}: filter {plain.get('function')}: {error}", "assay does not run it"
        ) from None


def _generation(task: Task, steps: tuple[Step, ...]) -> VerbatimGeneration:
    given = task.generation
    unused = sorted(str(key) for key, value in given.items() if key not in HANDLED and value not in (None, 1, False))
    if unused:
        warn_once(f"lm_eval task {task.name}: settings of generation that are not sent: {', '.join(unused)}")
    for key in ("temperature", "top_p", *LIMITS):
        if isinstance(given.get(key), str):
            raise AssayError(
                f"lm_eval task {task.name}: {key} is {given[key]!r}", "write a number, without quotes, such as 0.5"
            )
    ignore, patterns = _ignored(task)
    sampled = given.get("do_sample")
    temperature = given.get("temperature", 1.0 if sampled else 0.0)
    limit = next((given[key] for key in LIMITS if given.get(key) is not None), 256)
    settings = {
        "filters": steps,
        "ignore": ignore,
        "ignore_patterns": patterns,
        "stop": tuple(given["until"]),
        "max_tokens": limit,
        "temperature": 0.0 if sampled is False else temperature,
        "top_p": given.get("top_p", 1.0),
        "completions": task.repeats,
    }
    plain = {key: msgspec.to_builtins(value) for key, value in settings.items()}
    try:
        prompting = msgspec.convert(plain | {"method": "verbatim_generation"}, VerbatimGeneration, strict=False)
        check(prompting)
    except (msgspec.ValidationError, TypeError, OverflowError) as error:
        raise AssayError(f"lm_eval task {task.name}: {error}", "correct it in generation_kwargs or metric_list") from None
    except AssayError as error:
        problem = error.message.partition("verbatim_generation: ")[2] or error.message
        raise AssayError(f"lm_eval task {task.name}: {problem}", f"{error.hint}, in generation_kwargs or repeats") from None
    return prompting


def _ignored(task: Task) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What exact_match leaves out before it compares: kinds of characters, and patterns."""
    own: Mapping[str, Any] = next((metric for metric in task.metric_list if metric.get("metric") == "exact_match"), {})
    ignored = tuple(name for key, name in IGNORE.items() if own.get(key))
    patterns = own.get("regexes_to_ignore") or ()
    if not isinstance(patterns, list | tuple):
        what = f"lm_eval task {task.name}: regexes_to_ignore is {str(patterns)[:80]!r}"
        raise AssayError(what, "it must be a list of patterns")
    if (ignored or patterns) and len(task.metric_list) > 1:
        names = ", ".join(map(_name, task.metric_list))
        warn_once(f"lm_eval task {task.name}: all of {names} see texts without what exact_match ignores")
    return ignored, tuple(patterns)
