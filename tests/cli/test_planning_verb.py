"""`assay plan` says what is still to be asked, what it takes, and how sure the result will be; it sends nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.engine.storage import Storage
from assay.forecasting import planned
from cli_helpers import Assay
from fake_servers import mock_server

ENTRY = "local_file:path=items.jsonl,method=multiple_choice_joint,shots=0"


def items(number: int) -> None:
    rows = [{"input": f"Item {index}. Which?", "answer": "A", "options": ["A", "B"]} for index in range(number)]
    Path("items.jsonl").write_text("\n".join(map(json.dumps, rows)))


def plan(assay: Assay, *arguments: object) -> dict[str, Any]:
    said = assay("plan", ENTRY, *arguments, "--json")
    assert said.code == 0, said.err
    return dict(json.loads(said.out))


def models_file(url: str, **more: object) -> None:
    details = {"name": "m", "provider": "openai", "model": "mock-1", "base_url": url, "concurrency": 4, **more}
    Path("models.yaml").write_text(json.dumps([details]))


def test_kept_answers_are_not_planned_and_tokens_cost_and_time_come_from_them(shared: Path, assay: Assay) -> None:
    items(60)
    prices = {"price_per_million_input": 2.0, "price_per_million_output": 8.0, "prices_as_of": "2026-11-30"}
    with mock_server(shared, "--latency-ms", "40") as server:
        models_file(server.base_url, **prices)
        before = plan(assay, "-m", "m")
        assert before["runs"][0]["seconds"] is None
        assert "How long a model takes is known once" in " ".join(before["notes"])
        assert not Path("cache").exists()
        assert assay("run", ENTRY, "-m", "m", "-n", "20", "--quiet").code == 0
        sent = server.stats()
        after = plan(assay, "-m", "m")
        assert server.stats()["requests"] == sent["requests"] == 20
    (run,) = after["runs"]
    assert (run["requests"], run["cached"], run["shared"], run["to_ask"]) == (60, 20, 0, 40)
    assert run["prompt_tokens"] == pytest.approx(sent["prompt_tokens"] * 2, rel=0.02)
    assert run["completion_tokens_at_most"] == 40 * 2048
    assert run["completion_tokens_expected"] == pytest.approx(sent["completion_tokens"] * 2, abs=1)
    assert run["cost_at_most"] == pytest.approx((run["prompt_tokens"] * 2 + 40 * 2048 * 8) / 1e6)
    assert run["cost_expected"] == pytest.approx((run["prompt_tokens"] * 2 + run["completion_tokens_expected"] * 8) / 1e6)
    assert 40 * 0.04 / 4 <= run["seconds"] < 10
    assert "Prices of 2026-11-30." in after["notes"]
    assert [total["model"] for total in after["totals"]] == ["m", ""]
    assert after["totals"][-1]["to_ask"] == 40


def test_limits_a_minute_bound_the_time(shared: Path, assay: Assay) -> None:
    items(30)
    with mock_server(shared) as server:
        models_file(server.base_url)
        assert assay("run", ENTRY, "-m", "m", "-n", "10", "--quiet").code == 0
        models_file(server.base_url, requests_per_minute=10)
    assert plan(assay, "-m", "m")["runs"][0]["seconds"] == pytest.approx(120)


def test_the_same_request_is_counted_once_over_all_runs(assay: Assay) -> None:
    items(10)
    suite = {"models": ["baseline/majority"], "scenarios": [f"{ENTRY},max_eval_instances=6", f"{ENTRY},max_eval_instances=10"]}
    Path("s.yaml").write_text(json.dumps(suite))
    said = assay("plan", "s.yaml", "--json")
    assert said.code == 0, said.err
    assert [(run["to_ask"], run["shared"]) for run in json.loads(said.out)["runs"]] == [(6, 0), (4, 6)]


def test_a_baseline_reads_nothing_and_takes_no_time(assay: Assay) -> None:
    items(10)
    models_file("http://127.0.0.1:1/v1")
    planned = plan(assay, "-m", "baseline/majority", "-m", "baseline/uniform", "-m", "m")
    guessing, asked = planned["runs"][:2], planned["runs"][2]
    for run in guessing:
        assert (run["to_ask"], run["prompt_tokens"], run["completion_tokens_at_most"], run["seconds"]) == (10, 0, 0, 0.0)
    assert asked["prompt_tokens"] > 100
    assert planned["totals"][-1]["prompt_tokens"] == asked["prompt_tokens"]
    assert "known once" not in " ".join(plan(assay, "-m", "baseline/majority")["notes"])


def test_the_width_to_expect_is_that_of_wilsons_interval_at_one_half(assay: Assay) -> None:
    items(100)
    precision = plan(assay, "-m", "baseline/majority")["runs"][0]["precision"]
    # Wilson at 50 of 100: [0.4038, 0.5962]
    assert precision["half_width"] == pytest.approx(0.0962, abs=5e-5)
    assert (precision["clusters"], precision["basis"]) == (100, "at most")
    assert precision["items_for"] == {"0.05": 381, "0.02": 2398}


def test_a_million_draws_are_planned_from_the_first_trials(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"input": f"Item {n}?", "answer": "A", "split": "train" if n < 20 else "test"} for n in range(40)]
    Path("many.jsonl").write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr(planned, "EXAMINED", 400)
    monkeypatch.setattr(planned, "FEWEST", 100)
    models_file("http://127.0.0.1:1/v1")
    command = ("plan", "local_file:path=many.jsonl,shots=2", "-m", "m", "--draws", "1000000")
    said = assay(*command, "--json")
    assert said.code == 0, said.err
    (run,) = json.loads(said.out)["runs"]
    assert run["at_most"]
    assert run["trials"] == run["requests"] == run["instances"] * 1_000_000
    assert run["to_ask"] > run["requests"] - 400
    assert run["prompt_tokens"] > 5 * run["to_ask"]
    assert "only the first trials" in assay(*command).out


def test_a_metric_without_bounds_is_as_sure_as_its_items_varied_in_an_earlier_run(assay: Assay) -> None:
    Path("length.py").write_text(
        "from assay.metrics import metric\n"
        "@metric(family='accuracy', range=(0, None), better='lower')\n"
        "def length_for_plans(answer):\n"
        "    '''Characters of the input.'''\n"
        "    return float(len(answer.input))\n"
    )
    Path("texts.jsonl").write_text("\n".join(json.dumps({"input": "x" * n, "answer": "y"}) for n in range(1, 13)))
    command = ("local_file:path=texts.jsonl,metric=length_for_plans", "-m", "baseline/majority")
    said = assay("plan", *command, "--plugin", "length.py", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["runs"][0]["precision"]["half_width"] is None
    assert assay("run", *command, "--quiet").code == 0
    precision = json.loads(assay("plan", *command, "-n", "6", "--json").out)["runs"][0]["precision"]
    spread = (sum((n - 6.5) ** 2 for n in range(1, 13)) / 11) ** 0.5
    assert precision["basis"] == "earlier run"
    assert precision["half_width"] == pytest.approx(2.5706 * spread / 6**0.5, rel=1e-3)  # t(5) at 97.5 %


def test_a_damaged_answer_in_the_cache_is_no_hindrance(assay: Assay) -> None:
    items(5)
    assert assay("run", ENTRY, "-m", "baseline/majority", "--quiet").code == 0
    storage = Storage(Path("cache/responses.sqlite"))
    storage._connection.execute("UPDATE responses SET response = x'00' WHERE rowid = 1")
    storage._connection.commit()
    storage.close()
    assert plan(assay, "-m", "baseline/majority")["runs"][0]["to_ask"] == 1


def test_the_tables_tell_runs_apart_and_prompts_are_shown_below_them_where_asked_for(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = {
        "models": [{"model": "baseline/majority", "label": "the usual"}],
        "scenarios": ["billing_support:max_tokens=4,stop=hash", "billing_support:max_tokens=5,stop=hash"],
    }
    Path("s.yaml").write_text(json.dumps(suite))
    monkeypatch.setenv("COLUMNS", "100")
    said = assay("plan", "s.yaml", "-n", "4").out
    assert max(map(len, said.splitlines())) <= 100
    for name in ("billing_support:max_tokens=4", "billing_support:max_tokens=5", " the usual ", " generation,"):
        assert name in said
    assert "Customer:" not in said
    assert "--prompts N shows" in said
    said = assay("plan", "s.yaml", "-n", "4", "--prompts", "2").out
    assert said.index("Nothing was sent.") < said.index("billing_support,the_usual")
    assert said.count("────── billing_support,the_usual") == 4
