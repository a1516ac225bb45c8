"""Carries out a batch with a library that computes packs: see `packs` for what shares a row.

The beginning of a pack that the one before it had as well is not read again, neither within a batch nor between batches:
as requests come in the order of their prompts, a few-shot block is read once for a whole run.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.models.in_process.jobs import Job
from assay.models.in_process.packs import Leaf, Pack, packs
from assay.models.in_process.sampling import Row, described, rows_of
from assay.models.in_process.words import Words, common_prefix
from assay.records import Token

Floats = NDArray[np.float32]


class Backend(Protocol):
    """A library with one model loaded and the keys and values of one pack in memory."""

    most_rows: int
    """Rows that its memory holds."""
    most_leaves: int
    pass_rows: int
    """Rows that it reads at once."""
    keeps: bool
    """Can forget the last rows and keep the first."""

    def restart(self, pack: Pack, keep: int) -> None:
        """Begin a pack. Its first `keep` rows are the first of the last pack and need not be read again."""

    def read(self, pack: Pack, rows: Sequence[int], asked: Sequence[int]) -> Floats:
        """Read the next rows of a pack.

        Returns:
            The logits after those that are asked for, of shape `(len(asked), words)`.

        Raises:
            MemoryError: they do not fit.
        """

    def close(self) -> None:
        """Give back the memory."""


class PackEngine:
    """Reads and continues texts with one model. Not for several threads at once."""

    def __init__(self, backend: Backend, words: Words, *, sharing: bool = True) -> None:
        self.backend = backend
        self._words = words
        self._sharing = sharing
        """Read shared beginnings once."""
        self._held: Sequence[int] = ()
        """The text in the first rows of the backend's memory."""

    def run(self, jobs: Sequence[Job], stop: Event | None = None) -> None:
        """Fill in the scores of scoring jobs and complete the samples of generation jobs; once `stop` is set, leave the rest.

        Raises:
            MemoryError: the batch does not fit into memory.
        """
        for job in jobs:
            job.scores = [Token(text=piece, logprob=None) for piece in job.pieces]
        most = self.backend.most_leaves if self._sharing else 1
        for pack in packs(jobs, self.backend.most_rows, most):
            self._carry_out(pack, stop or Event())

    def close(self) -> None:
        """Give back the memory."""
        self._held = ()
        self.backend.close()

    def _carry_out(self, pack: Pack, stop: Event) -> None:
        if stop.is_set():
            return
        text = pack.leaves[0].text
        keep = common_prefix(self._held, text) if self._sharing and self.backend.keeps else 0
        keep = min(keep, *(leaf.asked_from for leaf in pack.leaves))
        self._held = ()  # until the pack is done, nobody knows what the memory holds
        self.backend.restart(pack, keep)
        asked = pack.asked()
        growing: list[int] = []
        numbers = {leaf: number for number, leaf in enumerate(pack.leaves)}
        prompts = len(pack.tokens)  # samples that begin add rows after these
        for start in range(keep, prompts, self.backend.pass_rows):
            if stop.is_set():
                return
            rows: Sequence[int] = range(start, min(start + self.backend.pass_rows, prompts))
            here = [row for row in rows if row in asked]
            for at, given in zip(here, rows_of(self.backend.read(pack, rows, here)), strict=True):
                for leaf, number in asked[at]:
                    growing += self._deliver(pack, leaf, number, given, numbers[leaf])
        while growing:
            if stop.is_set():
                return
            rows = [pack.ends[leaf] for leaf in growing]
            given_all = rows_of(self.backend.read(pack, rows, rows))
            growing = [leaf for leaf, given in zip(growing, given_all, strict=True) if self._step(pack, leaf, given)]
        self._held = text

    def _deliver(self, pack: Pack, leaf: Leaf, number: int, given: Row, which: int) -> list[int]:
        """Score a target, or let a sample begin; the leaf, where it is to be continued."""
        if leaf.sample:
            return [which] if self._step(pack, which, given) else []
        job = leaf.job
        job.scores[number] = described(self._words, given, job.targets[number], job.pieces[number], job.top)
        return []

    def _step(self, pack: Pack, leaf: int, given: Row) -> bool:
        """Let a sample choose its next token; whether it is to be read."""
        sample = pack.leaves[leaf].sample
        assert sample is not None
        token = sample.step(given)
        if sample.finish:
            return False
        pack.grow(leaf, token)
        return True
