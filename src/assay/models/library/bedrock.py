"""Models of Amazon Bedrock by its Converse API: `bedrock/<model or inference profile>`.

- name: bedrock/us.anthropic.claude-x-v1:0     # AWS_BEARER_TOKEN_BEDROCK, or AWS credentials wherever botocore finds them
  body: {inferenceConfig: {maxTokens: 4000}, additionalModelRequestFields: {thinking: {type: adaptive}}}
  stream: true                                 # time to the first token

The region is AWS_REGION's, AWS_DEFAULT_REGION's or the profile's. Credentials and streams need botocore: pip install
'assay[bedrock]'.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from assay.errors import Impossible
from assay.models.base import ModelConfig, provider
from assay.models.hosted import TIMEOUT_S, Hosted, only_chat
from assay.models.wire import aws
from assay.models.wire.auth import key_auth
from assay.models.wire.converse import Converse
from assay.models.wire.replies import Reply
from assay.models.wire.transport import Transport
from assay.settings import secret, setting

EVENT_STREAM = "application/vnd.amazon.eventstream"


class Bedrock(Hosted):
    """A model whose streams come in Amazon's own frames."""

    async def _events(self, path: str, body: Reply) -> AsyncGenerator[tuple[Reply, float], None]:
        async with aclosing(self._transport.chunks(path, body, EVENT_STREAM)) as chunks:
            async for frame in aws.frames(chunks, self._transport.secrets.clean):
                yield frame


@provider("bedrock", examples=("bedrock/<model>",))
def bedrock(name: str, config: ModelConfig) -> Bedrock:
    """Amazon Bedrock's Converse API."""
    only_chat(config)
    if config.stream:
        aws.need_botocore()
    variable = config.key_variable or "AWS_BEARER_TOKEN_BEDROCK"
    key = secret(variable)
    region = setting("AWS_REGION") or setting("AWS_DEFAULT_REGION") or (None if key else aws.profile_region())
    base_url = config.base_url or setting("AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
    if not region and not (key and base_url):
        raise Impossible(f"{config.name} needs an AWS region", "export AWS_REGION=us-east-1, or another where the model is")
    base_url = base_url or f"https://bedrock-runtime.{region}.amazonaws.com"
    auth = key_auth(key, config) if key else aws.Signed(region or "")
    hint = f"set {variable} to a key that is valid there" if key else aws.HELP
    transport = Transport(base_url, auth, config.headers, config.timeout_s or TIMEOUT_S, hint)
    if isinstance(auth, aws.Signed):
        auth.secrets = transport.secrets
    return Bedrock(Converse(config.model or name, config.body), config, transport)
