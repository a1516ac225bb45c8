"""What pages find: runs told apart by names and slugs, records, profiles; read once, and again where they changed."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from assay.comparison import Question, compare
from assay.errors import AssayError
from assay.records import NamedSpec
from assay.store.folders import MANIFEST, SPEC, STATS
from assay.web.addresses import Address, Served
from assay.web.catalog import evidence_of, open_catalog, slug_of
from assay.web.page import View
from assay.web.selection import select
from scored_runs import Said, scored_run
from web_helpers import html, view_of

ANSWERS = [Said(item, "yes" if item % 3 else "no", perturbation=None, subgroups={"half": str(item % 2)}) for item in range(24)]


def suite(place: Path, *candidates: str, scenario: str = "made") -> list[Path]:
    return [scored_run(place, candidate, ANSWERS, scenario) for candidate in candidates]


def test_runs_are_found_by_slugs_that_stay_whatever_lies_beside_them(tmp_path: Path) -> None:
    suite(tmp_path / "s", "openai/a")
    alone = open_catalog([tmp_path])
    suite(tmp_path / "s", "openai/b")
    suite(tmp_path / "t", "openai/a", scenario="other")
    more = open_catalog([tmp_path])
    assert {entry.slug for entry in alone.entries} < {entry.slug for entry in more.entries}
    assert len({entry.slug for entry in more.entries}) == 3
    for entry in more.entries:
        assert more.entry(entry.slug) is entry
        assert re.fullmatch(r"[\w.,=+-]+", entry.slug)
    assert [scenario.title for scenario in more.scenarios] == ["made", "other"]
    assert more.suites == ("s", "t")


def test_an_unknown_slug_names_the_nearest(tmp_path: Path) -> None:
    suite(tmp_path / "s", "openai/gamma")
    catalog = open_catalog([tmp_path])
    slug = catalog.candidates[0].slug
    with pytest.raises(AssayError, match=f"did you mean {slug}"):
        catalog.candidate(slug[:-1])
    for find in (catalog.entry, catalog.scenario, catalog.record, catalog.profile):
        with pytest.raises(AssayError, match="unknown"):
            find("../../etc/passwd")


@pytest.mark.parametrize(
    ("one", "other"), [("a:b", "a_b"), ("A", "a"), ("x" * 200, "x" * 201), ("é", "è"), ("../..", ".._.."), ("", "_")]
)
def test_different_names_have_different_slugs_on_any_file_system(one: str, other: str) -> None:
    slugs = [slug_of(one), slug_of(other)]
    assert slugs[0].lower() != slugs[1].lower()
    assert all(re.fullmatch(r"[\w=+,-][\w.=+,-]{0,70}", slug, re.ASCII) for slug in slugs)


def test_a_candidate_of_two_suites_is_one_with_two_evaluations(tmp_path: Path) -> None:
    suite(tmp_path / "s", "m", "n")
    suite(tmp_path / "t", "m")
    catalog = open_catalog([tmp_path])
    assert [candidate.label for candidate in catalog.candidates] == ["m", "n"]
    assert [entry.evaluation for entry in catalog.candidates[0].entries] == ["m (s)", "m (t)"]
    compared = compare(evidence_of(catalog.entries), Question())
    assert compared.candidates == ("m", "n")


def test_a_name_that_stands_for_two_models_has_its_suite_behind_it(tmp_path: Path) -> None:
    scored_run(tmp_path / "s", "m", ANSWERS, label="ours")
    scored_run(tmp_path / "t", "n", ANSWERS, label="ours")
    assert [candidate.label for candidate in open_catalog([tmp_path]).candidates] == ["ours (s)", "ours (t)"]


def test_an_address_of_nothing_does_not_list_all_there_is(tmp_path: Path) -> None:
    suite(tmp_path / "s", "m")
    catalog = open_catalog([tmp_path])
    with pytest.raises(AssayError, match="unknown run 'zzz'") as told:
        catalog.entry("zzz")
    assert catalog.entries[0].slug not in str(told.value)


def test_runs_that_differ_in_a_setting_are_told_apart_by_it(tmp_path: Path) -> None:
    scored_run(tmp_path, "m", ANSWERS, seed=1)
    scored_run(tmp_path, "m", ANSWERS, seed=2)
    assert [entry.title for entry in open_catalog([tmp_path]).entries] == ["made:seed=1", "made:seed=2"]


def test_of_runs_that_differ_in_metrics_alone_the_latest_stands_for_the_others(tmp_path: Path) -> None:
    newer = scored_run(tmp_path, "m", ANSWERS, metrics=("prefix_exact_match",))
    scored_run(tmp_path, "m", ANSWERS)
    catalog = open_catalog([tmp_path])
    assert [entry.folder.path for entry in catalog.entries] == [newer.resolve()]
    assert len(catalog.read) == 2


def test_estimates_of_subgroups_are_read_when_they_are_wanted(tmp_path: Path) -> None:
    suite(tmp_path, "m")
    entry = open_catalog([tmp_path]).entries[0]
    assert all(cell.subgroup is None for cell in entry.cells)
    found = entry.cell()
    assert found is not None
    assert found.estimate.value == pytest.approx(16 / 24)
    assert {cell.subgroup for cell in entry.all_cells()} >= {"half=0", "half=1"}
    assert entry.stats().label == "m"


def test_a_refreshed_catalog_is_the_same_until_something_changes_and_reads_only_that(tmp_path: Path) -> None:
    suite(tmp_path / "s", "a")
    before = open_catalog([tmp_path])
    assert before.refreshed() is before
    suite(tmp_path / "s", "b")
    after = before.refreshed()
    assert [entry.label for entry in after.entries] == ["a", "b"]
    path = before.entries[0].folder.path
    assert after.read[path] is before.read[path]
    shutil.rmtree(path)
    assert [entry.label for entry in after.refreshed().entries] == ["b"]


def test_what_is_not_finished_or_cannot_be_read_takes_nothing_else_away(tmp_path: Path) -> None:
    whole, broken, lost, unfinished = suite(tmp_path / "s", "whole", "broken", "lost", "unfinished")
    (broken / SPEC).write_text("{")
    (lost / SPEC).unlink()
    (unfinished / MANIFEST).unlink()
    (tmp_path / "bad.decision.json").write_text('{"profile_file": 1}')
    catalog = open_catalog([tmp_path])
    assert [entry.folder.path for entry in catalog.entries] == [whole.resolve()]
    assert len(catalog.problems) == 3
    assert f"{lost.resolve() / SPEC} does not exist (restore it, or run it again)" in catalog.problems
    assert all("\n" not in problem for problem in catalog.problems)


def test_a_folder_named_twice_or_from_two_sides_counts_once(tmp_path: Path) -> None:
    run = suite(tmp_path / "s", "m")[0]
    assert len(open_catalog([tmp_path, tmp_path / "s", run, tmp_path]).entries) == 1


def test_a_place_that_does_not_exist_is_an_error_and_an_empty_one_is_none(tmp_path: Path) -> None:
    assert open_catalog([tmp_path]).entries == ()
    with pytest.raises(AssayError, match="does not exist"):
        open_catalog([tmp_path / "nowhere"])


def test_a_selection_is_what_its_query_names_and_everything_without_one(tmp_path: Path) -> None:
    suite(tmp_path / "s", "a", "b")
    suite(tmp_path / "s", "a", scenario="other")
    catalog = open_catalog([tmp_path])
    assert select(catalog, Address("overview")).entries == catalog.entries
    chosen = select(catalog, Address("overview").but(candidate="b", metric=["exact_match"]))
    assert [entry.label for entry in chosen.entries] == ["b"]
    assert [scenario.title for scenario in chosen.scenarios] == ["made"]
    assert chosen.metrics == ("exact_match",)
    for query in ({"candidate": "nobody"}, {"scenario": "none"}, {"metric": "exact_mach"}, {"suite": "z"}):
        with pytest.raises(AssayError, match="unknown"):
            select(catalog, Address("overview").but(**query))


def test_metrics_are_listed_with_main_metrics_first(tmp_path: Path) -> None:
    scored_run(tmp_path, "m", ANSWERS, metrics=("prefix_exact_match",), perturbations=(NamedSpec(name="lowercase"),))
    metrics = open_catalog([tmp_path]).metrics
    assert metrics[0] == "exact_match"
    assert metrics[1:] == tuple(sorted(metrics[1:]))


def test_a_name_that_looks_like_another_with_its_digest_has_a_slug_of_its_own() -> None:
    one = slug_of("foo!")
    assert slug_of(one) != one
    assert len({slug_of(name) for name in ("foo!", one, slug_of(one), slug_of(slug_of(one)))}) == 4


@pytest.mark.parametrize("name", [STATS, SPEC, MANIFEST])
@pytest.mark.parametrize("damage", ["folder", "loop", "half a character"])
def test_a_run_with_a_file_that_cannot_be_read_takes_no_other_away(tmp_path: Path, name: str, damage: str) -> None:
    whole, broken = suite(tmp_path / "s", "whole", "broken")
    file = broken / name
    if damage == "half a character":
        file.write_text(file.read_text().replace('"run": "', '"run": "\\ud800x', 1))
    else:
        file.unlink()
        file.mkdir() if damage == "folder" else file.symlink_to(file)
    catalog = open_catalog([tmp_path])
    assert [entry.folder.path for entry in catalog.entries] == [whole.resolve()]
    assert all("\n" not in problem for problem in catalog.problems)
    if damage == "folder":
        assert name in catalog.problems[0]


def test_names_that_are_no_text_are_told_and_left_out(tmp_path: Path) -> None:
    whole, run, of_suite = (
        suite(tmp_path / "s", "whole", "run")[0],
        *(suite(tmp_path / name, "other")[0] for name in ("t", "u")),
    )
    os.rename(run, os.fsencode(run.parent) + b"/r\xe9-123")
    os.rename(of_suite.parent, os.fsencode(tmp_path) + b"/s\xe9")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/s/r\xe9.json")).write_text("{}")
    catalog = open_catalog([tmp_path])
    assert whole.resolve() in [entry.folder.path for entry in catalog.entries]
    assert len(catalog.entries) == 2
    assert len(catalog.problems) == 3
    assert all("not UTF-8" in problem for problem in catalog.problems)
    assert "r\\u{dce9}.json" in html(View(catalog, Served()), "glossary")


def test_a_folder_that_may_not_be_read_is_named_and_the_others_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "shut"
    closed.mkdir()  # whoever may not look into a folder finds nothing in it
    scored_run(tmp_path / "s", "b", [Said(0, "yes")])
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != closed and access(path, mode))
    view = view_of(tmp_path)
    assert [entry.label for entry in view.catalog.entries] == ["b"]
    assert "shut may not be read: its runs are left out" in html(view, "overview")


@pytest.mark.parametrize("name", ["stats.json", "spec.json", "manifest.json"])
def test_a_run_whose_file_gives_way_to_something_else_is_named_and_the_others_are_shown(tmp_path: Path, name: str) -> None:
    broken = scored_run(tmp_path / "s", "a", [Said(0, "yes")])
    scored_run(tmp_path / "s", "b", [Said(0, "yes")])
    (broken / name).unlink()
    (broken / name).mkdir()
    view = view_of(tmp_path)
    assert [entry.label for entry in view.catalog.entries] == ["b"]
    html(view, "evidence")


@pytest.mark.parametrize("name", ["scores.parquet", "transcripts.parquet"])
def test_a_run_whose_trials_cannot_be_read_any_more_is_told_of_and_the_others_are_shown(tmp_path: Path, name: str) -> None:
    broken = scored_run(tmp_path / "s", "a", [Said(0, "yes")])
    scored_run(tmp_path / "s", "b", [Said(0, "yes")])
    view = view_of(tmp_path)
    (broken / name).unlink()
    (broken / name).mkdir()
    slugs = {entry.label: entry.slug for entry in view.catalog.entries}
    assert "cannot be read" in html(view, "run", slugs["a"])
    html(view, "instances", slugs["b"])
    html(view, "run", slugs["b"])
