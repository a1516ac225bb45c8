"""What identifies a request: the canonical encoding of everything that can change its answer, and the digest of that."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from msgspec.structs import fields as fields_of

from assay.identity import canonical
from assay.models.base import Model
from assay.records import ModelIdentity, Record, Request

SCHEMA = 1
"""Raised when the meaning of an encoded request changes, so that old answers are not taken for answers to new requests."""


class Keys:
    """Preimages and keys of the requests to one model.

    A preimage is JSON: `{"model": …, "request": …, "schema": 1}`. Fields at their default are left out, so a later field
    with a default does not make old answers unreachable. `repeat` counts only when the model samples (temperature above
    0), `options` only for models that read them, and the model's `occasion` where it is asked on one.
    """

    def __init__(self, model: Model) -> None:
        self._occasion = {"occasion": model.occasion} if model.occasion else {}
        self._model = msgspec.Raw(canonical(_set_fields(model.identity, _IDENTITY)))
        self._reads_options = model.capabilities.reads_options

    def preimage(self, request: Request) -> bytes:
        """The canonical encoding.

        Raises:
            UnicodeEncodeError: the prompt holds a lone surrogate, which no encoding can carry.
        """
        fields = _set_fields(request, _REQUEST)
        if not self._reads_options:
            fields.pop("options", None)
        if request.temperature <= 0:
            fields.pop("repeat", None)
        # 1 and 1.0 are the same setting but not the same text.
        for name in ("temperature", "top_p"):
            if name in fields:
                fields[name] = float(fields[name])
        return canonical({"schema": SCHEMA, "model": self._model, "request": fields, **self._occasion})

    def key(self, request: Request) -> str:
        """The request's key: SHA-256 of its preimage, 64 hexadecimal digits."""
        return key_of(self.preimage(request))


def key_of(preimage: bytes) -> str:
    """SHA-256 of a preimage, 64 hexadecimal digits."""
    return hashlib.sha256(preimage).hexdigest()


def _defaults(record: Record) -> tuple[tuple[str, Any], ...]:
    """Each field and its default; a field without one never counts as left at it."""
    required = msgspec.NODEFAULT
    return tuple((field.name, required if field.required else getattr(record, field.name)) for field in fields_of(type(record)))


def _set_fields(record: Record, defaults: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    return {name: value for name, default in defaults if (value := getattr(record, name)) != default}


_REQUEST = _defaults(Request(prompt=""))
_IDENTITY = _defaults(ModelIdentity(name=""))
