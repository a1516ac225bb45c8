"""A model in this process, as the rest of assay sees it."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from assay.errors import AssayError
from assay.models.base import Capabilities, Local
from assay.models.in_process.jobs import Job, job_for
from assay.models.in_process.words import Words
from assay.records import Completion, Failure, ModelIdentity, Request, Response, Text, Usage

BATCH = 64
"""Requests asked together unless the configuration says otherwise."""
TOP_LOGPROBS = 100
INTERRUPTED = Failure(kind="interrupted", message="its batch was ended early, since nobody waited for it")


class Runner(Protocol):
    """What computes: a loaded model."""

    def run(self, jobs: Sequence[Job], stop: threading.Event | None = None) -> None:
        """Fill in the scores of scoring jobs and complete the samples of generation jobs; once `stop` is set, leave the rest.

        Raises:
            MemoryError: the batch does not fit into memory; a smaller one may.
        """

    def close(self) -> None:
        """Give back its memory and threads."""


class TokenModel(Local):
    """A model that reads tokens and gives the distribution after each.

    Its tokenizer is opened at the first question, its weights are loaded at the first request; `close` gives both back.
    """

    def __init__(self, identity: ModelIdentity, capabilities: Capabilities, version: str) -> None:
        self.identity = identity
        self.capabilities = capabilities
        self._version = version
        """What responses report as the version of the model."""
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._words: Words | None = None
        self._runner: Runner | None = None

    @abstractmethod
    def open_words(self) -> Words:
        """Its tokenizer. Raises AssayError where that cannot be had."""

    @abstractmethod
    def load(self, words: Words) -> Runner:
        """Its weights, ready to compute. Raises AssayError where that cannot be had."""

    def count_tokens(self, text: Text) -> int:
        """How many tokens a prompt has after the chat template."""
        return len(self.words().prompt(text))

    def batch_key(self, request: Request) -> tuple[int, ...]:
        """The prompt's tokens: sorted by them, prompts that begin alike stand together, whatever their length."""
        try:
            return tuple(self.words().prompt(request.prompt))
        except AssayError:
            return ()

    def ask_batch(self, requests: Sequence[Request]) -> list[Response]:
        """The responses, in the order of the requests.

        `latency_s` is the request's share, by tokens read and written, of the time the whole batch took to compute: the time
        is not measured for single requests, because they are computed together. `usage` counts a prompt in full, also where its
        beginning was computed once for several requests; the token that ends a text is not counted.
        A request that does not fit the context window or the memory, or that the chat template refuses, gets a response with
        a failure.
        """
        with self._lock:
            self._stop.clear()
            words = self.words()
            runner = self.runner()
            began = time.perf_counter()
            jobs = self._run(words, runner, requests)
            spent = time.perf_counter() - began
        usages = [job.usage if isinstance(job, Job) else Usage() for job in jobs]
        each = spent / max(1, sum(_tokens(usage) for usage in usages))
        now = time.time()
        return [
            self._response(request, job, usage, _tokens(usage) * each, now)
            for request, job, usage in zip(requests, jobs, usages, strict=True)
        ]

    def interrupt(self) -> None:
        """End the batch under way after the pass over the model that is being computed."""
        self._stop.set()

    async def close(self) -> None:
        """Give back the memory; a later request loads the weights again."""
        with self._lock:
            if self._runner:
                self._runner.close()
            self._words = self._runner = None

    def words(self) -> Words:
        """The tokenizer, opened where it is not yet."""
        with self._lock:
            if self._words is None:
                self._words = self.open_words()
            return self._words

    def runner(self) -> Runner:
        """The loaded weights, loaded where they are not yet."""
        with self._lock:
            if self._runner is None:
                self._runner = self.load(self.words())
            return self._runner

    def _run(self, words: Words, runner: Runner, requests: Sequence[Request]) -> list[Job | Failure]:
        """The finished jobs. What does not fit into memory together is halved until it does."""
        jobs = [self._job(words, request) for request in requests]
        try:
            runner.run([job for job in jobs if isinstance(job, Job)], self._stop)
        except MemoryError as error:
            if len(requests) == 1:
                return [Failure(kind="out_of_memory", message=f"one request alone does not fit into memory: {error}")]
            half = len(requests) // 2
            return self._run(words, runner, requests[:half]) + self._run(words, runner, requests[half:])
        if self._stop.is_set():
            return [job if isinstance(job, Failure) or job.finished else INTERRUPTED for job in jobs]
        return jobs

    def _job(self, words: Words, request: Request) -> Job | Failure:
        """What the engine is to do for a request, or why it cannot be done."""
        try:
            job = job_for(words, request)
        except AssayError as error:
            return Failure(kind="bad_request", message=str(error))
        window = self.capabilities.context_window
        if window is not None and job.longest > window:
            what = f"max_tokens={request.max_tokens}" if request.continuation is None else "continuation"
            message = f"prompt and {what} need {job.longest} tokens, the context window has {window}"
            return Failure(kind="context_length", message=message)
        return job

    def _response(self, request: Request, job: Job | Failure, usage: Usage, latency_s: float, now: float) -> Response:
        if isinstance(job, Failure):
            return Response(failure=job, model_version=self._version, asked_at=now)
        completions: tuple[Completion, ...]
        if request.continuation is not None:
            completions = (Completion(text=request.continuation, tokens=tuple(job.scores), finish_reason="scored"),)
        else:
            completions = tuple(sample.completion() for sample in job.samples)
        return Response(completions=completions, usage=usage, latency_s=latency_s, model_version=self._version, asked_at=now)


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.completion_tokens
