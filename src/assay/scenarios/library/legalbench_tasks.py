"""The tasks of LegalBench: what each asks, in our words, of which columns, and which labels answer it."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

import msgspec

from assay.records import Record


class Task(Record):
    """How one task is asked."""

    instructions: str
    fields: tuple[tuple[str, str], ...] = (("Text", "text"),)
    """(what the prompt calls it, its column), in order."""
    noun: str = "Answer"
    """What stands before the label."""
    labels: tuple[str, ...] = ("Yes", "No")
    slice: str = ""
    """The column of a subgroup."""


class _Tasks(Record):
    families: dict[str, tuple[str, str]]
    """For each family: what its text is called, and the question, with a place for the topic."""
    topics: dict[str, str]
    """What the names of topics mean, where they do not say so themselves."""
    tasks: dict[str, Task]


@lru_cache(maxsize=1)
def _tasks() -> _Tasks:
    return msgspec.json.decode((files("assay") / "data" / "legalbench.json").read_bytes(), type=_Tasks)


def task_named(name: str) -> Task:
    """The task of a name: one that is worded on its own, or one of a family whose names tell what is asked."""
    known = _tasks()
    if name in known.tasks:
        return known.tasks[name]
    prefix = next(prefix for prefix in known.families if name.startswith(prefix))
    topic = name.removeprefix(prefix)
    noun, asked = known.families[prefix]
    words = known.topics.get(topic, topic.replace("_", " "))
    return Task(instructions=f"{asked.format(words)} Answer Yes or No.", fields=((noun, "text"),))
