"""How fast the embedded model is, in ratios that mean something on any machine.

    python benchmarks/local_engine.py

Prints tokens per CPU-second and per second for scoring and generation, what sharing beginnings and batching gain, and which
share of numpy's own rate of matrix multiplication the whole engine reaches. Needs the weights: `assay fetch smollm2-135m`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.models.local.engine import Engine, Job
from assay.models.local.gguf import read
from assay.models.local.llama import Llama
from assay.models.local.model import weights_file
from assay.models.local.products import Panels, Workers, blas, rows_are_independent
from assay.models.local.sampling import Sample
from assay.models.local.tokenizer import Tokenizer
from assay.models.weights import KNOWN
from assay.records import Request

REPEATS = 3
SHOT = "Question: Which of these is a fruit?\nOptions: stone, apple, chair, river\nAnswer: apple\n\n"
SUBJECTS = ["fox", "tailor", "lighthouse", "river", "clock", "garden", "sailor", "bridge"]
STORY = "The {} stood at the edge of the town, and every evening somebody came by to ask what it remembered. "


@dataclass(frozen=True)
class Time:
    """The least seconds of several tries: by the wall clock, and of all processors."""

    wall: float
    cpu: float


def measure(task: Callable[[], object], repeats: int = REPEATS) -> Time:
    """Run a task several times."""
    walls, cpus = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        task()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return Time(min(walls), min(cpus))


def scoring(words: Tokenizer) -> list[Job]:
    """Eight questions with four options each, after the same six examples."""
    jobs = []
    for subject in SUBJECTS:
        for option in ("stone", "pear", "lamp", "ocean"):
            tokens, begin = words.continued(SHOT * 6 + f"Question: What is nearest to a {subject}?\nAnswer:", f" {option}")
            jobs.append(Job(tokens[:-1], targets=tokens[begin:], pieces=words.pieces(tokens[begin:])))
    return jobs


def generation(words: Tokenizer, count: int, tokens: int) -> list[Job]:
    """Different prompts of about 30 tokens, each to be continued by exactly `tokens` tokens."""
    jobs = []
    for number in range(count):
        prompt = f"{number}. " + STORY.format(SUBJECTS[number % len(SUBJECTS)])
        request = Request(prompt=prompt, max_tokens=tokens, temperature=1.0, repeat=number)
        jobs.append(Job(words.prompt(prompt), samples=[Sample(request, words, 0)]))
    return jobs


def written(jobs: Sequence[Job]) -> int:
    """Tokens that a generation produced."""
    return sum(sample.read for job in jobs for sample in job.samples)


def raw_rate(model: Llama, rows: int) -> float:
    """Tokens per CPU-second if a token cost nothing but numpy's products with the layers' weights."""
    shape = model.shape
    keys = shape.key_heads * shape.size
    sizes = [
        (shape.width, shape.width + 2 * keys),
        (shape.width, shape.width),
        (shape.width, 2 * shape.hidden),
        (shape.hidden, shape.width),
    ]
    chance = np.random.default_rng(1)
    pairs = [(chance.random((rows, i), np.float32), chance.random((i, o), np.float32)) for i, o in sizes]
    with blas().single():
        taken = measure(lambda: [x @ weight for _ in range(10) for x, weight in pairs])
    return rows / (taken.cpu / 10 * shape.layers)


def main() -> None:
    file = read(weights_file(KNOWN["smollm2-135m"]))
    workers = Workers(blas().threads)
    words = Tokenizer(file)
    began = time.perf_counter()
    model = Llama(file, workers)
    print(f"loading                    {time.perf_counter() - began:8.2f} s, threads: {workers.count}")
    engine, unshared = Engine(model, words), Engine(model, words, sharing=False)
    with blas().single():
        text = words.encode((STORY * 40).replace("{}", "old mill"))[:768]
        taken = measure(lambda: engine.run([Job(text, targets=[0], pieces=[""])]))
        rate = len(text) / taken.cpu
        print(f"reading one text           {rate:8.0f} tokens per CPU-second, {len(text) / taken.wall:.0f} per second")
        print(f"share of raw products      {rate / raw_rate(model, 384):8.0%}")
        jobs = scoring(words)
        asked = sum(len(job.text) + 1 for job in jobs)
        shared, alone = measure(lambda: engine.run(jobs)), measure(lambda: unshared.run(jobs), 1)
        print(f"scoring 8 x 4 options      {asked / shared.cpu:8.0f} tokens asked about per CPU-second")
        print(f"gain of sharing            {alone.cpu / shared.cpu:8.1f} times")
        batch = generation(words, 32, 24)
        one = generation(words, 2, 24)
        together = measure(lambda: engine.run(batch), 1)
        apart = measure(lambda: [engine.run([job]) for job in one], 1)
        speed = written(batch) / together.cpu
        print(f"generating, batch of 32    {speed:8.0f} tokens per CPU-second, {written(batch) / together.wall:.0f} per second")
        print(f"gain of batching           {speed / (written(one) / apart.cpu):8.1f} times")
        same = rows_are_independent(Panels(np.ones((960, 576), np.float32), workers), 576)
        print(f"rows independent of batch  {'yes' if same else 'no':>8}")
    workers.close()


if __name__ == "__main__":
    main()
