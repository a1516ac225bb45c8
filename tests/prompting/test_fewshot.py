"""Which examples are shown, and what the pool knows of the answers."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assay.prompting.fewshot import Examples, choose
from assay.records import Instance, Reference


def labelled(name: str, label: str | None) -> Instance:
    references = () if label is None else (Reference(text=label, correct=True),)
    return Instance(id=name, input=name, references=references, split="train")


POOL = [labelled(f"{label}{i}", label) for label, count in (("yes", 30), ("no", 10), ("maybe", 5)) for i in range(count)]


def test_classes_are_shown_in_equal_numbers_the_most_frequent_first() -> None:
    shown = choose(POOL, 6, seed=1, draw=0).shown
    assert [instance.gold[0] for instance in shown] == ["yes", "no", "maybe"] * 2
    assert len({instance.id for instance in shown}) == 6


def test_draws_and_seeds_differ_and_each_is_repeatable() -> None:
    draws = [tuple(i.id for i in choose(POOL, 6, seed=seed, draw=draw).shown) for seed in (1, 2) for draw in (0, 1)]
    assert len(set(draws)) == 4
    assert draws[0] == tuple(i.id for i in choose(POOL, 6, seed=1, draw=0).shown)


def test_too_few_labelled_examples_do_not_hang_the_choice() -> None:
    # HELM cycles over the labels for ever with two labelled and three unlabelled instances and five shots.
    pool = [labelled("a", "yes"), labelled("b", "no"), *(labelled(f"u{i}", None) for i in range(3))]
    for helm in (False, True):
        shown = choose(pool, 5, seed=0, draw=0, helm=helm).shown
        assert {instance.id for instance in shown} == {"a", "b", "u0", "u1", "u2"}


def test_consecutive_slices_where_nothing_is_sampled() -> None:
    assert [i.id for i in choose(POOL, 3, seed=0, draw=1, sample=False).shown] == ["yes3", "yes4", "yes5"]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=30), st.integers(0, 12), st.integers(0, 3))
def test_as_many_as_asked_or_the_whole_pool_never_one_twice(labels: list[str | None], shots: int, draw: int) -> None:
    pool = [labelled(str(index), label) for index, label in enumerate(labels)]
    shown = choose(pool, shots, seed=0, draw=draw).shown
    assert len(shown) == min(shots, len(pool))
    assert len({instance.id for instance in shown}) == len(shown)
    unlabelled_first = [bool(instance.gold) for instance in shown]
    assert unlabelled_first == sorted(unlabelled_first, reverse=True)
    counts = Counter(instance.gold[0] for instance in shown if instance.gold)
    available = Counter(label for label in labels if label is not None)
    for label, count in counts.items():
        assert count >= min(available[label], max(counts.values()) - 1)


def test_options_are_the_references_where_an_instance_lists_them_else_the_frequent_answers() -> None:
    examples = choose(POOL, 0, seed=0, draw=0)
    assert [(o.text, round(o.share, 3)) for o in examples.answers] == [("yes", 0.667), ("no", 0.222), ("maybe", 0.111)]
    closed = Instance(id="x", input="", references=(Reference(text="no", correct=True), Reference(text="never")))
    assert [(o.text, round(o.share, 3)) for o in examples.options(closed)] == [("no", 0.222), ("never", 0.0)]
    assert Examples().position_shares(4) == [0.25] * 4


def with_options(*options: str, right: int) -> Instance:
    references = tuple(Reference(text=text, correct=place == right) for place, text in enumerate(options))
    return Instance(id="-".join(options), input="", references=references)


def test_a_texts_share_counts_only_where_all_instances_have_the_same_options() -> None:
    labels = [with_options("no", "yes", right=right) for right in (1, 1, 0)]
    known = Examples().knowing(labels)
    assert [round(option.share, 3) for option in known.alternatives(labels[0])] == [0.333, 0.667]
    own = [with_options("Lima", "Paris", right=0), with_options("Oslo", "Rome", right=0)]
    known = Examples().knowing(own)
    assert [option.share for option in known.alternatives(own[0])] == [0.0, 0.0], "or each instance would tell its own answer"
    assert known.position_shares(2) == [1.0, 0.0], "whoever sees the options in order can always say A"
