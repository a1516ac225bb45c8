"""A models file that was found, not named, does not decide which key leaves this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cli_helpers import Assay
from fake_servers import mock_server

PLAN = ("plan", "billing_support:", "-m", "openai/x", "-n", "2", "--prompts", "0")


@pytest.fixture(autouse=True)
def keys(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:  # after `assay`, which takes keys away
    for name in ("OPENAI_API_KEY", "CLOUD_SECRET", "OTHER_SECRET"):
        monkeypatch.setenv(name, "not-shown-anywhere")


def models_file(text: str) -> None:
    Path("models.yaml").write_text(text)


@pytest.mark.parametrize(
    ("details", "what"),
    [
        ("base_url: https://api.example.com/v1", "your openai key sent to https://api.example.com"),
        (
            "base_url: https://api.example.com:8443/v1, key_variable: CLOUD_SECRET",
            "the key in CLOUD_SECRET sent to https://api.ex",
        ),
        ("base_url: 'http://127.0.0.1.example.com/v1'", "sent to http://127.0.0.1.example.com"),
    ],
)
def test_a_found_file_sends_no_key_away(details: str, what: str, assay: Assay) -> None:
    models_file(f"- {{name: openai/x, {details}}}\n")
    for verb in (PLAN, ("run", *PLAN[1:6]), ("doctor", "openai/x")):
        said = assay(*verb)
        assert said.code == 2, said
        assert what in said.err
        assert "--models-file models.yaml" in said.err
        assert said.err.count("\n") == 1
        assert "not-shown" not in said.err + said.out


def test_a_file_named_once_is_trusted_with_that_key_and_host_and_no_other(assay: Assay) -> None:
    text = "- {name: openai/x, base_url: 'https://api.example.com/v1', key_variable: CLOUD_SECRET}\n"
    models_file(text)
    assert assay(*PLAN, "--models-file", "models.yaml").code == 0
    assert assay(*PLAN).code == 0
    models_file(text.replace("}", ", concurrency: 3}"))
    assert assay(*PLAN).code == 0
    for other in (text.replace("CLOUD_SECRET", "OTHER_SECRET"), text.replace("api.example", "api.elsewhere")):
        models_file(other)
        assert assay(*PLAN).code == 2
    remembered = (Path(os.environ["ASSAY_CACHE"]) / "key-destinations.json").read_text()
    assert json.loads(remembered) == [["CLOUD_SECRET", "https://api.example.com"]]


def test_this_machine_and_the_providers_own_place_need_no_trust_and_use_is_said(shared: Path, assay: Assay) -> None:
    with mock_server(shared) as server:
        models_file(
            f"- {{name: openai/x, model: mock-1, base_url: '{server.base_url}'}}\n- {{name: openai/y, concurrency: 2}}\n"
        )
        said = assay("run", "billing_support:", "-m", "openai/x", "-n", "2", "--quiet")
    assert said.code == 0, said.err
    told, *warnings = said.err.splitlines()
    assert told == f"openai/x is as models.yaml describes it, at http://127.0.0.1:{server.port}"
    assert all(line.startswith("warning: billing_support · openai/x: usable answers") for line in warnings)
    said = assay("plan", "billing_support:", "-m", "openai/y", "-n", "2")
    assert (said.code, said.err) == (0, "openai/y is as models.yaml describes it\n")


def test_entries_that_are_not_used_bother_nobody(assay: Assay) -> None:
    models_file("- {name: openai/x, base_url: 'https://api.example.com/v1'}\n")
    said = assay("plan", "billing_support:", "-m", "baseline/majority", "-n", "2")
    assert (said.code, said.err) == (0, "")


def test_a_damaged_memory_of_trust_trusts_nothing(assay: Assay) -> None:
    models_file("- {name: openai/x, base_url: 'https://api.example.com/v1'}\n")
    memory = Path(os.environ["ASSAY_CACHE"]) / "key-destinations.json"
    memory.parent.mkdir(parents=True)
    memory.write_text('[["openai", "https://api.example.com"], 3')
    assert assay(*PLAN).code == 2


@pytest.mark.parametrize("address", ["https://localhost@api.example.com/v1", "http://[::1/", "http://[::1]:99999999/"])
def test_a_found_file_with_an_address_that_is_none_is_refused_in_one_line(address: str, assay: Assay) -> None:
    models_file(f"- name: openai/x\n  base_url: '{address}'\n")
    said = assay(*PLAN)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: models.yaml, line 2: model 'openai/x': ")
    assert said.err.count("\n") == 1


def test_a_key_pasted_as_the_name_of_its_variable_is_neither_shown_nor_kept(assay: Assay) -> None:
    models_file("- {name: openai/x, base_url: 'https://api.example.com/v1', key_variable: sk-abc0123}\n")
    for named in ((), ("--models-file", "models.yaml")):
        said = assay(*PLAN, *named)
        assert said.code == 2
        assert "sk-abc0123" not in said.err + said.out
    assert not (Path(os.environ["ASSAY_CACHE"]) / "key-destinations.json").exists()
