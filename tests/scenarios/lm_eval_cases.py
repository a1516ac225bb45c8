"""Cases on which assay and lm-evaluation-harness are compared: tasks, documents made up for them, recorded responses.

Imported by the tests and, in the harness's own interpreter, by lm_eval_reference.py: it needs neither of the two packages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OWN = Path(__file__).with_name("lm_eval_own")
EXPECTED = Path(__file__).with_name("lm_eval_expected.json")
LIMIT = 4
"""Documents of each case that are compared."""


@dataclass(frozen=True)
class Case:
    """A task as both sides are given it."""

    task: str
    shots: int | None = None
    documents: str = "hub"
    """`hub`: the loopback hub has its data; `own`: a task of ours in lm_eval_own; else a key of `MADE`."""
    code: bool = False
    filter: str = ""
    seed: int = 1234

    @property
    def name(self) -> str:
        """What the case is called among the expected results."""
        return f"{self.task} {self.shots} {self.filter} {self.seed}"


def text(number: int, what: str) -> str:
    """A made-up sentence, different for every number; some have spaces at their ends, quotes or letters beyond ASCII."""
    twist = ("", " ", "’s café", ' "quoted"', " {{not a template}}", " 100% — sure")[number % 6]
    return f"{what} number {number}{twist}"


def texts(number: int, what: str, count: int) -> list[str]:
    """Options of different lengths."""
    return [f"{what} {number}.{place}{' and more' * place}" for place in range(count)]


Maker = Callable[[int], dict[str, Any]]
MADE: dict[str, tuple[dict[str, int], Maker]] = {
    "piqa": (
        {"train": 9, "validation": 5},
        lambda n: {"goal": text(n, "goal"), "sol1": text(n, "first"), "sol2": text(n, "other way"), "label": n % 2},
    ),
    "sciq": (
        {"train": 9, "validation": 3, "test": 5},
        lambda n: {
            "question": text(n, "question"), "support": "  " + text(n, "support"), "correct_answer": f"right {n}",
            **{f"distractor{k}": f"wrong {n}.{k}" for k in (1, 2, 3)},
        },
    ),
    "anli": (
        {"train_r1": 8, "dev_r1": 3, "test_r1": 5},
        lambda n: {"premise": text(n, "premise"), "hypothesis": text(n, "claim"), "label": n % 3},
    ),
    "sst2": ({"train": 8, "validation": 5}, lambda n: {"sentence": text(n, "film"), "label": n % 2}),
    "qqp": (
        {"train": 8, "validation": 5},
        lambda n: {"question1": text(n, "one"), "question2": text(n, "two"), "label": (n // 2) % 2},
    ),
    "cola": ({"train": 8, "validation": 5}, lambda n: {"sentence": text(n, "sentence"), "label": (n % 3 == 0) + 0}),
    "mnli": (
        {"train": 8, "validation_matched": 5},
        lambda n: {"premise": text(n, "premise"), "hypothesis": text(n, "claim") + ".", "label": n % 3},
    ),
    "commonsense_qa": (
        {"train": 8, "validation": 5},
        lambda n: {
            "question": text(n, "question"), "answerKey": "ABCDE"[n % 5],
            "choices": {"label": list("ABCDE"), "text": texts(n, "option", 5)},
        },
    ),
    "triviaqa": (
        {"train": 8, "validation": 5},
        lambda n: {"question": text(n, "who"), "answer": {"aliases": [f"Name {n}", f"The Name-{n}", "O'Neil"], "value": "x"}},
    ),
    "xnli": (
        {"train": 8, "validation": 5},
        lambda n: {"premise": text(n, "premise"), "hypothesis": text(n, "claim"), "label": n % 3},
    ),
    "xstorycloze": (
        {"train": 8, "eval": 5},
        lambda n: {
            **{f"input_sentence_{k}": text(n + k, "then") for k in (1, 2, 3, 4)},
            "sentence_quiz1": text(n, "end"), "sentence_quiz2": text(n, "another end"), "answer_right_ending": 1 + n % 2,
        },
    ),
    "xwinograd": (
        {"test": 6},
        lambda n: {
            "sentence": f"The cup {n} did not fit in the bag because _ was too small.", "option1": "the cup",
            "option2": "the bag",
            "answer": str(1 + n % 2),
        },
    ),
    "winogrande": (
        {"train": 9, "validation": 5},
        lambda n: {
            "sentence": f"Ann {n} thanked Eve because _ had been helped.", "option1": "Ann", "option2": "Eve",
            "answer": str(1 + n % 2),
        },
    ),
    "social_iqa": (
        {"train": 8, "validation": 5},
        lambda n: {
            "context": text(n, "context"), "question": text(n, "why"), "label": str(1 + n % 3),
            **{f"answer{letter}": text(n, letter) for letter in "ABC"},
        },
    ),
    "headqa": (
        {"train": 8, "validation": 3, "test": 5},
        lambda n: {
            "qtext": text(n, "question"), "ra": 1 + n % 4,
            "answers": [{"aid": k, "atext": option} for k, option in enumerate(texts(n, "option", 4), 1)],
        },
    ),
    "swag": (
        {"train": 8, "validation": 5},
        lambda n: {"startphrase": text(n, "start"), "label": n % 4, **{f"ending{k}": text(n + k, "end") for k in range(4)}},
    ),
    "prost": (
        {"test": 6},
        lambda n: {"context": text(n, "things"), "ex_question": text(n, "which"), "label": n % 4, "A": "a", "B": "bb",
        "C": "c", "D": "d"},
    ),
    "ethics_cm": ({"train": 8, "test": 5}, lambda n: {"input": text(n, "I did"), "label": n % 2}),
    "ethics_deontology": (
        {"train": 8, "test": 5},
        lambda n: {"scenario": text(n, "could you"), "excuse": text(n, "no because") + " ", "label": n % 2},
    ),
    "anagrams": ({"validation": 6}, lambda n: {"context": text(n, "letters"), "completion": f"word{n}"}),
    "asdiv": (
        {"validation": 6},
        lambda n: {"body": text(n, "story"), "question": " How many?", "answer": f"{n} (apples)"},
    ),
    "pile": ({"train": 5}, lambda n: {"text": f"A text\n\nof several  words, {n} of them. " * (n + 1)}),
    "lambada": ({"validation": 3, "test": 5}, lambda n: {"text": f"She said, “Not again,” and left the {n} houses"}),
    "belebele": (
        {"test": 7},
        lambda n: {
            "flores_passage": text(n, "passage"), "question": text(n, "question"), "correct_answer_num": str(1 + n % 4),
            **{f"mc_answer{k}": text(n, f"answer {k}") for k in (1, 2, 3, 4)},
        },
    ),
    "kmmlu": (
        {"dev": 5, "test": 5},
        lambda n: {"question": text(n, "질문"), "answer": 1 + n % 4, **dict(zip("ABCD", texts(n, "선택", 4), strict=True))},
    ),
    "ceval": (
        {"val": 5, "dev": 5},
        lambda n: {"question": text(n, "问题"), "answer": "ABCD"[n % 4], **dict(zip("ABCD", texts(n, "选项", 4), strict=True))},
    ),
    "mgsm": (
        {"train": 8, "test": 5},
        lambda n: {
            "question": text(n, "How many"),
            "answer": f"Step-by-Step Answer: So {n}+1={n + 1}. The answer is {n + 1}." if n % 2 else None,
            "answer_number": n + 1,
        },
    ),
    "acp": (
        {"test": 6},
        lambda n: {
            "context": text(n, "ferry"), "question": text(n, "which"), "answer": "ABCD"[n % 4],
            "choices": {"label": list("ABCD"), "text": texts(n, "load", 4)},
        },
    ),
    "logiqa": (
        {"train": 8, "validation": 3, "test": 5},
        lambda n: {"context": text(n, "facts"), "question": text(n, "so"), "options": texts(n, "option", 4),
        "label": "abcd"[n % 4]},
    ),
    "wmt": (
        {"train": 3, "validation": 6, "test": 5},
        lambda n: {"translation": {"en": text(n, "the house is"), "fr": text(n, "la maison est"), "ro": text(n, "casa este")}},
    ),
    "boolq": (
        {"train": 8, "validation": 5},
        lambda n: {"passage": text(n, "passage"), "question": text(n, "is it"), "label": n % 2},
    ),
    "cb": (
        {"train": 8, "validation": 5},
        lambda n: {"premise": text(n, "premise"), "hypothesis": text(n, "claim"), "label": n % 3},
    ),
    "copa": (
        {"train": 8, "validation": 5},
        lambda n: {
            "premise": text(n, "It rained") + ".", "choice1": "The street got wet.", "choice2": text(n, "The sun") + ".",
            "question": ("cause", "effect")[n % 2], "label": n % 2,
        },
    ),
    "wic": (
        {"train": 8, "validation": 5},
        lambda n: {
            "sentence1": "A bank of sand.", "sentence2": text(n, "The bank"), "start1": 2, "end1": 6, "label": n % 2,
        },
    ),
    "multirc": (
        {"train": 8, "validation": 5},
        lambda n: {"paragraph": text(n, "passage"), "question": text(n, "who"), "answer": f"Person {n}", "label": n % 2},
    ),
    "medqa": (
        {"train": 8, "validation": 3, "test": 5},
        lambda n: {"sent1": text(n, "patient"), "label": n % 4, **{f"ending{k}": f"drug {n}.{k}" for k in range(4)}},
    ),
    "gsm8k": (
        {"train": 9, "test": 5},
        lambda n: {"question": text(n, "How many"), "answer": f"It is <<{n}*1000={n * 1000}>>{n * 1000}.\n#### {n},000"},
    ),
}  # fmt: skip

CASES: tuple[Case, ...] = (
    Case("arc_easy"), Case("arc_challenge", 3), Case("arc_challenge", 3, seed=7), Case("boolq", 2, "boolq"), Case("cb", 2,
    "cb"),
    Case("multirc", 1, "multirc"), Case("copa", 2, "copa", code=True), Case("wic", 2, "wic"), Case("mmlu_anatomy", 5),
    Case("mmlu_anatomy_generative", 2), Case("gsm8k"),
    Case("gsm8k", 2, filter="flexible-extract"), Case("gsm8k_cot", filter="flexible-extract"),
    Case("gsm8k_cot_self_consistency"),
    Case("openbookqa"), Case("openbookqa", 2), Case("truthfulqa_mc1"), Case("nq_open", 3), Case("lambada_openai"),
    Case("lambada_openai_cloze_yaml"), Case("blimp_adjunct_island"), Case("bbh_cot_fewshot_boolean_expressions"),
    Case("bbh_zeroshot_causal_judgement"), Case("bbh_fewshot_navigate"), Case("medqa_4options", 2, "medqa", code=True),
    Case("winogender_all"), Case("arc_challenge_chat"), Case("winogrande", 0, "winogrande", code=True),
    Case("piqa", 2, "piqa"), Case("sciq", 1, "sciq"), Case("anli_r1", 2, "anli"), Case("sst2", 3, "sst2"), Case("qqp", 2,
    "qqp"),
    Case("cola", 2, "cola"), Case("mnli", 2, "mnli", code=True), Case("commonsense_qa", 2, "commonsense_qa"),
    Case("triviaqa", 2, "triviaqa"), Case("xnli_en", 1, "xnli"), Case("xstorycloze_en", 1, "xstorycloze"),
    Case("xwinograd_en", 1, "xwinograd", code=True), Case("winogrande", 2, "winogrande", code=True),
    Case("social_iqa", 2, "social_iqa"), Case("headqa_en", 1, "headqa"), Case("swag", 2, "swag"), Case("prost", 1, "prost"),
    Case("ethics_cm", 2, "ethics_cm"), Case("ethics_deontology", 2, "ethics_deontology"), Case("anagrams1", 2, "anagrams"),
    Case("asdiv", 1, "asdiv"), Case("pile_arxiv", None, "pile"), Case("lambada_standard", 1, "lambada"),
    Case("belebele_eng_Latn", 3, "belebele"), Case("kmmlu_direct_law", 5, "kmmlu"), Case("ceval-valid_law", 3, "ceval"),
    Case("mgsm_direct_en", 2, "mgsm"), Case("mgsm_direct_en", 2, "mgsm", filter="flexible-extract"),
    Case("mgsm_en_cot_en", 2, "mgsm"), Case("acp_prog_mcq", None, "acp"), Case("acp_areach_bool", None, "acp"),
    Case("logiqa", 2, "logiqa", code=True), Case("wmt16-ro-en", 2, "wmt"), Case("wmt14-en-fr", 1, "wmt"),
    Case("gsm8k_llama", None, "gsm8k"), Case("gsm8k_cot_zeroshot", None, "gsm8k", filter="strict-match"),
)  # fmt: skip

OWN_CASES: tuple[Case, ...] = tuple(
    Case(name, shots, "own", code, pipeline)
    for name, shots, code, pipeline in (
        ("own_choice", 2, False, ""), ("own_choice", 0, False, ""), ("own_template", 2, False, ""), ("own_inputs", 2, False,
        ""),
        ("own_inputs", 0, False, ""), ("own_filters", 2, False, ""), ("own_filters", 2, False, "last"),
        ("own_many_answers", 1, False, ""), ("own_text", 1, False, ""),
        ("own_stream", None, False, ""), ("own_prefix", 2, False, ""), ("own_code", 2, True, ""), ("own_vote", 0, False, ""),
        ("own_samples", None, False, ""),
    )
)  # fmt: skip


def write_made(case: Case, original: Path, folder: Path) -> Path:
    """A copy of a task that reads made-up documents from a folder, as a YAML file for both sides."""
    splits, make = MADE[case.documents]
    data = folder / case.documents
    if not data.exists():
        data.mkdir(parents=True)
        start = 0
        for split, size in splits.items():
            rows = [json.dumps(make(number), ensure_ascii=False) for number in range(start, start + size)]
            (data / f"{split}.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
            start += size
        listed = "".join(f"  - split: {split}\n    path: {split}.jsonl\n" for split in splits)
        (data / "README.md").write_text(f"---\nconfigs:\n- config_name: default\n  data_files:\n{listed}---\n", "utf-8")
    file = folder / f"{case.task}.yaml"
    own = {"include": str(original), "task": case.task, "dataset_path": str(data), "dataset_name": None, "dataset_kwargs": None}
    file.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in own.items()), "utf-8")
    return file


def digest_of(requests: list[Any]) -> str:
    """SHA-256 of the requests of a case: per document a list of (prompt, what is scored or how to stop)."""
    return hashlib.sha256(json.dumps(requests, ensure_ascii=False).encode()).hexdigest()


def recorded_score(prompt: str, scored: str) -> tuple[float, bool]:
    """The log-probability that a text got after a prompt, and whether it was the likeliest. Made up, and always the same."""
    number = int.from_bytes(hashlib.sha256(f"{prompt}\0{scored}".encode()).digest()[:4], "big")
    return -(number % 5000) / 100 - 0.01, number % 2 == 0


def recorded_text(number: int, answer: str) -> str:
    """What was answered to the document at a position: right, right in another way of writing it, or wrong."""
    ways = (
        answer,
        f" {answer}.",
        f"I think that the answer is {answer}.\n#### {answer}",
        answer.upper(),
        "no idea",
        f"It is ({answer})",
    )
    return ways[number % len(ways)]
