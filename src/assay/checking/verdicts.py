"""Texts that the main metric cannot tell apart: two options of an item, of which one is right, or two answers of a column.

Each is put to the test: what a model would get that writes it. Where options are chosen by letter or likelihood, the place
decides, and none are alike.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from assay.checking.findings import Finding
from assay.checking.items import Item
from assay.metrics import Metric, metrics_for, score_answer
from assay.prompting import Chat, Generation, Prompting
from assay.records import Completion, Instance, Reference, Response
from assay.scenarios import Scenario
from assay.scenarios.own.doubts import shown
from assay.text import same_text

MOST_SETS = 2_000
"""Different sets of options that are looked at whatever they hold; beyond that those with options that are much alike."""
MOST_ANSWERS, MOST_PAIRS = 100_000, 500
"""Answers of a column that are looked at, and pairs of them that are tried."""
_NO_LETTER = re.compile(r"[\W_]+")

Texts = tuple[str, ...]
Pair = tuple[str, str]


def alike(
    cases: Iterable[tuple[int, Texts, Texts]], prompting: Prompting, metric: str
) -> Iterator[tuple[Pair, bool, list[int]]]:
    """The texts that a metric cannot tell apart, whether they are options of one item, and the rows in which they stand.

    Args:
        cases: of each its row, its right answers, and its options (the right answers alone where it has none).
        prompting: how they are asked; texts are read as it reads them.
        metric: the main one.
    """
    judge = metrics_for([metric])[0]
    if not isinstance(prompting, (Generation, Chat)) or (judge.family, judge.range) != ("accuracy", (0, 1)):
        return
    verdict = partial(_verdict, prompting, judge)
    tried: dict[tuple[Texts, Texts], Pair | None] = {}
    chosen: dict[Pair, list[int]] = defaultdict(list)
    answers: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, gold, options in cases:
        if len(options) == len(gold):
            for text in gold:
                if (loose := _loose(text)) in answers or len(answers) < MOST_ANSWERS:
                    answers[loose][text].append(row)
            continue
        key = gold, options
        if gold and key not in tried and (len(tried) < MOST_SETS or len(set(map(_loose, options))) < len(options)):
            tried[key] = _alike_options(gold, options, verdict)
        if pair := tried.get(key):
            chosen[pair].append(row)
    yield from ((pair, True, rows) for pair, rows in chosen.items())
    pairs = (pair for texts in answers.values() for pair in itertools.combinations(texts, 2))
    for one, other in itertools.islice(pairs, MOST_PAIRS):
        if same_text(one) != same_text(other) and verdict(other, (one,), (one,)) == 1:
            written = answers[_loose(one)]
            yield (one, other), False, sorted({*written[one], *written[other]})


def _loose(text: str) -> str:
    """A text with letters and digits alone."""
    return _NO_LETTER.sub("", text.casefold())


def _alike_options(gold: Texts, options: Texts, verdict: Callable[[str, Texts, Texts], float | None]) -> Pair | None:
    """A right option and a wrong one that gets what it gets."""
    right = verdict(gold[0], gold, options)
    wrong = (option for option in options if right is not None and option not in gold)
    return next(((gold[0], text) for text in wrong if verdict(text, gold, options) == right), None)


def _verdict(prompting: Prompting, judge: Metric, text: str, gold: Texts, options: Texts) -> float | None:
    """What a model gets that writes a text and nothing else."""
    references = tuple(Reference(text=option, correct=option in gold) for option in options)
    instance = Instance(id="", input="", references=references)
    answer = prompting.read(instance, (Response(completions=(Completion(text=text),)),))
    return score_answer(answer, (judge,)).get(judge.name)


def verdict_findings(items: Iterable[Item], scenario: Scenario) -> Iterator[Finding]:
    """Options and answers that the main metric cannot tell apart; see the head of this module."""
    by_file: Mapping[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.split != "train" and item.gold:
            by_file[item.file].append(item)
    for file, asked in by_file.items():
        cases = ((item.row, item.gold, item.options) for item in asked)
        for pair, chosen, rows in alike(cases, scenario.prompting, scenario.main_metric):
            yield Finding(
                severity="warning" if chosen else "note",
                check="alike",
                message=sentence(scenario.main_metric, pair),
                hint=f"{'word them differently' if chosen else 'fine if they mean the same'}, or choose a stricter metric",
                file=file,
                rows=tuple(rows),
            )


def sentence(metric: str, pair: Pair) -> str:
    """What to say of two texts."""
    return f"{metric} cannot tell {shown(pair[0])} from {shown(pair[1])}"
