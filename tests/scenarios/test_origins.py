"""Where scenarios come from, and what their parameters make of them; nothing is asked of any hub for that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay import registry
from assay.scenarios.origins import declared_origin, in_cache, kind_of, origins
from assay.scenarios.sources import File, Filtered, Generator, HeldOut, Hub, Linked
from assay.scenarios.variants import entry_of, needs_a_file, required, sample, variants

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PINNED = Hub("me/mine", revision=COMMIT, test="a.csv")
MADE = Generator("numbers", lambda rng, split: {"n": rng.random()}, {"test": 2})


def test_the_kind_of_a_source_is_that_of_what_it_is_made_of() -> None:
    held = HeldOut(Filtered(PINNED, keep=bool), name="x", group=str)
    assert (kind_of(held), declared_origin(held)) == ("pinned", f"hub:me/mine@{COMMIT}")
    assert kind_of(Hub("me/mine", revision="main", test="a.csv")) == "unpinned"
    assert kind_of(Hub("me/mine", revision="refs/convert/parquet", test="a.csv")) == "unpinned"
    assert kind_of(Hub("me/mine", revision=COMMIT, test="a.csv", gated=True)) == "gated"
    assert (kind_of(File("cases.csv")), declared_origin(File("a/cases.csv"))) == ("local path", "file:cases.csv")
    assert (kind_of(MADE), declared_origin(MADE)) == ("generated", "generator:numbers")


def test_tables_that_rows_are_linked_to_are_origins_too() -> None:
    linked = Linked(File("pairs.csv"), {"left": File("a.csv"), "right": PINNED})
    assert [source.identity if isinstance(source, File) else "hub" for source in origins(linked)] == [
        "file:pairs.csv", "file:a.csv", "hub",
    ]  # fmt: skip


def test_what_comes_with_assay_is_told_from_the_user_s_files() -> None:
    kinds = {name: kind_of(family_sample(name)[1].source) for name in ("capitals", "copyright", "ice", "dyck_language", "gpqa")}
    assert kinds == {
        "capitals": "included", "copyright": "pinned", "ice": "local path", "dyck_language": "generated", "gpqa": "gated",
    }  # fmt: skip


def test_files_and_generators_need_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert in_cache(MADE, "test")
    assert in_cache(File("cases.csv"), "test")
    assert not in_cache(PINNED, "test")
    assert not in_cache(Linked(File("pairs.csv"), {"left": PINNED}), "test")
    assert not in_cache(HeldOut(PINNED, name="x", group=str), "train")


def family_sample(name: str) -> Any:
    found = sample(registry.scenarios.get(name))
    assert found is not None
    return found


def test_a_family_stands_for_every_combination_of_its_choices() -> None:
    family = registry.scenarios.get("dyck_language")
    found = [entry_of(family, parameters) for parameters, _ in variants(family)]
    assert found == ["dyck_language:num_parenthesis_pairs=2", "dyck_language:", "dyck_language:num_parenthesis_pairs=4"]
    mmlu = registry.scenarios.get("mmlu")
    assert len(list(variants(mmlu))) == 57
    assert entry_of(mmlu, {"subject": "anatomy"}) == "mmlu:subject=anatomy"


def test_a_combination_that_cannot_be_declared_is_left_out() -> None:
    family = registry.scenarios.get("entity_matching")
    assert [parameters["dataset"] for parameters, _ in variants(family)] == [
        "Abt_Buy", "Amazon_Google", "DBLP_ACM", "Walmart_Amazon",
    ]  # fmt: skip


def test_a_file_that_only_the_user_has_is_told() -> None:
    assert required(registry.scenarios.get("ice")) == {"path": "FILE"}
    assert needs_a_file(registry.scenarios.get("ice"))
    assert not needs_a_file(registry.scenarios.get("civil_comments"))


def test_the_tasks_of_another_program_are_not_gone_through() -> None:
    family = registry.scenarios.get("lm_eval")
    assert (sample(family), list(variants(family))) == (None, [])
