"""HELM's run expanders: what an argument of a run entry changes, whatever its scenario.

Each is a function of the argument's value and the prompting so far, and gives one set of changes for every run that HELM would
make of the entry: settings of the prompting, or fields of `Ask`. They apply in the order of the entry, as in HELM (Liang et al.
2022, arXiv 2211.09110; HELM 0.5).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import AssayError, unknown
from assay.prompting import METHODS, Chat, Generation, MultipleChoiceJoint, MultipleChoiceJointChainOfThought, Prompting

Changes = list[dict[str, Any]]
Expander = Callable[[str, Prompting], Changes]

GROUPS = (
    "all", "text", "text_code", "code", "instruction_following", "full_functionality_text", "limited_functionality_text",
    "summarization_zs", "biomedical", "interactive_qa", "opinions_qa_openai", "opinions_qa_ai21", "text_to_image", "vlm",
    "audiolm", "gpt2_tokenizer", "ai21_tokenizer", "cohere_tokenizer", "opt_tokenizer", "ablation",
)  # fmt: skip
"""HELM's names for groups of its own models; `ablation_` may stand before each."""

PROMPTS: Mapping[str, dict[str, Any]] = {
    "human_assistant": {
        "input_prefix": 'Human: What is the answer to "',
        "input_suffix": '"?\n',
        "output_prefix": 'Assistant: The answer is "',
        "output_suffix": '".\n',
        "stop": ('".',),
    },
    "question_answer": {"input_prefix": "Question: ", "output_prefix": "Answer: "},
    "qa": {"input_prefix": "Q: ", "output_prefix": "A: "},
    "input_output_html": {
        "input_prefix": "<input>",
        "input_suffix": "</input>\n",
        "output_prefix": "<output>",
        "output_suffix": "</output>\n",
    },
    "input_output": {"input_prefix": "Input: ", "output_prefix": "Output: "},
    "i_o": {"input_prefix": "I: ", "output_prefix": "O: "},
}
SEPARATORS = {"hash": "###", "semicolon": ";", "br": "<br>"}
EXPERT = "I am an expert AI assistant who is here to help you with the following. "
EXAMPLES_FOLLOW = (
    "Here are some input-output examples. Read the examples carefully to figure out the mapping. The output of the last "
    "example is not given, and your job is to figure out what it is."
)
KEEP_THE_FORMAT = (
    "Please provide the output to this last example. It is critical to follow the format of the preceding outputs!"
)
BY_LETTER = {
    "only_last_question": "Answer only the last question with only a single letter.",
    "": "Answer with only a single letter.",
}
IN_WORDS = {
    "narrative_qa": (
        "Answer with one word, a few-word phrase, or a short sentence. Avoid extra, unnecessary information in the answer."
    ),
    "natural_qa": "Answer with a short answer or a boolean 'yes' or 'no' answer.",
    "natural_qa_short_answer": "Answer with a short answer.",
    "legalbench_abercrombie": "Answer with only 'generic', 'descriptive', 'suggestive', 'arbitrary' or 'fanciful'.",
    "legalbench_function_of_decision_section": (
        "Answer with only 'Facts', 'Procedural History', 'Issue', 'Rule', 'Analysis', 'Conclusion' or 'Decree'."
    ),
    "legalbench_yes_or_no": "Answer with only 'Yes' or 'No'.",
    "wmt_14": "Answer with the English translation.",
    "wmt_14_only_last_sentence": "Answer with only the English translation for the last sentence.",
    "math": "Wrap the final answer with the \\boxed{} command.",
}
"""HELM's words about the form of answers, which have to be the same for the prompts to be."""

MISSPELLING_RATES = (0.05, 0.2, 0.5)
"""HELM's sweep also has 0, which changes nothing."""


def model_group(value: str) -> bool:
    """Whether `model=` names one of HELM's groups rather than a model.

    Raises:
        AssayError: it is neither a known group nor of the form creator/name.
    """
    if value.removeprefix("ablation_") in GROUPS:
        return True
    if "/" not in value:
        raise unknown("group of HELM's models", value, GROUPS, "a model is written creator/name")
    return False


def _shots(value: str, now: Prompting) -> Changes:
    sweeps = {"zero": (0,), "one": (1,), "all": (0, 1, 2, 4, 8, 16), "big_bench_few_shot_setting": (0, 1, 2, 3)}
    return [{"shots": shots} for shots in sweeps.get(value) or (_whole("max_train_instances", value),)]


def _num_outputs(value: str, now: Prompting) -> Changes:
    numbers = {"default": (1,), "copyright_sweep": (1, 10)}.get(value) or (_whole("num_outputs", value),)
    letters = isinstance(now, MultipleChoiceJoint) and not isinstance(now, MultipleChoiceJointChainOfThought)
    if letters or now.scores:
        return [{}]  # there it is the number of alternatives that HELM looks at, and assay looks at all it can have
    return [{"completions": number} for number in numbers]


def _max_eval_instances(value: str, now: Prompting) -> Changes:
    return [{"max_instances": 1000 if value == "default" else _whole("max_eval_instances", value)}]


def _data_augmentation(value: str, now: Prompting) -> Changes:
    if value == "misspelling_sweep":
        return [{"perturbations": ({"misspellings": {"rate": rate}},)} for rate in MISSPELLING_RATES]
    from assay.perturbations import parse_perturbations

    parse_perturbations((value,))
    return [{"perturbations": (value,)}]


def _instructions(value: str, now: Prompting) -> Changes:
    return [{"instructions": _one_of("instructions", value, {"none": "", "expert": EXPERT + now.instructions})}]


def _prompt(value: str, now: Prompting) -> Changes:
    return [_one_of("prompt", value, PROMPTS)]


def _newline(value: str, now: Prompting) -> Changes:
    mark = _one_of("newline", value, {name: SEPARATORS[name] for name in ("semicolon", "br")})
    return [{"substitutions": (("\n", f"{mark}\n"),)}]


def _stop(value: str, now: Prompting) -> Changes:
    if value == "none":
        return [{"stop": ()}]
    mark = _one_of("stop", value, SEPARATORS)
    return [{"stop": (mark,), "instance_prefix": f"{mark}\n\n"}]


def _add_to_stop(value: str, now: Prompting) -> Changes:
    return [{"stop": (*now.stop, "\n" if value == "newline" else value)}]


def _global_prefix(value: str, now: Prompting) -> Changes:
    return [{"global_prefix": _one_of("global_prefix", value, {"nlg": "[NLG]"})}]


def _format_prompt(value: str, now: Prompting) -> Changes:
    return [{"input_prefix": value, "output_prefix": ""}]


def _follow_format(value: str, now: Prompting) -> Changes:
    _one_of("follow_format_instructions", value, {"all": "", "instruct": ""})
    if not _open(now):
        raise AssayError(f"follow_format_instructions is for generation, not for {now.method}", "leave it out")
    suffix = f"\n\n{KEEP_THE_FORMAT}\n{now.output_prefix.strip()}"
    return [{"global_prefix": f"{EXAMPLES_FOLLOW}\n\n", "global_suffix": suffix}]


def _output_format(value: str, now: Prompting) -> Changes:
    kind = value.removesuffix("_suffix")
    suffix, kind, brief = kind != value, kind.removesuffix("_no_prefix"), kind.endswith("_no_prefix")
    wanted = _form_of_answers(kind, now)
    if brief:
        wanted += f" Do not include '{now.output_prefix.strip()}' in your answer."
    if suffix:
        return [{"global_suffix": f"{now.global_suffix}\n\n{wanted}"}]
    return [{"instructions": f"{wanted}\n\n{now.instructions}" if now.instructions else f"{wanted}\n"}]


def _form_of_answers(kind: str, now: Prompting) -> str:
    """HELM's sentence about the form of answers."""
    if isinstance(now, MultipleChoiceJoint) and not isinstance(now, MultipleChoiceJointChainOfThought):
        return BY_LETTER["only_last_question" if kind.endswith("_only_last_question") else ""]
    if not _open(now):
        problem = f"output_format_instructions has no words here for {now.method}"
        raise AssayError(problem, "say it by the setting global_suffix of an assay entry")
    if kind == "legalbench":
        noun = now.output_prefix.partition(":")[0]
        return "Answer yes or no." if noun == "Answer" else f"Answer with the {noun.lower()}."
    return str(_one_of("output_format_instructions", kind, IN_WORDS))


def _temperature(value: str, now: Prompting) -> Changes:
    return [{"temperature": _number("temperature", value)}]


def _increase_temperature(value: str, now: Prompting) -> Changes:
    return [{"temperature": now.temperature + _number("increase_temperature", value)}]


def _increase_max_tokens(value: str, now: Prompting) -> Changes:
    return [{"max_tokens": now.max_tokens + _whole("increase_max_tokens", value)}]


def _num_output_tokens(value: str, now: Prompting) -> Changes:
    return [{"max_tokens": _whole("num_output_tokens", value)}]


def _eval_split(value: str, now: Prompting) -> Changes:
    return [{"split": (_one_of("eval_split", value, {"test": "test", "valid": "valid"}),)}]


def _num_trials(value: str, now: Prompting) -> Changes:
    return [{"repeats": _whole("num_trials", value)}]


def _num_train_trials(value: str, now: Prompting) -> Changes:
    return [{"draws": _whole("num_train_trials", value)}]


def _method(value: str, now: Prompting) -> Changes:
    return [{"method": _one_of("method", value, {name: name for name in METHODS})}]


def _process_output(value: str, now: Prompting) -> Changes:
    if "thinking" in value.rpartition(".")[2]:
        return [{}]  # reasoning is never read as an answer
    raise AssayError(f"process_output={value[:80]} names code of HELM's", "leave it out")


EXPANDERS: Mapping[str, Expander] = {
    "method": _method,
    "instructions": _instructions,
    "prompt": _prompt,
    "newline": _newline,
    "stop": _stop,
    "add_to_stop": _add_to_stop,
    "format_prompt": _format_prompt,
    "follow_format_instructions": _follow_format,
    "follow_the_format_instructions": _follow_format,
    "output_format_instructions": _output_format,
    "global_prefix": _global_prefix,
    "num_train_trials": _num_train_trials,
    "num_trials": _num_trials,
    "max_train_instances": _shots,
    "max_eval_instances": _max_eval_instances,
    "num_outputs": _num_outputs,
    "temperature": _temperature,
    "increase_temperature": _increase_temperature,
    "increase_max_tokens": _increase_max_tokens,
    "num_output_tokens": _num_output_tokens,
    "data_augmentation": _data_augmentation,
    "eval_split": _eval_split,
    "process_output": _process_output,
}

REFUSED: Mapping[str, str] = {
    "chatml": "assay sends messages where a model takes them, and the model's own template marks them",
    "tokenizer": "texts are counted by the model's own tokenizer",
    "num_prompt_tokens": "only synthetic_efficiency has prompts of a given length",
    "only_contrast": "the data on the hub hold no contrast sets",
    "annotator_model": "an entry does not name the judge",
    "annotator_type": "an entry does not name the judge",
    "num_respondents": "assay does not ask people to rate",
}
"""Arguments of HELM's that say nothing that could be done here, and why."""


def _open(prompting: Prompting) -> bool:
    return isinstance(prompting, Generation) and not isinstance(prompting, Chat)


def _one_of(key: str, value: str, known: Mapping[str, Any]) -> Any:
    if value not in known:
        raise unknown(f"value of {key}", value, known)
    return known[value]


def _whole(key: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise AssayError(f"{key} must be a whole number, not {value[:80]!r}")
    return int(value)


def _number(key: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not 0 <= number <= 100:
        raise AssayError(f"{key} must be a number from 0 to 100, not {value[:80]!r}")
    return number
