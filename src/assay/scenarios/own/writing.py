"""A scenario file with comments, written from a guess about a file's columns."""

from __future__ import annotations

import os
import re
from pathlib import Path

from assay.scenarios.own.columns import LOOKED_AT
from assay.scenarios.own.inspection import FEWEST_WITH_EXAMPLES, Guess
from assay.scenarios.own.layout import told
from assay.scenarios.own.templates import escaped
from assay.scenarios.sources.heldout import held_out_of
from assay.text import one_line

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"])
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
EXAMPLES = 5
FEWEST_TO_SHARE = 10
"""Cases below which none can be spared as an example."""
COMMENTS = 34
"""Column at which comments stand."""
MOST_TOLD = 4_000
"""Characters of a list of options up to which every prompt names them all."""
LONG_ROOM = ["  max_tokens: 1000", '  stop: ["\\nInput:"]\t# ends a base model that goes on to a next question']
"""Other answers have the room that the method gives them; a chat model more (see `assay.prompting.chat_form`)."""
ANSWERS = {"number": "the number announced, else the last", "date": "the date announced, else the last"}
"""Readings of an answer that are named by what it is."""
METRICS = {"number": "number_match", "date": "date_match", "short": "answer_match", "long": "rouge_l"}
LONG = [
    "# Answers as long as these can be right in many words, and common words tell little. Better let a judge mark them: fill",
    "# in the rubric below, name the judge (docs/own_cases.md), and write metric: judge_score.",
]
JUDGE = [
    "# judge:",
    "#   rubric: |",
    "#     5: says all that the right answer says, and nothing wrong",
    "#     1: wrong or empty",
]


def scenario_text(guess: Guess, data: Path, place: Path | None = None) -> str:
    """The YAML of a scenario.

    Args:
        guess: what the columns are.
        data: the file of cases.
        place: where the YAML is to lie; beside its data where not given.
    """
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", (place or data).name.split(".")[0]).strip("_.-") or "cases"
    file = data.name
    if place is not None and place.parent.resolve() != data.parent.resolve():
        file = os.path.relpath(data.resolve(), place.parent.resolve())
    lines = [
        "# What is asked, what is right, and how it is scored. Every key is explained in docs/own_cases.md.",
        *(f"# Look: {one_line(doubt)}" for doubt in guess.doubts),
        f"scenario: {quoted(name)}",
        'about: ""\t# one sentence: what does it tell to be good at this?',
        "",
        *_source(guess, file),
        "",
        *_cases(guess),
        "",
        *_prompting(guess),
        "",
        *_rest(guess),
    ]
    return "".join(f"{_aligned(line)}\n" for line in lines)


def _aligned(line: str) -> str:
    """A line with its comment, which stands behind a tab, at the column where the others are."""
    said, _, comment = line.partition("\t")
    return f"{said:<{COMMENTS - 2}}  {comment}" if comment else said


def quoted(text: str) -> str:
    """A text as YAML reads it back, in quotes unless it is one plain word."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return '"' + "".join(_escape(character) for character in text) + '"'


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    harmless = character.isprintable() and character != "\ufeff"
    return character if harmless else f"\\u{ord(character):04x}" if ord(character) < 65536 else f"\\U{ord(character):08x}"


def _source(guess: Guess, file: str) -> list[str]:
    lines = ["source:", f"  file: {quoted(file)}"]
    if guess.split:
        lines.append(f"  split_column: {quoted(guess.split)}\t# train rows are examples, test rows are asked")
    elif _shares(guess) and guess.rows >= FEWEST_WITH_EXAMPLES:
        lines.append(f"  held_out: {_share(guess)}\t# this share of the cases becomes examples and is not asked")
    elif _shares(guess):
        shots = _examples(guess)
        lines.append(f"  # held_out: {_share(guess)}\t# makes {shots} of these few cases examples; then write shots: {shots}")
    return lines


def _share(guess: Guess) -> float:
    """The share of the cases that is held out."""
    return 0.1 if guess.rows < LOOKED_AT else 0.01


def _shares(guess: Guess) -> bool:
    """Whether there are cases to spare, and a use for examples."""
    return not guess.split and not guess.messages and guess.cases >= FEWEST_TO_SHARE


def _examples(guess: Guess) -> int:
    """How many examples can be shown: those that are there, up to five."""
    return min(EXAMPLES, guess.train if guess.split else held_out_of(guess.cases, _share(guess)))


def _cases(guess: Guess) -> list[str]:
    """The keys that make a case of a row."""
    lines = [f"messages: {quoted(guess.messages)}\t# a column with [{{role: …, content: …}}, …]"] if guess.messages else []
    if guess.input:
        shown = "\n\n".join(f"{{{column}}}" for column in guess.input)
        lines.append(f"input: {quoted(shown)}\t# what stands in braces is a column; {{{{ and }}}} are braces")
    if guess.labels:
        lines.append(f"options: [{', '.join(quoted(escaped(label)) for label in guess.labels)}]")
    elif isinstance(guess.options, str) and guess.options:
        lines.append(f"options: {quoted(guess.options)}\t# a column with all of them")
    elif guess.options:
        listed = ", ".join(quoted(f"{{{column}}}") for column in guess.options)
        lines.append(f"options: [{listed}]")
    answer = quoted(guess.answer)
    lines.append(f"answer: {answer if guess.written == 'text' else f'{{column: {answer}, as: {guess.written}}}'}")
    if guess.separator:
        lines.append(f"separator: {quoted(guess.separator)}\t# between several answers or options in one cell")
    else:
        lines.append('separator: ""\t# a cell is one answer; "|" splits it where it has several')
    for key, column in (("id", guess.id), ("group", guess.group)):
        if column:
            lines.append(f"{key}: {quoted(column)}")
    if guess.worked:
        lines.append(f"worked: {quoted(f'{{{guess.worked}}}')}")
    groups = ", ".join(map(quoted, guess.subgroups))
    lines.append(f"subgroups: [{groups}]\t# numbers are given for each of their values")
    if guess.unused:
        named = (quoted(name) + (f" ({why})" if why else "") for name, why in guess.unused.items())
        lines.append(f"# columns that are not used: {', '.join(named)}")
    return lines


def _prompting(guess: Guess) -> list[str]:
    """How it is asked: labels as words, options by letter, anything else as text."""
    shots = _examples(guess) if guess.split or (_shares(guess) and guess.rows >= FEWEST_WITH_EXAMPLES) else 0
    if guess.options:
        return ["prompting:", "  method: multiple_choice_joint\t# shows the options, asks for a letter", f"  shots: {shots}"]
    read = [f"  answer: {guess.kind}\t# {ANSWERS[guess.kind]}"] if guess.kind in ANSWERS else []
    room = LONG_ROOM if guess.kind == "long" and not guess.labels else []
    if guess.messages:
        told = [f"  system: {_told(guess)}\t# the model sees no options otherwise"] if guess.labels else []
        return ["prompting:", "  method: chat\t# sends the messages as they are", *read, *room, *told]
    if not guess.labels:
        return ["prompting:", "  method: generation", f"  shots: {shots}", *read, *room]
    return [
        "prompting:",
        "  method: generation\t# the model writes one of the options, in a sentence or alone",
        f"  instructions: {_told(guess, chr(10))}",
        f"  shots: {shots}\t# examples shown before the question",
    ]


def _told(guess: Guess, end: str = "") -> str:
    """The options in words; where they are too long for every prompt, a sentence to be put right by who knows them."""
    words = told(guess.labels)
    if len(words) > MOST_TOLD:
        words = "Answer with the one label that fits, and nothing else."
        return f"{quoted(words + end)}\t# the {len(guess.labels)} options are too long for every prompt: describe them"
    return quoted(words + end)


def _rest(guess: Guess) -> list[str]:
    chosen = bool(guess.labels or guess.options)
    metric = "exact_match" if chosen else METRICS[guess.kind]
    long = guess.kind == "long" and not chosen
    return [
        *(LONG if long else []),
        f"metric: {metric}\t# assay list metrics",
        *(["metrics: [exact_match, quasi_exact_match]\t# stricter ones beside it"] if metric == "answer_match" else []),
        *(JUDGE if long else []),
        "taxonomy: {task: user-defined, language: any}\t# its place on the map: assay coverage",
        'licence: ""',
        'notes: ""\t# what a reader of the numbers should know',
        "version: 1\t# raise it when you change what is asked",
    ]
