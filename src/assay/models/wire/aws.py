"""What Amazon's services want of a client: signed requests, and streams in frames. Both by botocore (extra `bedrock`)."""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import AsyncGenerator, AsyncIterable, Callable
from typing import Any

from assay.errors import AssayError, MissingExtra
from assay.models.base import RequestError
from assay.models.wire.auth import Auth
from assay.models.wire.replies import Reply, decoded
from assay.models.wire.secrets import Secrets
from assay.models.wording import one_line

HELP = "set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
"""How a user gives credentials."""


def need_botocore() -> None:
    """Check that botocore is there.

    Raises:
        MissingExtra: it is not installed.
    """
    if importlib.util.find_spec("botocore") is None:
        raise MissingExtra("botocore", "bedrock")


def profile_region() -> str | None:
    """The region of the user's AWS profile, `None` where it has none.

    Raises:
        AssayError: botocore is not installed, or the profile cannot be read.
    """
    need_botocore()
    import botocore.exceptions
    import botocore.session

    try:
        region = botocore.session.get_session().get_config_variable("region")
    except botocore.exceptions.BotoCoreError as error:
        raise AssayError(f"the AWS profile cannot be used: {one_line(str(error))}", HELP) from None
    return str(region) if region else None


class Signed(Auth):
    """Signs requests to Bedrock with AWS Signature Version 4, by the credentials that botocore finds on this machine.

    Credentials that run out are renewed by botocore.

    Raises:
        AssayError: there are no credentials.
    """

    secrets: Secrets | None = None
    """Where the credentials are to be hidden, as soon as they are used."""

    def __init__(self, region: str) -> None:
        super().__init__(None)
        need_botocore()
        import botocore.exceptions
        import botocore.session

        self._region = region
        self._used: Any = None
        try:
            self._credentials: Any = botocore.session.get_session().get_credentials()
        except botocore.exceptions.BotoCoreError as error:
            raise AssayError(f"the AWS credentials cannot be used: {one_line(str(error))}", HELP) from None
        if self._credentials is None:
            raise AssayError("there are no AWS credentials on this machine", HELP)

    def signed(self, method: str, url: str, data: bytes | None) -> dict[str, str]:
        """The headers that sign a request.

        Raises:
            RequestError: the credentials have run out and cannot be renewed.
        """
        import botocore.exceptions
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        request = AWSRequest(method=method, url=url, data=data, headers={"Content-Type": "application/json"})
        try:
            credentials = self._credentials.get_frozen_credentials()
            SigV4Auth(credentials, "bedrock", self._region).add_auth(request)
        except botocore.exceptions.BotoCoreError as error:
            message = f"the AWS credentials cannot be used: {one_line(str(error))} ({HELP})"
            raise RequestError("authentication", message, retriable=False) from None
        if credentials != self._used and self.secrets is not None:
            self.secrets.hide(*(value for value in credentials if value))
            self._used = credentials
        return {name: str(value) for name, value in request.headers.items()}


async def frames(
    chunks: AsyncIterable[tuple[bytes, float]], clean: Callable[[str], str]
) -> AsyncGenerator[tuple[Reply, float], None]:
    """The frames of an `application/vnd.amazon.eventstream`, each an object with the frame's name as its one key.

    Args:
        chunks: the bytes, cut anywhere, and when they arrived; the same time stands with each frame.
        clean: takes the secrets out of what the server said, for a message.

    Raises:
        RequestError: the bytes are no such stream (`malformed`, worth another try).
    """
    from botocore.eventstream import EventStreamBuffer, ParserError

    buffer = EventStreamBuffer()
    async for chunk, at_s in chunks:
        try:
            buffer.add_data(chunk)
            arrived = list(buffer)
        except (ParserError, ValueError, LookupError, struct.error) as error:
            message = f"the stream is none of Amazon's event streams: {one_line(clean(str(error)))}"
            raise RequestError("malformed", message, retriable=True) from None
        for frame in arrived:
            if frame.headers.get(":message-type") == "error":
                yield {"internalServerException": {"message": frame.headers.get(":error-message")}}, at_s
            else:
                name = frame.headers.get(":event-type") or frame.headers.get(":exception-type")
                yield {str(name): decoded(frame.payload or b"{}", clean)}, at_s
