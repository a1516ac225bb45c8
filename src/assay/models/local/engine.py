"""Carries out a batch: beginnings that texts share are read once, everything that is ready goes through the model together.

The texts of a batch form a tree (see `prefixes`). A pass over the model takes generated tokens and nodes whose parents have
been read, deepest first, up to `PASS_ROWS` tokens; so the memory for keys and values stays small however large the batch is.
Results do not depend on what shares a pass (see `products` and `attention`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

import numpy as np
from numpy.typing import NDArray

from assay.models.in_process.jobs import Job
from assay.models.in_process.sampling import Row, Sample, described, rows_of
from assay.models.in_process.words import Words
from assay.models.local.attention import Span
from assay.models.local.cache import BLOCK, KeyValues
from assay.models.local.llama import LOGIT_ROWS, Llama
from assay.models.local.prefixes import Node, tree
from assay.records import Token

Floats = NDArray[np.float32]

PASS_ROWS = 384
"""Most tokens of prompts in one pass, a multiple of `products.ROWS`: enough for full speed."""
HELD_TOKENS = 16_384
"""Tokens whose keys and values are held at once; SmolLM2-135M needs 46 kB for one, 750 MB for all."""


@dataclass(eq=False)
class _Reading:
    """A node on its way through the model."""

    node: Node
    parent: KeyValues | None
    cache: KeyValues | None = None
    done: int = 0
    wanted: dict[int, list[tuple[Job, int]]] = field(default_factory=dict)
    """Place in the node -> jobs that need the distribution after it, and the number of their target there."""


@dataclass(eq=False)
class _Growing:
    """A sample on its way through the model."""

    sample: Sample
    cache: KeyValues
    next: int
    """The token to read next; -1 before the first is chosen."""


class Engine:
    """Reads and continues texts with one model. Not for several threads at once."""

    def __init__(self, model: Llama, words: Words, *, sharing: bool = True) -> None:
        self._model = model
        self._words = words
        self._sharing = sharing
        """Read shared beginnings once. Results are the same without, only slower."""

    def run(self, jobs: Sequence[Job], stop: Event | None = None) -> None:
        """Fill in the scores of scoring jobs, complete the samples of generation jobs; once `stop` is set, leave the rest."""
        _Batch(self._model, self._words, jobs, self._sharing).run(stop or Event())


class _Batch:
    """The state of one batch."""

    def __init__(self, model: Llama, words: Words, jobs: Sequence[Job], sharing: bool) -> None:
        self._model = model
        self._words = words
        self._jobs = [job for job in jobs if job.targets or any(not sample.finish for sample in job.samples)]
        texts = [job.text for job in self._jobs]
        roots = tree(texts) if sharing else [Node(None, 0, text, [number]) for number, text in enumerate(texts)]
        for job in self._jobs:
            job.scores = [Token(text=piece, logprob=None) for piece in job.pieces]
        self._waiting = [self._reading(root, None) for root in reversed(roots)]
        self._growing: list[_Growing] = []

    def run(self, stop: Event) -> None:
        while (self._waiting or self._growing) and not stop.is_set():
            steps = list(self._growing)
            readings = self._next_readings()
            spans = [Span(step.cache, [step.next], growing=True) for step in steps]
            spans += [self._span(reading, count) for reading, count in readings]
            states = self._model.forward(spans)
            self._finish_pass(steps, readings, states)

    def _next_readings(self) -> list[tuple[_Reading, int]]:
        """Take waiting nodes, the last first, as far as rows and memory allow: each with how many tokens to read."""
        room = PASS_ROWS
        held = sum(grown.cache.own + _to_come(grown.sample) for grown in self._growing)
        taken: list[tuple[_Reading, int]] = []
        while self._waiting and room:
            reading = self._waiting[-1]
            cost = self._cost(reading)
            if (taken or self._growing) and held + cost > HELD_TOKENS:
                break
            self._waiting.pop()
            count = min(room, len(reading.node.tokens) - reading.done)
            taken.append((reading, count))
            room -= count
            held += cost
        return taken

    def _cost(self, reading: _Reading) -> int:
        """Tokens to hold for a node and the samples that continue it."""
        samples = self._samples(reading.node)
        if not samples and not reading.node.children:
            return 0
        return len(reading.node.tokens) + sum(_to_come(sample) + BLOCK for sample in samples)

    def _span(self, reading: _Reading, count: int) -> Span:
        node = reading.node
        if reading.cache is None:
            kept = bool(node.children) or count < len(node.tokens) or bool(self._samples(node))
            reading.cache = self._model.new_cache(reading.parent, node.start + len(node.tokens), transient=not kept)
        return Span(reading.cache, node.tokens[reading.done : reading.done + count])

    def _finish_pass(self, steps: Sequence[_Growing], readings: Sequence[tuple[_Reading, int]], states: Floats) -> None:
        """Hand out the distributions that a pass was made for, and queue what follows from it."""
        asked: list[tuple[int, _Growing | _Reading, list[tuple[Job, int]]]] = []
        asked += [(row, step, []) for row, step in enumerate(steps)]
        first = len(steps)
        for reading, count in readings:
            for place in range(reading.done, reading.done + count):
                if place in reading.wanted:
                    asked.append((first + place - reading.done, reading, reading.wanted[place]))
            reading.done += count
            first += count
        self._growing = []
        for at in range(0, len(asked), LOGIT_ROWS):
            some = asked[at : at + LOGIT_ROWS]
            rows = rows_of(self._model.logits(states[[row for row, _, _ in some]]))
            for row, (_, who, targets) in zip(rows, some, strict=True):
                if isinstance(who, _Growing):
                    self._grow(who, row)
                else:
                    self._deliver(who, targets, row)
        for reading, _ in reversed(readings):
            if reading.done < len(reading.node.tokens):
                self._waiting.append(reading)
            else:
                self._waiting += [self._reading(child, reading.cache) for child in reversed(reading.node.children)]

    def _deliver(self, reading: _Reading, targets: Sequence[tuple[Job, int]], row: Row) -> None:
        """Score the targets that follow a place, and start the samples that continue it."""
        for job, number in targets:
            if job.targets:
                job.scores[number] = described(self._words, row, job.targets[number], job.pieces[number], job.top)
                continue
            assert reading.cache is not None
            samples = [sample for sample in job.samples if not sample.finish]
            alone = not reading.node.children and len(self._samples(reading.node)) == 1
            for sample in samples:
                cache = reading.cache if alone else self._model.new_cache(reading.cache, reading.cache.length + BLOCK)
                self._grow(_Growing(sample, cache, -1), row)

    def _grow(self, grown: _Growing, row: Row) -> None:
        """Let a sample choose its next token, and read that one in the next pass unless the text is complete."""
        grown.next = grown.sample.step(row)
        if not grown.sample.finish:
            self._growing.append(grown)

    def _samples(self, node: Node) -> list[Sample]:
        return [sample for text in node.texts for sample in self._jobs[text].samples if not sample.finish]

    def _reading(self, node: Node, parent: KeyValues | None) -> _Reading:
        """A node with the places in it whose distributions somebody needs."""
        reading = _Reading(node, parent)
        end = node.start + len(node.tokens)
        below = [node]
        while below:
            some = below.pop()
            below += some.children
            for text in some.texts:
                job = self._jobs[text]
                begin = len(job.text) - len(job.targets) if job.targets else len(job.text) - 1
                for place in range(max(begin, node.start), min(end, len(job.text))):
                    reading.wanted.setdefault(place - node.start, []).append((job, place - begin))
        return reading


def _to_come(sample: Sample) -> int:
    """Most tokens that a sample may still add."""
    return max(0, sample.request.max_tokens - sample.read)
