"""Names of repositories, revisions and files: those that can be asked for and kept, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay import registry
from assay.errors import AssayError
from assay.scenarios import Hub
from assay.scenarios.lm_eval.data import Repository
from assay.scenarios.sources.hub_names import REPOSITORY, is_path_inside

MISSHAPEN = ["a--b/c", "a/c..d", "a/b.git", "-a/b", "a/-b", "a/b.", "a/b\n", "a", "a/b/c", "ä/b", "/b", "../.."]
NO_REPOSITORY = [*MISSHAPEN, f"{'x' * 97}/y", f"y/{'x' * 97}"]
NO_REVISION = [
    "",
    "..",
    ".",
    "a/../b",
    "../x",
    "/abs",
    "x\0y",
    "a\nb",
    "a b",
    "a//b",
    "a/",
    "-x",
    "v" * 201,
    "é" * 101,
    "\ud800",
]
TASK = """
task: t
dataset_path: json
dataset_kwargs: {data_files: {test: "hf://datasets/../../etc/passwd"}}
test_split: test
doc_to_text: "{{q}}"
doc_to_target: "{{a}}"
output_type: generate_until
metric_list: [{metric: exact_match}]
"""


@given(st.from_regex(r"[ab_.\-]{1,6}/[ab_.\-git]{1,8}", fullmatch=True) | st.text(max_size=12))
@example("owner/" + "n" * 96)
@example("_a/b_")
def test_every_name_that_is_taken_is_one_to_huggingface_hub(name: str) -> None:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(name)
        valid = "/" in name
    except HFValidationError:
        valid = False
    assert bool(REPOSITORY.fullmatch(name)) == valid


@pytest.mark.parametrize("name", NO_REPOSITORY)
def test_a_name_that_no_repository_has_is_refused_as_it_is_declared(name: str) -> None:
    with pytest.raises(AssayError, match="is not the name of a dataset repository"):
        Hub(name, revision="main", test="*")
    with pytest.raises(AssayError, match="is not the name of a dataset repository"):
        Repository(name, None, "main", "task")


@pytest.mark.parametrize("revision", NO_REVISION)
def test_a_revision_that_none_can_be_is_refused_as_it_is_declared(revision: str) -> None:
    for declare in (lambda: Hub("me/mine", revision=revision, test="*"), lambda: Repository("me/mine", None, revision, "task")):
        with pytest.raises(AssayError, match=r"me/mine: .* cannot be a revision") as told:
            declare()
        assert "\n" not in str(told.value)
        assert len(str(told.value)) < 300


@pytest.mark.parametrize("revision", ["main", "v1.0", "refs/convert/parquet", "refs/pr/3", "a" * 40, "release-2024_01+x", "é"])
def test_branches_tags_and_commits_are_taken(revision: str) -> None:
    assert Hub("me/mine", revision=revision, test="*").revision == revision


def test_data_files_of_a_task_must_be_of_a_repository_that_can_be(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TASK)
    with pytest.raises(AssayError, match=re.escape("'../..' is not the name of a dataset repository")):
        registry.scenarios.get("lm_eval")(task="t", path=str(tmp_path))


@pytest.mark.parametrize("name", ["a.csv", "a b/ä-1:2..csv"])
def test_a_name_that_stays_inside_its_folder_is_kept(name: str) -> None:
    assert is_path_inside(name)


@pytest.mark.parametrize("name", ["a/../b", "", "/a", "a//b", "a/.", "a/C:b", "a\\b", "a\nb"])
def test_a_name_that_may_lead_elsewhere_is_not(name: str) -> None:
    assert not is_path_inside(name)
