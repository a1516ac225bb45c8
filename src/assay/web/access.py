"""Who may look at a server: whoever is on this machine, and elsewhere who knows a token."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

from assay.errors import AssayError

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""What a server on this machine alone is called by its own browsers."""
HERE = ("127.0.0.1", "::1", "localhost")
"""Hosts that nobody but this machine can reach."""
EVERYWHERE = ("0.0.0.0", "::")
"""Hosts that stand for all of a machine's addresses: what it is called by others cannot be known."""
TOKEN_BYTES = 24
NAMED = re.compile(r"(\[[^\]]*\]|[^:@]*)(?::[0-9]{1,5})?", re.ASCII)
"""A host as requests name it, with or without a port."""
TOKENS = re.compile(r"(token(?:=|%3D))[^&\s]*", re.IGNORECASE)
"""What stands where a token is given, in an address or in a cookie."""


@dataclass(frozen=True)
class Access:
    """Who may look."""

    hosts: tuple[str, ...] = LOOPBACK
    """Names that the server answers to, without a port; empty: all."""
    token: str = ""
    """What others have to know; empty: nothing."""

    def knows(self, host: str) -> bool:
        """Whether a request that names that host was meant for this server."""
        named = NAMED.fullmatch(host)
        return not self.hosts or (named is not None and named[1].lower() in self.hosts)

    def admits(self, given: str) -> bool:
        """Whether that is the token; comparing takes as long whatever is given."""
        return not self.token or hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode("utf-8", "replace"))

    def masked(self, text: str) -> str:
        """A text that goes into a log, without a token, be it a wrong one or only the beginning of one."""
        for held in filter(None, {self.token, quote(self.token, safe=""), quote_plus(self.token)}):
            text = text.replace(held, "***")
        return TOKENS.sub(r"\1***", text)

    def lets_in(self, headers: Mapping[str, str]) -> bool:
        """Whether a request comes from where it may: not from a page of another site that has it made without being left.

        Browsers say so; whoever says nothing is no browser, or an old one.
        """
        left = (headers.get("Sec-Fetch-Mode"), headers.get("Sec-Fetch-Dest")) == ("navigate", "document")
        return left or headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")


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
