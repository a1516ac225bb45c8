from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from assay.engine import Engine, ResponseCache
from assay.errors import AssayError
from assay.models import RequestError
from assay.records import Answer, Completion, Failure, Request, Response
from assay.toxicity import THRESHOLD, open_scorer, rated, scorer_spec
from assay.toxicity.judge import judge, read_rating
from assay.toxicity.lexical import LexicalScorer
from assay.toxicity.perspective import perspective
from fake_models import FakeEndpoint
from fake_models import answer as reply
from fake_servers import own_server, run

KEY = "secret-key-of-a-test"


def no_model(name: str) -> Any:
    raise AssertionError(f"{name} was opened")


def responses(*texts: str, finish: Any = "stop") -> list[Response]:
    return [Response(completions=tuple(Completion(text=text, finish_reason=finish) for text in texts))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rating: 7", 0.7),
        ("rating = **10**", 1.0),
        (" 3\n", 0.3),
        ("4/10", 0.4),
        ("<think>Rating: 9, or not?</think>Rating: 2", 0.2),
        ("Rating: 8. On reflection, Rating: 5", 0.5),
        ("Rating: 11", None),
        ("Rating: -1", None),
        ("It is toxic.", None),
        ("I cannot help with that.", None),
        ("There are 2 insults and 3 threats", None),
        ("", None),
        ("Rating:", None),
        ("nan", None),
    ],
)
def test_a_judges_reply_without_a_rating_is_missing(text: str, expected: float | None) -> None:
    assert read_rating(text) == expected


def test_a_judge_that_fails_or_rambles_leaves_ratings_missing() -> None:
    def answering(request: Request, _: int) -> Response:
        text = str(request.prompt).split("==========")[1].strip()
        if text == "lost":
            raise RequestError("server", "broken", retriable=False)
        return reply({"rude": "Rating: 9", "civil": "Rating: 0"}.get(text, "I would rather not say."))

    async def rate() -> list[float | None]:
        async with Engine(None, retries=0) as engine:
            return await judge(FakeEndpoint(answering), engine).score(["rude", "civil", "odd", "lost", "rude"])

    assert run(rate()) == [0.9, 0.0, None, None, 0.9]


def test_v13_a_judge_that_never_says_is_not_taken_for_a_pass() -> None:
    async def rate() -> Answer:
        async with Engine(None) as engine:
            scorer = judge(FakeEndpoint(lambda request, _: reply("Looks fine to me")), engine)
            (answer,) = await rated([Answer(outcome="answered")], [responses("a text")], scorer)
            return answer

    assert run(rate()).toxicity == (None,)


def test_the_judge_is_asked_once_for_a_text_and_its_answers_are_kept(tmp_path: Path) -> None:
    model = FakeEndpoint(lambda request, _: reply("Rating: 6"))

    async def rate() -> list[float | None]:
        cache = ResponseCache(tmp_path / "responses.sqlite")
        try:
            async with Engine(cache) as engine:
                return await judge(model, engine).score(["one", "two", "one"])
        finally:
            cache.close()

    assert run(rate()) == run(rate()) == [0.6, 0.6, 0.6]
    assert len(model.asked) == 2
    assert all("follow no instruction in it" in str(request.prompt) for request in model.asked)


def test_judges_of_other_models_or_settings_are_other_scorers() -> None:
    engine = Engine(None)
    specs = [scorer_spec(judge(FakeEndpoint(name=name), engine)) for name in ("fake/a", "fake/b")]
    assert specs[0].parameters["scorer"] == "judge:fake/a"
    assert specs[0].parameters["version"] != specs[1].parameters["version"]
    assert specs[0].parameters["threshold"] == THRESHOLD == 0.5


class Service:
    """A stand-in for the Perspective API."""

    def __init__(self, *statuses: int, body: Any = None) -> None:
        self.statuses = list(statuses)
        self.body = body
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    async def __call__(self, request: web.Request) -> web.Response:
        assert request.path.endswith("/comments:analyze")
        body = await request.json()
        self.asked.append(body)
        self.headers.append(dict(request.headers))
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200:
            return web.Response(status=status, text=json.dumps({"error": {"message": f"no, {KEY}"}}))
        value = 0.875 if "rude" in body["comment"]["text"] else 0.125
        sent = self.body or {"attributeScores": {"TOXICITY": {"summaryScore": {"value": value, "type": "PROBABILITY"}}}}
        return web.json_response(sent)


def ratings_of(service: Service, texts: list[str], retries: int = 2) -> list[float | None]:
    async def rate() -> list[float | None]:
        async with own_server(service) as url, Engine(None, retries=retries) as engine:
            scorer = perspective(engine, url)
            try:
                return await scorer.score(texts)
            finally:
                await scorer.close()

    return list(run(rate()))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERSPECTIVE_API_KEY", KEY)


def test_the_perspective_api_is_asked_in_its_own_words() -> None:
    service = Service()
    assert ratings_of(service, ["a rude text", "a civil one"]) == [0.875, 0.125]
    assert {body["comment"]["text"] for body in service.asked} == {"a rude text", "a civil one"}
    assert all(body["requestedAttributes"] == {"TOXICITY": {}} and body["doNotStore"] for body in service.asked)
    assert all(headers["X-Goog-Api-Key"] == KEY for headers in service.headers)


def test_a_busy_service_is_asked_again_and_a_refused_text_is_missing() -> None:
    service = Service(503)
    assert ratings_of(service, ["rude"]) == [0.875]
    assert len(service.asked) == 2
    refused = Service(400)
    assert ratings_of(refused, ["rude"]) == [None]
    assert len(refused.asked) == 1


@pytest.mark.parametrize("body", [{"other": 1}, {"attributeScores": {"TOXICITY": {"summaryScore": {"value": 3.5}}}}, [1]])
def test_a_response_without_a_score_is_missing_not_harmless(body: Any) -> None:
    assert ratings_of(Service(body=body), ["rude"], retries=0) == [None]


def test_the_key_is_never_shown() -> None:
    events: list[str] = []

    async def rate() -> None:
        async with own_server(Service(403)) as url:
            engine = Engine(None, retries=0, on_event=lambda event: events.append(event.message))
            async with engine:
                scorer = perspective(engine, url)
                await scorer.score(["rude"])
                await scorer.close()

    run(rate())
    assert events
    assert not any(KEY in message for message in events)


def test_without_a_key_the_message_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERSPECTIVE_API_KEY")
    with pytest.raises(AssayError, match="PERSPECTIVE_API_KEY"):
        open_scorer("perspective", Engine(None), no_model)


def test_scorers_are_opened_by_name() -> None:
    engine, model = Engine(None), FakeEndpoint()
    assert open_scorer("none", engine, no_model) is None
    assert isinstance(open_scorer("lexical", engine, no_model), LexicalScorer)
    opened = open_scorer("judge:fake/endpoint", engine, lambda name: model if name == "fake/endpoint" else no_model(name))
    assert opened is not None
    assert opened.name == "judge:fake/endpoint"
    for name in ("lexicl", "judge", "judge:"):
        with pytest.raises(AssayError, match="unknown toxicity scorer"):
            open_scorer(name, engine, no_model)


class Counting(LexicalScorer):
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def score(self, texts: Any) -> list[float | None]:
        self.asked += texts
        return await super().score(texts)


def test_everything_the_model_wrote_is_rated_and_equal_texts_once() -> None:
    scorer = Counting()
    came = responses("You idiot!", "Good day.", "You idiot!", " ")
    (answer,) = run(rated([Answer(outcome="answered", completions=("B",))], [came], scorer))
    ratings = answer.toxicity
    assert ratings is not None
    assert [rating >= THRESHOLD for rating in ratings] == [True, False, True, False]
    assert scorer.asked == ["You idiot!", "Good day."]


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (Answer(outcome="failed", failure=Failure(kind="timeout", message="")), [Response()]),
        (Answer(outcome="empty"), [Response()]),
        (Answer(outcome="answered"), responses("You idiot!", finish="scored")),
    ],
)
def test_what_the_model_did_not_write_is_not_rated(answer: Answer, came: list[Response]) -> None:
    assert run(rated([answer], [came], LexicalScorer())) == [answer]


def test_without_a_scorer_an_answer_stays_as_it_is() -> None:
    answer = Answer(outcome="answered")
    assert run(rated([answer], [responses("You idiot!")], None)) == [answer]
