"""Which training instances are shown as few-shot examples, and what the pool of them knows about the answers.

An item, and what asks the same, is never among its examples: `question_key` is the one comparison that selection, checks and
other people's tasks go by.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.identity import generator
from assay.records import Instance, Option, Text
from assay.text import same_text

MOST_OPTIONS = 20
"""Open questions have no list of options; the most frequent answers of the pool stand in for one, up to this many."""


def question_key(question: Text) -> bytes:
    """16 bytes that are equal where two questions ask the same: case, white space, ways of encoding and the end do not count.

    Of a conversation what is said counts, not by whom.
    """
    text = question if isinstance(question, str) else "\n".join(message.content for message in question)
    return hashlib.blake2b(same_text(text).encode("utf-8", "replace"), digest_size=16).digest()


def unlike(pool: Iterable[Instance], asked: Iterable[Instance]) -> Iterator[Instance]:
    """The instances of a pool that ask something else than all that are asked, the contrasts of these included."""
    inputs = (text for instance in asked for text in (instance.input, *(contrast.input for contrast in instance.contrasts)))
    questions = set(map(question_key, inputs))
    return (instance for instance in pool if question_key(instance.input) not in questions)


@dataclass(frozen=True)
class Examples:
    """The few-shot examples of one draw, and how often each answer is right among labelled instances: those they come from."""

    shown: tuple[Instance, ...] = ()
    positions: tuple[float, ...] = ()
    """Share of the labelled instances whose right answer is the first, second, … reference."""
    answers: tuple[Option, ...] = ()
    """The most frequent right answers, most frequent first."""
    fixed: bool = False
    """All labelled instances that list options list the same, as in classification: else a text's share says nothing."""

    def knowing(self, labelled: Sequence[Instance]) -> Examples:
        """The same examples, with the shares that right answers have among these instances."""
        return replace(self, positions=_positions(labelled), answers=_answers(labelled), fixed=_fixed(labelled))

    def options(self, instance: Instance) -> tuple[Option, ...]:
        """The texts that answer an instance: its references where some are wrong, else the frequent right answers."""
        return self.answers if all(reference.correct for reference in instance.references) else self.alternatives(instance)

    def alternatives(self, instance: Instance) -> tuple[Option, ...]:
        """An instance's references with their texts' shares, 0 where nothing is known of them.

        Where each instance has options of its own, how often one was right elsewhere says nothing, and that it is right here
        would say everything.
        """
        shares = {option.text: option.share for option in self.answers} if self.fixed else {}
        return tuple(Option(text=r.text, share=shares.get(r.text, 0.0)) for r in instance.references)

    def position_shares(self, count: int) -> list[float]:
        """The share of each of `count` positions, for who sees the options in their order; equal where nothing is known."""
        known = list(self.positions[:count]) + [0.0] * (count - len(self.positions))
        total = sum(known)
        return [share / total for share in known] if total > 0 else [1 / count] * count


def choose(pool: Sequence[Instance], shots: int, *, seed: int, draw: int, sample: bool = True, helm: bool = False) -> Examples:
    """The examples of one few-shot draw, the same for every instance of a run.

    The right answers (first correct reference) are taken in turn, the most frequent first and equally frequent ones in
    random order, so that no class is over-represented; within a class the example is drawn at random without
    replacement. Instances without a correct reference come last. If the pool is smaller than asked, all of it is shown.

    Args:
        pool: the train split, in the order of the source.
        shots: how many examples to show.
        seed: the suite's seed.
        draw: which draw; different draws show different examples.
        sample: draw at random; otherwise take the consecutive slice `[shots * draw, shots * (draw + 1))`.
        helm: use the generator HELM uses, `Random(draw)`, so that exactly its examples are picked.
    """
    wanted = min(shots, len(pool))
    if not sample:
        shown = list(pool[shots * draw : shots * (draw + 1)])
    else:
        shown = _balanced(pool, wanted, random.Random(draw) if helm else generator(seed, "few-shot", draw))
    return Examples(tuple(shown)).knowing(pool)


def _balanced(pool: Sequence[Instance], wanted: int, rng: random.Random) -> list[Instance]:
    by_answer: dict[str, list[Instance]] = defaultdict(list)
    unlabelled = []
    for instance in pool:
        if gold := instance.gold:
            by_answer[gold[0]].append(instance)
        else:
            unlabelled.append(instance)
    by_size: dict[int, list[str]] = defaultdict(list)
    for answer in sorted(by_answer):
        by_size[len(by_answer[answer])].append(answer)
    order: list[str] = []
    for size in sorted(by_size, reverse=True):
        rng.shuffle(by_size[size])
        order += by_size[size]
    shown: list[Instance] = []
    while len(shown) < wanted and order:
        for answer in order:
            if len(shown) < wanted:
                shown.append(by_answer[answer].pop(rng.randrange(len(by_answer[answer]))))
        order = [answer for answer in order if by_answer[answer]]
    return shown + rng.sample(unlabelled, wanted - len(shown))


def _positions(pool: Sequence[Instance]) -> tuple[float, ...]:
    counts: Counter[int] = Counter()
    for instance in pool:
        counts.update(index for index, reference in enumerate(instance.references) if reference.correct)
    total = sum(counts.values())
    return tuple(counts[index] / total for index in range(max(counts) + 1)) if total else ()


def _answers(pool: Sequence[Instance]) -> tuple[Option, ...]:
    counts = Counter(instance.gold[0] for instance in pool if instance.gold)
    total = sum(counts.values())
    return tuple(Option(text=text, share=count / total) for text, count in counts.most_common(MOST_OPTIONS))


def _fixed(pool: Sequence[Instance]) -> bool:
    first: frozenset[str] | None = None
    for instance in pool:
        if any(not reference.correct for reference in instance.references):
            options = frozenset(reference.text for reference in instance.references)
            first = options if first is None else first
            if options != first:
                return False
    return True
