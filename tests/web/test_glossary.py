"""The glossary: every metric of the runs at hand is explained."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from assay import registry
from assay.metrics.base import Family
from assay.records import ComputedOn, NamedSpec, Outcome
from assay.web.addresses import Address
from assay.web.catalog import open_catalog
from assay.web.pages.glossary import COMPUTED_ON, FAMILIES, OUTCOMES, every, range_of
from assay.web.words import WORDS, anchor_of, word_column
from scored_runs import Said, scored_run
from web_helpers import html, view_of

ANSWERS = [Said(item, "yes" if item % 2 else "no") for item in range(12)]


def test_every_metric_that_a_page_can_link_to_is_explained(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "m", ANSWERS, metrics=("rouge_l", "exact_match@5"))
    view = view_of(tmp_path)
    text = html(view, "glossary")
    assert len(view.catalog.metrics) > 10
    for metric in view.catalog.metrics:
        assert f">{metric}</code></dt>" in text or f"<dt>{metric}</dt>" in text
    assert "Its meaning is not known here" not in text


def test_words_of_the_pages_are_explained_where_heads_of_tables_lead(tmp_path: Path) -> None:
    text = html(view_of(tmp_path), "glossary")
    for word, about in WORDS.items():
        column = word_column(word)
        assert column.note == about
        assert column.to == Address("glossary", at=anchor_of(word))
        assert f'<div id="{anchor_of(word)}"><dt>{word}</dt>' in text


def test_a_metric_has_one_name_in_words_with_its_code_beside_it(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "m", ANSWERS)
    view = view_of(tmp_path)
    assert '<dt>latency s <code class="muted">latency_s</code></dt>' in html(view, "glossary")
    assert ">latency s</a>" in html(view, "run", view.catalog.entries[0].slug)


def test_what_plugins_measured_is_listed_even_where_they_are_not_installed(tmp_path: Path) -> None:
    folder = scored_run(tmp_path / "s", "m", ANSWERS, perturbations=(NamedSpec(name="lowercase"),))
    spec, stats = folder / "spec.json", folder / "stats.json"
    spec.write_text(spec.read_text().replace('"lowercase"', '"somebodys_own"'))
    stats.write_text(stats.read_text().replace('"metric": "exact_match"', '"metric": "<b>mine"'))
    text = html(view_of(tmp_path), "glossary")
    assert "&lt;b&gt;mine</dt>" in text
    assert 'id="metric-_b_mine"' in text
    assert "A perturbation of a plugin that is not installed here." in text


def test_every_word_that_pages_use_is_there() -> None:
    assert set(OUTCOMES) == set(get_args(Outcome))
    assert set(COMPUTED_ON) == set(get_args(ComputedOn))
    assert set(FAMILIES) == {*get_args(Family), "other"}


@pytest.mark.parametrize(
    ("metric", "words"),
    [("exact_match", "0 to 1"), ("latency_s", "from 0 s on"), ("prompt_tokens", "from 0 tokens on")],
)
def test_a_range_is_said_in_words_with_its_unit(metric: str, words: str) -> None:
    assert range_of(registry.metrics.get(metric)) == words


def test_a_report_holds_it_once(tmp_path: Path) -> None:
    assert list(every(open_catalog([tmp_path]))) == [Address("glossary")]
