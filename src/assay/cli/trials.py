"""Trials on the terminal: what was asked, what came back, how it was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from assay.records import Message, Response, Text
from assay.store.transcripts import judging_of, reading_row
from assay.stored_text import stored_text
from assay.text import visible


def describe_trial(row: dict[str, Any], prompting: Mapping[str, Any] | None = None) -> str:
    """A row of the transcripts as a person reads it. Every text is made visible: nothing in it can command the terminal.

    Args:
        row: of the transcripts.
        prompting: as the run's spec has it, so that scored options are shown with the value that decided between them.

    Raises:
        AssayError: the row holds what assay does not write.
    """
    with reading_row(row):
        return visible(_description(row, prompting or {}))


def _description(row: dict[str, Any], prompting: Mapping[str, Any]) -> str:
    parts: list[str] = []
    scored = [continuation is not None for continuation in row["continuations"]]
    previous = None
    for number, prompt in enumerate(row["prompts"]):
        if prompt != previous:
            parts.append(_shown(stored_text(prompt)))
            previous = prompt
        if scored[number]:
            parts.append(_scored(row, number, prompting))
    parts.append("")
    if not any(scored):
        parts += [f"completion: {text!r}" for text in _completions(row)]
    sure = "" if row["confidence"] is None else f", {row['confidence']:.3f} sure ({row['confidence_source']})"
    parts.append(f"read as:    {row['prediction']!r} ({row['outcome']}{sure})")
    if gold := [reference["text"] for reference in row["references"] if reference["correct"]]:
        parts.append(f"right:      {' | '.join(gold)!r}")
    if row["error"]:
        parts.append(f"error:      {row['error']}")
    return "\n".join([*parts, *_judged(row)])


def _judged(row: dict[str, Any]) -> list[str]:
    """Whom the answer was put to, in which words, what came back and which mark was read in it."""
    judging = judging_of(row)
    if judging is None:
        return [] if row["judged"] is None else [f"mark:       {row['judged']:.3g}"]
    parts = ["", f"judge:      {judging.judge}", _shown(judging.prompt), ""]
    parts += [f"reply:      {completion.text!r}" for completion in judging.response.completions]
    failure = judging.response.failure
    parts += [f"error:      {failure.kind}: {failure.message}"] if failure else []
    return [*parts, f"mark:       {'none' if row['judged'] is None else format(row['judged'], '.3g')}"]


def heading(row: dict[str, Any], run: str) -> str:
    """Which trial it is."""
    variant = f" · draw {row['draw']}" + (f" · format {row['format']}" if row["format"] else "")
    return visible(f"{run} · {row['instance_id']} · {row['perturbation'] or 'original'}{variant}", 200)


def _shown(prompt: Text) -> str:
    return prompt if isinstance(prompt, str) else "\n".join(_turn(message) for message in prompt)


def _turn(message: Message) -> str:
    return f"[{message.role}]\n{message.content}"


def _scored(row: dict[str, Any], number: int, prompting: Mapping[str, Any]) -> str:
    """A scored continuation: its log-probability, its tokens, what decided; the option is marked where it was chosen."""
    response = msgspec.json.decode(row["responses"][number], type=Response)
    logprob = response.completions[0].logprob if response.completions else None
    shown = "failed" if logprob is None else f"log-probability {logprob:.3f}"
    if logprob is not None and (tokens := len(response.completions[0].tokens)):
        shown += f" of {tokens} token{'s' if tokens > 1 else ''}"
    per_option = max(1, len(row["prompts"]) // max(1, len(row["references"])))
    option = number // per_option
    if logprob is not None and number % per_option == per_option - 1:
        shown += _decided(row, option, per_option, prompting)
    chosen = "  <- chosen" if row["choice"] == option and number % per_option == 0 else ""
    return f"  ⟦{row['continuations'][number]}⟧  {shown}{chosen}"


PER = {"token": "a token", "byte": "a byte"}
"""What a log-probability is divided by, where options are compared so."""


def _decided(row: dict[str, Any], option: int, per_option: int, prompting: Mapping[str, Any]) -> str:
    """What of an option was compared with the other ones, where that is not its log-probability itself."""
    from assay.prompting import decode
    from assay.prompting.multiple_choice import SeparateMethod
    from assay.prompting.samples import finite

    method = decode(dict(prompting)) if prompting else None
    if not isinstance(method, SeparateMethod) or (per_option == 1 and method.normalisation not in PER):
        return ""
    stored = row["responses"][option * per_option : (option + 1) * per_option]
    found = [msgspec.json.decode(one, type=Response).completions[:1] for one in stored]
    if not all(found):
        return ""
    logprobs, tokens = [finite(one.logprob) for (one,) in found], [len(one.tokens) for (one,) in found]
    value = method.combine(logprobs, tokens, row["references"][option]["text"])
    return f", raised by {value:.3f}" if per_option > 1 else f", {value:.3f} {PER[method.normalisation]}"


def _completions(row: dict[str, Any]) -> Iterator[str]:
    for stored in row["responses"]:
        for completion in msgspec.json.decode(stored, type=Response).completions:
            yield completion.text
