"""What engines in this process are held against: the numpy engine, on the same weights and the same requests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.models.in_process.jobs import job_for
from assay.models.local.engine import Engine
from assay.models.local.gguf import read
from assay.models.local.llama import Llama
from assay.models.local.products import Workers, blas
from assay.models.local.tokenizer import Tokenizer
from assay.records import Completion, Message, Request, Response

SHOTS = "".join(f"Q: {a} + {b} =\nA: {a + b}\n\n" for a, b in [(2, 3), (4, 4), (1, 6), (9, 2), (5, 0)])
SCORED = [
    *(
        Request(prompt=f"{SHOTS}Q: {a} + {b} =\nA:", continuation=f" {answer}", top_logprobs=3)
        for a, b in [(2, 2), (6, 1)]
        for answer in (3, 4, 12)
    ),
    Request(prompt="", continuation="Rain fell on the tin roof."),
    Request(prompt="A short", continuation="er one"),
    Request(prompt="the tea is h", continuation="ot"),
    Request(prompt=(Message(role="user", content="Is snow cold?"),), continuation="Yes"),
    Request(prompt="Nothing", continuation=""),
]
GENERATED = [
    Request(prompt=f"{SHOTS}Q: 8 + 1 =\nA:", max_tokens=6, top_logprobs=2),
    Request(prompt=f"{SHOTS}Q: 8 + 1 =\nA:", max_tokens=5, temperature=0.8, completions=3),
    Request(prompt="The old bridge", max_tokens=9, temperature=1.0, top_p=0.9),
    Request(prompt="The old", max_tokens=9, stop=("e",)),
    Request(prompt=(Message(role="user", content="Name a colour."),), max_tokens=8),
]


def numpy_answers(path: Path, requests: Sequence[Request]) -> list[tuple[Completion, ...]]:
    """The completions of the numpy engine."""
    file = read(path)
    words, workers = Tokenizer(file), Workers(blas().threads)
    jobs = [job_for(words, request) for request in requests]
    with blas().single():
        Engine(Llama(file, workers), words).run(jobs)
    workers.close()
    return [
        tuple(sample.completion() for sample in job.samples)
        if request.continuation is None
        else (Completion(text=request.continuation, tokens=tuple(job.scores), finish_reason="scored"),)
        for request, job in zip(requests, jobs, strict=True)
    ]


def apart(given: Sequence[Response], expected: Sequence[Sequence[Completion]]) -> float:
    """The largest difference of a log-probability; texts, tokens and reasons to finish must be the same."""
    differences = [0.0]
    for response, completions in zip(given, expected, strict=True):
        assert response.failure is None, response.failure
        for one, other in zip(response.completions, completions, strict=True):
            assert (one.text, one.finish_reason) == (other.text, other.finish_reason)
            assert [token.text for token in one.tokens] == [token.text for token in other.tokens]
            for token, reference in zip(one.tokens, other.tokens, strict=True):
                assert token.logprob is not None
                assert reference.logprob is not None
                differences.append(abs(token.logprob - reference.logprob))
                shared = token.top.keys() & reference.top.keys()
                assert len(shared) >= len(reference.top) - 1  # the last of them may change places with the next
                differences += [abs(token.top[text] - reference.top[text]) for text in shared]
    return max(differences)
