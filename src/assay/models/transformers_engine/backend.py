"""Packs on torch: one row of tokens with explicit positions, and a mask that shows each token its own text only."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import DynamicCache

from assay.errors import AssayError
from assay.models.in_process.jobs import Job
from assay.models.in_process.packs import Leaf, Pack

Floats = NDArray[np.float32]

FULL, SLIDING = "full_attention", "sliding_attention"
"""The kinds of layers that a mask is known for, by transformers' names."""
LEAVES = 256
ROWS = {"cpu": 4096, "cuda": 16_384}
"""Rows of a pack by kind of device; a graphics processor needs more of them to be busy."""
PASS_ROWS = {"cpu": 1024, "cuda": 4096}
AGREEMENT = {torch.float32: 1e-3, torch.float64: 1e-3}
"""Most that logits of a pack may differ from those of its texts alone, in standard deviations, for packs to be used."""
HALF_AGREEMENT = 0.1


class TorchRows:
    """A model of transformers with the keys and values of one pack.

    Packs need attention that takes any mask. Where a trial at the beginning shows that the architecture does not, or where its
    layers keep a state instead of keys and values, every text is read alone: slower, and the same numbers.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._device = model.device
        self._kinds, self._window = _layers(model.config.get_text_config())
        takes = inspect.signature(model.forward).parameters
        self._selects = "logits_to_keep" in takes
        self._cache_name = "cache" if "cache" in takes else "past_key_values"  # renamed in transformers 5
        self._cache: Any = None
        self._visible = np.zeros((0, 0), bool)
        kind = self._device.type
        self.most_rows, self.pass_rows = ROWS.get(kind, ROWS["cpu"]), PASS_ROWS.get(kind, PASS_ROWS["cpu"])
        self.packing = self._kinds <= {FULL, SLIDING} and self._agrees()
        """Whether several texts share a row."""
        self.keeps = self.packing
        self.most_leaves = LEAVES if self.packing else 1

    def restart(self, pack: Pack, keep: int) -> None:
        """See `Backend`."""
        if keep and self._cache is not None:
            surplus = self._cache.get_seq_length() - keep
            if surplus:
                self._cache.crop(-surplus)  # a negative number says how many tokens go
        else:
            self._cache = DynamicCache() if self.keeps else None

    def read(self, pack: Pack, rows: Sequence[int], asked: Sequence[int]) -> Floats:
        """See `Backend`."""
        first = rows[0]
        wanted = torch.tensor([row - first for row in asked] or [0], device=self._device)
        settings: dict[str, Any] = {self._cache_name: self._cache}
        if self._selects:
            settings["logits_to_keep"] = wanted
        if self.keeps:
            settings["attention_mask"] = self._masks(pack, rows)
            settings["position_ids"] = torch.tensor([[pack.places[row] for row in rows]], device=self._device)
        with _memory(), torch.inference_mode():
            result = self._model(
                input_ids=torch.tensor([[pack.tokens[row] for row in rows]], device=self._device),
                use_cache=True,
                **settings,
            )
            self._cache = getattr(result, self._cache_name)
            logits = result.logits[0] if self._selects else result.logits[0, wanted]
            found: Floats = logits[: len(asked)].float().cpu().numpy()
        return found

    def close(self) -> None:
        """Give back the memory."""
        self._model = self._cache = None
        if self._device.type == "cuda":
            torch.cuda.empty_cache()

    def _masks(self, pack: Pack, rows: Sequence[int]) -> Any:
        """What the rows see: 0 where they do, the lowest number where not, of shape `(1, 1, rows, rows so far)`."""
        first, end = rows[0], rows[-1] + 1
        self._reserve(end)
        for row in rows:
            parent = pack.parents[row]
            self._visible[row] = self._visible[parent] if parent >= 0 else False
            self._visible[row, row] = True
        seen = {FULL: self._visible[first:end, :end]}
        if SLIDING in self._kinds:
            places = np.array(pack.places[:end])
            seen[SLIDING] = seen[FULL] & (places[first:end, None] - places[None] < self._window)
        masks = {kind: self._mask(seen[kind]) for kind in self._kinds}
        return masks if len(masks) > 1 else next(iter(masks.values()))

    def _mask(self, seen: NDArray[np.bool_]) -> torch.Tensor:
        kind = self._model.dtype
        hidden = torch.from_numpy(~seen).to(self._device)
        return torch.zeros(seen.shape, dtype=kind, device=self._device).masked_fill_(hidden, torch.finfo(kind).min)[None, None]

    def _reserve(self, rows: int) -> None:
        have = len(self._visible)
        if rows > have:
            larger = np.zeros((max(rows, 2 * have), max(rows, 2 * have)), bool)
            larger[:have, :have] = self._visible
            self._visible = larger

    def _agrees(self) -> bool:
        """Whether two short texts in one pack get the logits that each gets alone."""
        texts = [[5, 9, 7, 3, 8, 6], [5, 9, 7, 4, 2]]
        pack = Pack([Leaf(Job(text, targets=[0])) for text in texts])
        self.keeps = True
        self.restart(pack, 0)
        try:
            packed = self.read(pack, range(len(pack.tokens)), pack.ends)
            with torch.inference_mode():
                alone = [self._model(torch.tensor([text], device=self._device)).logits[0, -1] for text in texts]
        except (RuntimeError, TypeError, ValueError, KeyError, IndexError, AttributeError):
            return False
        expected = np.stack([logits.float().cpu().numpy() for logits in alone])
        apart = np.abs(packed - expected).max() / max(float(expected.std()), 1e-6)
        return bool(apart <= AGREEMENT.get(self._model.dtype, HALF_AGREEMENT))


def _layers(config: Any) -> tuple[set[str], int]:
    """The kinds of a model's layers, and how many tokens those with a sliding window see."""
    window = getattr(config, "sliding_window", None)
    if getattr(config, "use_sliding_window", True) is False:
        window = None
    kinds = getattr(config, "layer_types", None) or [SLIDING if window else FULL]
    return {str(kind) for kind in kinds}, int(window or 0)


@contextmanager
def _memory() -> Iterator[None]:
    """Torch has no one error for memory that is used up."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error):
            raise MemoryError("torch is out of memory") from None
        raise


def loaded(folder: str, name: str, dtype: str, device: str) -> TorchRows:
    """A checkpoint's weights on a device, ready to compute.

    Args:
        folder: where the checkpoint lies.
        name: for messages.
        dtype: `auto` for the checkpoint's own, or one of torch's by name.
        device: `auto` for a graphics processor where there is one, or one of torch's by name.

    Raises:
        AssayError: the weights cannot be read, need code of their own, or do not fit the memory.
    """
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging as chatter

    chatter.disable_progress_bar()
    chatter.set_verbosity_error()
    place = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    try:
        with _memory():
            model = AutoModelForCausalLM.from_pretrained(
                folder, dtype=dtype, local_files_only=True, use_safetensors=True, trust_remote_code=False
            )
            return TorchRows(model.eval().to(place))
    except MemoryError:
        raise AssayError(f"{name} does not fit the memory of {place}", "set dtype: bfloat16, or take a smaller model") from None
    except Exception as error:  # noqa: BLE001 - transformers, torch and safetensors each raise their own
        problem = " ".join(str(error).split())[:300] or type(error).__name__
        hint = "assay loads safetensors and runs no code of a model"
        raise AssayError(f"transformers cannot load {name}: {problem}", hint) from None
