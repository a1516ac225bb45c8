"""Recorded responses instead of a model, so that a run can be repeated anywhere: `replay/FILE`.

FILE is a run folder or a folder of them, a `transcripts.parquet`, a response cache (`.sqlite`), or a JSONL file of
`{"prompt": …}` or `{"messages": …}` with a `"completion"`, a `"response"`, or a `"continuation"` and its `"logprob"`.

A request is answered by what was recorded for the same prompt and continuation. A response cache has all settings of its
requests, and they must be the same; the other recordings have not, and there they are taken to be. Sampled requests get the
recording of their repeat: in a JSONL file the first line of a prompt is repeat 0, the second repeat 1.
Where a cache or a folder holds the answers of several models, `recorded_model` in the `body` of `models.yaml` names one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from assay.errors import AssayError, unknown
from assay.identity import digest
from assay.models.base import Capabilities, Local, ModelConfig, provider
from assay.models.recordings import Recording, content_digest, recordings
from assay.models.wording import one_line
from assay.records import Failure, ModelIdentity, Request, Response, Text

SETTINGS = ("max_tokens", "temperature", "top_p", "stop", "top_logprobs")
"""What changes a generated answer, where it is known with which it was asked."""


class Replay(Local):
    """Answers what was recorded and nothing else: what was not is a failure of the kind `not_recorded`."""

    def __init__(self, path: Path, config: ModelConfig) -> None:
        chosen = _chosen_model(config)
        self._path = path
        self._known: dict[str, list[Recording]] = {}
        models: set[str] = set()
        for recording in recordings(path):
            models.add(recording.model)
            if chosen is None or chosen in (recording.model, recording.model.partition("@")[0]):
                question = _question(recording.request.prompt, recording.request.continuation)
                self._known.setdefault(question, []).append(recording)
        _check_models(path, models, chosen)
        options = {"recorded_model": chosen} if chosen else {}
        revision = content_digest(path)[:16]
        self.identity = ModelIdentity(
            name=config.name, revision=revision, endpoint="replay", options=options | _named(config.revision)
        )
        self.capabilities = self._seen(config)

    def ask_batch(self, requests: Sequence[Request]) -> list[Response]:
        """The responses as they were recorded, times and usage included, in the order of the requests."""
        return [self._answer(request) for request in requests]

    def batch_key(self, request: Request) -> tuple[str, ...]:
        """All requests are alike: nothing can be shared."""
        return ()

    def _answer(self, request: Request) -> Response:
        found = self._known.get(_question(request.prompt, request.continuation), [])
        if not found:
            return self._missing(f"the prompt that begins {_beginning(request.prompt)!r} was not asked")
        fitting = [recording for recording in found if not _differing(recording, request)]
        if not fitting:
            return self._missing(f"the prompt was asked with another {_differing(found[0], request)}")
        if request.temperature > 0:
            fitting = [recording for recording in fitting if recording.request.repeat == request.repeat]
            if not fitting:
                return self._missing(f"the prompt was not asked as repeat {request.repeat}")
        response = msgspec.json.decode(fitting[0].response, type=Response)
        have = len(response.completions)
        if have < request.completions:
            return self._missing(f"{have} completions of the prompt were recorded, not {request.completions}")
        return msgspec.structs.replace(response, completions=response.completions[: request.completions])

    def _missing(self, why: str) -> Response:
        message = f"not recorded in {self._path.name}: {why}"
        return Response(failure=Failure(kind="not_recorded", message=message))

    def _seen(self, config: ModelConfig) -> Capabilities:
        """What the recorded model did, as far as it is recorded."""
        every = [recording for some in self._known.values() for recording in some]
        plain = any(isinstance(recording.request.prompt, str) for recording in every)
        tops = (_most_alternatives(recording) for recording in every if recording.request.continuation is None)
        return Capabilities(
            chat=not plain or any(not isinstance(recording.request.prompt, str) for recording in every),
            text=plain,
            scores=any(recording.request.continuation is not None for recording in every),
            top_logprobs=max(tops, default=0),
            context_window=config.context_window,
            concurrency=config.concurrency or 256,
        )


def _question(prompt: Text, continuation: str | None) -> str:
    return digest([prompt, continuation])


def _beginning(prompt: Text) -> str:
    text = prompt if isinstance(prompt, str) else " ".join(message.content for message in prompt)
    return one_line(text)[:60]


def _differing(recording: Recording, request: Request) -> str:
    """The settings in which a request is not the recorded one; empty where there are none."""
    if not recording.settled:
        return ""
    names = SETTINGS if request.continuation is None else ("top_logprobs",)
    asked = recording.request
    differing = [name for name in names if getattr(asked, name) != getattr(request, name)]
    return " and ".join(f"{name} ({getattr(asked, name)!r}, not {getattr(request, name)!r})" for name in differing)


def _most_alternatives(recording: Recording) -> int:
    if b'"top"' not in recording.response:
        return 0
    response = msgspec.json.decode(recording.response, type=Response)
    return max((len(token.top) for completion in response.completions for token in completion.tokens), default=0)


def _check_models(path: Path, models: set[str], chosen: str | None) -> None:
    known = sorted(models)
    if not known:
        raise AssayError(f"{path} holds no recorded response", "record a run first")
    if chosen is not None:
        if not any(chosen in (model, model.partition("@")[0]) for model in known):
            raise unknown(f"model in {path}:", chosen, known)
        known = [model for model in known if chosen in (model, model.partition("@")[0])]
    if len(known) > 1:
        hint = f"name one as recorded_model in the body of a model in models.yaml: {', '.join(known[:8])}"
        raise AssayError(f"{path} holds the answers of {len(known)} models", hint)


def _chosen_model(config: ModelConfig) -> str | None:
    for key, value in config.body.items():
        if key != "recorded_model":
            raise unknown(f"setting in the body of {config.name!r}:", key, ["recorded_model"])
        if not isinstance(value, str):
            raise AssayError(f"{config.name!r}: recorded_model must be the name of a model, not {value!r}")
        return value
    return None


def _named(revision: str) -> dict[str, str]:
    return {"revision": revision} if revision else {}


@provider("replay", examples=["replay/runs/demo"])
def replay(name: str, config: ModelConfig) -> Replay:
    """Recorded responses: a run repeated anywhere, without its model."""
    path = Path(name).expanduser()
    if not path.exists():
        raise AssayError(
            f"the recording {name} does not exist", "write replay/FILE with the path of a run, cache or JSONL file"
        )
    return Replay(path, config)
