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
        ("- name: a/b\n  requests_per_minute: 1.0e-300\n", "line 2: model 'a/b': requests_per_minute must be at least 1e-06"),
        ("- name: a/b\n  tokens_per_minute: 9.0e-7\n", "line 2: model 'a/b': tokens_per_minute must be at least 1e-06"),
        ("a/b:\n  stream: true\nc/d:\n  concurrency: -1\n", "line 4: model 'c/d': concurrency must be above 0"),
        ("- name: a/b\n- name: a/b\n", r"models\.yaml, line 2: model 'a/b' is described twice"),
        ("- name: a/b\n  base_url: 'http://[::1/'\n", r"models\.yaml, line 2: model 'a/b': base_url 'http://\[::1/' is not an"),
        ("- name: a/b\n  base_url: 'http://x/?k=1'\n", "line 2: model 'a/b': the base_url for x holds a query"),
        ("- name: a/b\n  headers: {'a b': x}\n", "line 2: model 'a/b': headers: 'a b' is no header's name"),
        ("- name: a/b\n  headers: {X-Y: 'naïve'}\n", "line 2: model 'a/b': headers: the value of 'X-Y' holds characters"),
        ("- name: a/b\n  headers: {content-length: '3'}\n", "line 2: model 'a/b': headers: 'content-length' is set by HTTP"),
        ("- name: a/b\n  headers: {Transfer-Encoding: x}\n", "headers: 'Transfer-Encoding' is set by HTTP itself"),
        ("- name: a/b\n  key_header: Host\n", "line 2: model 'a/b': key_header 'Host' is set by HTTP itself"),
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


def test_an_unknown_provider_of_a_described_model_is_the_one_that_is_named() -> None:
    configs = {"openai/m": ModelConfig(name="openai/m", provider="opnai")}
    with pytest.raises(AssayError, match=r"unknown model provider of 'openai/m': 'opnai' \(did you mean openai\?\)"):
        open_model("openai/m", configs)


@pytest.mark.parametrize("base_url", ["", LOCAL])
def test_a_key_in_the_place_of_its_variable_is_refused_and_not_shown(tmp_path: Path, base_url: str) -> None:
    pasted = "sk-abc-0123456789"
    with pytest.raises(AssayError, match=r"line 3: model 'openai/m': key_variable is no name") as raised:
        _load(tmp_path, f"- name: openai/m\n  base_url: '{base_url}'\n  key_variable: {pasted}\n")
    assert pasted not in str(raised.value)
    with pytest.raises(AssayError, match="key_variable is no name"):
        open_model("openai/m", {"openai/m": ModelConfig(name="openai/m", base_url=base_url, key_variable=pasted)})


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
