"""Packs on llama.cpp: every leaf is a sequence, and a row that several leaves share belongs to all of theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.in_process.packs import Pack
from assay.models.llama_cpp.api import Api

Floats = NDArray[np.float32]

SEQUENCES = 64
"""Most leaves of a pack."""
PASS_ROWS = 512
"""Rows that llama.cpp computes at once."""
NO_ROOM, NO_MEMORY = 1, -2
"""What `llama_decode` returns where rows do not fit."""


class LlamaRows:
    """A context of llama.cpp: the keys and values of one pack.

    Args:
        library: llama.cpp.
        model: a loaded model; it is freed by `close`.
        words: how many tokens the vocabulary has.
        rows: how many rows the memory holds, which is taken at once.
        threads: processor threads to compute with.

    Raises:
        AssayError: there is no memory for that many rows.
    """

    pass_rows = PASS_ROWS

    def __init__(self, library: Api, model: int, words: int, *, rows: int, threads: int) -> None:
        self._library = library
        self._model = model
        self._words = words
        # A state-space model keeps one state a sequence: it can neither share rows nor forget the last of them.
        self.keeps = not (library.model_is_recurrent(model) or library.model_is_hybrid(model))
        self.most_rows = rows
        self.most_leaves = SEQUENCES if self.keeps else 1
        settings = library.context_default_params()
        settings.context, settings.batch, settings.part = rows, PASS_ROWS, PASS_ROWS
        settings.sequences, settings.unified = self.most_leaves, True
        settings.outputs = settings.outputs_each = PASS_ROWS
        settings.threads = settings.threads_batch = threads
        library.errors.clear()
        self._context = library.init_from_model(model, settings)
        if not self._context:
            library.model_free(model)
            problem = f"llama.cpp has no memory for a window of {rows} tokens: {library.why()}"
            raise AssayError(problem, "set a smaller context_window in models.yaml")
        self._memory = library.get_memory(self._context)
        self._batch = library.batch_init(PASS_ROWS, 0, self.most_leaves)

    def restart(self, pack: Pack, keep: int) -> None:
        """See `Backend`."""
        library, memory = self._library, self._memory
        if keep == 0:
            library.memory_clear(memory, False)
            return
        for sequence in range(1, self.most_leaves):
            library.memory_seq_rm(memory, sequence, -1, -1)
        library.memory_seq_rm(memory, 0, keep, -1)
        depths = [0] * len(pack.leaves)
        for owners in pack.owners[:keep]:
            for leaf in owners:
                depths[leaf] += 1
        for leaf, depth in enumerate(depths):
            if leaf and depth:
                library.memory_seq_cp(memory, 0, leaf, 0, depth)

    def read(self, pack: Pack, rows: Sequence[int], asked: Sequence[int]) -> Floats:
        """See `Backend`."""
        batch, wanted = self._batch, set(asked)
        batch.count = len(rows)
        for at, row in enumerate(rows):
            owners = pack.owners[row]
            batch.tokens[at], batch.positions[at] = pack.tokens[row], pack.places[row]
            batch.sequence_counts[at] = len(owners)
            for number, leaf in enumerate(owners):
                batch.sequences[at][number] = leaf
            batch.wanted[at] = row in wanted
        self._library.errors.clear()
        code = self._library.decode(self._context, batch)
        if code in (NO_ROOM, NO_MEMORY):
            raise MemoryError(f"{len(pack.tokens)} tokens do not fit the memory of llama.cpp")
        if code:
            raise RuntimeError(f"llama.cpp failed with code {code}: {self._library.why()}")
        if not asked:
            return np.empty((0, self._words), np.float32)
        return np.ctypeslib.as_array(self._library.get_logits(self._context), (len(asked), self._words)).copy()

    def close(self) -> None:
        """Give back the memory, the model's included."""
        if self._context:
            self._library.batch_free(self._batch)
            self._library.free(self._context)
            self._library.model_free(self._model)
            self._context = None
