from __future__ import annotations

import json

import pytest

from assay.errors import AssayError
from assay.models import RequestError
from assay.models.wire.auth import Auth
from assay.models.wire.failures import from_status
from assay.models.wire.parsing import Reply, decode
from assay.models.wire.scoring import scored_response
from assay.models.wire.secrets import MARK, Secrets
from assay.models.wire.transport import Transport, checked_url
from assay.records import Completion, Response, Token

KEY = "sk-a-very-secret-key"
SECRETS = Secrets(KEY, {"X-Team": "team-secret-99", "Authorization": "Basic b3Blbi1zZXNhbWU=", "X-Short": "1"})
HIDDEN = (KEY, "team-secret-99", "b3Blbi1zZXNhbWU=")


@pytest.mark.parametrize("secret", HIDDEN)
@pytest.mark.parametrize("form", ["{}", '{{"error": {{"message": "no {}"}}}}', '{{"error": {{"deep": ["{}"]}}}}', "<p>{}"])
@pytest.mark.parametrize("status", [302, 400, 401, 404, 429, 500])
def test_no_error_repeats_the_key_or_a_header(secret: str, form: str, status: int) -> None:
    for before in ("", "x" * 290):  # a cut must not leave the beginning of a secret
        body = form.format(before + secret).encode()
        error = from_status(status, {"Location": f"http://h/?k={before}{secret}"}, body, "http://h", "", SECRETS.clean)
        assert secret[:8] not in error.message


def test_no_echo_and_malformed_bodies_do_not_repeat_secrets() -> None:
    for secret in HIDDEN:
        with pytest.raises(RequestError) as raised:
            decode(b"y" * 70 + secret.encode(), SECRETS.clean)
        assert secret[:8] not in raised.value.message
        reply: Reply = decode(json.dumps({"choices": [{"text": "z" * 34 + secret}]}).encode())
        with pytest.raises(RequestError) as raised:
            scored_response(reply, "a", "b", SECRETS.clean)
        assert secret[:6] not in raised.value.message


def test_a_completion_that_holds_the_key_is_kept_without_it() -> None:
    tokens = (
        Token(text="it is sk-a-", logprob=-1.0, top={"sk-a-": -1.0}),
        Token(text="very-secret", logprob=-2.0),
        Token(text="-key!", logprob=-3.0),
        Token(text=" ok", logprob=-1.0, top={" ok": -1.0, KEY: -2.0}),
    )
    response = Response(
        completions=(Completion(text=f"it is {KEY}! ok", tokens=tokens, reasoning=f"hm {KEY}"),), model_version=f"m@{KEY}"
    )
    cleaned = SECRETS.cleaned(response)
    [completion] = cleaned.completions
    assert completion.text == "".join(token.text for token in completion.tokens) == f"it is {MARK}! ok"
    assert [token.logprob for token in completion.tokens] == [-1.0, -2.0, -3.0, -1.0]
    assert KEY not in str(cleaned)


def test_answers_without_the_key_and_short_words_stay_as_they_are() -> None:
    response = Response(completions=(Completion(text="EMPTY, 1, team-secret-99", tokens=(Token(text="EMPTY", logprob=-1.0),)),))
    assert SECRETS.cleaned(response) == response
    assert Secrets("EMPTY", {}).cleaned(response) == response
    assert SECRETS.clean("code 1") == "code 1"
    assert Secrets(None, {}).clean("x") == "x"


def test_credentials_made_later_are_hidden_from_then_on() -> None:
    secrets = Secrets("a-first-key", {})
    secrets.hide("a-second-key")
    assert secrets.clean("a-first-key, a-second-key") == f"{MARK}, {MARK}"


@pytest.mark.parametrize(
    "url", ["http://ex ample/v1", "http://a\nb/v1", "http://a/\udcff", "http://[::1", "http://a..b/v1", "http://%zz/v1",
     "http://a/v 1"]
)  # fmt: skip
def test_an_address_that_cannot_be_asked_is_refused_at_opening(url: str) -> None:
    with pytest.raises(AssayError, match="is not an http:// or https:// address") as raised:
        checked_url(url)
    str(raised.value).encode()


def test_an_address_with_credentials_is_not_shown() -> None:
    with pytest.raises(AssayError) as raised:
        checked_url("http://me:pass-word@ho st/v1")
    assert "pass-word" not in str(raised.value)


@pytest.mark.parametrize("name", ["", "X Team", "X:Team", "X-Tëam", "X\n"])
def test_a_header_name_that_http_does_not_allow_is_refused_at_opening(name: str) -> None:
    with pytest.raises(AssayError, match="header name"):
        Transport("http://127.0.0.1:9/v1", Auth(None), {name: "x"}, 1.0, "")
