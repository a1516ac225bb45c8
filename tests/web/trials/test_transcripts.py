"""Trials found by filters and by their texts, a page at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.store.folders import SCORES
from assay.web.addresses import Address
from assay.web.catalog import Catalog, open_catalog
from assay.web.entries import Entry
from assay.web.trials import transcripts
from assay.web.trials.filters import Filter, filter_of
from assay.web.trials.index import Key, index_of, scores_of
from assay.web.trials.links import in_report
from assay.web.trials.transcripts import listing, neighbours, rows_in_full, sample, search, told
from scored_runs import Said, scored_run
from trial_stores import two_candidates


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    suite = tmp_path_factory.mktemp("runs") / "suite"
    two_candidates(suite)
    return open_catalog([suite])


@pytest.fixture(scope="module")
def alpha(catalog: Catalog) -> Entry:
    return next(entry for entry in catalog.entries if entry.label == "alpha")


@pytest.fixture(scope="module")
def beta(catalog: Catalog) -> Entry:
    return next(entry for entry in catalog.entries if entry.label == "beta")


def keys(entry: Entry, chosen: Filter) -> list[tuple[int, str | None]]:
    """Item and copy of every trial that a filter leaves, however many pages they take."""
    index, found, start = index_of(entry), [], 0
    while True:
        page = listing(entry, chosen, start)
        found += [index.key(row) for row in page.rows]
        if page.next is None:
            return [(int(key.instance_id.removeprefix("item")), key.perturbation) for key in found]
        start = page.next


COPIES: tuple[str | None, ...] = (None, "lowercase", "typos")


def alpha_is_right(item: int, copy: str | None) -> bool:
    return item % 5 != 0 and not (copy == "typos" and item % 2 == 0)


EVERY = [(item, copy) for item in range(30) for copy in COPIES]
SCORED = [each for each in EVERY if each != (7, None)]


def test_pages_hold_every_trial_once_in_the_order_of_the_file(alpha: Entry) -> None:
    assert keys(alpha, Filter()) == EVERY
    first = listing(alpha, Filter(), 0)
    assert (first.total, len(first.rows), first.next, first.previous) == (90, 25, 25, None)
    last = listing(alpha, Filter(), 75)
    assert (len(last.rows), last.next, last.previous, last.before) == (15, None, 50, 75)


def test_trials_are_found_by_right_and_wrong_and_the_failed_one_is_neither(alpha: Entry) -> None:
    assert keys(alpha, Filter(right="yes")) == [each for each in SCORED if alpha_is_right(*each)]
    assert keys(alpha, Filter(right="no")) == [each for each in SCORED if not alpha_is_right(*each)]
    assert keys(alpha, Filter(right="none")) == [(7, None)] == keys(alpha, Filter(outcome="failed"))


def test_copies_that_flipped_are_found_beside_their_originals(alpha: Entry) -> None:
    worse = [(item, "typos") for item in range(30) if item % 5 and item % 2 == 0]
    assert keys(alpha, Filter(flipped="worse")) == worse == keys(alpha, Filter(flipped="any"))
    assert keys(alpha, Filter(flipped="better")) == []


def test_trials_are_found_by_group_copy_and_the_range_of_a_metric(alpha: Entry) -> None:
    south = [each for each in EVERY if each[0] % 3 == 1]
    assert keys(alpha, Filter(subgroup="region=south")) == south
    assert keys(alpha, Filter(copies="typos", subgroup="region=south")) == [each for each in south if each[1] == "typos"]
    assert keys(alpha, Filter(copies="original")) == [(item, None) for item in range(30)]
    slow = keys(alpha, Filter(metric="latency_s", low=3.45))
    assert slow == [each for each in EVERY if each[0] >= 25]
    assert keys(alpha, Filter(metric="latency_s", low=1.05, high=1.25)) == [each for each in EVERY if each[0] in (1, 2)]


def test_trials_on_which_two_candidates_differ_are_found(alpha: Entry, beta: Entry) -> None:
    def differ(item: int, copy: str | None) -> int:
        return alpha_is_right(item, copy) - (item % 3 == 0)

    assert keys(alpha, Filter(against=beta, differs="any")) == [each for each in SCORED if differ(*each)]
    assert keys(alpha, Filter(against=beta, differs="better")) == [each for each in SCORED if differ(*each) > 0]
    assert keys(beta, Filter(against=alpha, differs="worse")) == [each for each in SCORED if differ(*each) > 0]


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(["yes", "no", "Maybe \u00e9", "a.c", "abc"]), min_size=1, max_size=70), st.data())
def test_a_search_finds_what_a_plain_loop_finds(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject
) -> None:
    folder = scored_run(tmp_path_factory.mktemp("search") / "suite", "model", [Said(i, text) for i, text in enumerate(texts)])
    entry = open_catalog([folder]).entries[0]
    sought = data.draw(st.sampled_from(["YES", "\u00c9", "a.c", "question 1", "nowhere", "ma"]))
    where = data.draw(st.sampled_from(["", "completion", "input"]))
    inputs = [f"Question {i}?" for i in range(len(texts))]
    held: dict[str, list[tuple[str, ...]]] = {
        "": list(zip(inputs, texts, strict=True)),
        "completion": [(text,) for text in texts],
        "input": [(text,) for text in inputs],
    }
    wanted = [place for place, found in enumerate(held[where]) if any(sought.lower() in text.lower() for text in found)]
    assert [item for item, _ in keys(entry, Filter(text=sought, where=where))] == wanted
    row = data.draw(st.integers(0, len(texts) - 1))
    before, after = neighbours(entry, Filter(text=sought, where=where), row)
    assert before == max((place for place in wanted if place < row), default=None)
    assert after == min((place for place in wanted if place > row), default=None)


def test_a_search_that_may_read_no_more_says_where_to_go_on(alpha: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "FIRST_STEP", 10)
    monkeypatch.setattr(transcripts, "MOST_ROWS", 10)
    rows = np.arange(90)
    found = search(alpha, rows, Filter(text="question 29"), 25)
    assert (found.rows, found.reached) == ((), 10)
    assert [item for item, _ in keys(alpha, Filter(text="question 29"))] == [29, 29, 29]
    page = listing(alpha, Filter(text="question 29"), 0)
    assert (page.total, page.left, page.next) == (None, 90, 10)
    assert listing(alpha, Filter(text="question 29"), 40).previous == 29


def test_a_search_counts_where_it_saw_everything(alpha: Entry) -> None:
    page = listing(alpha, Filter(text="question 29"), 0)
    assert (page.total, len(page.rows), page.next) == (3, 3, None)


def test_a_conversation_is_searched_for_quotes_and_lines(tmp_path: Path) -> None:
    from assay.records import Completion, Instance, Message, Response
    from trial_stores import one_trial

    asked = (Message(role="user", content='He said "stop"\nand left.'),)
    answer = (Response(completions=(Completion(text="ok"),)),)
    one_trial(tmp_path / "suite", Instance(id="a", input=asked), (asked,), answer)
    entry = open_catalog([tmp_path]).entries[0]
    assert listing(entry, Filter(text='said "STOP"', where="input"), 0).rows == (0,)
    assert listing(entry, Filter(text='said "STOP"', where="completion"), 0).rows == ()


def test_trials_next_to_one_another_are_those_of_the_filter(alpha: Entry) -> None:
    failed = index_of(alpha).row_of(Key(instance_id="item0007"))
    assert failed == 21
    assert neighbours(alpha, Filter(), 21) == (20, 22)
    before, after = neighbours(alpha, Filter(right="no"), 21)
    assert [index_of(alpha).key(row).instance_id for row in (before or 0, after or 0)] == ["item0006", "item0008"]
    assert neighbours(alpha, Filter(), 0)[0] is None
    assert neighbours(alpha, Filter(), 89)[1] is None


def test_a_trial_is_read_in_full_with_its_scores(alpha: Entry) -> None:
    row = index_of(alpha).row_of(Key(instance_id="item0004", perturbation="typos"))
    assert row is not None
    trial = told(alpha, row)
    assert (trial.trial.instance.id, trial.responses[0].completions[0].text) == ("item0004", "no")
    found = scores_of(index_of(alpha), row)
    assert found["exact_match"] == 0
    assert found["latency_s"] == pytest.approx(1.4)
    assert [read["input"] for read in rows_in_full(alpha, [60, 3, 89], ("input",))] == [
        "Question 20?",
        "Question 1?",
        "Question 29?",
    ]


def test_scores_out_of_step_with_the_trials_are_still_matched(tmp_path: Path) -> None:
    said = [Said(item, "yes" if item % 2 else "no", latency_s=float(item + 1)) for item in range(12)]
    folder = scored_run(tmp_path / "suite", "alpha", said)
    table = pl.read_parquet(folder / SCORES)
    table.filter(~((pl.col("instance_id") == "item0003") & (pl.col("metric") == "cost"))).reverse().write_parquet(
        folder / SCORES
    )
    index = index_of(open_catalog([folder]).entries[0])
    assert not index.in_step
    assert index.values("exact_match").tolist() == [item % 2 for item in range(12)]
    assert index.values("latency_s").tolist() == [item + 1 for item in range(12)]
    assert scores_of(index, 5)["latency_s"] == 6
    assert np.isnan(index.values("nothing of the kind")).all()


def test_a_report_holds_failed_and_wrong_trials_first_and_some_right_ones(catalog: Catalog, alpha: Entry) -> None:
    index = index_of(alpha)
    rows = sample(alpha, 12)
    assert len(rows) == len(set(rows)) == 12
    assert index.key(rows[0]).instance_id == "item0007"
    values = index.values("exact_match")[list(rows)]
    assert values[1:9].tolist() == [0] * 8
    assert values[9:].tolist() == [1] * 3
    assert len(sample(alpha, 1000)) == 90
    assert len(in_report(catalog, alpha)) == 40


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"outcome": "odd"}, "unknown outcome 'odd'"),
        ({"right": "maybe"}, "unknown right 'maybe'"),
        ({"subgroup": "region=west"}, "did you mean region=east"),
        ({"copies": "dialect"}, "unknown copies 'dialect'"),
        ({"metric": "exact_matsch", "low": "1"}, "did you mean exact_match"),
        ({"low": "1"}, "low and high bound no metric"),
        ({"metric": "latency_s", "high": "much"}, "high='much' is no number"),
        ({"with": "nobody"}, "unknown run of this scenario 'nobody'"),
        ({"text": "x" * 1001}, "has 1,001 characters"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused(catalog: Catalog, alpha: Entry, query: dict[str, str], message: str) -> None:
    with pytest.raises(AssayError, match=message.replace("(", r"\(")):
        filter_of(catalog, alpha, Address("instances", alpha.slug).but(**query))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    folder = scored_run(tmp_path / "suite", "alpha", [Said(0, "yes")])
    entry = open_catalog([folder]).entries[0]
    (folder / "transcripts.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(AssayError, match=r"transcripts\.parquet cannot be read"):
        index_of(entry)
