"""A task's documents as a source of rows: each with the examples that the harness would show before it.

The harness draws new examples for every document from one generator, so that which ones a document gets depends on how many
stand before it. They are therefore drawn here for all of them, in the order of the data set.

The harness leaves the document itself out where `fewshot_split` is the test split, and may show it where a task has nothing but
a test split. Here no document is shown among its own examples, nor is one that asks the same: another takes its place, and a
warning says that these prompts are not the harness's.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError, no_exit
from assay.identity import generator
from assay.once import warn_once
from assay.prompting.fewshot import question_key
from assay.records import DataFile, Split
from assay.scenarios.base import Row, Rows
from assay.scenarios.lm_eval.code import Documents
from assay.scenarios.lm_eval.config import Task
from assay.scenarios.lm_eval.data import Data
from assay.scenarios.lm_eval.templates import choices_of, text_of

SEED = 1234
"""The harness's default seed for examples."""
MOST_TRIED = 1000
"""Documents that are looked at for one that may be shown in place of another."""


class Asked(dict[str, Any]):
    """A document, and the documents shown before it."""

    examples: tuple[Row, ...] = ()


@dataclass(frozen=True)
class TaskSource:
    """The documents that a task asks, as the split `test`, or `valid` where its test split is not public."""

    task: Task
    data: Data
    shots: int
    seed: int = SEED

    @property
    def identity(self) -> str:
        """The identity of the data set."""
        return self.data.identity

    def splits(self) -> tuple[Split, ...]:
        """The one split that is asked; the examples are part of each prompt and no split of their own."""
        return ("test" if self.task.test_split else "valid",)

    def read(self, split: Split) -> Rows:
        """The documents in order.

        Raises:
            AssayError: the data cannot be had or read, or hold fewer examples than are to be shown.
        """
        asked = self.data.read(self.task.eval_split)
        pool, more = self._pool if self.shots else ((), ())
        documents = _processed(self.task.process_docs, asked.rows)
        return Rows(self._with_examples(documents, pool), tuple(dict.fromkeys((*asked.files, *more))))

    @functools.cached_property
    def first(self) -> Row:
        """The first document: what it looks like decides how all are read."""
        document = next(iter(_processed(self.task.process_docs, self.data.read(self.task.eval_split).rows)), None)
        if document is None:
            raise AssayError(
                f"lm_eval task {self.task.name} has no documents in {self.task.eval_split}", "check its process_docs"
            )
        return document

    @functools.cached_property
    def _pool(self) -> tuple[Sequence[Row], tuple[DataFile, ...]]:
        """The documents that examples are drawn from, and the files they come from."""
        task = self.task
        if task.fewshot_split is None and task.fewshot_samples is not None:
            return task.fewshot_samples, ()
        split = task.fewshot_split or task.training_split or task.validation_split or task.test_split or ""
        found = self.data.read(split)
        process = task.fewshot_process_docs if task.fewshot_split else task.process_docs
        return list(_processed(process, found.rows)), found.files

    def _with_examples(self, documents: Iterable[Row], pool: Sequence[Row]) -> Iterator[Asked]:
        # The harness's own generator and calls: any other would show other examples.
        rng = random.Random(self.seed)
        for place, document in enumerate(documents):
            asked = Asked(document)
            if self.shots:
                asked.examples = self._unlike(document, self._drawn(rng, document, pool), pool, place)
            yield asked

    def _unlike(self, document: Row, drawn: tuple[Row, ...], pool: Sequence[Row], place: int) -> tuple[Row, ...]:
        """The examples of a document, with others of the pool in place of those that ask what it asks."""
        question = self._asks(document)
        others = [row for row in drawn if self._asks(row) != question]
        if len(others) == len(drawn):
            return drawn
        warn_once(
            f"lm_eval task {self.task.name}: lm_eval shows some items their own answer among the examples; assay shows them "
            "others, so that these prompts are not lm_eval's (let fewshot_split name a split that is not asked)"
        )
        places = generator(self.seed, "other examples", place).sample(range(len(pool)), min(len(pool), MOST_TRIED))
        more = (row for row in map(pool.__getitem__, places) if self._asks(row) != question and row not in others)
        return (*others, *itertools.islice(more, len(drawn) - len(others)))

    def _asks(self, row: Row) -> object:
        """What is equal where two documents ask the same, of the same options; a document where that cannot be told."""
        choices, fields = self.task.writing.choices, frozenset(self.first)
        try:
            text = str(text_of(self.task.writing.text, row, fields, choices=choices is not None))
            options = [] if choices is None else sorted(choices_of(choices, row, fields))
        except AssayError:  # what is wrong is told where it is written into a prompt
            return row
        return question_key("\n".join([text, *options])) if text.strip() or options else row

    def _drawn(self, rng: random.Random, document: Row, pool: Sequence[Row]) -> tuple[Row, ...]:
        """The examples of one document. Those that equal it are left out where examples may come from the split asked."""
        among = self.task.fewshot_split == self.task.test_split
        try:
            if self.task.sampler == "first_n":
                drawn = ([row for row in pool if row != document] if among else list(pool))[: self.shots]
                if len(drawn) < self.shots:
                    raise ValueError
                return tuple(drawn)
            count = self.shots + 1 if among else self.shots
            drawn = [pool[place] for place in rng.sample(range(len(pool)), count)]
            if among:
                drawn = [row for row in drawn if row != document][: self.shots]
                if len(drawn) < self.shots:
                    drawn = rng.sample([row for row in pool if row != document], self.shots)
        except ValueError:
            raise AssayError(
                f"lm_eval task {self.task.name} has {len(pool)} documents to take {self.shots} examples from",
                "ask for fewer by num_fewshot",
            ) from None
        return tuple(drawn)


def _processed(process: Any, rows: Iterable[Row]) -> Iterable[Row]:
    """The rows as the task's own code changes them.

    Raises:
        AssayError: its code failed, or gave something other than documents.
    """
    if process is None:
        return rows
    try:
        with no_exit("process_docs"):
            made = process(Documents(rows))
            documents = [dict(row) for row in made]
    except AssayError:
        raise
    except Exception as error:
        raise AssayError(
            f"the task's process_docs failed: {type(error).__name__}: {error}", "its code may need the datasets package"
        ) from error
    return documents
