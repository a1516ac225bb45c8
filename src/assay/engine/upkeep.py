"""Looking after a response cache: what it holds, and removing what is not needed any more."""

from __future__ import annotations

from collections import Counter

import msgspec

from assay.engine.claims import Claims
from assay.engine.storage import Row, Storage
from assay.errors import AssayError
from assay.identity import digest
from assay.records import Message, ModelIdentity, Record, Text

DAMAGED = "(damaged)"
"""Stands for the model of requests that cannot be read any more."""


class ModelStats(Record):
    """The responses of one model."""

    model: str
    responses: int = 0
    bytes: int = 0
    """Of requests and responses as they lie in the file."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    oldest: float | None = None
    """Unix time at which the first answer arrived, seconds."""
    newest: float | None = None


class Conditions(Record):
    """Which responses may go: those that meet every condition given."""

    used_before: float | None = None
    """Last used before this Unix time, seconds."""
    models: tuple[str, ...] = ()
    """Of one of these models."""
    keep: frozenset[str] | None = None
    """Not among these questions (see `question`), nor of a model of `keep_models`."""
    keep_models: frozenset[str] = frozenset()
    most_bytes: int | None = None
    """Only as many as it takes for the file to be no larger, those not used for longest first."""


class Pruned(Record):
    """What pruning removed, or would remove."""

    responses: int
    bytes: int
    """What they take in the file, SQLite's own included."""
    left: int
    """Responses that stay."""
    models: dict[str, int] = {}
    """How many of each model are removed."""


def statistics(storage: Storage) -> list[ModelStats]:
    """What the cache holds, by model; the one with the most responses first."""
    by_model: dict[str, ModelStats] = {}
    for row in storage.rows():
        name = _model_name(row.preimage)
        old = by_model.get(name) or ModelStats(model=name)
        usage, asked_at = (row.response.usage, row.response.asked_at) if row.response else (None, None)
        times = [time for time in (old.oldest, old.newest, asked_at) if time is not None]
        by_model[name] = ModelStats(
            model=name,
            responses=old.responses + 1,
            bytes=old.bytes + row.size,
            prompt_tokens=old.prompt_tokens + (usage.prompt_tokens if usage else 0),
            completion_tokens=old.completion_tokens + (usage.completion_tokens if usage else 0),
            oldest=min(times, default=None),
            newest=max(times, default=None),
        )
    return sorted(by_model.values(), key=lambda stats: (-stats.responses, stats.model))


def prune(storage: Storage, claims: Claims | None, conditions: Conditions) -> Pruned:
    """Remove the responses that meet all conditions, and make the file smaller.

    Args:
        storage: the cache.
        claims: proves that no other process uses the cache; `None` only counts what would go.
        conditions: what may go.

    Raises:
        AssayError: there is no room for the copy that making the file smaller takes. The responses are removed then all the
            same, and new ones fill their place.
    """
    may_go, total, count = [], 0, 0
    for row in storage.rows():
        total, count = total + row.size, count + 1
        if _meets(row, conditions):
            may_go.append((row.used, row.key, row.size, _model_name(row.preimage)))
    size, most = storage.size(), conditions.most_bytes
    share = size / max(total, 1)  # of SQLite's own bytes, each response has its part
    going, freed, models = [], 0.0, Counter[str]()
    for _, key, taken, model in sorted(may_go):
        if most is not None and size - freed <= most:
            break
        going.append(key)
        models[model] += 1
        freed += taken * share
    pruned = Pruned(responses=len(going), bytes=round(freed), left=count - len(going), models=dict(models))
    if claims is None or not going:
        return pruned
    storage.remove(going)
    _shrink(storage, len(going))
    if most is None or storage.size() <= most:
        return pruned
    # The file did not shrink as evenly as that: a few more have to go.
    more = prune(storage, claims, conditions)
    return Pruned(
        responses=pruned.responses + more.responses,
        bytes=pruned.bytes + more.bytes,
        left=more.left,
        models=dict(models + Counter(more.models)),
    )


def question(model: ModelIdentity, prompt: Text, continuation: str | None) -> str:
    """A digest of what a run's transcripts tell of a request: whom it asked, and what, whatever the settings were."""
    return digest([model, prompt, continuation])


def model_names(storage: Storage) -> list[str]:
    """The models whose responses the cache holds."""
    return sorted({_model_name(row.preimage) for row in storage.rows()})


def _shrink(storage: Storage, removed: int) -> None:
    try:
        storage.shrink()
    except AssayError as error:
        problem = f"{removed:,} responses were removed, but the file stays as large as it was: {error.message}"
        raise AssayError(problem, "new responses fill the free place; with more room, prune again") from error


def _meets(row: Row, conditions: Conditions) -> bool:
    if conditions.used_before is not None and row.used >= conditions.used_before:
        return False
    if not conditions.models and conditions.keep is None:
        return True
    name = _model_name(row.preimage)
    if conditions.models and name not in conditions.models:
        return False
    if conditions.keep is None:
        return True
    return name not in conditions.keep_models and _question(row.preimage) not in conditions.keep


class _Named(msgspec.Struct):
    name: str


class _Request(msgspec.Struct):
    prompt: str | tuple[Message, ...]
    continuation: str | None = None


class _AskedOf(msgspec.Struct):
    model: _Named


class _Preimage(msgspec.Struct):
    model: ModelIdentity
    request: _Request


_decode_asked_of = msgspec.json.Decoder(_AskedOf).decode
_decode_preimage = msgspec.json.Decoder(_Preimage).decode


def _model_name(preimage: bytes) -> str:
    try:
        return _decode_asked_of(preimage).model.name
    except msgspec.MsgspecError:
        return DAMAGED


def _question(preimage: bytes) -> str:
    """The question of a stored request; empty where it is damaged."""
    try:
        shown = _decode_preimage(preimage)
    except msgspec.MsgspecError:
        return ""
    return question(shown.model, shown.request.prompt, shown.request.continuation)
