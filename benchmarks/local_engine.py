"""How fast models in this process are, in ratios that mean something on any machine.

    python benchmarks/local_engine.py [FOLDER]

First, for each engine that is installed, all in one run: scoring multiple-choice questions of four options after five examples,
against the rate at which the library underneath reads one plain text, and against asking without shared beginnings. The
engines are the embedded one, llama.cpp (extra `gguf`) on the same weights, and transformers (extra `hf`) on the checkpoint in
FOLDER. Then the embedded engine in detail. Needs the weights: `assay fetch smollm2-135m`.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.models import ModelConfig, open_model
from assay.models.in_process.engine import PackEngine
from assay.models.in_process.jobs import Job, job_for
from assay.models.in_process.model import TokenModel
from assay.models.in_process.packs import packs
from assay.models.in_process.sampling import Sample
from assay.models.in_process.words import Words
from assay.models.local.attention import Span
from assay.models.local.engine import Engine
from assay.models.local.gguf import read
from assay.models.local.llama import Llama
from assay.models.local.model import weights_file
from assay.models.local.products import Panels, Workers, blas, rows_are_independent
from assay.models.local.tokenizer import Tokenizer
from assay.models.weights import KNOWN
from assay.records import Request

REPEATS = 3
EXAMPLE = "Question: Which of these grows on trees in an orchard?\nOptions: stone, apple, chair, river\nAnswer: apple\n\n"
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


@dataclass(frozen=True)
class Contender:
    """An engine, and the library underneath."""

    name: str
    words: Words
    run: Callable[[Sequence[Job], bool], None]
    """Carry out jobs, with or without sharing beginnings."""
    read: Callable[[Sequence[int]], object]
    """Have the library read one text, with the distribution after its last token."""


def questions(words: Words, number: int, count: int) -> list[Job]:
    """Questions with four options each after the same five examples, which differ from those of another `number`."""
    examples = f"Quiz {number}.\n\n" + EXAMPLE * 5
    jobs = []
    for subject in SUBJECTS[:count]:
        question = f"Question: Which of these would you be most likely to find next to a {subject} at the edge of a town?\n"
        for option in ("stone", "pear", "lamp", "ocean"):
            request = Request(prompt=examples + question + "Answer:", continuation=f" {option}")
            jobs.append(job_for(words, request))
    return jobs


def different(jobs: Sequence[Job]) -> int:
    """Tokens that must be read where every beginning is read once."""
    return sum(len(pack.tokens) for pack in packs(jobs, 1 << 30, 1 << 30))


def compete(contender: Contender) -> None:
    """Print the ratios of one engine."""
    words = contender.words
    numbers = itertools.count()
    text = words.encode((STORY * 40).replace("{}", "old mill"))[:512]
    contender.run(questions(words, next(numbers), 1), True)  # everything is loaded and warm
    raw = len(text) / measure(lambda: contender.read(text)).cpu
    asked = [questions(words, next(numbers), len(SUBJECTS)) for _ in range(REPEATS)]
    left = iter(asked)
    shared = measure(lambda: contender.run(next(left), True)).cpu
    few = questions(words, next(numbers), 1)
    alone = measure(lambda: contender.run(few, False), 1).cpu / nominal(few)
    print(f"{contender.name:<14}{raw:10.0f}{different(asked[0]) / shared / raw:12.2f}", end="")
    print(f"{nominal(asked[0]) / shared / raw:12.2f}{alone * nominal(asked[0]) / shared:12.1f}")


def nominal(jobs: Sequence[Job]) -> int:
    """Tokens asked about, counted as if nothing was shared."""
    return sum(len(job.text) + 1 for job in jobs)


def numpy_contender(model: Llama, words: Tokenizer) -> Contender:
    """The embedded engine; its library reads a text by its forward pass."""
    engines = {sharing: Engine(model, words, sharing=sharing) for sharing in (True, False)}

    def read(text: Sequence[int]) -> object:
        with blas().single():
            states = model.forward([Span(model.new_cache(None, len(text), transient=True), text)])
            return model.logits(states[-1:])

    def run(jobs: Sequence[Job], sharing: bool) -> None:
        with blas().single():
            engines[sharing].run(jobs)

    return Contender("numpy", words, run, read)


def pack_contender(name: str, model: TokenModel, read: Callable[[Sequence[int]], object]) -> Contender:
    """An engine of packs."""
    engine = model.runner()
    assert isinstance(engine, PackEngine)

    def run(jobs: Sequence[Job], sharing: bool) -> None:
        for some in [jobs] if sharing else [[job] for job in jobs]:
            (engine if sharing else PackEngine(engine.backend, model.words(), sharing=False)).run(some)

    return Contender(name, model.words(), run, read)


def llama_contender() -> Contender:
    """llama.cpp; a text is read by `llama_decode` on a cleared memory."""
    path = weights_file(KNOWN["smollm2-135m"])
    config = ModelConfig(name=f"gguf/{path}", body={"threads": 1})  # threads that wait for each other count as busy
    model = open_model(config.name, {config.name: config})
    assert isinstance(model, TokenModel)
    engine = model.runner()
    assert isinstance(engine, PackEngine)

    def read(text: Sequence[int]) -> object:
        (pack,) = packs([Job(text, targets=[0])], len(text), 1)
        engine.backend.restart(pack, 0)
        return engine.backend.read(pack, range(len(text)), [len(text) - 1])

    return pack_contender("llama.cpp", model, read)


def torch_contender(folder: str) -> Contender:
    """transformers; a text is read by the model's own forward pass."""
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    config = ModelConfig(name=f"hf/{folder}")
    model = open_model(config.name, {})
    assert isinstance(model, TokenModel)
    bare = AutoModelForCausalLM.from_pretrained(folder, dtype="auto").eval()

    def read(text: Sequence[int]) -> object:
        with torch.inference_mode():
            return bare(torch.tensor([list(text)]), logits_to_keep=1)

    return pack_contender("transformers", model, read)


def detail(engine: Engine, model: Llama, words: Tokenizer, workers: Workers) -> None:
    """Print what the embedded engine does with long texts, and what batches gain it."""
    with blas().single():
        text = words.encode((STORY * 40).replace("{}", "old mill"))[:768]
        taken = measure(lambda: engine.run([Job(text, targets=[0], pieces=[""])]))
        rate = len(text) / taken.cpu
        print(f"reading one text           {rate:8.0f} tokens per CPU-second, {len(text) / taken.wall:.0f} per second")
        print(f"share of raw products      {rate / raw_rate(model, 384):8.0%}")
        batch = generation(words, 32, 24)
        one = generation(words, 2, 24)
        together = measure(lambda: engine.run(batch), 1)
        apart = measure(lambda: [engine.run([job]) for job in one], 1)
        speed = written(batch) / together.cpu
        print(f"generating, batch of 32    {speed:8.0f} tokens per CPU-second, {written(batch) / together.wall:.0f} per second")
        print(f"gain of batching           {speed / (written(one) / apart.cpu):8.1f} times")
        same = rows_are_independent(Panels(np.ones((960, 576), np.float32), workers), 576)
        print(f"rows independent of batch  {'yes' if same else 'no':>8}")


def main() -> None:
    file = read(weights_file(KNOWN["smollm2-135m"]))
    workers = Workers(blas().threads)
    words = Tokenizer(file)
    began = time.perf_counter()
    model = Llama(file, workers)
    print(f"loading {time.perf_counter() - began:.2f} s, threads: {workers.count}")
    print("engine         raw/CPU-s    read/raw   asked/raw  gain of sharing   (tokens; at least 0.8, 0.8 and 3)")
    compete(numpy_contender(model, words))
    if importlib.util.find_spec("xllamacpp"):
        compete(llama_contender())
    if len(sys.argv) > 1 and importlib.util.find_spec("torch"):
        compete(torch_contender(sys.argv[1]))
    detail(Engine(model, words), model, words, workers)
    workers.close()


if __name__ == "__main__":
    main()
