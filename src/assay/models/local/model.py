"""The embedded model, as the rest of assay sees it."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError
from assay.models.base import Capabilities, Local, ModelConfig
from assay.models.local.engine import Engine, Job
from assay.models.local.gguf import GGUF, read
from assay.models.local.llama import Llama
from assay.models.local.products import Workers, blas
from assay.models.local.sampling import Sample
from assay.models.local.tokenizer import Tokenizer
from assay.models.weights import Weights, find, verify
from assay.records import Completion, Failure, ModelIdentity, Request, Response, Text, Usage

ENGINE = "assay-numpy/1"
"""The engine and its version, which changes whenever its numbers may."""
BATCH = 64
"""Requests asked together unless the configuration says otherwise."""
CONTEXT = 8192
"""Tokens that SmolLM2 was trained to have in view."""
TOP_LOGPROBS = 100


@dataclass(frozen=True)
class _Loaded:
    """What a weights file becomes."""

    model: Llama
    engine: Engine
    workers: Workers


class EmbeddedModel(Local):
    """A model that runs in this process.

    The same request gives the same text and log-probabilities, to the last bit, on the same machine: alone or in any batch,
    today or in a run that is resumed (`assay.models.local.products` says on which machines that holds). Its file is opened
    at the first question, its weights become numbers at the first request; `close` gives both back.
    """

    def __init__(self, weights: Weights, config: ModelConfig) -> None:
        options = {"revision": config.revision} if config.revision else {}
        self.identity = ModelIdentity(name=config.name, revision=weights.sha256[:16], endpoint=ENGINE, options=options)
        self.capabilities = Capabilities(
            chat=config.endpoint != "completions",
            text=config.endpoint != "chat",
            scores=True,
            top_logprobs=TOP_LOGPROBS,
            context_window=min(CONTEXT, config.context_window or CONTEXT),
            concurrency=config.concurrency or BATCH,
        )
        self._weights = weights
        self._lock = threading.RLock()
        self._file: GGUF | None = None
        self._tokenizer: Tokenizer | None = None
        self._loaded: _Loaded | None = None

    def count_tokens(self, text: Text) -> int:
        """How many tokens a prompt has after the chat template."""
        return len(self._words().prompt(text))

    def batch_key(self, request: Request) -> tuple[int, ...]:
        """The prompt's tokens: sorted by them, prompts that begin alike stand together, whatever their length."""
        try:
            return tuple(self._words().prompt(request.prompt))
        except AssayError:
            return ()

    def ask_batch(self, requests: Sequence[Request]) -> list[Response]:
        """The responses, in the order of the requests.

        `latency_s` is the request's share, by tokens read and written, of the time the whole batch took to compute: the time
        is not measured for single requests, because they are computed together. `usage` counts a prompt in full, also where its
        beginning was computed once for several requests; the token that ends a text is not counted.
        A request that does not fit the context window, or that the chat template refuses, gets a response with a failure.
        """
        with self._lock, blas().single():
            words, loaded = self._words(), self._load()
            began = time.perf_counter()
            jobs = [self._job(words, request) for request in requests]
            loaded.engine.run([job for job in jobs if isinstance(job, Job)])
            spent = time.perf_counter() - began
        usages = [_usage(job) if isinstance(job, Job) else Usage() for job in jobs]
        each = spent / max(1, sum(_tokens(usage) for usage in usages))
        now = time.time()
        return [
            self._response(request, job, usage, _tokens(usage) * each, now)
            for request, job, usage in zip(requests, jobs, usages, strict=True)
        ]

    async def close(self) -> None:
        """Give back the memory; a later request loads the weights again."""
        with self._lock:
            if self._loaded:
                self._loaded.workers.close()
            self._file = self._tokenizer = self._loaded = None

    def _job(self, words: Tokenizer, request: Request) -> Job | Failure:
        """What the engine is to do for a request, or why it cannot be done."""
        try:
            if request.continuation is not None:
                job = _scoring(words, request, request.continuation)
                needed = len(job.text)
            else:
                samples = [Sample(request, words, index) for index in range(request.completions)]
                job = Job(words.prompt(request.prompt) or [words.start], samples=samples)
                needed = len(job.text) + max(0, request.max_tokens)
        except AssayError as error:
            return Failure(kind="bad_request", message=str(error))
        window = self.capabilities.context_window or CONTEXT
        if needed > window:
            what = f"max_tokens={request.max_tokens}" if request.continuation is None else "continuation"
            message = f"prompt and {what} need {needed} tokens, the context window has {window}"
            return Failure(kind="context_length", message=message)
        return job

    def _response(self, request: Request, job: Job | Failure, usage: Usage, latency_s: float, now: float) -> Response:
        version = f"{self._weights.name} {self.identity.revision} {ENGINE}"
        if isinstance(job, Failure):
            return Response(failure=job, model_version=version, asked_at=now)
        completions: tuple[Completion, ...]
        if request.continuation is not None:
            completions = (Completion(text=request.continuation, tokens=tuple(job.scores), finish_reason="scored"),)
        else:
            completions = tuple(sample.completion() for sample in job.samples)
        return Response(completions=completions, usage=usage, latency_s=latency_s, model_version=version, asked_at=now)

    def _words(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._file = read(weights_file(self._weights))
                self._tokenizer = Tokenizer(self._file)
            return self._tokenizer

    def _load(self) -> _Loaded:
        words = self._words()
        if self._loaded is None:
            assert self._file is not None
            workers = Workers(blas().threads)
            model = Llama(self._file, workers)
            self._loaded = _Loaded(model, Engine(model, words), workers)
        return self._loaded


def weights_file(weights: Weights) -> Path:
    """The checked weights file of an embedded model.

    Raises:
        AssayError: it is not on this machine, or is not the expected file.
    """
    path = find(weights.name)
    if path is None:
        raise AssayError(f"the weights of {weights.name} are not on this machine", f"run: assay fetch {weights.name}")
    verify(weights, path)
    return path


def _scoring(words: Tokenizer, request: Request, continuation: str) -> Job:
    """Score a continuation: its first token follows the prompt's last, or the start token where nothing comes before it."""
    tokens, begin = words.continued(request.prompt, continuation)
    pieces = words.pieces(tokens[begin:])
    if begin == len(tokens):
        return Job(tokens)
    if begin == 0:
        tokens, begin = [words.start, *tokens], 1
    return Job(tokens[:-1], targets=tokens[begin:], pieces=pieces, top=request.top_logprobs)


def _usage(job: Job) -> Usage:
    """Tokens read and written, as the tokenizer counts them."""
    if job.samples or not job.targets:
        written = sum(sample.read for sample in job.samples)
        return Usage(prompt_tokens=len(job.text), completion_tokens=written, source="tokenizer")
    read_only = len(job.text) + 1 - len(job.targets)
    return Usage(prompt_tokens=read_only, completion_tokens=len(job.targets), source="tokenizer")


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.completion_tokens
