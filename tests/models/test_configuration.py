from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.models import ModelConfig, open_model
from assay.models.configuration import load_models_file

LOCAL = "http://127.0.0.1:9/v1"


def _load(tmp_path: Path, text: str) -> dict[str, ModelConfig]:
    path = tmp_path / "models.yaml"
    path.write_text(text, encoding="utf-8")
    return load_models_file(path)


def test_a_list_and_a_mapping_say_the_same(tmp_path: Path) -> None:
    listed = _load(tmp_path, "- name: openai/x\n  concurrency: 3\n- name: mine\n  provider: openai\n")
    mapped = _load(tmp_path, "openai/x:\n  concurrency: 3\nmine:\n  provider: openai\n")
    assert listed == mapped
    assert listed["openai/x"] == ModelConfig(name="openai/x", concurrency=3)
    assert _load(tmp_path, "openai/x:\n") == {"openai/x": ModelConfig(name="openai/x")}
    assert _load(tmp_path, "") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- name: a/b\n  base_ulr: x\n", r"models\.yaml, line 2: model 'a/b': 'base_ulr' \(did you mean base_url\?\)"),
        ("- name: a/b\n  concurrency: many\n", r"models\.yaml, line 2: model 'a/b': .*`\$\.concurrency`"),
        ("- name: a/b\n  concurrency: 0\n", "concurrency must be above 0 and at most 100000, not 0"),
        ("- name: a/b\n  timeout_s: .nan\n", "timeout_s must be above 0"),
        ("- name: a/b\n  price_per_million_input: -1\n", "price_per_million_input must not be negative"),
        ("- concurrency: 3\n", r"line 1: model number 1: .*`name`"),
        ("- name: a/b\n  model: x\n  stream: sometimes\n", r"models\.yaml, line 3: model 'a/b': .*`\$\.stream`"),
        ("a/b:\n  model: x\n  endpoint: chatt\n", r"line 3: model 'a/b': 'chatt' \(did you mean chat\?\)"),
        ("- name: a/b\n  key_header: 'api key'\n", "line 2: model 'a/b': key_header 'api key' is no header's name"),
        ("- name: a/b\n  prices_as_of: 2026-02-30\n", "line 2: model 'a/b': prices_as_of '2026-02-30' is no day"),
        ("- name: a/b\n  prices_as_of: 30.11.2026\n", "prices_as_of '30.11.2026' is no day"),
        ("- name: a/b\n  requests_per_minute: 0\n", "line 2: model 'a/b': requests_per_minute must be above 0"),
        ("- name: a/b\n  tokens_per_minute: .inf\n", "tokens_per_minute must be above 0"),
        ("a/b:\n  stream: true\nc/d:\n  concurrency: -1\n", "line 4: model 'c/d': concurrency must be above 0"),
        ("- name: a/b\n- name: a/b\n", "'a/b' twice"),
        ("a/b:\n  model: x\na/b:\n  model: y\n", r"models\.yaml, line 3: 'a/b' appears twice"),
        ("- name: a/b\n  model: x\n  model: y\n", r"models\.yaml, line 3: 'model' appears twice"),
        ("- name: a/b\n  body: {x: [1,\n- z", r"models\.yaml, line \d: not valid YAML"),
        ("- name: a/b\n\tmodel: x\n", r"models\.yaml, line 2: not valid YAML"),
        ("- !!python/object/apply:os.system ['true']\n", "not valid YAML"),
        ("just words", "must hold a list of models"),
        ("- words\n", "model number 1 must be a mapping"),
        ("a/b: words\n", "details of 'a/b' must be a mapping"),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_file_and_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message) as raised:
        _load(tmp_path, text)
    assert "\n" not in str(raised.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"none\.yaml cannot be read"):
        load_models_file(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"- name: \xff\n")
    with pytest.raises(AssayError, match=r"latin\.yaml is not UTF-8"):
        load_models_file(tmp_path / "latin.yaml")


def test_a_model_is_opened_by_provider_and_name_or_by_its_configuration() -> None:
    configs = {
        "openai/a/b": ModelConfig(name="openai/a/b", base_url=LOCAL),
        "mine": ModelConfig(name="mine", provider="openai", model="theirs", base_url=LOCAL, revision="7"),
        "team/mine": ModelConfig(name="team/mine", provider="openai", base_url=LOCAL),
    }
    assert open_model("openai/a/b", configs).identity.options["model"] == "a/b"
    mine = open_model("mine", configs).identity
    assert (mine.name, mine.options["model"], mine.revision) == ("mine", "theirs", "7")
    assert open_model("team/mine", configs).identity.options["model"] == "team/mine"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("opnai/x", r"unknown model provider 'opnai' \(did you mean openai\?\)"),
        ("gpt", r"unknown model 'gpt': a model is written provider/name"),
        ("minee", "did you mean mine"),
        ("/x", "written provider/name"),
        ("openai/", "written provider/name"),
        ("temm/mine", r"did you mean team/mine\?"),
        ("baseline/majorty", r"unknown baseline 'majorty' \(did you mean majority\?\)"),
    ],
)
def test_a_name_nobody_knows_is_answered_with_the_nearest(name: str, message: str) -> None:
    configs = {one: ModelConfig(name=one, provider="openai", base_url=LOCAL) for one in ("mine", "team/mine")}
    with pytest.raises(AssayError, match=message):
        open_model(name, configs)


def test_what_can_change_answers_is_part_of_the_identity_and_nothing_else() -> None:
    def identity(**more: object) -> object:
        config = ModelConfig(**{"name": "openai/x", "base_url": LOCAL, **more})  # type: ignore[arg-type]
        return open_model("openai/x", {"openai/x": config}).identity

    plain = identity()
    for same in ({"concurrency": 3}, {"timeout_s": 1.0}, {"price_per_million_input": 2.0}, {"headers": {"X": "y"}}):
        assert identity(**same) == plain
    for other in (
        {"base_url": "http://127.0.0.1:10/v1"},
        {"body": {"x": 1}},
        {"revision": "2"},
        {"endpoint": "completions"},
        {"model": "y"},
    ):
        assert identity(**other) != plain
