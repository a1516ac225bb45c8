"""How a request shows who asks: a key in a header, or whatever a provider derives from each request (a signature)."""

from __future__ import annotations

from assay.models.base import ModelConfig


class Auth:
    """A key in one header.

    Args:
        key: the API key; `None` or empty sends none.
        header: the header that carries it.
        scheme: what stands before the key, as in `Bearer <key>`; empty for the key alone.
    """

    def __init__(self, key: str | None, *, header: str = "Authorization", scheme: str = "Bearer") -> None:
        self.key = key.strip() if key else ""
        self._header = header
        self._scheme = scheme

    def fixed(self) -> dict[str, str]:
        """Headers that are the same for every request."""
        if not self.key:
            return {}
        return {self._header: f"{self._scheme} {self.key}" if self._scheme else self.key}

    def signed(self, method: str, url: str, data: bytes | None) -> dict[str, str]:
        """Further headers of one request, which depend on it; none here.

        Args:
            method: `GET` or `POST`.
            url: the complete address.
            data: the body as it is sent.
        """
        return {}


def key_auth(key: str | None, config: ModelConfig, *, header: str = "Authorization", scheme: str = "Bearer") -> Auth:
    """The provider's way to carry a key, or the header that the configuration names, which carries the key alone."""
    if config.key_header:
        return Auth(key, header=config.key_header, scheme="")
    return Auth(key, header=header, scheme=scheme)
