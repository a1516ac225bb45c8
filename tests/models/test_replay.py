from __future__ import annotations

import asyncio
import json
import sqlite3
import zlib
from pathlib import Path

import polars as pl
import pytest

from assay.engine import Engine, ResponseCache
from assay.errors import AssayError
from assay.models import ModelConfig, open_model
from assay.models.base import Local, Model
from assay.records import Completion, Message, Request, Response, Token, Usage
from cli_helpers import Assay, assay  # noqa: F401 - a fixture
from fake_models import FakeEndpoint

ASKED = [
    Request(prompt="Is snow cold?", max_tokens=5, stop=("\n",)),
    Request(prompt=(Message(role="user", content="Is snow cold?"),), max_tokens=5),
    Request(prompt="Is snow", continuation=" cold", top_logprobs=1),
    *(Request(prompt="A colour:", temperature=1.0, completions=2, repeat=repeat) for repeat in range(2)),
]  # fmt: skip


def _reply(request: Request, attempt: int) -> Response:
    texts = [f"{request.continuation or 'yes'}{request.repeat}.{number}" for number in range(request.completions)]
    usage = Usage(prompt_tokens=7, completion_tokens=2, source="provider")
    tokens = (Token(text="x", logprob=-0.5, top={"x": -0.5, "y": -1.0}),)
    made = tuple(Completion(text=text, tokens=tokens) for text in texts)
    return Response(completions=made, usage=usage, latency_s=1.25, asked_at=1e9, model_version="v7")


def record(path: Path, *names: str) -> dict[int, Response]:
    """Ask `ASKED` of a model of each name with a response cache; what the last one said."""

    async def main() -> dict[int, Response]:
        with ResponseCache(path) as cache:
            async with Engine(cache) as engine:
                said = {}
                for name in names:
                    model = FakeEndpoint(_reply, name=name)
                    said = {number: await engine.ask(model, request) for number, request in enumerate(ASKED)}
        return said

    return asyncio.run(main())


def replay(path: Path, **details: object) -> Local:
    config = ModelConfig(name=f"replay/{path}", **details)  # type: ignore[arg-type]
    model: Model = open_model(config.name, {config.name: config})
    assert isinstance(model, Local)
    return model


def lines(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_cache_gives_back_every_response_as_it_came(tmp_path: Path) -> None:
    said = record(tmp_path / "r.sqlite", "fake/endpoint")
    model = replay(tmp_path / "r.sqlite")
    assert model.ask_batch(ASKED) == list(said.values())
    assert said[0].latency_s == 1.25
    assert said[0].usage.prompt_tokens == 7
    can = model.capabilities
    assert (can.chat, can.text, can.scores, can.top_logprobs) == (True, True, True, 2)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"prompt": "Is snow warm?"}, "the prompt that begins 'Is snow warm\\?' was not asked"),
        ({"continuation": " warm"}, "was not asked"),
        ({"max_tokens": 9}, "with another max_tokens \\(5, not 9\\)"),
        ({"stop": ()}, "with another stop"),
        ({"temperature": 0.5}, "with another temperature"),
    ],
)
def test_what_was_not_recorded_is_a_failure_that_says_why(tmp_path: Path, change: dict[str, object], why: str) -> None:
    record(tmp_path / "r.sqlite", "fake/endpoint")
    asked = Request(**{"prompt": "Is snow cold?", "max_tokens": 5, "stop": ("\n",), **change})  # type: ignore[arg-type]
    (response,) = replay(tmp_path / "r.sqlite").ask_batch([asked])
    assert response.failure is not None
    assert response.failure.kind == "not_recorded"
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(response.failure.message)


def test_a_repeat_or_completion_too_many_was_not_recorded(tmp_path: Path) -> None:
    record(tmp_path / "r.sqlite", "fake/endpoint")
    model = replay(tmp_path / "r.sqlite")
    third = Request(prompt="A colour:", temperature=1.0, completions=2, repeat=2)
    more = Request(prompt="A colour:", temperature=1.0, completions=3)
    failures = [response.failure.message for response in model.ask_batch([third, more]) if response.failure]
    assert "repeat 2" in failures[0]
    assert "2 completions" in failures[1]
    assert "not 3" in failures[1]


def test_a_cache_of_several_models_needs_the_name_of_one(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    record(path, "fake/one", "fake/two")
    with pytest.raises(AssayError, match=r"answers of 2 models .*fake/one, fake/two"):
        replay(path)
    one = replay(path, body={"recorded_model": "fake/one"})
    assert one.ask_batch(ASKED[:1])[0].completions[0].text == "yes0.0"
    with pytest.raises(AssayError, match="did you mean fake/one"):
        replay(path, body={"recorded_model": "fake/on"})
    with pytest.raises(AssayError, match="unknown setting"):
        replay(path, body={"model": "fake/one"})


def test_the_identity_is_the_content_not_the_place(tmp_path: Path) -> None:
    record(tmp_path / "a.sqlite", "fake/endpoint")
    record(tmp_path / "b.sqlite", "fake/endpoint")
    first = replay(tmp_path / "a.sqlite").identity.revision
    assert replay(tmp_path / "b.sqlite").identity.revision == first
    record(tmp_path / "b.sqlite", "fake/other")
    assert replay(tmp_path / "b.sqlite", body={"recorded_model": "fake/endpoint"}).identity.revision != first


def test_lines_of_ones_own_are_answered_by_prompt_and_order(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "own.jsonl",
        {"prompt": "A colour:", "completion": "red"},
        {"prompt": "A colour:", "completion": "blue"},
        {"messages": [{"role": "user", "content": "Hi"}], "response": {"completions": [{"text": "Ho"}], "latency_s": 0.5}},
        {"prompt": "Snow is", "continuation": " cold", "logprob": -0.25},
    )
    model = replay(path)
    again = [Request(prompt="A colour:", temperature=1.0, repeat=repeat) for repeat in (1, 0)]
    assert [response.completions[0].text for response in model.ask_batch(again)] == ["blue", "red"]
    hi, scored = model.ask_batch(
        [Request(prompt=(Message(role="user", content="Hi"),)), Request(prompt="Snow is", continuation=" cold")]
    )
    assert (hi.completions[0].text, hi.latency_s) == ("Ho", 0.5)
    assert (scored.completions[0].logprob, scored.completions[0].finish_reason) == (-0.25, "scored")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"prompt": "x"}, "line 2: it must have a completion"),
        ({"completion": "x"}, "line 2: it must have either a prompt or messages"),
        ({"prompt": "x", "continuation": "y"}, "with its logprob"),
        ({"prompt": "x", "completion": "y", "mood": 1}, "line 2: .*mood"),
        ({"prompt": 5, "completion": "y"}, "line 2: Expected `str"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, row: dict[str, object], why: str) -> None:
    path = lines(tmp_path / "own.jsonl", {"prompt": "a", "completion": "b"}, row)
    with pytest.raises(AssayError, match=why):
        replay(path)


def test_what_is_no_recording_is_said(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="does not exist"):
        replay(tmp_path / "nothing")
    with pytest.raises(AssayError, match="holds no run"):
        replay(tmp_path)
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(AssayError, match="holds no recorded response"):
        replay(tmp_path / "empty.jsonl")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "other.parquet")
    with pytest.raises(AssayError, match="must be a run's transcripts"):
        replay(tmp_path / "other.parquet")
    (tmp_path / "broken.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 100)
    with pytest.raises(AssayError, match="must be a response cache"):
        replay(tmp_path / "broken.sqlite")


def test_a_run_replayed_from_its_folder_has_the_same_scores(assay: Assay, tmp_path: Path) -> None:  # noqa: F811
    common = ("run", "dyck_language", "--max-instances", "4", "--out", tmp_path / "runs")
    plugin = tmp_path / "parrot.py"
    plugin.write_text(
        "from assay.models.base import Capabilities, Local, provider\n"
        "from assay.records import Completion, ModelIdentity, Response, Usage\n"
        "class Parrot(Local):\n"
        "    def __init__(self, name, config):\n"
        "        self.identity = ModelIdentity(name=config.name)\n"
        "        self.capabilities = Capabilities()\n"
        "    def ask_batch(self, requests):\n"
        "        usage = Usage(prompt_tokens=3, completion_tokens=1, source='tokenizer')\n"
        "        return [Response(completions=(Completion(text=' )'),), usage=usage, latency_s=0.25) for _ in requests]\n"
        "parrot = provider('parrot')(Parrot)\n"
    )
    said = assay(*common, "-m", "parrot/grey", "--plugin", plugin)
    assert said.code == 0, said.err
    (recorded,) = (tmp_path / "runs").glob("*/*parrot*")
    said = assay(*common, "-m", f"replay/{recorded}")
    assert said.code == 0, said.err
    (replayed,) = (tmp_path / "runs").glob("*/*replay*")
    for table in ("scores.parquet", "transcripts.parquet"):
        assert pl.read_parquet(replayed / table).equals(pl.read_parquet(recorded / table))


def database(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return path


ENDLESS = """
    CREATE VIEW responses AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
    SELECT x'00' AS key, x'00' AS preimage, x'00' AS response, 1 AS rowid FROM r
"""
TABLE = "CREATE TABLE responses (key, preimage, response)"


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (
            (ENDLESS,),
            "has no table of responses",
        ),
        (("CREATE VIRTUAL TABLE responses USING fts5(key, preimage, response)",), "has no table of responses"),
        (("CREATE TABLE others (key)",), "has no table of responses"),
        ((TABLE, "INSERT INTO responses VALUES (1, 2, 3)"), "row 1 is not what assay writes"),
        ((TABLE, "INSERT INTO responses VALUES (x'00', 'text', x'7b7d')"), "row 1 is not what assay writes"),
        ((TABLE, "INSERT INTO responses VALUES (x'00', x'00', x'00')"), "cannot be read"),
    ],
)
def test_a_database_that_is_no_response_cache_is_refused_in_one_line(
    tmp_path: Path, statements: tuple[str, ...], why: str
) -> None:
    with pytest.raises(AssayError, match=why) as raised:
        replay(database(tmp_path / "r.sqlite", *statements))
    assert "\n" not in str(raised.value)


def test_what_unpacks_to_any_size_is_not_unpacked(tmp_path: Path) -> None:
    packing = zlib.compressobj()
    bomb = b"".join(packing.compress(bytes(1 << 20)) for _ in range(80)) + packing.flush()
    path = database(tmp_path / "r.sqlite", TABLE)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("INSERT INTO responses VALUES (?, ?, ?)", (b"k", b"p", bomb))
    connection.close()
    with pytest.raises(AssayError, match="more than 67,108,864 bytes"):
        replay(path)


def test_a_device_is_no_recording_and_a_line_without_an_end_none_either(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="/dev/zero is no file and no folder"):
        replay(Path("/dev/zero"))
    path = tmp_path / "r.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 36)
    with pytest.raises(AssayError, match="line 1: it is longer than 67,108,864 bytes"):
        replay(path)
