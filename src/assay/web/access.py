"""Who may look at a server: whoever is on this machine, and elsewhere who knows a token."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass

from assay.errors import AssayError

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""What a server on this machine alone is called by its own browsers."""
HERE = ("127.0.0.1", "::1", "localhost")
"""Hosts that nobody but this machine can reach."""
EVERYWHERE = ("0.0.0.0", "::")
"""Hosts that stand for all of a machine's addresses: what it is called by others cannot be known."""
TOKEN_BYTES = 24


@dataclass(frozen=True)
class Access:
    """Who may look."""

    hosts: tuple[str, ...] = LOOPBACK
    """Names that the server answers to, without a port; empty: all."""
    token: str = ""
    """What others have to know; empty: nothing."""

    def knows(self, host: str) -> bool:
        """Whether a request that names that host was meant for this server."""
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        return not self.hosts or name.lower() in self.hosts

    def admits(self, given: str) -> bool:
        """Whether that is the token; comparing takes as long whatever is given."""
        return not self.token or hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode("utf-8", "replace"))


def access_for(host: str, token: str) -> Access:
    """Who may look at a server on that host; a token is made up where one is needed and none is given.

    Raises:
        AssayError: the host is empty, which a system would take for all of them.
    """
    if not host.strip():
        raise AssayError("--host is empty", "leave it out, or give 0.0.0.0 for all of this machine's addresses")
    if host in HERE:
        return Access(token=token)
    names = () if host in EVERYWHERE else (*LOOPBACK, f"[{host}]" if ":" in host else host.lower())
    return Access(names, token or secrets.token_urlsafe(TOKEN_BYTES))
