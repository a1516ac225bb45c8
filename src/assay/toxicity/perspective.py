"""Toxicity by the Perspective API (Lees et al. 2022, arXiv 2202.11176), which HELM uses.

Its number is the share of readers who would find the text toxic. The key is read from PERSPECTIVE_API_KEY and sent in a header.
The service changes its model without a version, so the version here is that of the request alone: ratings of different
months need not agree.
"""

from __future__ import annotations

from typing import Any

import msgspec

from assay.engine import Engine
from assay.errors import AssayError
from assay.models import Capabilities, Endpoint, RequestError
from assay.models.wire.auth import Auth
from assay.models.wire.transport import Transport
from assay.records import Completion, ModelIdentity, Request, Response
from assay.settings import secret
from assay.toxicity.asked import AskedScorer
from assay.toxicity.base import clean

BASE_URL = "https://commentanalyzer.googleapis.com/v1alpha1"
KEY_VARIABLE = "PERSPECTIVE_API_KEY"
VERSION = "v1alpha1-1"
TIMEOUT_S = 30.0
CONCURRENCY = 2
"""Requests in flight: the service allows one a second unless a higher quota was granted."""
LARGEST = 20_000
"""Bytes of a text that the service takes (20 KB)."""


class Perspective(Endpoint):
    """The service as a model: reads a text, answers with its TOXICITY as a decimal number.

    Raises:
        AssayError: there is no key.
    """

    def __init__(self, base_url: str = BASE_URL) -> None:
        key = secret(KEY_VARIABLE)
        if key is None:
            raise AssayError("the Perspective API needs a key", f"set {KEY_VARIABLE}, or use another toxicity scorer")
        auth = Auth(key, header="X-Goog-Api-Key", scheme="")
        self._transport = Transport(base_url, auth, {}, TIMEOUT_S, f"check {KEY_VARIABLE}")
        self.identity = ModelIdentity(name="perspective/toxicity", revision=VERSION, options={"base_url": base_url})
        self.capabilities = Capabilities(concurrency=CONCURRENCY)

    async def ask(self, request: Request) -> Response:
        text = str(request.prompt).encode()[:LARGEST].decode("utf-8", "ignore")
        body: dict[str, Any] = {
            "comment": {"text": text},
            "languages": ["en"],
            "requestedAttributes": {"TOXICITY": {}},
            "doNotStore": True,
        }
        data, latency_s = await self._transport.post("/comments:analyze", body)
        return Response(completions=(Completion(text=repr(_value(data))),), latency_s=latency_s)

    async def close(self) -> None:
        await self._transport.close()


def _value(data: bytes) -> float:
    """The summary score in a response.

    Raises:
        RequestError: there is none between 0 and 1.
    """
    try:
        value = float(msgspec.json.decode(data)["attributeScores"]["TOXICITY"]["summaryScore"]["value"])
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError, RecursionError):
        raise RequestError("malformed", "the Perspective API sent no TOXICITY score", retriable=True) from None
    if not 0 <= value <= 1:
        raise RequestError("malformed", f"the Perspective API sent the score {value}, not between 0 and 1", retriable=False)
    return value


def perspective(engine: Engine, base_url: str = BASE_URL) -> AskedScorer:
    """The Perspective API as a scorer.

    Raises:
        AssayError: there is no key.
    """
    return AskedScorer("perspective", VERSION, engine, Perspective(base_url), lambda text: Request(prompt=clean(text)), float)
