"""A recorded HELM run, read with assay's records and prompting: `run_spec.json` and `scenario_state.json(.gz)`.

HELM sends one prompt whose end is the option to score; assay sends the option apart. Recorded answers are brought into that
form: the tokens of the option are those at the end of the echoed prompt that spell it.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.prompting import Prompting, decode
from assay.records import (
    Answer,
    Completion,
    FinishReason,
    Instance,
    PerturbationKind,
    Record,
    Reference,
    Response,
    Token,
)

SETTINGS = (
    "instructions", "global_prefix", "global_suffix", "instance_prefix", "input_prefix", "input_suffix", "output_prefix",
    "output_suffix", "multi_label", "sample_train", "temperature", "max_tokens",
)  # fmt: skip
"""Settings of HELM's adapter that have the same name here."""
CHOICES = ("reference_prefix", "reference_suffix")
"""Settings of questions whose options are listed."""


class HelmPerturbation(Record):
    """A perturbation by name, and what HELM counts it to (both, one or neither)."""

    name: str
    kinds: tuple[PerturbationKind, ...] = ()


class HelmTrial(Record):
    """One instance or copy under one few-shot draw, as HELM asked it, and how assay reads what came back."""

    instance: Instance
    perturbation: HelmPerturbation | None
    draw: int
    states: tuple[dict[str, Any], ...]
    """HELM's request states, one a request."""
    answer: Answer

    @property
    def is_original(self) -> bool:
        """Whether nothing was perturbed."""
        return self.perturbation is None


class HelmRun(Record):
    """A recorded run."""

    adapter: dict[str, Any]
    """HELM's adapter spec."""
    metrics: tuple[str, ...]
    """The last part of the names of HELM's metric classes, with their arguments where they have some."""
    trials: tuple[HelmTrial, ...]


def read_helm_run(folder: Path) -> HelmRun:
    """Read a folder that `helm-run` wrote.

    Raises:
        AssayError: a file is missing or is not what HELM writes.
    """
    spec = _load(folder, "run_spec.json")
    state = _load(folder, "scenario_state.json")
    try:
        adapter = spec["adapter_spec"]
        prompting = prompting_of(adapter)
        groups: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
        for request_state in state["request_states"]:
            instance = request_state["instance"]
            perturbation = (instance.get("perturbation") or {}).get("name", "")
            groups.setdefault((instance["id"], perturbation, request_state["train_trial_index"]), []).append(request_state)
        trials = tuple(_trial(prompting, states) for states in groups.values())
        metrics = tuple(metric["class_name"].rpartition(".")[2] for metric in spec["metric_specs"])
    except (KeyError, TypeError, AttributeError) as error:
        detail = f"{type(error).__name__} {error}"
        raise AssayError(f"{folder} is not a recorded HELM run: {detail}", "give a folder that helm-run wrote") from error
    return HelmRun(adapter=adapter, metrics=metrics, trials=trials)


def prompting_of(adapter: dict[str, Any]) -> Prompting:
    """The prompting that asks as a HELM adapter does.

    Raises:
        AssayError: assay has no such method.
    """
    plain = {name: adapter[name] for name in SETTINGS}
    plain |= {"method": adapter["method"], "shots": adapter["max_train_instances"], "stop": adapter["stop_sequences"]}
    if adapter["method"].startswith("multiple_choice_joint"):
        plain |= {name: adapter[name] for name in CHOICES}
    if adapter["method"] == "language_modeling":
        plain = {"method": "language_modeling"}
    return decode(plain)


def _load(folder: Path, name: str) -> Any:
    packed, plain = folder / f"{name}.gz", folder / name
    try:
        data = gzip.decompress(packed.read_bytes()) if packed.is_file() else plain.read_bytes()
        return msgspec.json.decode(data)
    except FileNotFoundError:
        raise AssayError(f"{plain} does not exist", "give a folder that helm-run wrote") from None
    except (OSError, EOFError, msgspec.DecodeError) as error:
        raise AssayError(f"{plain} cannot be read: {error}", "copy the folder again") from error


def _trial(prompting: Prompting, states: Sequence[dict[str, Any]]) -> HelmTrial:
    plain = states[0]["instance"]
    references = tuple(Reference(text=r["output"]["text"], correct="correct" in r["tags"]) for r in plain["references"])
    described = plain.get("perturbation")
    instance = Instance(
        id=plain["id"],
        input=plain["input"]["text"],
        references=references,
        split=plain["split"],
        perturbation=described["name"] if described else None,
    )
    kinds: tuple[PerturbationKind, ...] = ("robustness", "fairness")
    ordered = sorted(states, key=lambda state: (state.get("reference_index") or 0, state.get("request_mode") == "calibration"))
    responses = [_response(prompting, state) for state in ordered]
    return HelmTrial(
        instance=instance,
        perturbation=HelmPerturbation(name=described["name"], kinds=tuple(k for k in kinds if described[k]))
        if described
        else None,
        draw=states[0]["train_trial_index"],
        states=tuple(ordered),
        answer=prompting.read(instance, responses),
    )


def _response(prompting: Prompting, state: dict[str, Any]) -> Response:
    result = state["result"]
    completions = tuple(_completion(prompting, state, completion) for completion in result["completions"])
    return Response(completions=completions, latency_s=result.get("request_time"), asked_at=result.get("request_datetime"))


def _completion(prompting: Prompting, state: dict[str, Any], plain: dict[str, Any]) -> Completion:
    tokens = [Token(text=token["text"], logprob=token["logprob"]) for token in plain["tokens"]]
    text, reason = plain["text"], finish_reason(plain)
    if state["request"].get("echo_prompt"):
        tokens = tokens[state["num_conditioning_tokens"] :]
        if state.get("reference_index") is not None:
            text = continuation(prompting, state)
            tokens = _ending(tokens, len(text))
        reason = "scored"
    return Completion(text=text, tokens=tuple(tokens), finish_reason=reason)


def continuation(prompting: Prompting, state: dict[str, Any]) -> str:
    """What a request that scores an option adds to the prompt: the option, and what stands between it and the question."""
    option = state["instance"]["references"][state["reference_index"]]["output"]["text"]
    between = prompting.output_prefix[len(prompting.output_prefix.rstrip()) :]
    return between + str(option) + prompting.output_suffix


def finish_reason(completion: dict[str, Any]) -> FinishReason:
    """Why HELM's completion ended, in assay's words."""
    reasons: dict[str, FinishReason] = {"length": "length", "stop": "stop", "endoftext": "stop"}
    return reasons.get((completion.get("finish_reason") or {}).get("reason", ""), "unknown")


def _ending(tokens: Sequence[Token], size: int) -> list[Token]:
    """The last tokens that together have at least `size` characters."""
    start, length = len(tokens), 0
    while start > 0 and length < size:
        start -= 1
        length += len(tokens[start].text)
    return list(tokens[start:])
