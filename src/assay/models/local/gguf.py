"""Reads GGUF files: the metadata, and tensors of the types f32, f16, Q4_1 and Q8_0.

The layout follows the GGUF specification (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), versions 2 and 3,
little-endian. The file is mapped, not read: a tensor costs memory only when its numbers are asked for. Every length and
offset in the file is checked against its size, so that a broken file is an error and never a crash.
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError

Floats = NDArray[np.float32]

BLOCK = 32
"""Weights that share one scale in the quantised types."""

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""GGUF number of a scalar metadata type -> its `struct` letter."""
_STRING, _ARRAY = 8, 9

_TYPES: dict[int, tuple[str, int, np.dtype[Any]]] = {
    0: ("f32", 1, np.dtype("<f4")),
    1: ("f16", 1, np.dtype("<f2")),
    3: ("Q4_1", BLOCK, np.dtype([("scale", "<f2"), ("offset", "<f2"), ("nibbles", "u1", BLOCK // 2)])),
    8: ("Q8_0", BLOCK, np.dtype([("scale", "<f2"), ("bytes", "i1", BLOCK)])),
}
"""GGUF number of a tensor type -> its name, the weights per stored element, and the stored element."""

REPAIR = "fetch it again"


@dataclass(frozen=True)
class Tensor:
    """A tensor in the mapped file; rows are the outputs of the layer that it belongs to."""

    name: str
    kind: str
    shape: tuple[int, ...]
    stored: NDArray[Any]
    """The stored elements, of shape `(rows, elements per row)`."""

    def floats(self) -> Floats:
        """All its numbers as float32, of its shape."""
        return _decode(self.kind, self.stored).reshape(self.shape)

    def rows(self, indices: NDArray[np.int64]) -> Floats:
        """The named rows as float32, of shape `(len(indices), last dimension)`."""
        return _decode(self.kind, self.stored[indices])


@dataclass(frozen=True)
class GGUF:
    """A GGUF file: metadata by key, tensors by name."""

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, Tensor]

    def need(self, key: str, kind: type) -> Any:
        """The metadata value of a key.

        Raises:
            AssayError: the key is missing or its value is of another type.
        """
        value = self.metadata.get(key)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind):
            raise AssayError(f"{self.path.name}: metadata {key!r} is missing or not a {kind.__name__}", REPAIR)
        return value

    def words(self, key: str) -> list[str]:
        """The metadata value of a key, a list of strings.

        Raises:
            AssayError: the key is missing or its value is something else.
        """
        value: list[Any] = self.need(key, list)
        if not all(isinstance(word, str) for word in value):
            raise AssayError(f"{self.path.name}: metadata {key!r} is not a list of strings", REPAIR)
        return value

    def tensor(self, name: str, shape: tuple[int, ...]) -> Tensor:
        """The tensor of that name.

        Raises:
            AssayError: there is none, or it has another shape.
        """
        tensor = self.tensors.get(name)
        if tensor is None or tensor.shape != shape:
            found = "missing" if tensor is None else f"of shape {tensor.shape}"
            raise AssayError(f"{self.path.name}: tensor {name!r} is {found}, expected {shape}", REPAIR)
        return tensor


def read(path: Path) -> GGUF:
    """Read a file's metadata and map its tensors.

    Raises:
        AssayError: the file cannot be read, is not a GGUF file, is cut off, or holds a tensor type that is not supported.
    """
    return _Reader(path, _mapped(path)).read()


def metadata(path: Path) -> dict[str, Any]:
    """A file's metadata alone, whatever types its tensors have.

    Raises:
        AssayError: the file cannot be read, is not a GGUF file, or is cut off.
    """
    return _Reader(path, _mapped(path)).metadata()[0]


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise AssayError(f"weights file {path} cannot be read: {error}", REPAIR) from error


class _Reader:
    """Walks through the header of a mapped file, never past its end."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self.path = path
        self.data = data
        self.at = 0

    def read(self) -> GGUF:
        metadata, tensor_count = self.metadata()
        entries = [self.tensor_entry() for _ in range(tensor_count)]
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment <= 0:
            raise self.broken(f"its alignment is {alignment!r}")
        start = -(-self.at // alignment) * alignment
        tensors = {name: self.tensor(name, shape, kind, start + offset) for name, shape, kind, offset in entries}
        return GGUF(self.path, metadata, tensors)

    def metadata(self) -> tuple[dict[str, Any], int]:
        """The metadata, and how many tensors follow it."""
        if self.data[:4] != b"GGUF":
            raise self.broken("it does not start with 'GGUF'")
        self.at = 4
        version = self.scalar("I")
        if version not in (2, 3):
            raise self.broken(f"its version is {version}, supported are 2 and 3")
        tensor_count, value_count = self.scalar("Q"), self.scalar("Q")
        metadata: dict[str, Any] = {}
        for _ in range(value_count):
            key = self.string()
            metadata[key] = self.value(self.scalar("I"))
        return metadata, tensor_count

    def broken(self, reason: str) -> AssayError:
        return AssayError(f"weights file {self.path} is broken: {reason}", REPAIR)

    def take(self, size: int) -> int:
        """Step over `size` bytes and return where they start."""
        start = self.at
        if size > len(self.data) - start:
            raise self.broken(f"it ends at byte {len(self.data)}, where {size} bytes from {start} on were expected")
        self.at = start + size
        return start

    def scalar(self, letter: str) -> Any:
        return struct.unpack_from("<" + letter, self.data, self.take(struct.calcsize("<" + letter)))[0]

    def string(self) -> str:
        size = self.scalar("Q")
        start = self.take(size)
        try:
            return self.data[start : start + size].decode("utf-8")
        except UnicodeDecodeError:
            raise self.broken(f"the string at byte {start} is not UTF-8") from None

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            return self.array()
        if kind not in _SCALARS:
            raise self.broken(f"unknown metadata type {kind} before byte {self.at}")
        return self.scalar(_SCALARS[kind])

    def array(self) -> list[Any]:
        kind, count = self.scalar("I"), self.scalar("Q")
        if kind == _STRING:
            return [self.string() for _ in range(count)]
        if kind not in _SCALARS:
            raise self.broken(f"unknown array type {kind} before byte {self.at}")
        element = "<" + _SCALARS[kind]
        start = self.take(count * struct.calcsize(element))
        return [value for (value,) in struct.iter_unpack(element, self.data[start : self.at])]

    def tensor_entry(self) -> tuple[str, tuple[int, ...], int, int]:
        """Name, shape with the rows first, type number, offset from the start of the data."""
        name = self.string()
        dimensions = self.scalar("I")
        if not 1 <= dimensions <= 4:
            raise self.broken(f"tensor {name!r} has {dimensions} dimensions")
        shape = tuple(self.scalar("Q") for _ in range(dimensions))[::-1]
        return name, shape, self.scalar("I"), self.scalar("Q")

    def tensor(self, name: str, shape: tuple[int, ...], number: int, start: int) -> Tensor:
        if number not in _TYPES:
            hint = "supported are " + ", ".join(kind for kind, _, _ in _TYPES.values())
            raise AssayError(f"{self.path.name}: tensor {name!r} has the unsupported type {number}", hint)
        kind, weights, element = _TYPES[number]
        if math.prod(shape) == 0 or shape[-1] % weights:
            raise self.broken(f"tensor {name!r} of type {kind} has shape {shape}")
        elements = math.prod(shape) // weights
        end = start + elements * element.itemsize
        if end > len(self.data):
            raise self.broken(f"it ends at byte {len(self.data)}, but tensor {name!r} reaches to {end}")
        stored = np.frombuffer(self.data, element, elements, start)
        return Tensor(name, kind, shape, stored.reshape(-1, shape[-1] // weights))


def _decode(kind: str, stored: NDArray[Any]) -> Floats:
    """Stored elements of shape `(rows, elements)` as float32 of shape `(rows, elements × weights per element)`."""
    if kind in ("f32", "f16"):
        return stored.astype(np.float32)
    rows, blocks = stored.shape
    scale = stored["scale"].astype(np.float32)[..., None]
    out = np.empty((rows, blocks, BLOCK), np.float32)
    if kind == "Q8_0":
        with np.errstate(invalid="ignore"):  # an infinite scale in a damaged file
            np.multiply(stored["bytes"], scale, out=out)
    else:
        half = BLOCK // 2
        out[..., :half] = stored["nibbles"] & 15
        out[..., half:] = stored["nibbles"] >> 4
        out *= scale
        out += stored["offset"].astype(np.float32)[..., None]
    return out.reshape(rows, blocks * BLOCK)
