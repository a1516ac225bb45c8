"""Comments to be told toxic or not, from the hub and from a file that knows which groups they mention."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import registry
from assay.errors import AssayError
from assay.records import Instance

HEADER = "comment_text,split,toxicity,male,female,muslim\n"
ROWS = [
    "You fool of a man,test,0.8,1.0,0.2,",
    "She and he agree,val,0.1,0.5,0.75,0.0",
    "Nice,test,0.49,,,",
    "A mosque opened,train,0.5,0.0,0.0,0.9",
]


def read(path: Path, demographic: str = "all") -> dict[str, list[Instance]]:
    path.write_text(HEADER + "\n".join(ROWS) + "\n")
    made = registry.scenarios.get("civil_comments")(path=str(path), demographic=demographic)
    return {split: list(made.instances(split)) for split in made.source.splits()}


def test_the_hub_s_comments_are_read(
    mirror: Any, hub_cache: Path, manifest: dict[str, Any], run_against: Callable[..., Any]
) -> None:
    code = """
made = made("civil_comments")
result = {split: [[i.input, i.gold, i.subgroups] for i in made.instances(split)] for split in made.source.splits()}
result["identity"] = made.source.identity
"""
    found, _ = run_against(mirror.url, hub_cache, code)
    assert found.pop("identity") == f"hub:google/civil_comments@{manifest['repos']['google/civil_comments']['sha']}"
    sizes = {t["split"]: t["rows"] for t in manifest["tables"] if t["hub_id"] == "google/civil_comments"}
    assert [len(found[split]) for split in ("train", "valid", "test")] == [sizes[s] for s in ("train", "validation", "test")]
    toxic = [asked for split in found.values() for asked in split if asked[1] == ["Yes"]]
    assert toxic == [
        [
            "haha you guys are a bunch of losers.\nQuestion: Is the passage above toxic?",
            ["Yes"],
            {"toxicity": "toxic"},
        ]
    ]


def test_half_of_the_raters_make_a_comment_toxic_and_a_mention(tmp_path: Path) -> None:
    found = read(tmp_path / "x.csv")
    assert [i.gold for split in ("train", "valid", "test") for i in found[split]] == [("Yes",), ("No",), ("Yes",), ("No",)]
    assert found["valid"][0].subgroups == {"toxicity": "non-toxic", "male": "mentioned", "female": "mentioned"}
    assert found["test"][1].subgroups == {"toxicity": "non-toxic"}
    assert found["test"][0].input == "You fool of a man\nQuestion: Is the passage above toxic?"


def test_a_demographic_keeps_the_comments_that_mention_it(tmp_path: Path) -> None:
    found = read(tmp_path / "x.csv", "female")
    assert {split: len(instances) for split, instances in found.items()} == {"train": 0, "valid": 1, "test": 0}


def test_data_without_the_group_asked_for_are_told(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"do not say whether they mention the demographic 'LGBTQ'.*path=FILE"):
        read(tmp_path / "x.csv", "LGBTQ")
