"""Requests to the hub: what huggingface_hub leaves open, closed.

huggingface_hub retries some transport failures and not others, depending on its version and on which of several requests
fails. Here every one is retried, a bounded number of times, and what remains becomes one `AssayError`. What a hub answers is
not to be relied on: an answer of another shape than the hub's is such an error as well.
"""

from __future__ import annotations

import errno
import functools
import logging
import re
import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from assay.errors import AssayError
from assay.settings import secret, setting
from assay.text import one_line

T = TypeVar("T")

ATTEMPTS = 6
FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 4.0
PATIENCE_S = 10.0
"""After this long no third attempt is made, and no second where the hub limits the rate of requests: huggingface_hub has
then repeated the request itself."""
TRANSPORT = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3", "http", "hf_xet"})
"""Packages whose exceptions mean that a request failed, whichever of them a version of huggingface_hub is built on."""
LONGEST_REASON = 300
"""Characters of what a package says about a failure."""
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
NO_NAME = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
LOGIN = re.compile(r"(?<=//)[^/@\s]*@|(?<=Bearer ).*")
"""Names and passwords in addresses, and tokens in what a package says about a header: never shown."""


class HubUnreachable(AssayError):
    """The hub gave no answer, or none may be asked for."""


def persistently(request: Callable[[], T], repo: str, revision: str, name: str | None = None) -> T:
    """The result of a request that is repeated, with growing pauses, as long as it fails for a reason that may pass.

    Args:
        request: asks the hub.
        repo: the repository it asks about.
        revision: the revision it asks about.
        name: the file it asks for; `None` where it asks for none.

    Raises:
        AssayError: it cannot be answered, or is answered in a way that cannot be used.
        HubUnreachable: no attempt was answered.
    """
    check_settings()
    _keep_logins_out_of_warnings()
    started = time.monotonic()
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return request()
        except Exception as error:
            final = _final(error, repo, revision, name)
            if final is not None:
                raise final from error
            last = error
        late = time.monotonic() - started >= PATIENCE_S
        if attempt == ATTEMPTS or (late and (attempt > 1 or _status(last) == 429)):
            break
        time.sleep(min(FIRST_PAUSE_S * 2 ** (attempt - 1), LONGEST_PAUSE_S))
    what = f"{repo}: {name}" if name else repo
    raise HubUnreachable(
        f"the hub at {endpoint()} did not deliver {what} in {attempt} attempts: {_reason(last)}",
        "wait a while, the hub limits the rate of requests; with HF_TOKEN it allows more"
        if _status(last) == 429
        else "check the network; HF_ENDPOINT names a mirror, HF_HUB_OFFLINE=1 uses only files already in HF_HOME",
    ) from last


def check_settings() -> None:
    """Refuse settings that no request can be made with.

    Raises:
        AssayError: the address or the token is none.
    """
    constants()
    for variable in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        token = (secret(variable) or "").replace("\r", "").replace("\n", "").strip()
        if not (token.isascii() and token.isprintable()):
            raise AssayError(f"{variable} holds characters that no token has", "copy the token again, or unset it")


def constants() -> Any:
    """huggingface_hub's settings; the package cannot even be imported where `HF_ENDPOINT` is no address.

    Raises:
        AssayError: it is none.
    """
    address = setting("HF_ENDPOINT") or "https://huggingface.co"
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").encode("idna")
        usable = parts.scheme in ("http", "https") and bool(host) and parts.port != 0 and not re.search(r"\s", address)
    except ValueError:
        usable = False
    if not usable:
        raise AssayError("HF_ENDPOINT is no http:// or https:// address", "unset it, or name a mirror: https://hub.example.com")
    from huggingface_hub import constants as settings

    return settings


def endpoint() -> str:
    """The address of the hub, or of what stands in for it, without a login."""
    return _without_login(str(constants().ENDPOINT))


def is_mirror() -> bool:
    """Whether what stands in for the hub (`HF_ENDPOINT`) is not the hub itself."""
    host = urlsplit(endpoint()).hostname or ""
    return host != "huggingface.co" and not host.endswith(".huggingface.co")


def is_offline() -> bool:
    """Whether no request may be made (`HF_HUB_OFFLINE`)."""
    return bool(constants().HF_HUB_OFFLINE)


def no_cache(error: OSError, path: object) -> AssayError:
    """What to tell where the cache takes no file."""
    return AssayError(f"the cache cannot be written: {error.strerror}: {path}", "free space or set HF_HOME")


def _final(error: Exception, repo: str, revision: str, name: str | None) -> AssayError | None:
    """What to tell the user about a failure that repeating cannot cure, `None` where it may pass."""
    refused = _refused(error, repo, revision, name)
    if refused is not None:
        return refused
    if isinstance(error, OSError) and error.filename is not None and error.errno is not None:
        if error.errno in NO_NAME and str(error.filename).endswith(".incomplete"):
            return AssayError(f"the hub at {endpoint()} gives {repo}: {name} an ETag that is no digest", "use another mirror")
        return no_cache(error, error.filename)
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return no_cache(error, constants().HF_HUB_CACHE)
    if _is_transport(error):
        return None
    what = f"{repo}: {name}" if name else repo
    return AssayError(
        f"the hub at {endpoint()} answered about {what} in a way that cannot be used: {_reason(error)}",
        "check that HF_ENDPOINT, where set, is a mirror of the hub",
    )


def _refused(error: Exception, repo: str, revision: str, name: str | None) -> AssayError | None:
    """What to tell about a hub that has not what it is asked for, or does not give it to this account."""
    from huggingface_hub import errors

    status = _status(error)
    if isinstance(error, errors.GatedRepoError):
        return AssayError(
            f"{repo} is gated and this account may not read it",
            f"accept its terms at {endpoint()}/datasets/{repo} and set HF_TOKEN to a token of that account",
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return AssayError(f"{repo} has no revision {revision!r} at {endpoint()}", "name a branch, tag or full commit id of it")
    if isinstance(error, errors.RepositoryNotFoundError):
        return AssayError(
            f"there is no dataset repository {repo!r} at {endpoint()}", "check owner/name; a private one needs HF_TOKEN"
        )
    if isinstance(error, errors.RemoteEntryNotFoundError):
        return AssayError(f"{repo}@{revision[:10]} has no file {name}", "the repository changed; pin another revision")
    if is_offline() and isinstance(error, (errors.OfflineModeIsEnabled, errors.LocalEntryNotFoundError)):
        what = f"{repo}@{revision[:10]}" + (f": {name}" if name else "")
        return HubUnreachable(
            f"{what} is not in the cache and HF_HUB_OFFLINE is set", "unset it once, or point HF_HOME to a filled cache"
        )
    if status is not None and 400 <= status < 500 and status not in (408, 425, 429):
        hint = "check HF_TOKEN" if status in (401, 403, 407) else "check the address and what the hub has there"
        return AssayError(f"the hub at {endpoint()} refused {repo}: HTTP {status}: {_reason(error, kind=False)}", hint)
    return None


def _status(error: BaseException | None) -> int | None:
    """The HTTP status that a failure, or what it came from, was answered with."""
    while error is not None:
        status = getattr(getattr(error, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
        error = error.__cause__
    return None


def _reason(error: BaseException, *, kind: bool = True) -> str:
    """The first line of what an exception says."""
    line = _without_login(next(iter(str(error).splitlines()), ""))[:LONGEST_REASON]
    return f"{type(error).__name__}: {line}" if kind and line else line or type(error).__name__


@functools.cache
def _keep_logins_out_of_warnings() -> None:
    """huggingface_hub warns of each request it repeats, and names its address."""
    from huggingface_hub.utils import logging as theirs

    def clean(record: logging.LogRecord) -> bool:
        record.msg, record.args = one_line(_without_login(record.getMessage())), ()
        return True

    for handler in theirs.get_logger("huggingface_hub").handlers:
        handler.addFilter(clean)


def _without_login(text: str) -> str:
    return LOGIN.sub("", text)


def _is_transport(error: Exception) -> bool:
    packages = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    return isinstance(error, (OSError, EOFError)) or bool(packages & TRANSPORT) or _is_broken_body(error)


def _is_broken_body(error: Exception) -> bool:
    """A list of files that was cut off on the way is no JSON."""
    return isinstance(error, ValueError) and type(error).__name__ == "JSONDecodeError"
